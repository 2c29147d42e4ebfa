/// Parses one JSON text; returns `nil` for anything but exactly one value of RFC 8259.
package struct JSONTextReader {
    /// The deepest accepted nesting. Deeper text is refused, so that no text can exhaust the stack.
    static let maximumDepth = 64

    private let bytes: [UInt8]
    private var position = 0

    package static func read(_ text: String) -> JSON? { self.read(Array(text.utf8)) }

    static func read(_ bytes: [UInt8]) -> JSON? {
        var reader = JSONTextReader(bytes: bytes)
        guard let value = reader.value(depth: 0) else { return nil }
        reader.skipSpace()
        return reader.position == bytes.count ? value : nil
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { self.position < self.bytes.count ? self.bytes[self.position] : nil }

    private mutating func skipSpace() {
        while let byte = self.next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { self.position += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard self.next == UInt8(ascii: character) else { return false }
        self.position += 1
        return true
    }

    private mutating func take(word: StaticString, as value: JSON) -> JSON? {
        for expected in word.description.utf8 {
            guard self.next == expected else { return nil }
            self.position += 1
        }
        return value
    }

    private mutating func value(depth: Int) -> JSON? {
        guard depth <= Self.maximumDepth else { return nil }
        self.skipSpace()
        switch self.next {
        case UInt8(ascii: "{"): return self.elements(until: "}") { $0.member(depth: depth + 1) }.map(JSON.object)
        case UInt8(ascii: "["): return self.elements(until: "]") { $0.value(depth: depth + 1) }.map(JSON.array)
        case UInt8(ascii: "\""): return self.string().map(JSON.string)
        case UInt8(ascii: "t"): return self.take(word: "true", as: true)
        case UInt8(ascii: "f"): return self.take(word: "false", as: false)
        case UInt8(ascii: "n"): return self.take(word: "null", as: .null)
        case .some: return self.number()
        case .none: return nil
        }
    }

    private mutating func member(depth: Int) -> JSON.Member? {
        self.skipSpace()
        guard self.next == UInt8(ascii: "\""), let name = self.string() else { return nil }
        self.skipSpace()
        guard self.take(":"), let value = self.value(depth: depth) else { return nil }
        return JSON.Member(name: name, value: value)
    }

    private mutating func elements<Element>(until end: Unicode.Scalar, _ read: (inout Self) -> Element?) -> [Element]? {
        self.position += 1
        var elements: [Element] = []
        self.skipSpace()
        if self.take(end) { return elements }
        while true {
            guard let element = read(&self) else { return nil }
            elements.append(element)
            self.skipSpace()
            if self.take(end) { return elements }
            guard self.take(",") else { return nil }
        }
    }

    private mutating func number() -> JSON? {
        let start = self.position
        _ = self.take("-")
        guard let integerDigits = self.digits(), integerDigits.count == 1 || self.bytes[integerDigits.lowerBound] != UInt8(ascii: "0")
        else { return nil }
        var isWhole = true
        if self.take(".") {
            isWhole = false
            guard self.digits() != nil else { return nil }
        }
        if self.take("e") || self.take("E") {
            isWhole = false
            if !self.take("+") { _ = self.take("-") }
            guard self.digits() != nil else { return nil }
        }
        let text = String(decoding: self.bytes[start..<self.position], as: UTF8.self)
        if isWhole, let integer = Int(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { return nil }
        return .number(number)
    }

    private mutating func digits() -> Range<Int>? {
        let start = self.position
        while let byte = self.next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { self.position += 1 }
        return self.position > start ? start..<self.position : nil
    }

    private mutating func string() -> String? {
        self.position += 1
        var text: [UInt8] = []
        while let byte = self.next {
            self.position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"): guard self.escape(into: &text) else { return nil }
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escape(into text: inout [UInt8]) -> Bool {
        guard let byte = self.next else { return false }
        self.position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            guard var code = self.hexadecimal() else { return false }
            if (0xD800..<0xDC00).contains(code) {
                guard self.take("\\"), self.take("u"), let low = self.hexadecimal(), (0xDC00..<0xE000).contains(low) else { return false }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { return false }
            text += Character(scalar).utf8
        default: return false
        }
        return true
    }

    private mutating func hexadecimal() -> UInt32? {
        guard self.position + 4 <= self.bytes.count else { return nil }
        let digits = self.bytes[self.position..<self.position + 4]
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
        self.position += 4
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
