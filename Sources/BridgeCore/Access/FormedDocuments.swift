import CastModels

/// Stores digests of the documents that were last formed for the reader beside MQTT, to find what differs.
public struct FormedDocuments: Sendable {
    /// A document of an owner. An owner has a dozen, so they are searched in order.
    private struct Entry {
        let topic: String
        let topicDigest: UInt64
        var digest: UInt64
    }

    private var entries: [DocumentOwner: [Entry]] = [:]

    public init() {}

    /// Compares documents with the previous ones. Their time is ignored. Plain values and pictures are left out.
    /// - Parameters:
    ///   - batch: documents of the owner, without secrets.
    ///   - base: the beginning of their topics, which is omitted.
    ///   - isWhole: whether they are all documents of the owner; others were removed.
    /// - Returns: the documents that differ from the previous ones, and those that were removed.
    public mutating func update(
        _ owner: DocumentOwner, with batch: borrowing MessageBatch, below base: String, isWhole: Bool
    ) -> [DocumentChange] {
        var changes: [DocumentChange] = []
        // Out of the dictionary while it changes, so that it is not copied.
        var entries = self.entries.removeValue(forKey: owner) ?? []
        var present: Set<UInt64> = []
        for index in batch.messages.indices {
            let message = batch.messages[index]
            guard message.retain, message.content != .binary, message.content != .empty, !message.isPlainValue else { continue }
            let (topicDigest, digest) = batch.withBytes { (batch.topicDigest(index, in: $0), batch.fingerprint(index, in: $0)) }
            if isWhole { present.insert(topicDigest) }
            let known = entries.firstIndex { $0.topicDigest == topicDigest }
            guard known.map({ entries[$0].digest != digest }) ?? true else { continue }
            let topic = known.map { entries[$0].topic } ?? String(Substring(batch.topic(message).utf8.dropFirst(base.utf8.count + 1)))
            if let known {
                entries[known].digest = digest
            } else {
                entries.append(Entry(topic: topic, topicDigest: topicDigest, digest: digest))
            }
            changes.append(DocumentChange(topic: topic, value: Self.json(message, in: batch)))
        }
        if isWhole {
            changes += Self.removals(of: entries.filter { !present.contains($0.topicDigest) })
            entries.removeAll { !present.contains($0.topicDigest) }
        }
        self.entries[owner] = entries
        return changes
    }

    /// The owner has no documents any more.
    public mutating func remove(_ owner: DocumentOwner) -> [DocumentChange] {
        Self.removals(of: self.entries.removeValue(forKey: owner) ?? [])
    }

    public mutating func removeAll() { self.entries = [:] }

    private static func removals(of entries: [Entry]) -> [DocumentChange] {
        entries.map(\.topic).sorted().map { DocumentChange(topic: $0, value: nil) }
    }

    private static func json(_ message: MessageBatch.Message, in batch: borrowing MessageBatch) -> [UInt8] {
        let payload = batch.bytes(in: message.payload)
        switch message.content {
        case .document, .json: return payload
        case .text, .message, .binary, .empty: return JSONWriter.bytes(of: .string(String(decoding: payload, as: UTF8.self)))
        }
    }
}
