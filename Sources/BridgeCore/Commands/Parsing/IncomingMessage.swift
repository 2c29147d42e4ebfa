/// A message that the broker delivered, or a command that was received beside MQTT.
public struct IncomingMessage: Sendable, Hashable {
    public var topic: String
    public var payload: [UInt8]
    /// The QoS: 0, 1 or 2.
    public var qos: UInt8
    /// The retain flag. Without the subscription option *retain as published*, only a message that the broker retained before the
    /// subscription has it.
    public var retain: Bool
    public var responseTopic: String?
    public var correlationData: [UInt8]?
    public var contentType: String?
    /// The caller that waits for the answer; `nil` when the answer is sent over MQTT.
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
