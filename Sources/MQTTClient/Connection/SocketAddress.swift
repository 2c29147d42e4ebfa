/// A TCP address that can be connected to without asking anybody.
struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
    enum Family: Sendable { case ipv4, ipv6 }

    var family: Family
    /// Numeric, IPv6 with its zone where it has one; what the library is given.
    var host: String
    var port: UInt16
    /// `struct sockaddr_in` or `sockaddr_in6`.
    var bytes: [UInt8]

    var description: String { self.family == .ipv6 ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)" }
}

extension [SocketAddress] {
    /// The resolver's order with families alternating (RFC 8305 section 4), without repetitions, at most `limit`.
    func interleaved(limit: Int = 8) -> [SocketAddress] {
        var unique: [SocketAddress] = []
        for address in self where !unique.contains(address) { unique.append(address) }
        guard let first = unique.first else { return [] }
        let preferred = unique.filter { $0.family == first.family }
        let others = unique.filter { $0.family != first.family }
        var result: [SocketAddress] = []
        for index in 0..<Swift.max(preferred.count, others.count) {
            if index < preferred.count { result.append(preferred[index]) }
            if index < others.count { result.append(others[index]) }
        }
        return Array(result.prefix(limit))
    }
}
