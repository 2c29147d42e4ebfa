import BridgeCore
import MQTTClient

/// What every packet of one bridge carries beside its message.
struct PacketForm: Sendable {
    private let instance: MQTTUserProperty
    private let json: MQTTProperties
    /// Made once: nearly every document has these.
    private let firstSchema: MQTTProperties

    /// - Parameter instance: the bridge's name, by which readers of several tell them apart.
    init(instance: String) {
        self.instance = MQTTUserProperty("instance", instance)
        self.json = Self.json([self.instance])
        self.firstSchema = Self.json([MQTTUserProperty("schema", "1"), self.instance])
    }

    private static func json(_ properties: [MQTTUserProperty]) -> MQTTProperties {
        MQTTProperties(contentType: "application/json", isUTF8: true, userProperties: properties)
    }

    /// The packet for a message that is formed at `time`.
    func packet(of message: OutgoingMessage, at time: Timestamp) -> MQTTMessage {
        var batch = MessageBatch()
        batch.append(message, at: time)
        return self.packet(of: batch.messages[0], in: batch)
    }

    /// The packet for a message of a batch.
    func packet(of message: MessageBatch.Message, in batch: borrowing MessageBatch) -> MQTTMessage {
        var properties =
            switch message.content {
            case .document(schema: 1): self.firstSchema
            case .document(let schema): Self.json([MQTTUserProperty("schema", String(schema)), self.instance])
            case .json: self.json
            case .text: MQTTProperties(contentType: "text/plain", isUTF8: true)
            case .message: MQTTProperties(isUTF8: true)
            case .binary: MQTTProperties(contentType: "application/octet-stream")
            case .empty: MQTTProperties.none
            }
        properties.correlationData = message.correlationData.map { batch.bytes(in: $0) }
        properties.messageExpirySeconds = message.expirySeconds
        return MQTTMessage(
            topic: batch.topic(message), payload: batch.bytes(in: message.payload), qos: message.qos == 0 ? .atMostOnce : .atLeastOnce,
            retain: message.retain, properties: properties)
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
