import Glibc
import NIOCore

/// The interface of a link-local address.
package struct InterfaceScope: Sendable, Hashable {
    package let index: UInt32
    package let name: String

    package init(index: UInt32, name: String) { (self.index, self.name) = (index, name) }

    /// Whether it is Linux's loopback interface.
    var isLoopback: Bool { self.name == "lo" }
}

extension InterfaceScope: Comparable {
    package static func < (left: InterfaceScope, right: InterfaceScope) -> Bool { (left.index, left.name) < (right.index, right.name) }
}

/// An address of a service. IPv6 link-local addresses carry the interface on which they were received.
package struct ServiceAddress: Sendable, Hashable {
    package enum Family: Sendable, Hashable { case ipv4, ipv6 }

    package let family: Family
    /// The interface; only for IPv6 link-local addresses.
    package let scope: InterfaceScope?
    /// IPv4 uses the lower 32 bits of `low`.
    package let high: UInt64
    package let low: UInt64

    init(ipv4 value: UInt32) {
        (self.family, self.scope, self.high, self.low) = (.ipv4, nil, 0, UInt64(value))
    }

    /// Creates an address; the scope is dropped unless the address is link-local.
    init(high: UInt64, low: UInt64, scope: InterfaceScope? = nil) {
        self.family = .ipv6
        self.scope = high >> 54 == 0xFE80 >> 6 ? scope : nil
        (self.high, self.low) = (high, low)
    }

    /// - Parameter bytes: 4 for IPv4 or 16 for IPv6, in network order; `nil` for any other count.
    package init?(bytes: [UInt8], scope: InterfaceScope? = nil) {
        let parts = (high: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }, low: bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) })
        switch bytes.count {
        case 4: self.init(ipv4: UInt32(truncatingIfNeeded: parts.high))
        case 16: self.init(high: parts.high, low: parts.low, scope: scope)
        default: return nil
        }
    }

    /// Parses numeric forms without a scope: `192.168.1.31`, `fd00::1`.
    package init?(_ text: String) {
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            self.init(ipv4: UInt32(bigEndian: v4.s_addr))
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            self.init(bytes: withUnsafeBytes(of: v6) { Array($0) })
        } else {
            return nil
        }
    }

    /// The 4 or 16 bytes in network order.
    package var bytes: [UInt8] {
        switch self.family {
        case .ipv4: stride(from: 24, through: 0, by: -8).map { UInt8(self.low >> UInt64($0) & 0xFF) }
        case .ipv6: [self.high, self.low].flatMap { part in stride(from: 56, through: 0, by: -8).map { UInt8(part >> UInt64($0) & 0xFF) } }
        }
    }

    /// Returns the address for a NIO bootstrap.
    package func socketAddress(port: UInt16) -> SocketAddress { self.socketAddress(port: port, scopeIndex: self.scope?.index ?? 0) }

    /// - Parameter scopeIndex: the index of the interface of an IPv6 address.
    func socketAddress(port: UInt16, scopeIndex: UInt32) -> SocketAddress {
        switch self.family {
        case .ipv4:
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(truncatingIfNeeded: self.low).bigEndian
            return SocketAddress(address)
        case .ipv6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_scope_id = scopeIndex
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: self.bytes) }
            return SocketAddress(address)
        }
    }

    /// Creates an address without a scope; `nil` for a unix socket.
    init?(_ address: SocketAddress) {
        switch address {
        case .v4(let v4): self.init(ipv4: UInt32(bigEndian: v4.address.sin_addr.s_addr))
        case .v6(let v6): self.init(bytes: withUnsafeBytes(of: v6.address.sin6_addr) { Array($0) })
        case .unixDomainSocket: return nil
        }
    }

    package var withoutScope: ServiceAddress { self.family == .ipv4 ? self : ServiceAddress(high: self.high, low: self.low) }

    /// Whether another machine can have the address: not loopback, unspecified, multicast, broadcast or reserved. Whoever announces such an
    /// address on a network would make us connect to ourselves.
    var isOfOneHost: Bool {
        switch self.family {
        case .ipv4: Self.isOfOneHost(ipv4: self.low)
        case .ipv6 where self.high == 0 && self.low >> 32 == 0xFFFF: Self.isOfOneHost(ipv4: self.low & 0xFFFF_FFFF)
        case .ipv6: !(self.high == 0 && self.low >> 32 == 0) && self.high >> 56 != 0xFF
        }
    }

    private static func isOfOneHost(ipv4 value: UInt64) -> Bool {
        switch value >> 24 {
        case 0, 127, 224...: false
        default: true
        }
    }

    var isLinkLocal: Bool { self.family == .ipv6 ? self.high >> 54 == 0xFE80 >> 6 : self.low >> 16 == 0xA9FE }

    /// Returns whether both share their first `length` bits.
    func shares(prefix length: Int, with other: ServiceAddress) -> Bool {
        guard self.family == other.family else { return false }
        switch self.family {
        case .ipv4: return (self.low ^ other.low) >> UInt64(max(0, 32 - length)) == 0
        case .ipv6:
            let high = (self.high ^ other.high) >> UInt64(max(0, 64 - length)) == 0
            return high && (length <= 64 || (self.low ^ other.low) >> UInt64(128 - length) == 0)
        }
    }
}

extension ServiceAddress: Comparable {
    /// Sorts IPv4 before IPv6, then by number.
    package static func < (left: ServiceAddress, right: ServiceAddress) -> Bool {
        guard left.family == right.family else { return left.family == .ipv4 }
        return (left.high, left.low, left.scope?.index ?? 0) < (right.high, right.low, right.scope?.index ?? 0)
    }
}

extension ServiceAddress: CustomStringConvertible {
    /// The text form: `192.168.1.31`, `fd00::1`, `fe80::1%eth0`.
    package var description: String {
        let family = self.family == .ipv4 ? AF_INET : AF_INET6
        let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            inet_ntop(family, self.bytes, buffer.baseAddress, socklen_t(buffer.count)).map { String(cString: $0) } ?? ""
        }
        return self.scope.map { "\(text)%\($0.name)" } ?? text
    }
}
