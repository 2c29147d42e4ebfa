import Glibc

package enum InterfaceSelection: Sendable, Hashable {
    /// All that are up, can multicast and have an address; never loopback.
    case all
    /// Only these, including loopback (IPv4 only); a missing one is used as soon as it appears.
    case named([String])
    /// Like `all`, without these. A name that ends with `*` matches all names with that prefix.
    case except([String])

    /// Parses names as users write them: `!docker0` excludes one interface. Exclusions have no effect together with included names; an
    /// empty list is `all`.
    package init(_ names: [String]) {
        let named = names.filter { !$0.hasPrefix("!") }
        self = !named.isEmpty ? .named(named) : names.isEmpty ? .all : .except(names.map { String($0.dropFirst()) })
    }
}

/// A network interface as the system describes it.
struct NetworkInterface: Hashable, Sendable {
    struct Address: Hashable, Sendable {
        let address: ServiceAddress
        let prefixLength: Int
    }

    let index: UInt32
    let name: String
    var isUp = true
    var isLoopback = false
    var canMulticast = true
    var addresses: Set<Address> = []
    /// Whether its cable is plugged in or its radio is associated. Without, it keeps its addresses.
    var isRunning = true

    var scope: InterfaceScope { InterfaceScope(index: self.index, name: self.name) }

    /// The families in which it has an address; only IPv4 on loopback, where IPv4 multicast works without a route.
    var families: [ServiceAddress.Family] {
        let has = { (family: ServiceAddress.Family) in self.addresses.contains { $0.address.family == family } }
        return (has(.ipv4) ? [.ipv4] : []) + (has(.ipv6) && !self.isLoopback ? [.ipv6] : [])
    }

    /// Returns whether the address belongs to a neighbour, or to us; on loopback every address is ours.
    func isOnLink(_ address: ServiceAddress) -> Bool {
        self.isLoopback || address.isLinkLocal || self.addresses.contains { $0.address.shares(prefix: $0.prefixLength, with: address) }
    }

    /// Returns whether neighbours of the older description may still be reachable: an IPv4 network, or without IPv4 an IPv6 one, is
    /// unchanged.
    func sharesNetwork(with older: NetworkInterface) -> Bool {
        let family: ServiceAddress.Family = older.families.contains(.ipv4) ? .ipv4 : .ipv6
        let networks = older.addresses.filter { $0.address.family == family }
        return networks.contains { old in
            self.addresses.contains {
                $0.prefixLength == old.prefixLength && $0.address.shares(prefix: old.prefixLength, with: old.address)
            }
        }
    }
}

extension InterfaceSelection {
    func allows(_ interface: NetworkInterface) -> Bool {
        guard interface.isUp, !interface.families.isEmpty else { return false }
        switch self {
        case .all: return interface.canMulticast && !interface.isLoopback
        case .except(let names):
            let isLeftOut = names.contains { $0.hasSuffix("*") ? interface.name.hasPrefix($0.dropLast()) : interface.name == $0 }
            return InterfaceSelection.all.allows(interface) && !isLeftOut
        // Loopback often lacks the multicast flag although it supports multicast.
        case .named(let names): return names.contains(interface.name) && (interface.canMulticast || interface.isLoopback)
        }
    }
}

extension NetworkInterface {
    /// Returns all interfaces of the calling thread's network namespace, in order of their index.
    static func all() throws(MulticastDNSError) -> [NetworkInterface] {
        var head: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&head) == 0 else { throw .system("listing the network interfaces", errno) }
        defer { freeifaddrs(head) }
        var interfaces: [String: NetworkInterface] = [:]
        var next = head
        while let entry = next?.pointee {
            next = entry.ifa_next
            let name = String(cString: entry.ifa_name)
            let index = if_nametoindex(name)
            guard index != 0 else { continue }
            var interface =
                interfaces[name]
                ?? NetworkInterface(
                    index: index, name: name, isUp: entry.ifa_flags & UInt32(IFF_UP) != 0,
                    isLoopback: entry.ifa_flags & UInt32(IFF_LOOPBACK) != 0,
                    canMulticast: entry.ifa_flags & UInt32(IFF_MULTICAST) != 0, isRunning: entry.ifa_flags & UInt32(IFF_RUNNING) != 0)
            if let address = entry.ifa_addr.flatMap(Self.address), let mask = entry.ifa_netmask.flatMap(Self.address) {
                interface.addresses.insert(Address(address: address, prefixLength: mask.bytes.reduce(0) { $0 + $1.nonzeroBitCount }))
            }
            interfaces[name] = interface
        }
        return interfaces.values.sorted { $0.index < $1.index }
    }

    private static func address(_ pointer: UnsafeMutablePointer<sockaddr>) -> ServiceAddress? {
        switch Int32(pointer.pointee.sa_family) {
        case AF_INET:
            return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                ServiceAddress(ipv4: UInt32(bigEndian: $0.pointee.sin_addr.s_addr))
            }
        case AF_INET6:
            return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                ServiceAddress(bytes: withUnsafeBytes(of: $0.pointee.sin6_addr) { Array($0) })
            }
        default:
            return nil
        }
    }
}

extension MulticastDNSError {
    /// Returns the error for a failed system call, with its reason in words.
    static func system(_ attempt: String, _ number: Int32, interface: String? = nil) -> MulticastDNSError {
        MulticastDNSError(
            .system, detail: "\(attempt): \(String(cString: strerror(number)))", interface: interface, systemErrorNumber: number)
    }
}
