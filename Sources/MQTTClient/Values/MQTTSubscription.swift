/// A topic filter and its delivery options (MQTT 5 section 3.8.3.1).
package struct MQTTSubscription: Sendable, Hashable {
    /// Which retained messages the broker sends when the subscription is made.
    package enum RetainHandling: UInt8, Sendable, Hashable {
        case send = 0
        case sendIfNew = 1
        case doNotSend = 2
    }

    /// The filter: UTF-8, 1 to 65 535 bytes; `+` and `#` are wildcards.
    package var filter: String
    package var qos: MQTTQoS
    /// MQTT 5 only: whether the broker does not deliver messages that this client publishes itself.
    package var noLocal: Bool
    /// MQTT 5 only: whether the broker keeps the retain flag as the sender set it.
    package var retainAsPublished: Bool
    /// MQTT 5 only; 3.1.1 brokers always send retained messages.
    package var retainHandling: RetainHandling

    package init(
        filter: String, qos: MQTTQoS = .atLeastOnce, noLocal: Bool = false, retainAsPublished: Bool = false,
        retainHandling: RetainHandling = .send
    ) {
        self.filter = filter
        self.qos = qos
        self.noLocal = noLocal
        self.retainAsPublished = retainAsPublished
        self.retainHandling = retainHandling
    }

    /// The subscription options byte without the QoS bits.
    var options: Int32 {
        (self.noLocal ? 0x04 : 0) | (self.retainAsPublished ? 0x08 : 0) | Int32(self.retainHandling.rawValue) << 4
    }
}
