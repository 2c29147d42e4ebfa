/// The host and TCP port of a control link.
public struct DeviceEndpoint: Sendable, Hashable, Codable, CustomStringConvertible {
    /// A host name, or a numeric IPv4 or IPv6 address; a link-local address carries its scope (`fe80::1%eth0`).
    public var host: String
    /// The TCP port, 1 to 65535: `devicePort` for devices, a high port for groups.
    public var port: Int

    /// The port of every device; any other port belongs to a speaker group.
    public static let devicePort = 8009

    public init(host: String, port: Int = Self.devicePort) { (self.host, self.port) = (host, port) }

    /// Parses `192.168.1.31`, `tv.lan:8009`, `fe80::1%eth0` or `[fe80::1%eth0]:8009`; `nil` for any other text.
    public init?(_ text: String) {
        var host = Substring(text)
        var port: Substring?
        if host.first == "[" {
            guard let end = host.firstIndex(of: "]") else { return nil }
            let rest = host[host.index(after: end)...]
            host = host[host.index(after: host.startIndex)..<end]
            guard host.contains(":") else { return nil }
            if !rest.isEmpty {
                guard rest.first == ":" else { return nil }
                port = rest.dropFirst()
            }
        } else if let colon = host.firstIndex(of: ":"), colon == host.lastIndex(of: ":") {
            port = host[host.index(after: colon)...]
            host = host[..<colon]
        }
        let number = port.map { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int($0) ?? 0 : 0 } ?? Self.devicePort
        guard (1...65535).contains(number), Self.isHost(host) else { return nil }
        self.init(host: String(host), port: number)
    }

    public var description: String { self.host.contains(":") ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)" }

    /// Returns whether `text` looks like a host name, an IPv4 address, or an IPv6 address with an optional scope. The resolver can still
    /// reject it.
    public static func isHost(_ text: some StringProtocol) -> Bool {
        let halves = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard (1...253).contains(text.utf8.count), let name = halves.first, !name.isEmpty else { return false }
        if name.contains(":") {
            guard name.utf8.count(where: { $0 == UInt8(ascii: ":") }) > 1 else { return false }
            return name.utf8.allSatisfy(Self.isOfAddress)
                && halves.dropFirst().allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(Self.isOfScope) }
        }
        return halves.count == 1 && name.utf8.allSatisfy(Self.isOfName)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte >= 0x80 || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "-._".utf8.contains(byte)
    }

    private static func isOfAddress(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20) || ":.".utf8.contains(byte)
    }

    private static func isOfScope(_ byte: UInt8) -> Bool { (0x21..<0x7F).contains(byte) && byte != UInt8(ascii: "/") }
}
