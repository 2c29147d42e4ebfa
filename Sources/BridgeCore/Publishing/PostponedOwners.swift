import CastModels

/// Owners that get another turn after a pause, because the broker's quota was exceeded. The pause doubles until something is accepted.
struct PostponedOwners {
    private static let shortest = Duration.seconds(1)
    private static let longest = Duration.seconds(60)

    /// When the next turn is, if anyone waits for one.
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

    /// The broker accepts again: the next pause is a short one.
    mutating func accepted() { self.pause = Self.shortest }

    /// Everyone, when the turn has come; nobody before.
    mutating func take(now: MonotonicTime) -> [DocumentOwner] {
        guard let nextTurn, nextTurn <= now else { return [] }
        return self.takeAll()
    }

    /// Everyone at once.
    mutating func takeAll() -> [DocumentOwner] {
        defer { (self.owners, self.nextTurn) = ([], nil) }
        return self.owners
    }
}
