/// One message as the broker delivered it, or a command that came in beside it.
package struct IncomingMessage: Sendable, Hashable {
    package var topic: String
    package var payload: [UInt8]
    /// 0, 1 or 2.
    package var qos: UInt8
    /// Whether the broker kept it from before: with *retain as published* off, only a message that the broker retained before the subscription carries the flag.
    package var retain: Bool
    /// MQTT 5 response topic.
    package var responseTopic: String?
    /// MQTT 5 correlation data.
    package var correlationData: [UInt8]?
    /// MQTT 5 content type.
    package var contentType: String?
    /// Who waits for the answer; `nil` sends it over MQTT.
    package var direct: DirectTicket?

    package init(
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
