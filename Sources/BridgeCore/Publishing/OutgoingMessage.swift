/// One message that the bridge wants on the broker, before it is a packet.
package struct OutgoingMessage: Sendable, Hashable {
    package var topic: String
    /// Empty with `retain` clears the topic.
    package var payload: [UInt8]
    /// Where the publisher inserts `"ts":"…",` into `payload` when it sends; `nil` where no time is told.
    /// Kept apart so that two documents that differ in their time alone are equal.
    package var timestampOffset: Int?
    /// 0 or 1.
    package var qos: UInt8
    package var retain: Bool
    package var content: Content
    /// MQTT 5 message expiry, in seconds.
    package var expirySeconds: UInt32?
    /// MQTT 5 correlation data of the command this answers.
    package var correlationData: [UInt8]?
    /// Tells values apart that are both news though equal: the moment that a position is true of, in nanoseconds. Not sent.
    package var moment: Int64?

    package init(
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

    /// What the payload is; decides the MQTT 5 content type and the `schema` user property.
    package enum Content: Sendable, Hashable {
        /// A JSON object whose `schema` is this number.
        case document(schema: Int)
        /// JSON without a `schema` of its own (the array of `bridge/devices`).
        case json
        /// Plain UTF-8 text.
        case text
        /// UTF-8 text in a form that only its reader knows.
        case message
        /// Bytes in a form that only its reader knows.
        case binary
        /// Nothing: clears a retained topic, and carries no content type, since readers would try to parse it.
        case empty
    }

    /// The payload as it goes out at `time`.
    package func payload(at time: Timestamp) -> [UInt8] {
        var batch = MessageBatch()
        batch.append(self, at: time)
        return batch.bytes(in: batch.messages[0].payload)
    }

    /// Clears a retained topic.
    package static func clearing(_ topic: String, qos: UInt8 = 1) -> Self {
        Self(topic: topic, payload: [], qos: qos, retain: true, content: .empty)
    }
}
