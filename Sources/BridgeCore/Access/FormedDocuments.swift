import CastModels

/// Remembers by digests what documents said when they were last formed for readers beside MQTT, to tell what differs.
public struct FormedDocuments: Sendable {
    private var digests: [DocumentOwner: [String: UInt64]] = [:]

    public init() {}

    /// What came of documents that were formed.
    public struct Round: Sendable, Hashable {
        /// Those that differ from before, and those that are gone.
        public var changes: [DocumentChange] = []
        /// All that were formed.
        public var documents: [DocumentChange] = []
    }

    /// Compares documents with what they said before; the time in them does not count.
    /// - Parameters:
    ///   - batch: documents of the owner, without secrets.
    ///   - base: what their topics begin with, which is left out.
    ///   - isWhole: whether they are all that the owner has: others are gone.
    ///   - returnsAll: whether `Round.documents` is wanted.
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
