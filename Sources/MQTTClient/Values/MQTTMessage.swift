/// The delivery guarantee of a message (MQTT 5 section 4.3).
package enum MQTTQoS: UInt8, Sendable, Hashable, Comparable {
    case atMostOnce = 0
    case atLeastOnce = 1
    case exactlyOnce = 2

    package static func < (left: MQTTQoS, right: MQTTQoS) -> Bool { left.rawValue < right.rawValue }
}

/// One name-value pair of a message (MQTT 5 section 3.3.2.3.7); names may repeat.
package struct MQTTUserProperty: Sendable, Hashable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}

/// The properties of a message in MQTT 5. Over MQTT 3.1.1 they are not sent, and they are empty in received messages.
package struct MQTTProperties: Sendable, Hashable {
    /// The topic for an answer, without wildcards.
    package var responseTopic: String?
    /// Opaque bytes that an answer repeats; at most 65 535.
    package var correlationData: [UInt8]?
    /// The MIME type of the payload.
    package var contentType: String?
    /// Payload format indicator 1: the payload is UTF-8 text.
    package var isUTF8 = false
    /// Seconds after which the broker discards a message that it could not deliver.
    package var messageExpirySeconds: UInt32?
    package var userProperties: [MQTTUserProperty] = []
    /// Seconds between the end of the link and the publication of a will; used for wills only.
    package var willDelaySeconds: UInt32?

    package static let none = MQTTProperties()

    package init(
        responseTopic: String? = nil, correlationData: [UInt8]? = nil, contentType: String? = nil, isUTF8: Bool = false,
        messageExpirySeconds: UInt32? = nil, userProperties: [MQTTUserProperty] = [], willDelaySeconds: UInt32? = nil
    ) {
        self.responseTopic = responseTopic
        self.correlationData = correlationData
        self.contentType = contentType
        self.isUTF8 = isUTF8
        self.messageExpirySeconds = messageExpirySeconds
        self.userProperties = userProperties
        self.willDelaySeconds = willDelaySeconds
    }
}

/// An application message (MQTT 5 section 3.3), to send or received.
package struct MQTTMessage: Sendable, Hashable {
    /// The topic: UTF-8, 1 to 65 535 bytes, without wildcards and NUL.
    package var topic: String
    package var payload: [UInt8]
    package var qos: MQTTQoS
    /// In a sent message: whether the broker keeps it for later subscribers. In a received one: whether the broker had kept it (see "retain
    /// as published").
    package var retain: Bool
    package var properties: MQTTProperties

    package init(topic: String, payload: [UInt8], qos: MQTTQoS = .atMostOnce, retain: Bool = false, properties: MQTTProperties = .none) {
        self.topic = topic
        self.payload = payload
        self.qos = qos
        self.retain = retain
        self.properties = properties
    }

    /// Creates a message whose payload is the UTF-8 form of `text`.
    package init(topic: String, text: String, qos: MQTTQoS = .atMostOnce, retain: Bool = false, properties: MQTTProperties = .none) {
        self.init(topic: topic, payload: Array(text.utf8), qos: qos, retain: retain, properties: properties)
    }
}
