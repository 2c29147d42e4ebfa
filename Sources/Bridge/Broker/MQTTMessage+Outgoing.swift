import BridgeCore
import MQTTClient

extension MQTTMessage {
    /// The packet for a message that is formed at `time`.
    init(_ message: OutgoingMessage, at time: Timestamp) {
        var properties =
            switch message.content {
            case .document(schema: 1): Self.firstSchema
            case .document(let schema): Self.document(schema)
            case .json: MQTTProperties(contentType: "application/json", isUTF8: true)
            case .text: MQTTProperties(contentType: "text/plain", isUTF8: true)
            case .message: MQTTProperties(isUTF8: true)
            case .binary: MQTTProperties(contentType: "application/octet-stream")
            case .empty: MQTTProperties.none
            }
        properties.correlationData = message.correlationData
        properties.messageExpirySeconds = message.expirySeconds
        self.init(
            topic: message.topic, payload: message.payload(at: time), qos: message.qos == 0 ? .atMostOnce : .atLeastOnce,
            retain: message.retain, properties: properties)
    }

    /// Made once: nearly every message has these.
    private static let firstSchema = Self.document(1)

    private static func document(_ schema: Int) -> MQTTProperties {
        MQTTProperties(contentType: "application/json", isUTF8: true, userProperties: [MQTTUserProperty("schema", String(schema))])
    }
}

extension IncomingMessage {
    /// A message as the broker delivered it.
    init(_ message: MQTTMessage) {
        self.init(
            topic: message.topic, payload: message.payload, qos: message.qos.rawValue, retain: message.retain,
            responseTopic: message.properties.responseTopic, correlationData: message.properties.correlationData,
            contentType: message.properties.contentType)
    }
}
