import CastModels

/// Documents that the broker refused for a reason that may pass, such as access rules that were being changed.
///
/// Each minute one owner gets another turn, the one that waits longest. Once the broker accepts a topic that it had refused, all of them do.
struct RefusedDocuments {
    /// The time between two turns. Rules that stay as they are must cost next to nothing.
    static let pause = Duration.seconds(60)

    struct Owner {
        var owner: DocumentOwner
        /// The message that was refused, by topic.
        var tokens: [String: Publisher.Token]
    }

    /// When the next owner has its turn; `nil` while no owner waits.
    private(set) var nextTurn: MonotonicTime?
    /// The one that waits longest first.
    private var owners: [Owner] = []

    mutating func append(_ topic: String, token: Publisher.Token, of owner: DocumentOwner, now: MonotonicTime) {
        if let place = self.owners.firstIndex(where: { $0.owner == owner }) {
            self.owners[place].tokens[topic] = token
        } else {
            self.owners.append(Owner(owner: owner, tokens: [topic: token]))
        }
        self.nextTurn = self.nextTurn ?? now + Self.pause
    }

    mutating func remove(_ owner: DocumentOwner) {
        self.owners.removeAll { $0.owner == owner }
        if self.owners.isEmpty { self.nextTurn = nil }
    }

    /// Some topics of an owner belong to another from now on.
    mutating func handOver(_ isMeant: (String) -> Bool, from former: DocumentOwner, to owner: DocumentOwner) {
        guard let place = self.owners.firstIndex(where: { $0.owner == former }), let turn = self.nextTurn else { return }
        let tokens = self.owners[place].tokens
        self.owners[place].tokens = tokens.filter { !isMeant($0.key) }
        if self.owners[place].tokens.isEmpty { self.owners.remove(at: place) }
        for (topic, token) in tokens where isMeant(topic) { self.append(topic, token: token, of: owner, now: turn) }
    }

    /// Returns the owner whose turn has come, if any.
    mutating func take(now: MonotonicTime) -> [Owner] {
        guard let nextTurn, nextTurn <= now, !self.owners.isEmpty else { return [] }
        let owner = self.owners.removeFirst()
        self.nextTurn = self.owners.isEmpty ? nil : now + Self.pause
        return [owner]
    }

    /// Returns every owner at once.
    mutating func takeAll() -> [Owner] {
        defer { (self.owners, self.nextTurn) = ([], nil) }
        return self.owners
    }
}

/// The message `online` after the broker refused it: sent again until it is accepted, because readers take the bridge for offline.
struct StateRetry {
    static let pause = Duration.seconds(10)

    /// When it is due; `nil` while it need not be sent again.
    private(set) var nextTurn: MonotonicTime?
    private var isDue = false

    mutating func refused(now: MonotonicTime) { (self.nextTurn, self.isDue) = (now + Self.pause, false) }

    mutating func wake(now: MonotonicTime) {
        guard let nextTurn, nextTurn <= now else { return }
        (self.nextTurn, self.isDue) = (nil, true)
    }

    /// Returns whether to send it now, once for each refusal.
    mutating func takeDue() -> Bool {
        defer { self.isDue = false }
        return self.isDue
    }
}
