extension JSONReader {
    /// Reads what follows a backslash.
    mutating func escape() throws(JSONError) -> Unicode.Scalar {
        let byte = try self.peek()
        self.index += 1
        switch byte {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try self.unicodeEscape()
        default: throw JSONError(.badString, at: self.index - 1)
        }
    }

    private mutating func unicodeEscape() throws(JSONError) -> Unicode.Scalar {
        let first = try self.hexadecimal()
        guard case 0xD800...0xDBFF = first else { return Unicode.Scalar(first) ?? "\u{FFFD}" }
        guard self.index + 1 < self.size, self.byte(at: self.index) == UInt8(ascii: "\\"),
            self.byte(at: self.index + 1) == UInt8(ascii: "u")
        else { return "\u{FFFD}" }
        let restart = self.index
        self.index += 2
        let second = try self.hexadecimal()
        guard case 0xDC00...0xDFFF = second else {
            self.index = restart
            return "\u{FFFD}"
        }
        return Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)) ?? "\u{FFFD}"
    }

    private mutating func hexadecimal() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            let digit: UInt8
            switch try self.peek() {
            case let byte where byte &- UInt8(ascii: "0") <= 9: digit = byte - UInt8(ascii: "0")
            case let byte where (byte | 0x20) &- UInt8(ascii: "a") <= 5: digit = (byte | 0x20) - UInt8(ascii: "a") + 10
            default: throw JSONError(.badString, at: self.index)
            }
            value = value << 4 | UInt32(digit)
            self.index += 1
        }
        return value
    }
}
