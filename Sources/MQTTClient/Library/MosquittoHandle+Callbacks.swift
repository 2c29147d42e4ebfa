internal import CMosquitto

/// Callbacks only copy and store; they decide nothing and call no function of the library that takes a lock.
extension MosquittoHandle {
    func installCallbacks() {
        mosquitto_connect_v5_callback_set(self.raw) { _, context, code, _, properties in
            MosquittoHandle.from(context)?.noteConnack(code: code, properties: properties)
        }
        mosquitto_disconnect_v5_callback_set(self.raw) { _, context, code, _ in
            MosquittoHandle.from(context)?.noteDisconnect(code: code)
        }
        mosquitto_publish_v5_callback_set(self.raw) { _, context, packetID, code, _ in
            MosquittoHandle.from(context)?.noteAcknowledgement(of: packetID, code)
        }
        mosquitto_subscribe_v5_callback_set(self.raw) { _, context, packetID, count, codes, _ in
            let codes = UnsafeBufferPointer(start: codes, count: Int(count)).map { MQTTReasonCode(rawValue: UInt8(truncatingIfNeeded: $0)) }
            MosquittoHandle.from(context)?.note(.subscribed(packetID: packetID, codes))
        }
        mosquitto_unsubscribe_v5_callback_set(self.raw) { _, context, packetID, _ in
            MosquittoHandle.from(context)?.note(.unsubscribed(packetID: packetID))
        }
        mosquitto_message_v5_callback_set(self.raw) { _, context, message, properties in
            guard let message else { return }
            MosquittoHandle.from(context)?.noteMessage(message.pointee, properties: properties)
        }
        mosquitto_log_callback_set(self.raw) { _, context, level, text in
            guard level & MOSQ_LOG_ERR != 0, let text else { return }
            MosquittoHandle.from(context)?.note(tlsError: String(cString: text))
        }
    }

    /// Returns the object behind the library's user pointer; it is alive, because `deinit` destroys the library's object first.
    private static func from(_ context: UnsafeMutableRawPointer?) -> MosquittoHandle? {
        context.map { Unmanaged<MosquittoHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    private func noteConnack(code: Int32, properties: OpaquePointer?) {
        var welcome = Welcome()
        for entry in PropertyList.Entries(properties) {
            switch entry.identifier {
            case MQTT_PROP_MAXIMUM_PACKET_SIZE: welcome.limits.maximumPacketSize = entry.int32
            case MQTT_PROP_RECEIVE_MAXIMUM: welcome.limits.receiveMaximum = entry.int16 ?? welcome.limits.receiveMaximum
            case MQTT_PROP_RETAIN_AVAILABLE: welcome.limits.retainAvailable = entry.byte != 0
            case MQTT_PROP_WILDCARD_SUB_AVAILABLE: welcome.limits.wildcardAvailable = entry.byte != 0
            case MQTT_PROP_MAXIMUM_QOS: welcome.limits.maximumQoS = entry.byte.flatMap(MQTTQoS.init) ?? welcome.limits.maximumQoS
            case MQTT_PROP_SERVER_KEEP_ALIVE: welcome.serverKeepAliveSeconds = entry.int16
            default: break
            }
        }
        self.note(.connack(code: code, welcome))
    }

    private func noteMessage(_ message: mosquitto_message, properties: OpaquePointer?) {
        let topic = message.topic.map { String(cString: $0) } ?? ""
        let count = Int(message.payloadlen)
        guard count <= self.maximumIncomingBytes else { return self.note(.messageTooLarge(topic: topic, payloadBytes: count)) }
        // The library frees the message when the callback returns. The pointer is null for an empty payload.
        let payload = [UInt8](UnsafeRawBufferPointer(start: message.payload, count: message.payload == nil ? 0 : count))
        self.note(
            .message(
                MQTTMessage(
                    topic: topic, payload: payload, qos: MQTTQoS(rawValue: UInt8(truncatingIfNeeded: message.qos)) ?? .atMostOnce,
                    retain: message.retain, properties: PropertyList.read(properties))))
    }
}
