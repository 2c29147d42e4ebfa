import CastModels

/// What the broker holds of ours in this epoch, topic by topic, as fingerprints; the one truth about it.
///
/// An epoch begins with each connection the broker did not resume, and with nothing published. Bounded by the owners and their topics.
public struct PublishedState: Sendable {
    /// What has to be sent so that the broker holds what is wanted.
    public struct Difference: Sendable, Hashable {
        /// In the order of the wanted messages, clearings last.
        public var messages: [OutgoingMessage]
        /// Every topic on record for the owner, when the record has to grow before the messages may go out; else `nil`.
        public var topicsToRecord: Set<String>?
    }

    /// Stands for a value that we don't know but may have to clear.
    private static let unknown = Int.min

    private var fingerprints: [DocumentOwner: [String: Int]] = [:]
    private var recorded: [DocumentOwner: Set<String>] = [:]

    public init() {}

    /// What the value of `message` is compared by. The time in a document does not count.
    static func fingerprint(_ message: OutgoingMessage) -> Int {
        var hasher = Hasher()
        message.payload.withUnsafeBytes { hasher.combine(bytes: $0) }
        hasher.combine(message.content)
        hasher.combine(message.qos)
        return hasher.finalize()
    }

    /// A new epoch: nothing is known of what the broker holds.
    public mutating func beginEpoch() { self.fingerprints.removeAll(keepingCapacity: true) }

    /// Takes in the topics that the record names for a device.
    public mutating func restore(_ topics: Set<String>, for device: Device.ID) {
        self.recorded[.device(device), default: []].formUnion(topics)
    }

    /// Compares what is wanted with what the broker holds.
    /// - Parameters:
    ///   - wanted: retained messages, one for each topic.
    ///   - isComplete: whether topics that are not among `wanted` shall be cleared. `false` leaves them as they are.
    public func difference(for owner: DocumentOwner, wanted: [OutgoingMessage], isComplete: Bool = true) -> Difference {
        let held = self.fingerprints[owner] ?? [:]
        let record = self.recorded[owner] ?? []
        var messages: [OutgoingMessage] = []
        var topics: Set<String> = []
        var isRecorded = true
        for message in wanted where message.retain {
            topics.insert(message.topic)
            if isRecorded, !record.contains(message.topic) { isRecorded = false }
            if held[message.topic] != Self.fingerprint(message) { messages.append(message) }
        }
        if isComplete {
            let leftovers = Set(held.keys).union(record).subtracting(topics)
            for topic in leftovers.sorted() {
                let clearing = OutgoingMessage.clearing(topic)
                if held[topic] != Self.fingerprint(clearing) { messages.append(clearing) }
            }
        }
        guard case .device = owner, !isRecorded else { return Difference(messages: messages, topicsToRecord: nil) }
        return Difference(messages: messages, topicsToRecord: record.union(topics))
    }

    /// The record of a device is on disk.
    public mutating func record(_ topics: Set<String>, for owner: DocumentOwner) { self.recorded[owner, default: []].formUnion(topics) }

    /// `message` is on its way, with the fingerprint of what was wanted.
    mutating func sent(_ topic: String, fingerprint: Int, for owner: DocumentOwner) {
        self.fingerprints[owner, default: [:]][topic] = fingerprint
    }

    /// The value with this fingerprint did not arrive for certain: unless a newer one was sent, the topic is sent anew.
    mutating func lost(_ topic: String, fingerprint: Int, for owner: DocumentOwner) {
        if self.fingerprints[owner]?[topic] == fingerprint { self.fingerprints[owner]?[topic] = Self.unknown }
    }

    /// The broker confirmed that a topic nobody wants is cleared. Returns the device's record when it shrank.
    mutating func cleared(_ topic: String, fingerprint: Int, for owner: DocumentOwner) -> Set<String>? {
        // A newer value may be on its way behind the clearing.
        guard self.fingerprints[owner]?[topic] == fingerprint else { return nil }
        self.fingerprints[owner]?[topic] = nil
        guard self.recorded[owner]?.remove(topic) != nil, case .device = owner else { return nil }
        return self.recorded[owner]
    }

    /// Whether clearing the topic still harms nothing: no document was sent to it since.
    func allows(_ sweep: Publisher.Sweep) -> Bool {
        guard let refused = sweep.refused else { return !self.fingerprints.values.contains { $0[sweep.topic] != nil } }
        return self.fingerprints[refused.owner]?[sweep.topic] == refused.fingerprint
    }

    /// Forgets an owner whose topics are all cleared.
    mutating func remove(_ owner: DocumentOwner) {
        self.fingerprints[owner] = nil
        self.recorded[owner] = nil
    }
}
