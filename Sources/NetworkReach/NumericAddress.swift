import Glibc

/// A TCP address that can be connected to without a name service.
package struct NumericAddress: Sendable, Hashable, CustomStringConvertible {
    package enum Family: Sendable { case ipv4, ipv6 }

    package var family: Family
    /// The numeric host; IPv6 includes its zone if it has one.
    package var host: String
    package var port: UInt16
    /// The bytes of a `struct sockaddr_in` or `sockaddr_in6`.
    package var bytes: [UInt8]

    package var description: String { self.family == .ipv6 ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)" }
}

/// The error for a name without an address.
package struct NameNotResolved: Error, Hashable {
    package var detail: String

    package init(detail: String) { self.detail = detail }
}

extension NumericAddress {
    package typealias Answer = Result<[NumericAddress], NameNotResolved>

    /// Returns the addresses of a host, in the system's order of preference (`getaddrinfo`).
    ///
    /// - Parameters:
    ///   - isNumeric: whether to parse only a numeric `host`, including a link-local scope, which never blocks. Resolving a name may block
    ///     for any time.
    ///   - isConfigured: whether to leave out families for which this machine has no address.
    package static func resolve(_ host: String, port: UInt16, isNumeric: Bool = false, isConfigured: Bool = false) -> Answer {
        // C would read another name, which ends there.
        guard !host.utf8.contains(0) else { return .failure(NameNotResolved(detail: "the name contains a NUL")) }
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV | (isNumeric ? AI_NUMERICHOST : 0) | (isConfigured ? AI_ADDRCONFIG : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, String(port), &hints, &list)
        guard result == 0 else {
            let code = errno
            let reason = result == EAI_SYSTEM ? UnsafePointer(strerror(code)) : gai_strerror(result)
            return .failure(NameNotResolved(detail: "\(host): \(reason.map { String(cString: $0) } ?? "error \(result)")"))
        }
        defer { freeaddrinfo(list) }
        let addresses = sequence(first: list, next: { $0?.pointee.ai_next }).prefix { $0 != nil }
            .compactMap { $0.flatMap { Self($0.pointee, port: port) } }
        guard !addresses.isEmpty else { return .failure(NameNotResolved(detail: "\(host): no IPv4 or IPv6 address")) }
        return .success(addresses)
    }

    private init?(_ entry: addrinfo, port: UInt16) {
        switch entry.ai_family {
        case AF_INET: self.family = .ipv4
        case AF_INET6: self.family = .ipv6
        default: return nil
        }
        guard let raw = entry.ai_addr else { return nil }
        let host = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { text -> String? in
            guard let start = text.baseAddress,
                getnameinfo(raw, entry.ai_addrlen, start, socklen_t(text.count), nil, 0, Int32(NI_NUMERICHOST)) == 0
            else { return nil }
            return String(cString: start)
        }
        guard let host else { return nil }
        self.host = host
        self.port = port
        self.bytes = [UInt8](UnsafeRawBufferPointer(start: raw, count: Int(entry.ai_addrlen)))
    }
}
