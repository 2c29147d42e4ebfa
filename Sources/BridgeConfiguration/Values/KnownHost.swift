/// A device that is reached without being announced.
public struct KnownHost: Sendable, Hashable {
    /// A name or a numeric address; link-local ones with their scope (`fe80::1%eth0`).
    public var host: String
    public var port: Int
    /// The id the device has, for those that don't tell it.
    public var id: String?

    public init(host: String, port: Int = 8009, id: String? = nil) {
        self.host = host
        self.port = port
        self.id = id
    }

    /// Reads `192.168.1.31`, `tv.lan:8009`, `fe80::1%eth0` or `[fe80::1%eth0]:8009`; `nil` for anything else.
    public init?(_ text: String) {
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let rest = text[text.index(after: end)...]
            let host = text[text.index(after: text.startIndex)..<end]
            guard host.contains(":"), rest.isEmpty || rest.first == ":" else { return nil }
            self.init(host: String(host), portText: rest.isEmpty ? nil : rest.dropFirst())
        } else if text.filter({ $0 == ":" }).count == 1, let colon = text.firstIndex(of: ":") {
            self.init(host: String(text[..<colon]), portText: text[text.index(after: colon)...])
        } else {
            self.init(host: text, portText: nil)
        }
    }

    private init?(host: String, portText: Substring?) {
        guard HostName.isValid(host) else { return nil }
        guard let portText else {
            self.init(host: host)
            return
        }
        guard portText.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(portText), (1...65_535).contains(port) else {
            return nil
        }
        self.init(host: host, port: port)
    }

    /// An id as devices announce it: lower case, without hyphens; `nil` when it can't be one.
    static func normalisedID(_ text: String) -> String? {
        let id = text.lowercased().filter { $0 != "-" }
        let isToken = id.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
        return (1...64).contains(id.utf8.count) && isToken ? id : nil
    }
}

/// What may stand where a host is wanted.
enum HostName {
    /// A host name, an IPv4 address, or an IPv6 address with an optional scope; brackets and schemes are not part of it.
    static func isValid(_ text: String) -> Bool {
        let halves = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard (1...253).contains(text.utf8.count), let name = halves.first, !name.isEmpty else { return false }
        if name.contains(":") {
            guard halves.count == 1 || !halves[1].isEmpty else { return false }
            return name.utf8.allSatisfy { Self.isHexadecimal($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
                && halves.dropFirst().allSatisfy { $0.utf8.allSatisfy { (0x21..<0x7F).contains($0) && $0 != UInt8(ascii: "/") } }
        }
        return halves.count == 1
            && name.utf8.allSatisfy { Self.isLetterOrDigit($0) || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_")].contains($0) }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }
}
