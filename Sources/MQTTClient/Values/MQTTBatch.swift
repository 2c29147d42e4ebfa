/// Messages that are published together, in as few segments as possible.
///
/// Topics and payloads are stored in one buffer, from which libmosquitto copies them into its packets. A batch is a value: the client keeps
/// a reference to the buffer, and a caller that clears its batch afterwards reuses the memory unless the client still needs it.
public struct MQTTBatch: Sendable {
    /// One message: its position in the buffer and how it is sent.
    struct Entry {
        /// The start of the topic, which ends with a NUL before `payload`.
        var topic: Int
        var payload: Int
        var end: Int
        var qos: MQTTQoS
        var retain: Bool
        var properties: MQTTPropertySet
        var token: UInt64

        /// The size that counts towards `MQTTConfiguration.Outgoing.maximumBytes`.
        var weight: Int { self.end - self.topic - 1 }
    }

    private var bytes: [UInt8] = []
    private(set) var entries: [Entry] = []

    public init() {}

    /// - Parameter token: identifies the message in its outcome.
    public init(_ message: MQTTMessage, token: UInt64 = 0) { self.append(message, token: token) }

    public var count: Int { self.entries.count }
    public var isEmpty: Bool { self.entries.isEmpty }
    /// The size of the batch that counts towards `MQTTConfiguration.Outgoing.maximumBytes`.
    var weight: Int { self.bytes.count - self.entries.count }

    /// - Parameters:
    ///   - topic: 1 to 65 535 bytes, without wildcards and NUL. Other topics are refused when they are published.
    ///   - token: identifies the message in its outcome.
    public mutating func append(
        topic: String, payload: ArraySlice<UInt8>, qos: MQTTQoS, retain: Bool, properties: MQTTPropertySet, token: UInt64
    ) {
        var topic = topic
        topic.withUTF8 { topic in
            payload.withUnsafeBytes { payload in
                self.append(
                    topic: UnsafeRawBufferPointer(topic), payload: payload, qos: qos, retain: retain, properties: properties, token: token)
            }
        }
    }

    /// Appends a message whose topic and payload are in a buffer of the caller; otherwise like the other `append`.
    public mutating func append(
        topic: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer, qos: MQTTQoS, retain: Bool, properties: MQTTPropertySet,
        token: UInt64
    ) {
        let start = self.bytes.count
        self.bytes.append(contentsOf: topic)
        self.bytes.append(0)
        let payloadStart = self.bytes.count
        self.bytes.append(contentsOf: payload)
        self.entries.append(
            Entry(
                topic: start, payload: payloadStart, end: self.bytes.count, qos: qos, retain: retain, properties: properties, token: token))
    }

    public mutating func append(_ message: MQTTMessage, token: UInt64) {
        self.append(
            topic: message.topic, payload: message.payload[...], qos: message.qos, retain: message.retain,
            properties: MQTTPropertySet(message.properties), token: token)
    }

    /// The largest buffer that is kept for the next messages, in bytes. Those of one status take 5 KB; those of a whole fleet, which are
    /// rare, would stay in memory for good.
    static let keptBytes = 131_072

    /// The size of the buffer, in bytes.
    var capacity: Int { self.bytes.capacity }

    /// Removes all messages, so that the batch can be reused.
    public mutating func removeAll() {
        if self.capacity > Self.keptBytes { return self = MQTTBatch() }
        self.bytes.removeAll(keepingCapacity: true)
        self.entries.removeAll(keepingCapacity: true)
    }

    /// The messages with their tokens, for implementations other than `MQTTClient`.
    public var messages: [(message: MQTTMessage, token: UInt64)] {
        self.entries.map { entry in
            let message = MQTTMessage(
                topic: String(decoding: self.bytes[entry.topic..<entry.payload - 1], as: UTF8.self),
                payload: Array(self.bytes[entry.payload..<entry.end]), qos: entry.qos, retain: entry.retain,
                properties: entry.properties.properties)
            return (message, entry.token)
        }
    }

    /// Calls `body` with each message, in order.
    func forEach(_ body: (OutgoingPacket) -> Void) {
        self.bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            for entry in self.entries {
                // Inside the buffer: only `append` creates entries, and until `removeAll` the buffer only grows.
                body(
                    OutgoingPacket(
                        topic: (start + entry.topic).assumingMemoryBound(to: CChar.self), topicBytes: entry.payload - entry.topic - 1,
                        payload: UnsafeRawBufferPointer(rebasing: bytes[entry.payload..<entry.end]), entry: entry))
            }
        }
    }
}
