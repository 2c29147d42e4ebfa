import CastModels

/// The owners that are sent again after a pause, because the broker's quota was exceeded. The pause doubles until the broker accepts a
/// message.
struct PostponedOwners {
    private static let shortest = Duration.seconds(1)
    private static let longest = Duration.seconds(60)

    /// The time of the next turn; `nil` while no owner waits.
    private(set) var nextTurn: MonotonicTime?
    private var owners: [DocumentOwner] = []
    private var pause = Self.shortest

    func contains(_ owner: DocumentOwner) -> Bool { self.owners.contains(owner) }

    mutating func append(_ owner: DocumentOwner, now: MonotonicTime) {
        if !self.owners.contains(owner) { self.owners.append(owner) }
        guard self.nextTurn == nil else { return }
        self.nextTurn = now + self.pause
        self.pause = min(self.pause * 2, Self.longest)
    }

    mutating func remove(_ owner: DocumentOwner) { self.owners.removeAll { $0 == owner } }

    /// The broker accepted a message: the next pause is short again.
    mutating func accepted() { self.pause = Self.shortest }

    /// Removes and returns all owners at their turn; empty before it.
    mutating func take(now: MonotonicTime) -> [DocumentOwner] {
        guard let nextTurn, nextTurn <= now else { return [] }
        return self.takeAll()
    }

    mutating func takeAll() -> [DocumentOwner] {
        defer { (self.owners, self.nextTurn) = ([], nil) }
        return self.owners
    }
}
