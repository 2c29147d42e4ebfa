/// A device's host that the user names because discovery doesn't reach it.
public struct KnownHost: Sendable, Hashable, CustomStringConvertible {
    public var endpoint: DeviceEndpoint
    /// Used only when the device itself doesn't tell its id.
    public var id: Device.ID?

    public init(endpoint: DeviceEndpoint, id: Device.ID? = nil) {
        self.endpoint = endpoint
        self.id = id
    }

    /// Reads `192.168.1.31`, `tv.lan:8009`, `fe80::1%eth0` or `[fe80::1%eth0]:8009`; `nil` for anything else.
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
        let number = port.map { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int($0) ?? 0 : 0 } ?? 8009
        guard (1...65535).contains(number), Self.isHost(host) else { return nil }
        self.init(endpoint: DeviceEndpoint(host: String(host), port: number))
    }

    public var description: String { self.endpoint.description }

    /// Letters, digits and what names and numeric addresses have besides; the resolver has the last word.
    private static func isHost(_ text: Substring) -> Bool {
        guard (1...255).contains(text.utf8.count) else { return false }
        let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
        if colons == 1 { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
            case UInt8(ascii: ":"), UInt8(ascii: "%"): colons > 1
            default: byte >= 0x80 && colons == 0
            }
        }
    }
}
