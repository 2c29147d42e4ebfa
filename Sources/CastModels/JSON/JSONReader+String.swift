extension JSONReader {
    mutating func string() throws(JSONError) {
        // Sums below the size of the text cannot overflow.
        let (start, text, size) = (self.index &+ 1, self.text, self.size)
        var (index, seen) = (start, UInt64(0))
        while index &+ 8 <= size {
            let word = text.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let special = JSONBytes.special(word)
            guard special == 0 else {
                let skipped = special.trailingZeroBitCount & ~7
                seen |= word & ((1 &<< UInt64(skipped)) &- 1)
                index &+= skipped &>> 3
                break
            }
            seen |= word
            index &+= 8
        }
        while index < size, JSONBytes.isPlain(self.byte(at: index)) {
            seen |= UInt64(self.byte(at: index))
            index &+= 1
        }
        guard index < size, self.byte(at: index) == UInt8(ascii: "\"") else { return try self.unusualString(from: start, to: index) }
        let isASCII = seen & JSONBytes.highest == 0
        if !isASCII, !self.isUTF8(start..<index) { throw JSONError(.badString, at: start) }
        self.append(JSONEntry(text: Range(uncheckedBounds: (start, index)), isASCII: isASCII))
        self.index = index &+ 1
    }

    /// Reads a string that has escapes or is malformed; `start..<index` was already checked.
    @inline(never)  // Inlined, its locals would be saved and restored for every string.
    private mutating func unusualString(from start: Int, to index: Int) throws(JSONError) {
        let place = self.unescaped.count
        var rest = start
        self.index = index
        while self.index < self.size {
            switch self.byte(at: self.index) {
            case UInt8(ascii: "\""):
                guard self.isUTF8(start..<self.index) else { throw JSONError(.badString, at: start) }
                self.unescaped += UnsafeRawBufferPointer(start: self.text + rest, count: self.index - rest)
                self.append(JSONEntry(unescaped: place..<self.unescaped.count))
                self.index += 1
                return
            case UInt8(ascii: "\\"):
                self.unescaped += UnsafeRawBufferPointer(start: self.text + rest, count: self.index - rest)
                self.index += 1
                self.unescaped += Array(String(try self.escape()).utf8)
                rest = self.index
            case 0..<0x20: throw JSONError(.badString, at: self.index)
            default: self.index += 1
            }
        }
        throw JSONError(.unexpectedEnd, at: self.index)
    }

    private func isUTF8(_ range: Range<Int>) -> Bool {
        let bytes = UnsafeRawBufferPointer(start: self.text + range.lowerBound, count: range.count)
        do {
            _ = try UTF8Span(validating: bytes.bindMemory(to: UInt8.self).span)
            return true
        } catch {
            return false
        }
    }

    /// Reads the characters after a backslash.
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
