internal import CMosquitto
import Glibc

/// Converts MQTT 5 properties to and from libmosquitto's lists.
enum PropertyList {
    /// - Returns: a list to be freed by `mosquitto_property_free_all`, `nil` for no properties.
    /// - Throws: libmosquitto's error for a property that it rejects.
    static func make(_ properties: MQTTProperties, isWill: Bool = false) throws(MosquittoResult) -> OpaquePointer? {
        if properties.isEmpty { return nil }
        var list: OpaquePointer?
        var results: [Int32] = []
        func id(_ property: mqtt5_property) -> Int32 { Int32(property.rawValue) }
        if properties.isUTF8 { results.append(mosquitto_property_add_byte(&list, id(MQTT_PROP_PAYLOAD_FORMAT_INDICATOR), 1)) }
        if let seconds = properties.messageExpirySeconds {
            results.append(mosquitto_property_add_int32(&list, id(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL), seconds))
        }
        if let type = properties.contentType { results.append(mosquitto_property_add_string(&list, id(MQTT_PROP_CONTENT_TYPE), type)) }
        if let topic = properties.responseTopic {
            results.append(mosquitto_property_add_string(&list, id(MQTT_PROP_RESPONSE_TOPIC), topic))
        }
        if let data = properties.correlationData {
            results.append(mosquitto_property_add_binary(&list, id(MQTT_PROP_CORRELATION_DATA), data, UInt16(clamping: data.count)))
        }
        for property in properties.userProperties {
            results.append(mosquitto_property_add_string_pair(&list, id(MQTT_PROP_USER_PROPERTY), property.name, property.value))
        }
        if isWill, let delay = properties.willDelaySeconds {
            results.append(mosquitto_property_add_int32(&list, id(MQTT_PROP_WILL_DELAY_INTERVAL), delay))
        }
        if let fault = results.first(where: { $0 != MOSQ_ERR_SUCCESS.rawValue }) {
            mosquitto_property_free_all(&list)
            throw MosquittoResult(rawValue: fault)
        }
        return list
    }

    /// Returns the properties of a message; unused ones are left out.
    static func read(_ list: OpaquePointer?) -> MQTTProperties {
        var properties = MQTTProperties()
        for entry in Entries(list) {
            switch entry.identifier {
            case MQTT_PROP_PAYLOAD_FORMAT_INDICATOR: properties.isUTF8 = entry.byte == 1
            case MQTT_PROP_MESSAGE_EXPIRY_INTERVAL: properties.messageExpirySeconds = entry.int32
            case MQTT_PROP_CONTENT_TYPE: properties.contentType = entry.string
            case MQTT_PROP_RESPONSE_TOPIC: properties.responseTopic = entry.string
            case MQTT_PROP_CORRELATION_DATA: properties.correlationData = entry.binary
            case MQTT_PROP_USER_PROPERTY: if let pair = entry.pair { properties.userProperties.append(pair) }
            default: break
            }
        }
        return properties
    }

    /// The entries of a list, in order.
    struct Entries: Sequence, IteratorProtocol {
        private var rest: OpaquePointer?

        init(_ list: OpaquePointer?) { self.rest = list }

        mutating func next() -> Entry? {
            guard let raw = self.rest else { return nil }
            self.rest = mosquitto_property_next(raw)
            return Entry(raw: raw)
        }
    }

    /// One entry; its values are copied. A value is `nil` when the entry has another type.
    struct Entry {
        let raw: OpaquePointer

        private var number: Int32 { mosquitto_property_identifier(self.raw) }

        var identifier: mqtt5_property { mqtt5_property(rawValue: UInt32(bitPattern: self.number)) }

        var byte: UInt8? { self.integer(mosquitto_property_read_byte) }
        var int16: UInt16? { self.integer(mosquitto_property_read_int16) }
        var int32: UInt32? { self.integer(mosquitto_property_read_int32) }

        private func integer<Value: FixedWidthInteger>(
            _ read: (OpaquePointer?, Int32, UnsafeMutablePointer<Value>?, Bool) -> OpaquePointer?
        ) -> Value? {
            var value: Value = 0
            return read(self.raw, self.number, &value, false) == nil ? nil : value
        }

        var string: String? {
            var value: UnsafeMutablePointer<CChar>?
            defer { free(value) }
            guard mosquitto_property_read_string(self.raw, self.number, &value, false) != nil, let value else { return nil }
            return String(cString: value)
        }

        var binary: [UInt8]? {
            var value: UnsafeMutableRawPointer?
            var count: UInt16 = 0
            defer { free(value) }
            guard mosquitto_property_read_binary(self.raw, self.number, &value, &count, false) != nil else { return nil }
            return [UInt8](UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : Int(count)))
        }

        var pair: MQTTUserProperty? {
            var name: UnsafeMutablePointer<CChar>?
            var value: UnsafeMutablePointer<CChar>?
            defer {
                free(name)
                free(value)
            }
            guard mosquitto_property_read_string_pair(self.raw, self.number, &name, &value, false) != nil, let name, let value else {
                return nil
            }
            return MQTTUserProperty(String(cString: name), String(cString: value))
        }
    }
}
