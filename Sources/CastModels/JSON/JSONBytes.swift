/// Examines eight bytes of JSON text at once.
enum JSONBytes {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    /// The highest bit of each byte; all of these bits are clear in ASCII text.
    static let highest: UInt64 = 0x8080_8080_8080_8080

    /// Returns the highest bit of each byte that must be escaped in a string: below 0x20, quotation mark, backslash. The lowest set bit is
    /// exact; its carry can set bits above it.
    static func special(_ word: UInt64) -> UInt64 {
        // Subtracting sets the highest bit of a byte that was too small. Bytes whose highest bit was set before are masked out. Without the
        // second bit, the quotation mark (0x22) is next to the bytes below 0x20.
        let (controls, backslashes) = (word ^ self.ones &* 0x02, word ^ self.ones &* 0x5C)
        return ((controls &- self.ones &* 0x21) | (backslashes &- self.ones)) & ~word & self.highest
    }

    static func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") }

    /// Returns whether no byte must be escaped in a string.
    static func isPlain(_ word: UInt64) -> Bool { self.special(word) == 0 }
}

/// Returns whether both buffers have the same bytes.
package func hasSameBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    var index = 0
    while index + 32 <= left.count {
        var difference: UInt64 = 0
        for offset in stride(from: index, to: index + 32, by: 8) {
            difference |=
                left.loadUnaligned(fromByteOffset: offset, as: UInt64.self) ^ right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        }
        guard difference == 0 else { return false }
        index += 32
    }
    while index < left.count {
        guard left[index] == right[index] else { return false }
        index += 1
    }
    return true
}
