import CastModels

/// Stores digests of the documents that were last formed for readers beside MQTT, to find what differs.
public struct FormedDocuments: Sendable {
    private var digests: [DocumentOwner: [String: UInt64]] = [:]

    public init() {}

    /// The result of forming documents.
    public struct Round: Sendable, Hashable {
        /// The documents that differ from the previous ones, and those that were removed.
        public var changes: [DocumentChange] = []
        /// All formed documents.
        public var documents: [DocumentChange] = []
    }

    /// Compares documents with the previous ones. Their time is ignored.
    /// - Parameters:
    ///   - batch: documents of the owner, without secrets.
    ///   - base: the beginning of their topics, which is omitted.
    ///   - isWhole: whether they are all documents of the owner; others were removed.
    ///   - returnsAll: whether `Round.documents` is needed.
    public mutating func update(
        _ owner: DocumentOwner, with batch: borrowing MessageBatch, below base: String, isWhole: Bool, returnsAll: Bool
    ) -> Round {
        var round = Round()
        var digests = self.digests[owner] ?? [:]
        var remaining = isWhole ? Set(digests.keys) : []
        for index in batch.messages.indices {
            let message = batch.messages[index]
            guard message.retain, message.content != .binary, message.content != .empty else { continue }
            let topic = String(Substring(batch.topic(message).utf8.dropFirst(base.utf8.count + 1)))
            let digest = batch.withBytes { batch.fingerprint(index, in: $0) }
            remaining.remove(topic)
            let differs = digests.updateValue(digest, forKey: topic) != digest
            guard differs || returnsAll else { continue }
            let document = DocumentChange(topic: topic, value: Self.json(message, in: batch))
            if differs { round.changes.append(document) }
            if returnsAll { round.documents.append(document) }
        }
        for topic in remaining.sorted() {
            digests[topic] = nil
            round.changes.append(DocumentChange(topic: topic, value: nil))
        }
        self.digests[owner] = digests
        return round
    }

    /// The owner has no documents any more.
    public mutating func remove(_ owner: DocumentOwner) -> [DocumentChange] {
        (self.digests.removeValue(forKey: owner) ?? [:]).keys.sorted().map { DocumentChange(topic: $0, value: nil) }
    }

    public mutating func removeAll() { self.digests = [:] }

    private static func json(_ message: MessageBatch.Message, in batch: borrowing MessageBatch) -> [UInt8] {
        let payload = batch.bytes(in: message.payload)
        switch message.content {
        case .document, .json: return payload
        case .text, .message, .binary, .empty: return JSONWriter.bytes(of: .string(String(decoding: payload, as: UTF8.self)))
        }
    }
}
