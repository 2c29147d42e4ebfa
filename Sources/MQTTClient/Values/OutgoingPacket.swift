import Glibc

/// A message of a batch in libmosquitto's form. Its pointers are valid only within `MQTTBatch.forEach`.
struct OutgoingPacket {
    /// The NUL-terminated topic.
    let topic: UnsafePointer<CChar>
    /// The length of the topic without its NUL.
    let topicBytes: Int
    let payload: UnsafeRawBufferPointer
    let entry: MQTTBatch.Entry

    /// Returns the reason why the message cannot be sent; `nil` if it can, or if libmosquitto itself detects the fault.
    /// - Parameter limit: the broker's packet limit, in bytes.
    func refusal(version: MQTTProtocolVersion, limit: UInt32?) -> MQTTRefusal? {
        if let limit, self.size(version: version) > Int(limit) { return .tooLarge }
        if self.payload.count > MQTTMessage.maximumPayload { return .tooLarge }
        // libmosquitto would truncate the topic at its first NUL.
        if strlen(self.topic) != self.topicBytes { return .invalid("a topic to publish to has no NUL") }
        // libmosquitto accepts one level more than mosquitto, which then ends the link. A shorter topic cannot have that many levels.
        if self.topicBytes >= MQTTMessage.maximumLevels,
            UnsafeBufferPointer(start: self.topic, count: self.topicBytes).count(where: { $0 == UInt8(ascii: "/") })
                >= MQTTMessage.maximumLevels
        {
            return .invalid("a topic has at most \(MQTTMessage.maximumLevels) levels")
        }
        return self.entry.properties.refusal
    }

    /// Returns the size of the PUBLISH packet in bytes (MQTT 5 section 3.3). libmosquitto 2.0 counts a byte or more too few when it checks
    /// the broker's limit.
    func size(version: MQTTProtocolVersion) -> Int {
        var remaining = 2 + self.topicBytes + self.payload.count + (self.entry.qos == .atMostOnce ? 0 : 2)
        if version == .v5 {
            remaining += Self.variableByteIntegerSize(self.entry.properties.encodedSize) + self.entry.properties.encodedSize
        }
        return 1 + Self.variableByteIntegerSize(remaining) + remaining
    }

    private static func variableByteIntegerSize(_ value: Int) -> Int {
        switch value {
        case ..<128: 1
        case ..<16_384: 2
        case ..<2_097_152: 3
        default: 4
        }
    }
}
