/// Looks at eight bytes of JSON text at once.
enum JSONBytes {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highest: UInt64 = 0x8080_8080_8080_8080

    /// Whether all of them stand for themselves in a string: none below 0x20, no quotation mark, no backslash.
    static func isPlain(_ word: UInt64) -> Bool {
        // Subtracting sets the highest bit of a byte that was too small for it.
        let (quotes, backslashes) = (word ^ self.ones &* 0x22, word ^ self.ones &* 0x5C)
        let found =
            (word &- self.ones &* 0x20) & ~word | (quotes &- self.ones) & ~quotes | (backslashes &- self.ones) & ~backslashes
        return found & self.highest == 0
    }

    static func isASCII(_ word: UInt64) -> Bool { word & self.highest == 0 }
}
