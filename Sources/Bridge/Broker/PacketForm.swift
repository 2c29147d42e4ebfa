import BridgeCore
import MQTTClient

/// Builds the packets of one bridge: adds the MQTT 5 properties of each kind of message. Used on the event loop.
final class PacketForm {
    private let instance: MQTTUserProperty
    /// The properties of each kind of message sent so far. Making them for each message costs a quarter of a pause. There are few kinds,
    /// because expiries are constants or settings.
    private var kinds: [(content: OutgoingMessage.Content, expirySeconds: UInt32?, properties: MQTTPropertySet)] = []

    /// - Parameter instance: the name of the bridge, by which readers distinguish several bridges.
    init(instance: String) { self.instance = MQTTUserProperty("instance", instance) }

    /// Appends the packet of a message with the time of sending `time`.
    func append(_ message: OutgoingMessage, at time: Timestamp, maximumQoS: MQTTQoS, token: UInt64, to batch: inout MQTTBatch) {
        let payload = message.timestampOffset == nil ? message.payload : message.payload(at: time)
        batch.append(
            topic: message.topic, payload: payload[...], qos: min(message.qos == 0 ? .atMostOnce : .atLeastOnce, maximumQoS),
            retain: message.retain, properties: self.properties(of: message), token: token)
    }

    /// Appends the packets of the documents that have a token.
    func append(_ documents: borrowing MessageBatch, maximumQoS: MQTTQoS, to batch: inout MQTTBatch) {
        documents.withBytes { bytes in
            for message in documents.messages {
                guard let token = message.token else { continue }
                batch.append(
                    topic: UnsafeRawBufferPointer(rebasing: bytes[message.topic]),
                    payload: UnsafeRawBufferPointer(rebasing: bytes[message.payload]),
                    qos: min(message.qos == 0 ? .atMostOnce : .atLeastOnce, maximumQoS), retain: message.retain,
                    properties: self.properties(of: message.content, message.expirySeconds), token: token.number)
            }
        }
    }

    /// Returns the packet of a single message with the time of sending `time`.
    func packet(of message: OutgoingMessage, at time: Timestamp) -> MQTTMessage? {
        var batch = MQTTBatch()
        self.append(message, at: time, maximumQoS: .exactlyOnce, token: 0, to: &batch)
        return batch.messages.first?.message
    }

    private func properties(of message: OutgoingMessage) -> MQTTPropertySet {
        guard let data = message.correlationData else { return self.properties(of: message.content, message.expirySeconds) }
        return MQTTPropertySet(self.made(for: message.content, message.expirySeconds, correlationData: data))
    }

    private func properties(of content: OutgoingMessage.Content, _ expirySeconds: UInt32?) -> MQTTPropertySet {
        for kind in self.kinds where kind.content == content && kind.expirySeconds == expirySeconds { return kind.properties }
        let properties = MQTTPropertySet(self.made(for: content, expirySeconds))
        self.kinds.append((content, expirySeconds, properties))
        return properties
    }

    private func made(
        for content: OutgoingMessage.Content, _ expirySeconds: UInt32?, correlationData: [UInt8]? = nil
    ) -> MQTTProperties {
        var properties =
            switch content {
            case .document(let schema): self.json([MQTTUserProperty("schema", String(schema)), self.instance])
            case .json: self.json([self.instance])
            case .text: MQTTProperties(contentType: "text/plain", isUTF8: true)
            case .message: MQTTProperties(isUTF8: true)
            case .binary: MQTTProperties(contentType: "application/octet-stream")
            case .empty: MQTTProperties.none
            }
        properties.correlationData = correlationData
        properties.messageExpirySeconds = expirySeconds
        return properties
    }

    private func json(_ properties: [MQTTUserProperty]) -> MQTTProperties {
        MQTTProperties(contentType: "application/json", isUTF8: true, userProperties: properties)
    }
}

extension IncomingMessage {
    init(_ message: MQTTMessage) {
        self.init(
            topic: message.topic, payload: message.payload, qos: message.qos.rawValue, retain: message.retain,
            responseTopic: message.properties.responseTopic, correlationData: message.properties.correlationData,
            contentType: message.properties.contentType)
    }
}
