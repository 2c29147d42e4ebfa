import CastModels

/// The topics whose last message the broker refused, and the documents among them that wait to be sent again: the reason may pass, such as
/// access rules that are being changed.
///
/// Each minute one owner is sent again, the one that waits longest. When the broker accepts a topic that it had refused, all owners are
/// sent again.
struct RefusedTopics {
    /// The time between two turns. It is long, because permanent rules must cause almost no traffic.
    static let pause = Duration.seconds(60)

    struct Owner {
        var owner: DocumentOwner
        /// The refused message of each topic.
        var tokens: [String: Publisher.Token]
    }

    /// The time of the next turn; `nil` while no owner waits.
    private(set) var nextTurn: MonotonicTime?
    /// The waiting owners, longest wait first.
    private var owners: [Owner] = []
    private var topics: Set<String> = []

    /// Returns whether a refusal of this topic is new. Clients choose response topics, so the number of remembered topics is bounded.
    mutating func isFirst(_ topic: String) -> Bool {
        if self.topics.count >= 1024 { self.topics.removeAll() }
        return self.topics.insert(topic).inserted
    }

    /// Returns whether the broker had refused the topic that it accepts now.
    mutating func accepted(_ topic: String) -> Bool { !self.topics.isEmpty && self.topics.remove(topic) != nil }

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

    mutating func handOver(_ isMeant: (String) -> Bool, from former: DocumentOwner, to owner: DocumentOwner) {
        guard let place = self.owners.firstIndex(where: { $0.owner == former }), let turn = self.nextTurn else { return }
        let tokens = self.owners[place].tokens
        self.owners[place].tokens = tokens.filter { !isMeant($0.key) }
        if self.owners[place].tokens.isEmpty { self.owners.remove(at: place) }
        for (topic, token) in tokens where isMeant(topic) { self.append(topic, token: token, of: owner, now: turn) }
    }

    /// Removes and returns the owner whose turn has come; empty if there is none.
    mutating func take(now: MonotonicTime) -> [Owner] {
        guard let nextTurn, nextTurn <= now, !self.owners.isEmpty else { return [] }
        let owner = self.owners.removeFirst()
        self.nextTurn = self.owners.isEmpty ? nil : now + Self.pause
        return [owner]
    }

    mutating func takeAll() -> [Owner] {
        defer { (self.owners, self.nextTurn) = ([], nil) }
        return self.owners
    }
}

/// The bridge's `online` and `offline`. An `online` that is refused, or overwritten by another program, is sent again until it is accepted,
/// because readers otherwise treat the bridge as offline.
struct StateMessages {
    private static let pause = Duration.seconds(10)

    let online: OutgoingMessage
    private(set) var offline: OutgoingMessage
    /// When it is due; `nil` while it need not be sent again.
    private(set) var nextTurn: MonotonicTime?
    private var isDue = false
    /// How often an overwritten `online` is sent again at once: two programs must not fight.
    private var corrections = RequestAllowance(3, every: .seconds(60))

    init(topic: String) {
        func message(_ text: String) -> OutgoingMessage {
            OutgoingMessage(topic: topic, payload: Array(text.utf8), qos: 1, retain: true, content: .text)
        }
        (self.online, self.offline) = (message("online"), message("offline"))
    }

    /// Another program goes on at the end of this one.
    mutating func staysOnline() { self.offline = self.online }

    mutating func forgetRefusal() { (self.nextTurn, self.isDue) = (nil, false) }

    mutating func refused(now: MonotonicTime) { (self.nextTurn, self.isDue) = (now + Self.pause, false) }

    /// Another program retained something else, such as the late will of another bridge.
    /// - Returns: whether that happens too often to be put right at once.
    mutating func overwritten(now: MonotonicTime) -> Bool {
        guard self.nextTurn == nil, !self.isDue else { return false }
        self.isDue = self.corrections.take(now: now)
        if !self.isDue { self.nextTurn = now + Self.pause * 3 }
        return !self.isDue
    }

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
