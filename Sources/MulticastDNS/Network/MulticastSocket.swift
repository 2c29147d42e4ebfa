import Glibc
import NIOCore

/// Opens the two kinds of UDP sockets of an interface and family. NIO then owns them.
package enum MulticastSocket {
    package static let port: UInt16 = 5353

    /// Returns the group address: 224.0.0.251 or ff02::fb (RFC 6762 section 3).
    static func group(_ family: ServiceAddress.Family, _ scope: InterfaceScope) -> SocketAddress {
        switch family {
        case .ipv4: ServiceAddress(ipv4: 0xE000_00FB).socketAddress(port: Self.port)
        case .ipv6: Self.groupIPv6.socketAddress(port: Self.port, scopeIndex: scope.index)
        }
    }

    private static let groupIPv6 = ServiceAddress(high: 0xFF02_0000_0000_0000, low: 0xFB)

    /// Opens a socket on port 5353 that receives the group on this interface only.
    ///
    /// It is bound to the group's address, not to the wildcard, so that unicast packets to port 5353 reach the other programs that share
    /// the port. Only SO_REUSEADDR lets programs of different users share it; SO_REUSEPORT would add nothing.
    static func openShared(_ family: ServiceAddress.Family, _ interface: NetworkInterface) throws(MulticastDNSError) -> CInt {
        let descriptor = try Self.open(family, interface)
        return try Self.closingOnError(descriptor) { () throws(MulticastDNSError) in
            try Self.set(descriptor, SOL_SOCKET, SO_REUSEADDR, CInt(1), "sharing port 5353", interface)
            try Self.bind(descriptor, to: Self.group(family, interface.scope), interface)
            switch family {
            case .ipv4:
                // Without this, the socket also receives groups that other programs joined on other interfaces.
                try Self.set(descriptor, CInt(IPPROTO_IP), IP_MULTICAST_ALL, CInt(0), "limiting multicast to the interface", interface)
                let request = ip_mreqn(
                    imr_multiaddr: in_addr(s_addr: UInt32(0xE000_00FB).bigEndian), imr_address: in_addr(),
                    imr_ifindex: CInt(interface.index))
                try Self.set(descriptor, CInt(IPPROTO_IP), IP_ADD_MEMBERSHIP, request, "joining 224.0.0.251", interface)
            case .ipv6:
                var request = ipv6_mreq()
                withUnsafeMutableBytes(of: &request.ipv6mr_multiaddr) { $0.copyBytes(from: Self.groupIPv6.bytes) }
                request.ipv6mr_interface = interface.index
                try Self.set(descriptor, CInt(IPPROTO_IPV6), IPV6_ADD_MEMBERSHIP, request, "joining ff02::fb", interface)
            }
        }
    }

    /// Opens a socket on a port that the system selects. It sends one-shot queries to the group, and no other program receives their
    /// answers.
    static func openOneShot(_ family: ServiceAddress.Family, _ interface: NetworkInterface) throws(MulticastDNSError) -> CInt {
        let descriptor = try Self.open(family, interface)
        return try Self.closingOnError(descriptor) { () throws(MulticastDNSError) in
            let any = family == .ipv4 ? ServiceAddress(ipv4: 0) : ServiceAddress(high: 0, low: 0)
            try Self.bind(descriptor, to: any.socketAddress(port: 0), interface)
        }
    }

    /// - Returns: the descriptor, once `body` has succeeded; otherwise it is closed.
    private static func closingOnError(
        _ descriptor: CInt, _ body: () throws(MulticastDNSError) -> Void
    ) throws(MulticastDNSError) -> CInt {
        do throws(MulticastDNSError) { try body() } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Opens a socket whose multicast is sent through `interface` with a TTL of 255 (RFC 6762 section 11), and is also received on this
    /// host.
    private static func open(_ family: ServiceAddress.Family, _ interface: NetworkInterface) throws(MulticastDNSError) -> CInt {
        let domain = family == .ipv4 ? AF_INET : AF_INET6
        let descriptor = socket(domain, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw .system("opening a socket", errno, interface: interface.name) }
        return try Self.closingOnError(descriptor) { () throws(MulticastDNSError) in
            // Hundreds of devices may answer at once. A failure is ignored, because the socket also works with a smaller buffer.
            var receiveBytes = CInt(1 << 20)
            _ = setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBytes, socklen_t(MemoryLayout<CInt>.size))
            switch family {
            case .ipv4:
                let level = CInt(IPPROTO_IP)
                let request = ip_mreqn(
                    imr_multiaddr: in_addr(), imr_address: in_addr(s_addr: Self.sourceIPv4(interface)), imr_ifindex: CInt(interface.index))
                try Self.set(descriptor, level, IP_MULTICAST_IF, request, "choosing the interface", interface)
                try Self.set(descriptor, level, IP_MULTICAST_TTL, CInt(255), "setting the multicast TTL", interface)
                try Self.set(descriptor, level, IP_TTL, CInt(255), "setting the TTL", interface)
                try Self.set(descriptor, level, IP_MULTICAST_LOOP, CInt(1), "setting multicast loopback", interface)
            case .ipv6:
                let level = CInt(IPPROTO_IPV6)
                try Self.set(descriptor, level, IPV6_V6ONLY, CInt(1), "limiting the socket to IPv6", interface)
                try Self.set(descriptor, level, IPV6_MULTICAST_IF, CInt(interface.index), "choosing the interface", interface)
                try Self.set(descriptor, level, IPV6_MULTICAST_HOPS, CInt(255), "setting the multicast hop limit", interface)
                try Self.set(descriptor, level, IPV6_UNICAST_HOPS, CInt(255), "setting the hop limit", interface)
                try Self.set(descriptor, level, IPV6_MULTICAST_LOOP, CInt(1), "setting multicast loopback", interface)
            }
        }
    }

    /// Returns the source address of multicast packets; 0 lets the system select it. On loopback the system would select another
    /// interface's address, to which no program there can answer, so the address is loopback's own.
    private static func sourceIPv4(_ interface: NetworkInterface) -> in_addr_t {
        guard interface.isLoopback, let address = interface.addresses.map(\.address).min(), address.family == .ipv4 else { return 0 }
        return UInt32(truncatingIfNeeded: address.low).bigEndian
    }

    private static func bind(_ descriptor: CInt, to address: SocketAddress, _ interface: NetworkInterface) throws(MulticastDNSError) {
        let result = address.withSockAddr { Glibc.bind(descriptor, $0, socklen_t($1)) }
        guard result == 0 else { throw .system("binding to \(address)", errno, interface: interface.name) }
    }

    private static func set<Value>(
        _ descriptor: CInt, _ level: CInt, _ name: CInt, _ value: Value, _ attempt: String, _ interface: NetworkInterface
    ) throws(MulticastDNSError) {
        let result = withUnsafeBytes(of: value) { setsockopt(descriptor, level, name, $0.baseAddress, socklen_t($0.count)) }
        guard result == 0 else { throw .system(attempt, errno, interface: interface.name) }
    }
}
