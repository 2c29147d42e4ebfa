/// An IPv4 address as a number, so that a fleet can count up from its first address.
struct IPv4Address: Sendable, Hashable, CustomStringConvertible {
    let value: UInt32

    init(value: UInt32) { self.value = value }

    /// Parses dotted decimal; `nil` for any other text.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var value: UInt32 = 0
        for part in parts {
            guard part.count <= 3, part.allSatisfy({ $0.isASCII && $0.isNumber }), let byte = UInt8(part) else { return nil }
            value = value << 8 | UInt32(byte)
        }
        self.value = value
    }

    /// Returns the address `count` places later; `nil` past the last one. Addresses that end in 0 or 255 are skipped.
    func advanced(by count: Int) -> IPv4Address? {
        var value = self.value
        var remaining = count
        while remaining > 0 {
            guard value < UInt32.max else { return nil }
            value += 1
            if value & 0xFF != 0, value & 0xFF != 0xFF { remaining -= 1 }
        }
        return IPv4Address(value: value)
    }

    var description: String {
        [24, 16, 8, 0].map { String((self.value >> $0) & 0xFF) }.joined(separator: ".")
    }
}
