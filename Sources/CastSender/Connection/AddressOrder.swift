import NIOCore

/// The order in which a device's addresses are tried.
enum AddressOrder {
    /// The most addresses one attempt tries.
    static let limit = 16

    /// The families in turn, IPv4 first, each in the given order (newest first), without repetitions.
    static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
        var seen: Set<SocketAddress> = []
        let unique = addresses.filter { seen.insert($0).inserted }
        let ipv4 = unique.filter { $0.protocol == .inet }
        let others = unique.filter { $0.protocol != .inet }
        var result: [SocketAddress] = []
        for index in 0..<max(ipv4.count, others.count) {
            if index < ipv4.count { result.append(ipv4[index]) }
            if index < others.count { result.append(others[index]) }
        }
        return Array(result.prefix(Self.limit))
    }
}
