import Glibc

/// A numeric IPv4 or IPv6 address, in one form for each: compressed text and IPv4 in IPv6 don't matter.
public struct NetworkAddress: Sendable, Hashable, CustomStringConvertible {
    /// 4 or 16 bytes in network order. An IPv4 address inside an IPv6 one (`::ffff:a.b.c.d`) has 4.
    public let bytes: [UInt8]

    /// - Returns: `nil` for anything but an address: a name, a port behind it, a scope.
    public init?(_ text: some StringProtocol) {
        let text = String(text)
        guard text.utf8.count <= 45, !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            self.bytes = Array(bytes.prefix(4))
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            self.bytes = isMapped ? Array(bytes.suffix(4)) : bytes
        } else {
            return nil
        }
    }

    init(bytes: [UInt8]) { self.bytes = bytes }

    public var isIPv6: Bool { self.bytes.count == 16 }

    /// Whether only this machine can be the peer: `127.0.0.0/8` or `::1`.
    public var isLoopback: Bool {
        self.isIPv6 ? self.bytes.dropLast().allSatisfy { $0 == 0 } && self.bytes.last == 1 : self.bytes.first == 127
    }

    /// Whether it only means something together with an interface: `fe80::/10`, and `169.254.0.0/16`.
    public var isLinkLocal: Bool {
        self.isIPv6 ? self.bytes[0] == 0xFE && self.bytes[1] & 0xC0 == 0x80 : self.bytes[0] == 169 && self.bytes[1] == 254
    }

    /// Whether a listener there has every address of the machine: `0.0.0.0` or `::`.
    public var isUnspecified: Bool { self.bytes.allSatisfy { $0 == 0 } }

    /// The network that one household or server has: the address itself, of IPv6 the first 64 bits.
    public var household: NetworkAddress {
        self.isIPv6 ? NetworkAddress(bytes: self.bytes.prefix(8) + [UInt8](repeating: 0, count: 8)) : self
    }

    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = self.isIPv6 ? AF_INET6 : AF_INET
        guard inet_ntop(family, self.bytes, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// An address, or a network like `192.168.0.0/16`.
public struct AddressRange: Sendable, Hashable, CustomStringConvertible {
    public let address: NetworkAddress
    /// Leading bits that count.
    public let prefixLength: Int

    /// - Returns: `nil` for anything but an address with an optional `/` and number of bits.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let address = NetworkAddress(parts[0]) else { return nil }
        let bits = address.bytes.count * 8
        guard parts.count == 2 else {
            (self.address, self.prefixLength) = (address, bits)
            return
        }
        let digits = parts[1].utf8
        guard (1...3).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(parts[1]), length <= bits
        else { return nil }
        (self.address, self.prefixLength) = (address, length)
    }

    public func contains(_ other: NetworkAddress) -> Bool {
        guard other.bytes.count == self.address.bytes.count else { return false }
        let whole = self.prefixLength / 8, rest = self.prefixLength % 8
        guard other.bytes.prefix(whole) == self.address.bytes.prefix(whole) else { return false }
        guard rest > 0 else { return true }
        let mask = UInt8(truncatingIfNeeded: 0xFF00 >> rest)
        return other.bytes[whole] & mask == self.address.bytes[whole] & mask
    }

    public var description: String { "\(self.address)/\(self.prefixLength)" }
}
