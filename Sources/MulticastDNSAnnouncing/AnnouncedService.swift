import MulticastDNS

/// A service to announce. Services with the same host name share its addresses: the last given ones apply to all of them.
package struct AnnouncedService: Sendable, Equatable {
    /// The instance name: one label of at most 63 bytes, any UTF-8.
    package var instanceName: String
    /// The type and domain, for example `_googlecast._tcp.local`.
    package var serviceType: String
    /// The host name with its domain, for example `0f7c.local`.
    package var hostName: String
    package var port: UInt16
    package var text: TXTRecord
    /// The addresses, at least one; they need not belong to the interface.
    package var addresses: [ServiceAddress]
    /// The TTL of the address and location records (RFC 6762 section 10).
    package var hostTTLSeconds: UInt32 = 120
    /// The TTL of the pointer and text records.
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

    /// - Throws: `invalidName`, or `invalidService` without a port or address or with a TTL of 0, which would be a goodbye.
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
    /// Returns the label with `-2`, `-3` … appended, truncated to the length of a label (RFC 6762 section 9).
    static func renamed(_ label: String, _ attempt: Int) -> String {
        let suffix = "-\(attempt + 1)"
        var base = label
        while base.utf8.count + suffix.utf8.count > DNSName.maximumLabelBytes { base.removeLast() }
        return base + suffix
    }
}
