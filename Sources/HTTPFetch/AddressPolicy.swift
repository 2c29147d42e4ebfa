import NetworkReach

/// Decides which addresses a fetch may connect to. Pure.
///
/// Otherwise an address from a device or an MQTT client could reach services of this machine that trust the loopback interface.
package struct AddressPolicy: Sendable, Hashable {
    /// A part of the address space (RFC 6890).
    package enum Scope: String, Sendable, CaseIterable {
        /// 127.0.0.0/8, ::1, and the unspecified addresses, which also reach this machine.
        case loopback
        /// 169.254.0.0/16, fe80::/10, 64:ff9b:1::/48, and further addresses at which clouds give machines their secrets.
        case linkLocal = "link_local"
        /// Multicast and broadcast.
        case multicast
        /// 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10, 198.18.0.0/15, fc00::/7.
        case privateNetwork = "private_network"
        case global
    }

    package var allowed: Set<Scope>

    package init(allowed: Set<Scope>) { self.allowed = allowed }

    /// Private networks and the Internet, for the media servers of a home.
    package static let networks = AddressPolicy(allowed: [.privateNetwork, .global])
    /// Everything except multicast.
    package static let everything = AddressPolicy(allowed: [.loopback, .linkLocal, .privateNetwork, .global])

    /// The scopes that a redirect from this address may lead to: a server on the Internet must not send us into private networks.
    package static func scopes(afterRedirectFrom address: NumericAddress) -> Set<Scope> {
        Self.scope(of: address) == .global ? [.global] : Set(Scope.allCases)
    }

    package func allows(_ address: NumericAddress) -> Bool { self.allowed.contains(Self.scope(of: address)) }

    package static func scope(of address: NumericAddress) -> Scope {
        // struct sockaddr_in has the address at byte 4, struct sockaddr_in6 at byte 8.
        switch address.family {
        case .ipv4: Self.scope(ipv4: Array(address.bytes.dropFirst(4).prefix(4)))
        case .ipv6: Self.scope(ipv6: Array(address.bytes.dropFirst(8).prefix(16)))
        }
    }

    private static func scope(ipv4 bytes: [UInt8]) -> Scope {
        guard bytes.count == 4 else { return .multicast }
        switch (bytes[0], bytes[1]) {
        case (127, _), (0, _): return .loopback
        case (169, 254): return .linkLocal
        case (100, 100) where bytes[2] == 100 && bytes[3] == 200: return .linkLocal  // Alibaba
        case (168, 63) where bytes[2] == 129 && bytes[3] == 16: return .linkLocal  // Azure
        case (192, 0) where bytes[2] == 0: return .linkLocal  // 192.0.0.192: Oracle
        case (224..., _): return .multicast
        case (10, _), (172, 16...31), (192, 168), (100, 64...127), (198, 18...19): return .privateNetwork
        default: return .global
        }
    }

    private static func scope(ipv6 bytes: [UInt8]) -> Scope {
        guard bytes.count == 16 else { return .multicast }
        let isZeroUpTo = { (end: Int) in bytes.prefix(end).allSatisfy { $0 == 0 } }
        if isZeroUpTo(15), bytes[15] <= 1 { return .loopback }
        // IPv4 in IPv6: compatible, mapped (RFC 4291 section 2.5.5), and translated (RFC 2765 section 2.1, RFC 6052 section 2.1).
        let translated: [[UInt8]] = [[0, 0, 0, 0], [0, 0, 0xff, 0xff], [0xff, 0xff, 0, 0]]
        if isZeroUpTo(8), translated.contains(Array(bytes[8..<12])) { return Self.scope(ipv4: Array(bytes.suffix(4))) }
        if bytes.starts(with: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0]) { return Self.scope(ipv4: Array(bytes.suffix(4))) }
        // Translators of the local network (RFC 8215) reach any IPv4 address; only that network knows where it stands in this one.
        if bytes.starts(with: [0, 0x64, 0xff, 0x9b, 0, 1]) || Self.metadata.contains(bytes) { return .linkLocal }
        switch (bytes[0], bytes[1]) {
        // IPv4 tunnels: 6to4 (RFC 3056), and Teredo with the address of the client inverted (RFC 4380 section 4).
        case (0x20, 0x02): return Self.scope(ipv4: Array(bytes[2..<6]))
        case (0x20, 0x01) where bytes[2] == 0 && bytes[3] == 0: return Self.scope(ipv4: bytes.suffix(4).map { ~$0 })
        case (0xff, _): return .multicast
        case (0xfe, 0x80...0xbf): return .linkLocal
        case (0xfc...0xfd, _): return .privateNetwork
        default: return .global
        }
    }

    /// The IPv6 addresses at which clouds give machines their secrets: Amazon (two), Google, Oracle.
    private static let metadata: Set<[UInt8]> = [
        [0xfd, 0x00, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54],
        [0xfd, 0x00, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x23],
        [0xfd, 0x20, 0x00, 0xce, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54],
        [0xfd, 0x00, 0x00, 0xc1, 0, 0, 0, 0, 0, 0, 0, 0, 0xa9, 0xfe, 0xa9, 0xfe],
    ]
}
