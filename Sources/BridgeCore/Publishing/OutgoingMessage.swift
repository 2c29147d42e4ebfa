public struct OutgoingMessage: Sendable, Hashable {
    public var topic: String
    /// The payload; empty with `retain` clears the topic.
    public var payload: [UInt8]
    /// The position in `payload` where the publisher inserts `"ts":"…",` when it sends; `nil` for payloads without a time. The time is kept
    /// separate so that documents that differ only in their time are equal.
    public var timestampOffset: Int?
    /// The QoS, 0 or 1.
    public var qos: UInt8
    public var retain: Bool
    public var content: Content
    /// The MQTT 5 message expiry in seconds; `nil` means none.
    public var expirySeconds: UInt32?
    /// The MQTT 5 correlation data of the answered command.
    public var correlationData: [UInt8]?
    /// Distinguishes equal values that must both be sent: the moment of a position, in nanoseconds. Not sent.
    public var moment: Int64?

    public init(
        topic: String, payload: [UInt8], timestampOffset: Int? = nil, qos: UInt8, retain: Bool, content: Content,
        expirySeconds: UInt32? = nil,
        correlationData: [UInt8]? = nil, moment: Int64? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.timestampOffset = timestampOffset
        self.qos = qos
        self.retain = retain
        self.content = content
        self.expirySeconds = expirySeconds
        self.correlationData = correlationData
        self.moment = moment
    }

    /// The kind of payload; determines the MQTT 5 content type and the `schema` user property.
    public enum Content: Sendable, Hashable {
        /// A JSON object with this `schema`.
        case document(schema: Int)
        /// JSON without a `schema` (the array of `bridge/devices`).
        case json
        case text
        /// UTF-8 text in a format that only its reader knows.
        case message
        /// Bytes in a format that only their reader knows.
        case binary
        /// An empty payload, which clears a retained topic. It has no content type, because readers would try to parse it.
        case empty
    }

    /// Returns the payload as sent at `time`.
    public func payload(at time: Timestamp) -> [UInt8] {
        var batch = MessageBatch()
        batch.append(self, at: time)
        return batch.bytes(in: batch.messages[0].payload)
    }

    public static func clearing(_ topic: String, qos: UInt8 = 1) -> Self {
        Self(topic: topic, payload: [], qos: qos, retain: true, content: .empty)
    }
}
