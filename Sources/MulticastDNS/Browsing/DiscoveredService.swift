/// A service whose location, text and at least one address are known.
package struct DiscoveredService: Sendable, Equatable {
    /// The label before the service type, for example `Chromecast-Ultra-0f7c`; it identifies the service on the network.
    package let instanceName: String
    /// The SRV target, for example `0f7c.local`; several services may share one host.
    package let hostName: String
    package let port: UInt16
    package let text: TXTRecord
    /// The addresses of all interfaces, never empty: IPv4 first; addresses that are about to be replaced come last in their family.
    package let addresses: [ServiceAddress]

    package init(instanceName: String, hostName: String, port: UInt16, text: TXTRecord, addresses: [ServiceAddress]) {
        self.instanceName = instanceName
        self.hostName = hostName
        self.port = port
        self.text = text
        self.addresses = addresses
    }
}

/// A change that a browser reports, in order of occurrence.
package enum ServiceChange: Sendable, Equatable {
    case found(DiscoveredService)
    /// Port, host, text or addresses changed.
    case updated(DiscoveredService)
    /// A record of the service was received again without a change, so the device is reachable.
    case sighted(DiscoveredService)
    /// The service sent a goodbye or its records expired; the value is the last reported one.
    case removed(DiscoveredService)
    /// An interface in use appeared, disappeared or changed its addresses.
    case networkChanged
}
