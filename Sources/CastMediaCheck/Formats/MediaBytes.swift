/// The first bytes of a file, read with bounds checks. Pure; reading beyond the end returns `nil` and never crashes.
struct MediaBytes {
    let bytes: [UInt8]

    var count: Int { self.bytes.count }

    /// Reads a big-endian number of 1 to 8 bytes; `nil` beyond the end and above `Int.max`.
    func number(at offset: Int, _ length: Int) -> Int? {
        guard offset >= 0, length >= 0, offset <= self.count, self.count - offset >= length else { return nil }
        return Int(exactly: self.bytes[offset..<offset + length].reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
    }

    func byte(at offset: Int) -> UInt8? { self.bytes.indices.contains(offset) ? self.bytes[offset] : nil }

    func has(_ text: StaticString, at offset: Int = 0) -> Bool {
        text.withUTF8Buffer { text in
            offset >= 0 && self.count - offset >= text.count && self.bytes[offset..<offset + text.count].elementsEqual(text)
        }
    }

    func has(_ prefix: [UInt8], at offset: Int = 0) -> Bool {
        offset >= 0 && self.count - offset >= prefix.count && self.bytes[offset..<offset + prefix.count].elementsEqual(prefix)
    }

    /// Reads a four-character code of a box or chunk; characters other than ASCII become `?`.
    func code(at offset: Int) -> String? {
        guard offset >= 0, self.count - offset >= 4 else { return nil }
        return String(decoding: self.bytes[offset..<offset + 4].map { (0x20..<0x7F).contains($0) ? $0 : 0x3F }, as: UTF8.self)
    }

    /// The bytes as text, without a byte order mark; invalid bytes are replaced.
    var text: Substring {
        let start = self.has([0xEF, 0xBB, 0xBF]) ? 3 : 0
        return Substring(String(decoding: self.bytes[start...], as: UTF8.self))
    }
}
