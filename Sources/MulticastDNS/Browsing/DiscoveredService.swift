/// A service whose location, text and at least one address are known.
package struct DiscoveredService: Sendable, Equatable {
    /// The label before the service type, for example `Chromecast-Ultra-0f7c`; it identifies the service on the network.
    package let instanceName: String
    /// The SRV target, for example `0f7c.local`; several services may share one host.
    package let hostName: String
    package let port: UInt16
    package let text: TXTRecord
    /// Never empty. The union of what all interfaces heard: IPv4 first; addresses about to be replaced last in their family.
    package let addresses: [ServiceAddress]

    package init(instanceName: String, hostName: String, port: UInt16, text: TXTRecord, addresses: [ServiceAddress]) {
        self.instanceName = instanceName
        self.hostName = hostName
        self.port = port
        self.text = text
        self.addresses = addresses
    }
}

/// What a browser reports, in the order in which it happened.
package enum ServiceChange: Sendable, Equatable {
    case found(DiscoveredService)
    /// Port, host, text or addresses differ from what was reported before.
    case updated(DiscoveredService)
    /// A record of the service was heard again and said nothing new: the device is there.
    case sighted(DiscoveredService)
    /// The service said goodbye or was not heard for its records' life; the value is the last one reported.
    case removed(DiscoveredService)
    /// An interface in use came, went or changed its addresses.
    case networkChanged
}
