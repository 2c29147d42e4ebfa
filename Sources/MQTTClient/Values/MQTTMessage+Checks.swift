extension MQTTMessage {
    /// Returns why libmosquitto could not send this message unchanged; `nil` for a usable message. Its strings end at the first NUL, so a
    /// NUL would truncate them silently.
    func fault() -> String? {
        if self.topic.isEmpty || self.topic.utf8.count > 65_535 { return "a topic has 1 to 65535 bytes" }
        if let fault = Self.fault(ofTopic: self.topic) { return fault }
        if self.payload.count > Self.maximumPayload { return "a payload has at most \(Self.maximumPayload) bytes" }
        return self.properties.fault()
    }

    /// The largest payload: MQTT's limit of a whole packet, with a margin.
    static let maximumPayload = 268_000_000
    /// The number of topic levels above which mosquitto ends the link.
    static let maximumLevels = 200

    static func fault(ofTopic topic: String) -> String? {
        var topic = topic
        let (isUnfit, separators) = topic.withUTF8 { bytes in
            var (isUnfit, separators) = (false, 0)
            for byte in bytes {
                isUnfit = isUnfit || byte == 0 || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "#")
                if byte == UInt8(ascii: "/") { separators += 1 }
            }
            return (isUnfit, separators)
        }
        if isUnfit { return "a topic to publish to has no wildcard and no NUL" }
        return separators >= Self.maximumLevels ? "a topic has at most \(Self.maximumLevels) levels" : nil
    }
}

extension MQTTProperties {
    var isEmpty: Bool { self == Self() }

    func fault() -> String? {
        if self.isEmpty { return nil }
        func unfit(_ text: String) -> Bool {
            var text = text
            return text.withUTF8 { $0.count > 65_535 || $0.contains(0) }
        }
        if let responseTopic, unfit(responseTopic) || responseTopic.isEmpty || MQTTMessage.fault(ofTopic: responseTopic) != nil {
            return "the response topic is empty, too long, or no topic to publish to"
        }
        if let contentType, unfit(contentType) { return "the content type is too long or holds a NUL" }
        if let correlationData, correlationData.count > 65_535 { return "correlation data has at most 65535 bytes" }
        if self.userProperties.contains(where: { unfit($0.name) || unfit($0.value) }) {
            return "a user property is too long or holds a NUL"
        }
        return nil
    }

    /// The size of the property list of a PUBLISH in bytes, without its length field.
    var encodedSize: Int {
        if self.isEmpty { return 0 }
        var size = 0
        if let responseTopic { size += 3 + responseTopic.utf8.count }
        if let correlationData { size += 3 + correlationData.count }
        if let contentType { size += 3 + contentType.utf8.count }
        if self.isUTF8 { size += 2 }
        if self.messageExpirySeconds != nil { size += 5 }
        for property in self.userProperties { size += 5 + property.name.utf8.count + property.value.utf8.count }
        return size
    }
}
