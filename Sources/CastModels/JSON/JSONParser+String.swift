extension JSONParser {
    mutating func string() throws(JSONError) -> String {
        self.index += 1
        let start = self.index
        var allBits: UInt8 = 0
        let raw = UnsafeRawBufferPointer(self.bytes)
        while self.index + 8 <= raw.count {
            let word = raw.loadUnaligned(fromByteOffset: self.index, as: UInt64.self)
            guard JSONBytes.isPlain(word) else { break }
            if !JSONBytes.isASCII(word) { allBits = 0x80 }
            self.index += 8
        }
        while self.index < self.bytes.count {
            let byte = self.bytes[self.index]
            if byte == UInt8(ascii: "\"") {
                let text = try self.text(start..<self.index, isASCII: allBits < 0x80)
                self.index += 1
                return text
            }
            if byte == UInt8(ascii: "\\") { return try self.escapedString(from: start) }
            guard byte >= 0x20 else { throw JSONError(.badString, at: self.index) }
            allBits |= byte
            self.index += 1
        }
        throw JSONError(.unexpectedEnd, at: self.index)
    }

    private func text(_ range: Range<Int>, isASCII: Bool) throws(JSONError) -> String {
        let part = UnsafeBufferPointer(rebasing: self.bytes[range])
        if isASCII { return String(decoding: part, as: UTF8.self) }
        guard let text = String(validating: part, as: UTF8.self) else { throw JSONError(.badString, at: range.lowerBound) }
        return text
    }

    /// The slow road for strings with escapes: unescaped bytes are gathered, then checked as a whole.
    private mutating func escapedString(from start: Int) throws(JSONError) -> String {
        var gathered = Array(self.bytes[start..<self.index])
        while self.index < self.bytes.count {
            let byte = self.bytes[self.index]
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: gathered, as: UTF8.self) else { throw JSONError(.badString, at: start) }
                self.index += 1
                return text
            case UInt8(ascii: "\\"):
                self.index += 1
                let scalar = try self.escape()
                if scalar.isASCII {
                    gathered.append(UInt8(truncatingIfNeeded: scalar.value))
                } else {
                    gathered += Array(String(scalar).utf8)
                }
            case 0..<0x20: throw JSONError(.badString, at: self.index)
            default:
                gathered.append(byte)
                self.index += 1
            }
        }
        throw JSONError(.unexpectedEnd, at: self.index)
    }

    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
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
        guard self.index + 1 < self.bytes.count, self.bytes[self.index] == UInt8(ascii: "\\"),
            self.bytes[self.index + 1] == UInt8(ascii: "u")
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
