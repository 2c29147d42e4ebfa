internal import CMosquitto

/// The MQTT 5 properties of messages to publish, in the form that libmosquitto takes. Make one for each kind of message and share it.
package final class MQTTPropertySet: Sendable {
    package static let none = MQTTPropertySet(.none)

    package let properties: MQTTProperties
    /// Why no message can be sent with them; `nil` for a usable set.
    let refusal: MQTTRefusal?
    /// Bytes of the list in a PUBLISH packet, without its length.
    let encodedSize: Int
    /// Safe: nothing changes the list between `init` and `deinit`, and `mosquitto_publish_v5` reads and copies it.
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
