import BridgeCore
import Glibc
import NIOCore

/// The addresses of this machine.
enum MachineAddresses {
    /// Returns them all, first the one in the network of the broker. A name or this machine itself names no network: then the default route does.
    static func towards(_ broker: String?) -> [NetworkAddress] {
        let broker = broker.flatMap { NetworkAddress($0) }.flatMap { $0.isLoopback ? nil : $0.description }
        // An address of documentation (RFC 5737), to which nothing is sent.
        let first = self.source(towards: broker ?? "192.0.2.1")
        let all = ((try? System.enumerateDevices()) ?? []).compactMap { $0.address?.ipAddress.flatMap { NetworkAddress($0) } }
        return (first.map { [$0] } ?? []) + all
    }

    /// The IPv4 address from which packets to another one would be sent.
    private static func source(towards address: String) -> NetworkAddress? {
        guard case .v4(let peer) = try? SocketAddress(ipAddress: address, port: 9) else { return nil }
        let datagrams = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard datagrams >= 0 else { return nil }
        defer { close(datagrams) }
        var (address, size) = (peer.address, socklen_t(MemoryLayout<sockaddr_in>.size))
        let isKnown = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(datagrams, $0, size) == 0 && getsockname(datagrams, $0, &size) == 0
            }
        }
        return isKnown ? SocketAddress(address).ipAddress.flatMap { NetworkAddress($0) } : nil
    }
}
