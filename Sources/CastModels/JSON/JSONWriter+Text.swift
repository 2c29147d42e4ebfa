/// How texts and numbers get into the bytes: each makes room once and writes in place.
extension JSONWriter {
    mutating func separate() { if self.needsComma { self.bytes.append(UInt8(ascii: ",")) } }

    mutating func begin(_ byte: UInt8) {
        self.separate()
        self.bytes.append(byte)
        self.needsComma = false
    }

    mutating func end(_ byte: UInt8) {
        self.bytes.append(byte)
        self.needsComma = true
    }

    mutating func literal(_ text: StaticString) {
        let needsComma = self.needsComma
        self.append(upTo: text.utf8CodeUnitCount + 1) { start in
            start[0] = UInt8(ascii: ",")
            let text = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
            return Self.copy(text, to: start + (needsComma ? 1 : 0)) - start
        }
        self.needsComma = true
    }

    /// A comma if one is due, and in quotation marks a text that needs no escaping.
    mutating func plain(_ text: StaticString, isKey: Bool) {
        let text = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        assert(Self.isPlain(text), "a text in the program that must be escaped")
        self.plain(text.count, isKey: isKey) { _ = Self.copy(text, to: $0) }
    }

    @inline(__always)
    mutating func plain(_ count: Int, isKey: Bool, _ write: (UnsafeMutablePointer<UInt8>) -> Void) {
        let needsComma = self.needsComma
        self.append(upTo: count + 4) { start in
            start[0] = UInt8(ascii: ",")
            let text = start + (needsComma ? 2 : 1)
            text[-1] = UInt8(ascii: "\"")
            write(text)
            text[count] = UInt8(ascii: "\"")
            if isKey { text[count + 1] = UInt8(ascii: ":") }
            return text + (count + (isKey ? 2 : 1)) - start
        }
    }

    mutating func digits(of value: UInt64) {
        var count = 1
        var rest = value
        while rest >= 10 {
            rest /= 10
            count += 1
        }
        self.append(upTo: count) { start in
            var rest = value
            for index in stride(from: count - 1, through: 0, by: -1) {
                start[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            return count
        }
    }

    /// A comma if one is due, the text in quotation marks, and what ends it.
    mutating func quoted(_ text: String, end: UInt8?) {
        var text = text
        text.withUTF8 { text in
            guard Self.isPlain(text) else { return self.escaped(text, end: end) }
            self.plain(text.count, isKey: end != nil) { _ = Self.copy(text, to: $0) }
        }
    }

    /// Makes room for `count` bytes, of which `write` initialises as many as it says.
    @inline(__always)
    private mutating func append(upTo count: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int) {
        self.bytes.append(addingCapacity: count) { output in
            output.withUnsafeMutableBufferPointer { buffer, initialized in
                if let start = buffer.baseAddress { initialized += write(start + initialized) }
            }
        }
    }

    /// - Returns: where the copy ends.
    @inline(__always)
    private static func copy(_ text: UnsafeBufferPointer<UInt8>, to place: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
        if let source = text.baseAddress { place.initialize(from: source, count: text.count) }
        return place + text.count
    }

    /// Whether every character stands for itself: most texts do. Looks at eight bytes at once.
    private static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let raw = UnsafeRawBufferPointer(text)
        guard raw.count >= 8 else {
            // Filled up with a byte that is plain.
            var word: UInt64 = 0x2020_2020_2020_2020
            for byte in raw { word = word << 8 | UInt64(byte) }
            return JSONBytes.isPlain(word)
        }
        var index = 0
        while index + 8 <= raw.count {
            if !JSONBytes.isPlain(raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)) { return false }
            index += 8
        }
        // The last eight, of which some may have been looked at already.
        return JSONBytes.isPlain(raw.loadUnaligned(fromByteOffset: raw.count - 8, as: UInt64.self))
    }

    private static func mustBeEscaped(_ byte: UInt8) -> Bool { byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") }

    private mutating func escaped(_ text: UnsafeBufferPointer<UInt8>, end: UInt8?) {
        self.separate()
        self.bytes.append(UInt8(ascii: "\""))
        for byte in text { if Self.mustBeEscaped(byte) { self.escaped(byte) } else { self.bytes.append(byte) } }
        self.bytes.append(UInt8(ascii: "\""))
        if let end { self.bytes.append(end) }
    }

    private mutating func escaped(_ byte: UInt8) {
        self.bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x0A: self.bytes.append(UInt8(ascii: "n"))
        case 0..<0x20:
            self.bytes.append(contentsOf: "u00".utf8)
            self.bytes.append(Self.hexadecimal[Int(byte >> 4)])
            self.bytes.append(Self.hexadecimal[Int(byte & 15)])
        default: self.bytes.append(byte)
        }
    }

    private static let hexadecimal = Array("0123456789abcdef".utf8)
}
