internal import CMosquitto

/// The MQTT 5 properties of messages to publish, in libmosquitto's form. Create one for each kind of message and share it.
package final class MQTTPropertySet: Sendable {
    package static let none = MQTTPropertySet(.none)

    package let properties: MQTTProperties
    /// Why no message can be sent with these properties; `nil` for a usable set.
    let refusal: MQTTRefusal?
    /// The size of the list in a PUBLISH packet in bytes, without its length field.
    let encodedSize: Int
    /// Safe: the list does not change between `init` and `deinit`, and `mosquitto_publish_v5` only reads and copies it.
    nonisolated(unsafe) let list: OpaquePointer?

    package init(_ properties: MQTTProperties) {
        self.properties = properties
        self.encodedSize = properties.encodedSize
        if let fault = properties.fault() {
            (self.refusal, self.list) = (.invalid(fault), nil)
            return
        }
        do throws(MosquittoResult) {
            (self.list, self.refusal) = (try PropertyList.make(properties), nil)
        } catch {
            (self.list, self.refusal) = (nil, .library(error))
        }
    }

    deinit {
        var list = self.list
        mosquitto_property_free_all(&list)
    }
}
