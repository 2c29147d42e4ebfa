/// A message that the broker delivered, or a command that was received beside MQTT.
public struct IncomingMessage: Sendable, Hashable {
    public var topic: String
    public var payload: [UInt8]
    /// 0, 1 or 2.
    public var qos: UInt8
    /// Whether the broker had retained it. With *retain as published* off, only a message retained before the subscription carries the flag.
    public var retain: Bool
    /// MQTT 5 response topic.
    public var responseTopic: String?
    /// MQTT 5 correlation data.
    public var correlationData: [UInt8]?
    /// MQTT 5 content type.
    public var contentType: String?
    /// The caller that waits for the answer; `nil` sends it over MQTT.
    public var direct: DirectTicket?

    public init(
        topic: String, payload: [UInt8], qos: UInt8 = 0, retain: Bool = false, responseTopic: String? = nil,
        correlationData: [UInt8]? = nil, contentType: String? = nil, direct: DirectTicket? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.qos = qos
        self.retain = retain
        self.responseTopic = responseTopic
        self.correlationData = correlationData
        self.contentType = contentType
        self.direct = direct
    }
}
