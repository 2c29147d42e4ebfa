/// The delivery guarantee of a message (MQTT 5 section 4.3).
public enum MQTTQoS: UInt8, Sendable, Hashable, Comparable {
    case atMostOnce = 0
    case atLeastOnce = 1
    case exactlyOnce = 2

    public static func < (left: MQTTQoS, right: MQTTQoS) -> Bool { left.rawValue < right.rawValue }
}

/// One name-value pair of a message (MQTT 5 section 3.3.2.3.7); names may repeat.
public struct MQTTUserProperty: Sendable, Hashable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}

/// The properties of a message in MQTT 5. Over MQTT 3.1.1 they are not sent, and they are empty in received messages.
public struct MQTTProperties: Sendable, Hashable {
    /// The topic for an answer, without wildcards.
    public var responseTopic: String?
    /// Opaque bytes that an answer repeats; at most 65 535.
    public var correlationData: [UInt8]?
    /// The MIME type of the payload.
    public var contentType: String?
    /// Payload format indicator 1: the payload is UTF-8 text.
    public var isUTF8 = false
    /// Seconds after which the broker discards a message that it could not deliver.
    public var messageExpirySeconds: UInt32?
    public var userProperties: [MQTTUserProperty] = []
    /// Seconds between the end of the link and the publication of a will; used for wills only.
    public var willDelaySeconds: UInt32?

    public static let none = MQTTProperties()

    public init(
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
public struct MQTTMessage: Sendable, Hashable {
    /// The topic: UTF-8, 1 to 65 535 bytes, without wildcards and NUL.
    public var topic: String
    public var payload: [UInt8]
    public var qos: MQTTQoS
    /// In a sent message: whether the broker keeps it for later subscribers. In a received one: whether the broker had kept it (see "retain
    /// as published").
    public var retain: Bool
    public var properties: MQTTProperties

    public init(topic: String, payload: [UInt8], qos: MQTTQoS = .atMostOnce, retain: Bool = false, properties: MQTTProperties = .none) {
        self.topic = topic
        self.payload = payload
        self.qos = qos
        self.retain = retain
        self.properties = properties
    }

    /// Creates a message whose payload is the UTF-8 form of `text`.
    public init(topic: String, text: String, qos: MQTTQoS = .atMostOnce, retain: Bool = false, properties: MQTTProperties = .none) {
        self.init(topic: topic, payload: Array(text.utf8), qos: qos, retain: retain, properties: properties)
    }
}
