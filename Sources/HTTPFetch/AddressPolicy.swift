import NetworkReach

/// Decides which addresses a fetch may connect to. Pure.
///
/// Otherwise an address from a device or an MQTT client could reach services of this machine that trust the loopback interface.
package struct AddressPolicy: Sendable, Hashable {
    /// A part of the address space (RFC 6890).
    package enum Scope: String, Sendable, CaseIterable {
        /// 127.0.0.0/8, ::1, and the unspecified addresses, which also reach this machine.
        case loopback
        /// 169.254.0.0/16, fe80::/10, and further addresses at which clouds give machines their secrets.
        case linkLocal = "link_local"
        /// Multicast and broadcast.
        case multicast
        /// 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10, fc00::/7.
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
        case (100, 100) where bytes[2] == 100 && bytes[3] == 200: return .linkLocal
        case (224..., _): return .multicast
        case (10, _), (172, 16...31), (192, 168), (100, 64...127): return .privateNetwork
        default: return .global
        }
    }

    private static func scope(ipv6 bytes: [UInt8]) -> Scope {
        guard bytes.count == 16 else { return .multicast }
        let isZeroUpTo = { (end: Int) in bytes.prefix(end).allSatisfy { $0 == 0 } }
        // IPv4 in IPv6: mapped (RFC 4291 section 2.5.5.2), compatible, and translated (RFC 6052).
        if isZeroUpTo(10), bytes[10] == 0xff, bytes[11] == 0xff { return Self.scope(ipv4: Array(bytes.suffix(4))) }
        if isZeroUpTo(15), bytes[15] <= 1 { return .loopback }
        if isZeroUpTo(12) { return Self.scope(ipv4: Array(bytes.suffix(4))) }
        if bytes.prefix(12).elementsEqual([0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0]) {
            return Self.scope(ipv4: Array(bytes.suffix(4)))
        }
        if bytes == [0xfd, 0x00, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54] { return .linkLocal }
        switch (bytes[0], bytes[1]) {
        case (0xff, _): return .multicast
        case (0xfe, 0x80...0xbf): return .linkLocal
        case (0xfc...0xfd, _): return .privateNetwork
        default: return .global
        }
    }
}
