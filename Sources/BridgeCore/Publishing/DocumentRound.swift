import CastModels

/// The round of the owner at work: its documents are being formed, or those of them wait that found no room. One owner at a time.
struct DocumentRound: Sendable {
    private var due: (owner: DocumentOwner, documents: DeviceDocuments)?
    /// The formed messages that are to be sent, last first; empty while they are being formed.
    private var waiting: [PublishedState.Document] = []

    /// The owner at work.
    var owner: DocumentOwner? { self.due?.owner }

    var isForming: Bool { self.due != nil && self.waiting.isEmpty }

    var isSending: Bool { !self.waiting.isEmpty }

    mutating func beginForming(_ due: (owner: DocumentOwner, documents: DeviceDocuments)) { self.due = due }

    /// The documents are formed.
    /// - Returns: which ones they are; `nil` unless those of the owner are being formed.
    mutating func endForming(_ owner: DocumentOwner) -> DeviceDocuments? {
        guard self.isForming, self.due?.owner == owner else { return nil }
        defer { self.due = nil }
        return self.due?.documents
    }

    /// Keeps the messages that found no room, in the order in which they are sent.
    mutating func wait(_ owner: DocumentOwner, _ documents: DeviceDocuments, _ messages: [PublishedState.Document]) {
        if !messages.isEmpty { (self.due, self.waiting) = ((owner, documents), messages.reversed()) }
    }

    mutating func next() -> (owner: DocumentOwner, document: PublishedState.Document)? {
        guard let owner = self.due?.owner, let document = self.waiting.popLast() else { return nil }
        if self.waiting.isEmpty { self.due = nil }
        return (owner, document)
    }

    /// Removes messages for topics that now belong to another owner.
    mutating func removeAll(of owner: DocumentOwner, where isMeant: (String) -> Bool) {
        guard self.isSending, self.due?.owner == owner else { return }
        self.waiting.removeAll { isMeant($0.message.topic) }
        if self.waiting.isEmpty { self.due = nil }
    }

    /// Drops the messages that wait, if any.
    /// - Returns: the round that they belong to.
    @discardableResult
    mutating func stopSending() -> (owner: DocumentOwner, documents: DeviceDocuments)? {
        guard self.isSending else { return nil }
        defer { self = DocumentRound() }
        return self.due
    }

    mutating func remove(_ owner: DocumentOwner) { if self.due?.owner == owner { self = DocumentRound() } }
}
