/// A service to announce. Services with the same host name share its addresses: those given last count for all of them.
package struct AnnouncedService: Sendable, Equatable {
    /// One label of at most 63 bytes, any UTF-8.
    package var instanceName: String
    /// Type and domain, for example `_googlecast._tcp.local`.
    package var serviceType: String
    /// With its domain, for example `0f7c.local`.
    package var hostName: String
    package var port: UInt16
    package var text: TXTRecord
    /// At least one; they need not belong to the interface.
    package var addresses: [ServiceAddress]
    /// Life of the address and location records (RFC 6762 section 10).
    package var hostTTLSeconds: UInt32 = 120
    /// Life of the pointer and text records.
    package var serviceTTLSeconds: UInt32 = 4500

    package init(
        instanceName: String, serviceType: String, hostName: String, port: UInt16, text: TXTRecord, addresses: [ServiceAddress]
    ) {
        self.instanceName = instanceName
        self.serviceType = serviceType
        self.hostName = hostName
        self.port = port
        self.text = text
        self.addresses = addresses
    }
}

/// The names of a service, checked.
struct ServiceNames: Hashable, Sendable {
    let instance: DNSName
    let type: DNSName
    let host: DNSName

    /// - Throws: `invalidName`, or `invalidService` without port or address or with a TTL of 0, which would mean goodbye.
    init(_ service: AnnouncedService) throws(MulticastDNSError) {
        self.type = try DNSName(service.serviceType)
        self.instance = try self.type.child(service.instanceName.utf8)
        self.host = try DNSName(service.hostName)
        guard service.port != 0, !service.addresses.isEmpty, service.hostTTLSeconds > 0, service.serviceTTLSeconds > 0 else {
            throw MulticastDNSError(.invalidService, detail: "a service needs a port, an address and TTLs above zero")
        }
    }
}

extension AnnouncedService {
    /// The label with `-2`, `-3` … behind it, cut so that it stays a label (RFC 6762 section 9).
    static func renamed(_ label: String, _ attempt: Int) -> String {
        let suffix = "-\(attempt + 1)"
        var base = label
        while base.utf8.count + suffix.utf8.count > DNSName.maximumLabelBytes { base.removeLast() }
        return base + suffix
    }
}
