/// Writes texts and numbers into the bytes: each method reserves room once and writes in place.
extension JSONWriter {
    /// Writes a comma if one is due, and a value of up to `size` bytes; `write` returns the number of bytes that it stored.
    @inline(__always)
    mutating func token(upTo size: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int) {
        let separator = self.separator
        self.buffer.append(upTo: size &+ 1) { place in
            place[0] = UInt8(ascii: ",")
            return separator &+ write(place + separator)
        }
        self.separator = 1
    }

    mutating func begin(_ byte: UInt8) {
        self.token(upTo: 1) { place in
            place[0] = byte
            return 1
        }
        self.separator = 0
    }

    mutating func end(_ byte: UInt8) {
        self.append(byte)
        self.separator = 1
    }

    mutating func literal(_ text: StaticString) {
        let text = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        self.token(upTo: text.count) { place in
            place.copyShort(text)
            return text.count
        }
    }

    /// Writes a comma if one is due, and a text that needs no escaping in quotation marks.
    mutating func plain(_ text: StaticString, isKey: Bool) {
        let text = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        assert(text.allSatisfy { JSONBytes.isPlain($0) }, "a text in the program that must be escaped")
        self.plain(text.count, isKey: isKey) { $0.copyShort(text) }
    }

    @inline(__always)
    mutating func plain(_ count: Int, isKey: Bool, _ write: (UnsafeMutablePointer<UInt8>) -> Void) {
        self.token(upTo: count &+ 3) { place in
            place[0] = UInt8(ascii: "\"")
            write(place + 1)
            place[count &+ 1] = UInt8(ascii: "\"")
            place[count &+ 2] = UInt8(ascii: ":")
            return count &+ (isKey ? 3 : 2)
        }
    }

    /// Writes a comma if one is due, and the text in quotation marks. Most texts need no escaping, which is checked while they are copied.
    mutating func quoted(_ text: String, isKey: Bool) {
        text.withBytes { text in
            var isPlain = true
            self.token(upTo: text.count + 3) { place in
                place[0] = UInt8(ascii: "\"")
                isPlain = Self.copyPlain(text, to: place + 1)
                guard isPlain else { return 1 }
                place[text.count + 1] = UInt8(ascii: "\"")
                place[text.count + 2] = UInt8(ascii: ":")
                return text.count + (isKey ? 3 : 2)
            }
            if !isPlain { self.escaped(text, isKey: isKey) }
        }
    }

    /// Writes the decimal digits of `value`.
    /// - Returns: the number of digits, at most 20.
    static func digits(of value: UInt64, to place: UnsafeMutablePointer<UInt8>) -> Int {
        var count = 1
        var rest = value
        while rest >= 10 {
            rest /= 10
            count += 1
        }
        rest = value
        for index in stride(from: count - 1, through: 0, by: -1) {
            place[index] = self.digit(rest % 10)
            rest /= 10
        }
        return count
    }

    static func digit(_ value: UInt64) -> UInt8 { UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value) }

    /// Copies a text, eight bytes at a time.
    /// - Returns: whether it needs no escaping.
    @inline(__always)
    private static func copyPlain(_ text: UnsafeRawBufferPointer, to place: UnsafeMutablePointer<UInt8>) -> Bool {
        guard let source = text.baseAddress else { return true }
        let target = UnsafeMutableRawPointer(place)
        func copy<Word: FixedWidthInteger & BitwiseCopyable>(_: Word.Type, at offset: Int) -> Word {
            let word = source.loadUnaligned(fromByteOffset: offset, as: Word.self)
            target.storeBytes(of: word, toByteOffset: offset, as: Word.self)
            return word
        }
        switch text.count {
        case 8...:
            // Copies the last eight bytes; some of them are copied twice.
            let last = text.count &- 8
            var special = JSONBytes.special(copy(UInt64.self, at: last))
            var index = 0
            while index < last {
                special |= JSONBytes.special(copy(UInt64.self, at: index))
                index &+= 8
            }
            return special == 0
        case 4...: return JSONBytes.isPlain(UInt64(copy(UInt32.self, at: 0)) | UInt64(copy(UInt32.self, at: text.count &- 4)) &<< 32)
        default:
            var isPlain = true
            for index in 0..<text.count { isPlain = JSONBytes.isPlain(copy(UInt8.self, at: index)) && isPlain }
            return isPlain
        }
    }

    /// Writes the part after the first quotation mark of a text that has characters to escape.
    private mutating func escaped(_ text: UnsafeRawBufferPointer, isKey: Bool) {
        for byte in text { if JSONBytes.isPlain(byte) { self.append(byte) } else { self.escaped(byte) } }
        self.append(UInt8(ascii: "\""))
        if isKey { self.append(UInt8(ascii: ":")) }
    }

    private mutating func escaped(_ byte: UInt8) {
        self.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x0A: self.append(UInt8(ascii: "n"))
        case 0..<0x20:
            for byte in "u00".utf8 { self.append(byte) }
            self.append(Self.hexadecimal[Int(byte >> 4)])
            self.append(Self.hexadecimal[Int(byte & 15)])
        default: self.append(byte)
        }
    }

    private static let hexadecimal = Array("0123456789abcdef".utf8)
}
