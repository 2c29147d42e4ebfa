/// Why text is not JSON that we accept.
public struct JSONError: Error, Sendable, Hashable {
    public var kind: Kind
    /// Bytes from the start of the text.
    public var offset: Int

    public enum Kind: Sendable, Hashable { case unexpectedEnd, unexpectedByte, badNumber, badString, tooDeep, tooLong, trailingBytes }

    init(_ kind: Kind, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }
}

/// A strict parser for RFC 8259 text with bounded depth and size.
///
/// Integers that fit 64 bits stay exact; numbers out of a `Double`'s range and malformed UTF-8 are errors; lone surrogates become U+FFFD.
public struct JSONParser {
    /// Deepest accepted nesting of arrays and objects.
    public static let maximumDepth = 64
    /// Longest accepted text in bytes; the largest legal Cast payload is a quarter of it.
    public static let maximumSize = 262_144

    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0
    private var depth = 0

    /// Parses one JSON value that fills `bytes` but for white space.
    public static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        let result: Result<JSONValue, JSONError> = bytes.withUnsafeBufferPointer { buffer in
            do throws(JSONError) { return .success(try self.parse(buffer)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Parses one JSON value that fills `text` but for white space.
    public static func parse(_ text: String) throws(JSONError) -> JSONValue {
        var text = text
        let result: Result<JSONValue, JSONError> = text.withUTF8 { buffer in
            do throws(JSONError) { return .success(try self.parse(buffer)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Parses one JSON value that fills `buffer` but for white space.
    public static func parse(_ buffer: UnsafeBufferPointer<UInt8>) throws(JSONError) -> JSONValue {
        guard buffer.count <= self.maximumSize else { throw JSONError(.tooLong, at: self.maximumSize) }
        var parser = JSONParser(bytes: buffer)
        let value = try parser.value()
        parser.skipSpace()
        guard parser.index == buffer.count else { throw JSONError(.trailingBytes, at: parser.index) }
        return value
    }

    private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    private mutating func skipSpace() {
        while self.index < self.bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(self.bytes[self.index]) { self.index += 1 }
    }

    private func peek() throws(JSONError) -> UInt8 {
        guard self.index < self.bytes.count else { throw JSONError(.unexpectedEnd, at: self.index) }
        return self.bytes[self.index]
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        self.skipSpace()
        switch try self.peek() {
        case UInt8(ascii: "{"): return .object(try self.object())
        case UInt8(ascii: "["): return .array(try self.array())
        case UInt8(ascii: "\""): return .string(try self.string())
        case UInt8(ascii: "t"): return try self.word("true", .bool(true))
        case UInt8(ascii: "f"): return try self.word("false", .bool(false))
        case UInt8(ascii: "n"): return try self.word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try self.number()
        default: throw JSONError(.unexpectedByte, at: self.index)
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        for offset in 0..<word.utf8CodeUnitCount {
            guard try self.peek() == word.utf8Start[offset] else { throw JSONError(.unexpectedByte, at: self.index) }
            self.index += 1
        }
        return value
    }

    private mutating func enter() throws(JSONError) {
        self.index += 1
        self.depth += 1
        guard self.depth <= Self.maximumDepth else { throw JSONError(.tooDeep, at: self.index) }
    }

    /// Steps over a comma, or over `end`, which it reports as `true`.
    private mutating func finished(_ end: UInt8) throws(JSONError) -> Bool {
        self.skipSpace()
        let byte = try self.peek()
        guard byte == end || byte == UInt8(ascii: ",") else { throw JSONError(.unexpectedByte, at: self.index) }
        self.index += 1
        if byte == end { self.depth -= 1 }
        return byte == end
    }

    private mutating func array() throws(JSONError) -> [JSONValue] {
        try self.enter()
        self.skipSpace()
        var elements: [JSONValue] = []
        if try self.peek() == UInt8(ascii: "]") { return (try self.finished(UInt8(ascii: "]"))) ? elements : elements }
        repeat { elements.append(try self.value()) } while try !self.finished(UInt8(ascii: "]"))
        return elements
    }

    private mutating func object() throws(JSONError) -> JSONObject {
        try self.enter()
        self.skipSpace()
        var members: [JSONObject.Member] = []
        if try self.peek() == UInt8(ascii: "}") {
            _ = try self.finished(UInt8(ascii: "}"))
            return JSONObject(members: members)
        }
        repeat {
            self.skipSpace()
            guard try self.peek() == UInt8(ascii: "\"") else { throw JSONError(.unexpectedByte, at: self.index) }
            let key = try self.string()
            self.skipSpace()
            guard try self.peek() == UInt8(ascii: ":") else { throw JSONError(.unexpectedByte, at: self.index) }
            self.index += 1
            members.append(JSONObject.Member(key: key, value: try self.value()))
        } while try !self.finished(UInt8(ascii: "}"))
        return JSONObject(members: members)
    }

    private mutating func digits() throws(JSONError) {
        let start = self.index
        while self.index < self.bytes.count, case UInt8(ascii: "0")...UInt8(ascii: "9") = self.bytes[self.index] { self.index += 1 }
        guard self.index > start else { throw JSONError(.badNumber, at: self.index) }
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = self.index
        var isInteger = true
        if self.bytes[self.index] == UInt8(ascii: "-") { self.index += 1 }
        let firstDigit = self.index
        try self.digits()
        if self.bytes[firstDigit] == UInt8(ascii: "0"), self.index > firstDigit + 1 { throw JSONError(.badNumber, at: firstDigit) }
        if self.index < self.bytes.count, self.bytes[self.index] == UInt8(ascii: ".") {
            isInteger = false
            self.index += 1
            try self.digits()
        }
        if self.index < self.bytes.count, self.bytes[self.index] | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            self.index += 1
            if self.index < self.bytes.count, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(self.bytes[self.index]) { self.index += 1 }
            try self.digits()
        }
        let text = String(decoding: self.bytes[start..<self.index], as: UTF8.self)
        if isInteger, let value = Int64(text) { return .integer(value) }
        guard let value = Double(text), value.isFinite else { throw JSONError(.badNumber, at: start) }
        return .number(value)
    }

    private mutating func string() throws(JSONError) -> String {
        self.index += 1
        let start = self.index
        while self.index < self.bytes.count {
            switch self.bytes[self.index] {
            case UInt8(ascii: "\""):
                guard let text = String(validating: self.bytes[start..<self.index], as: UTF8.self) else {
                    throw JSONError(.badString, at: start)
                }
                self.index += 1
                return text
            case UInt8(ascii: "\\"): return try self.escapedString(from: start)
            case 0..<0x20: throw JSONError(.badString, at: self.index)
            default: self.index += 1
            }
        }
        throw JSONError(.unexpectedEnd, at: self.index)
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
                gathered.append(contentsOf: String(try self.escape()).utf8)
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
            let byte = try self.peek()
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw JSONError(.badString, at: self.index) }
            value = value << 4 | UInt32(digit)
            self.index += 1
        }
        return value
    }
}
