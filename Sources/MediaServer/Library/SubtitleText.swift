/// Subtitles as WebVTT in UTF-8, the form that receivers show. Pure.
package enum SubtitleText {
    /// The bytes of a file that are read.
    package static let byteLimit = 2 << 20

    /// Returns SubRip or WebVTT in any of the usual encodings as WebVTT.
    package static func webVTT(_ bytes: [UInt8]) -> [UInt8] {
        var lines = self.decoded(bytes).split(omittingEmptySubsequences: false) { $0.isNewline }
        if lines.first?.hasPrefix("WEBVTT") != true {
            for index in lines.indices where lines[index].contains("-->") { lines[index] = self.times(lines[index]) }
            lines.insert("WEBVTT\n", at: 0)
        }
        return Array(lines.joined(separator: "\n").utf8) + [UInt8(ascii: "\n")]
    }

    /// Times of SubRip have a comma before the milliseconds. What follows them are positions, which WebVTT writes otherwise.
    private static func times(_ line: Substring) -> Substring {
        let words = line.split(separator: " ").prefix(3).map { $0.replacing(",", with: ".") }
        return Substring(words.joined(separator: " "))
    }

    /// Returns the text without a byte order mark: UTF-8, UTF-16 with a mark, else Windows-1252, which has a character for every byte.
    static func decoded(_ bytes: [UInt8]) -> String {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return String(decoding: bytes.dropFirst(3), as: UTF8.self) }
        for (mark, high) in [([UInt8]([0xFF, 0xFE]), 1), ([0xFE, 0xFF], 0)] where bytes.starts(with: mark) {
            let units = stride(from: 2, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0 + high]) << 8 | UInt16(bytes[$0 + 1 - high]) }
            return String(decoding: units, as: UTF16.self)
        }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        let scalars = bytes.map { byte in
            Unicode.Scalar((0x80...0x9F).contains(byte) ? self.windows1252[Int(byte) - 0x80] : UInt16(byte)) ?? "\u{FFFD}"
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// The characters 0x80 to 0x9F; the rest is that of Latin-1.
    private static let windows1252: [UInt16] = [
        0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0xFFFD, 0x017D, 0xFFFD,
        0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178,
    ]
}
