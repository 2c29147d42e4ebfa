import Glibc

/// `getaddrinfo` in Swift values.
enum AddressLookup {
    /// - Parameter numericOnly: never asks anybody, so never blocks.
    static func resolve(host: String, port: UInt16, numericOnly: Bool) -> Result<[SocketAddress], MQTTLinkError> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV | (numericOnly ? AI_NUMERICHOST : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, String(port), &hints, &list)
        guard result == 0 else {
            let reason = result == EAI_SYSTEM ? SystemError.last.description : String(cString: gai_strerror(result))
            return .failure(MQTTLinkError(.nameNotResolved, detail: "\(host): \(reason)"))
        }
        defer { freeaddrinfo(list) }
        let addresses = sequence(first: list, next: { $0?.pointee.ai_next }).prefix { $0 != nil }
            .compactMap { $0.flatMap { Self.address(of: $0.pointee, port: port) } }
            .interleaved()
        if addresses.isEmpty { return .failure(MQTTLinkError(.nameNotResolved, detail: "\(host): no IPv4 or IPv6 address")) }
        return .success(addresses)
    }

    private static func address(of entry: addrinfo, port: UInt16) -> SocketAddress? {
        let family: SocketAddress.Family
        switch entry.ai_family {
        case AF_INET: family = .ipv4
        case AF_INET6: family = .ipv6
        default: return nil
        }
        guard let raw = entry.ai_addr else { return nil }
        let host = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { text -> String? in
            guard let start = text.baseAddress,
                getnameinfo(raw, entry.ai_addrlen, start, socklen_t(text.count), nil, 0, Int32(NI_NUMERICHOST)) == 0
            else { return nil }
            return String(cString: start)
        }
        let bytes = [UInt8](UnsafeRawBufferPointer(start: raw, count: Int(entry.ai_addrlen)))
        return host.map { SocketAddress(family: family, host: $0, port: port, bytes: bytes) }
    }
}
