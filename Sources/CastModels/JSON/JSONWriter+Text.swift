/// How texts and numbers get into the bytes: each makes room once and writes in place.
extension JSONWriter {
    /// A comma if one is due, and a value of up to `size` bytes, of which `write` stores as many as it returns.
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

    /// A comma if one is due, and in quotation marks a text that needs no escaping.
    mutating func plain(_ text: StaticString, isKey: Bool) {
        let text = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        assert(!text.contains(where: Self.mustBeEscaped), "a text in the program that must be escaped")
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

    /// A comma if one is due, and the text in quotation marks. Most texts need no escaping, which shows while they are copied.
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

    /// Copies a text that needs no escaping, eight bytes at a time, and stops where one is found that does.
    /// - Returns: whether all of it was copied.
    @inline(__always)
    private static func copyPlain(_ text: UnsafeRawBufferPointer, to place: UnsafeMutablePointer<UInt8>) -> Bool {
        guard let source = text.baseAddress, text.count >= 8 else {
            for index in text.indices {
                if self.mustBeEscaped(text[index]) { return false }
                place[index] = text[index]
            }
            return true
        }
        let target = UnsafeMutableRawPointer(place)
        // The last eight, of which some are copied twice.
        let last = text.count - 8
        let word = source.loadUnaligned(fromByteOffset: last, as: UInt64.self)
        target.storeBytes(of: word, toByteOffset: last, as: UInt64.self)
        var isPlain = JSONBytes.isPlain(word)
        var index = 0
        while index < last, isPlain {
            let word = source.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            target.storeBytes(of: word, toByteOffset: index, as: UInt64.self)
            isPlain = JSONBytes.isPlain(word)
            index &+= 8
        }
        return isPlain
    }

    private static func mustBeEscaped(_ byte: UInt8) -> Bool { byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") }

    /// What follows the first quotation mark of a text that has characters to be escaped.
    private mutating func escaped(_ text: UnsafeRawBufferPointer, isKey: Bool) {
        for byte in text { if Self.mustBeEscaped(byte) { self.escaped(byte) } else { self.append(byte) } }
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
