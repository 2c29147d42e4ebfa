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

    let bytes: UnsafeBufferPointer<UInt8>
    var index = 0
    private var depth = 0
    // The parts of containers that are still open, so that each container is allocated once and in its final size.
    private var openMembers: [JSONObject.Member] = []
    private var openElements: [JSONValue] = []
    private var repeated: RepeatedObject?
    private var hasMetRepeated = false

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
        var parser = JSONParser(bytes: buffer)
        return try parser.whole()
    }

    /// The same, quicker where what `repeated` remembers comes again. It remembers the first value of its key in each text.
    package static func parse(_ text: String, _ repeated: inout RepeatedObject) throws(JSONError) -> JSONValue {
        var text = text
        let result: Result<JSONValue, JSONError> = text.withUTF8 { buffer in
            var parser = JSONParser(bytes: buffer)
            parser.repeated = repeated
            defer { repeated = parser.repeated ?? repeated }
            do throws(JSONError) { return .success(try parser.whole()) } catch { return .failure(error) }
        }
        return try result.get()
    }

    private mutating func whole() throws(JSONError) -> JSONValue {
        guard self.bytes.count <= Self.maximumSize else { throw JSONError(.tooLong, at: Self.maximumSize) }
        let value = try self.value()
        self.skipSpace()
        guard self.index == self.bytes.count else { throw JSONError(.trailingBytes, at: self.index) }
        return value
    }

    private init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        // Enough for most messages; grown step by step it would be moved as often as the message has members. Less than 1 KiB in all,
        // beyond which memory is had more slowly.
        self.openMembers.reserveCapacity(min(20, bytes.count / 16))
    }

    private mutating func skipSpace() {
        while self.index < self.bytes.count {
            switch self.bytes[self.index] {
            case 0x20, 0x0A, 0x0D, 0x09: self.index += 1
            default: return
            }
        }
    }

    func peek() throws(JSONError) -> UInt8 {
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

    /// Steps into a container; `true` when it is empty and already left again.
    private mutating func enter(_ end: UInt8) throws(JSONError) -> Bool {
        self.index += 1
        self.depth += 1
        guard self.depth <= Self.maximumDepth else { throw JSONError(.tooDeep, at: self.index) }
        self.skipSpace()
        guard try self.peek() == end else { return false }
        self.index += 1
        self.depth -= 1
        return true
    }

    /// Steps over a comma, or over `end`, which it reports as `true`.
    private mutating func finished(_ end: UInt8) throws(JSONError) -> Bool {
        self.skipSpace()
        let byte = try self.peek()
        guard byte == end || byte == UInt8(ascii: ",") else { throw JSONError(.unexpectedByte, at: self.index) }
        self.index += 1
        guard byte == end else { return false }
        self.depth -= 1
        return true
    }

    private mutating func array() throws(JSONError) -> [JSONValue] {
        if try self.enter(UInt8(ascii: "]")) { return [] }
        let start = self.openElements.count
        repeat { self.openElements.append(try self.value()) } while try !self.finished(UInt8(ascii: "]"))
        return Self.moveEnd(of: &self.openElements, from: start)
    }

    private mutating func object() throws(JSONError) -> JSONObject {
        if try self.enter(UInt8(ascii: "}")) { return JSONObject() }
        let start = self.openMembers.count
        repeat { self.openMembers.append(try self.member()) } while try !self.finished(UInt8(ascii: "}"))
        return JSONObject(members: Self.moveEnd(of: &self.openMembers, from: start))
    }

    /// Takes the elements from `start` on out of `stack`, without a copy of what they hold.
    private static func moveEnd<Element>(of stack: inout [Element], from start: Int) -> [Element] {
        let count = stack.count - start
        return [Element](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            for index in stride(from: count - 1, through: 0, by: -1) { buffer.initializeElement(at: index, to: stack.removeLast()) }
            initializedCount = count
        }
    }

    private mutating func member() throws(JSONError) -> JSONObject.Member {
        self.skipSpace()
        guard try self.peek() == UInt8(ascii: "\"") else { throw JSONError(.unexpectedByte, at: self.index) }
        let key = try self.string()
        self.skipSpace()
        guard try self.peek() == UInt8(ascii: ":") else { throw JSONError(.unexpectedByte, at: self.index) }
        self.index += 1
        return JSONObject.Member(key: key, value: try self.value(of: key))
    }

    private mutating func value(of key: String) throws(JSONError) -> JSONValue {
        self.skipSpace()
        guard try self.peek() == UInt8(ascii: "{"), let repeated, repeated.key == key else { return try self.value() }
        if let length = repeated.length(at: self.index, of: self.bytes, depth: self.depth) {
            self.hasMetRepeated = true
            self.index += length
            return .object(repeated.object)
        }
        let start = self.index
        let object = try self.object()
        if !self.hasMetRepeated {
            self.hasMetRepeated = true
            self.repeated?.remember(object, text: self.bytes[start..<self.index], depth: self.depth)
        }
        return .object(object)
    }
}
