/// Where a web server listens: a numeric address and a port.
public struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    public let address: NetworkAddress
    /// 0 takes any free port; the log names it.
    public let port: Int

    /// - Parameter text: `127.0.0.1:8099` or `[::1]:8099`.
    /// - Returns: `nil` for anything else.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        var host = text[..<colon]
        let digits = text[text.index(after: colon)...]
        let isBracketed = host.first == "[" && host.last == "]"
        if isBracketed { host = host.dropFirst().dropLast() }
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(digits),
            port <= 65_535, host.contains(":") == isBracketed, let address = NetworkAddress(host)
        else { return nil }
        (self.address, self.port) = (address, port)
    }

    public init(address: NetworkAddress, port: Int) { (self.address, self.port) = (address, port) }

    public var description: String { self.address.isIPv6 ? "[\(self.address)]:\(self.port)" : "\(self.address):\(self.port)" }
}

/// A host as a browser names it in the header `Host`, with the port if there is one.
public struct HostName: Sendable, Hashable, CustomStringConvertible {
    /// In lower case, an IPv6 address without brackets and in its shortest form, no point at the end.
    public let host: String
    public let port: Int?

    /// - Returns: `nil` for anything but a name or an address with an optional port.
    public init?(_ text: some StringProtocol) {
        var host = Substring(text)
        var port: Int?
        if let colon = host.lastIndex(of: ":"), host.first != "[" || host[..<colon].last == "]" {
            let digits = host[host.index(after: colon)...]
            guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits),
                (1...65_535).contains(number)
            else { return nil }
            port = number
            host = host[..<colon]
        }
        if host.first == "[", host.last == "]" {
            guard let address = NetworkAddress(host.dropFirst().dropLast()) else { return nil }
            self.host = address.description
        } else {
            if host.last == "." { host = host.dropLast() }
            guard (1...253).contains(host.utf8.count), host.utf8.allSatisfy(Self.isOfName) else { return nil }
            self.host = host.lowercased()
        }
        self.port = port
    }

    public var description: String {
        let host = self.host.contains(":") ? "[\(self.host)]" : self.host
        return self.port.map { "\(host):\($0)" } ?? host
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: false
        }
    }
}
