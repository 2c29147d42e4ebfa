import CastModels

/// The topics to clear apart from the owners' documents: those of an earlier run, whose end is reported, and those of refused documents.
struct TopicClearings: Sendable {
    struct Clearing {
        let topic: String
        /// The refused document that caused the clearing, if any: a newer one sent meanwhile must be kept.
        fileprivate(set) var refused: (owner: DocumentOwner, token: Publisher.Token)?
    }

    /// Last first.
    private var waiting: [Clearing] = []
    /// The clearings that the broker has refused; `nil` when no end is to be reported.
    private var refused: Set<String>?

    /// Whether nothing waits and no end is to be reported.
    var isIdle: Bool { self.waiting.isEmpty && self.refused == nil }

    /// Whether the end is to be reported as soon as no clearing is in flight.
    var isSent: Bool { self.waiting.isEmpty && self.refused != nil }

    /// Clears topics of an earlier run.
    mutating func append(stale topics: [String]) {
        self.refused = self.refused ?? []
        self.waiting += topics.reversed().map { Clearing(topic: $0) }
    }

    /// Clears the older value of a refused document.
    mutating func append(_ topic: String, of owner: DocumentOwner, token: Publisher.Token) {
        self.waiting.append(Clearing(topic: topic, refused: (owner, token)))
    }

    mutating func next() -> Clearing? { self.waiting.popLast() }

    mutating func noteRefusal(of topic: String) { self.refused?.insert(topic) }

    /// Every topic is answered for.
    /// - Returns: the refused ones.
    mutating func finish() -> Set<String> {
        defer { self.refused = nil }
        return self.refused ?? []
    }

    mutating func handOver(_ isMeant: (String) -> Bool, from former: DocumentOwner, to owner: DocumentOwner) {
        for index in self.waiting.indices where isMeant(self.waiting[index].topic) && self.waiting[index].refused?.owner == former {
            self.waiting[index].refused?.owner = owner
        }
    }
}
