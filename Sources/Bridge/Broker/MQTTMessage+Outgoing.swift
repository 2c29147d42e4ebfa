import BridgeCore
import MQTTClient

extension MQTTMessage {
    /// The packet for a message that is formed at `time`.
    init(_ message: OutgoingMessage, at time: Timestamp) {
        var properties = MQTTProperties(correlationData: message.correlationData, messageExpirySeconds: message.expirySeconds)
        switch message.content {
        case .document(let schema):
            properties.contentType = "application/json"
            properties.isUTF8 = true
            properties.userProperties = [MQTTUserProperty("schema", String(schema))]
        case .json:
            properties.contentType = "application/json"
            properties.isUTF8 = true
        case .text:
            properties.contentType = "text/plain"
            properties.isUTF8 = true
        case .empty: break
        }
        self.init(
            topic: message.topic, payload: message.payload(at: time), qos: message.qos == 0 ? .atMostOnce : .atLeastOnce,
            retain: message.retain, properties: properties)
    }
}

extension IncomingMessage {
    /// A message as the broker delivered it.
    init(_ message: MQTTMessage) {
        self.init(
            topic: message.topic, payload: message.payload, qos: message.qos.rawValue, retain: message.retain,
            responseTopic: message.properties.responseTopic, correlationData: message.properties.correlationData)
    }
}
