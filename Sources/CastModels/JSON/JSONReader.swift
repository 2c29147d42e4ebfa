/// Checks a JSON text and lists its values, which are then read in place: no tree is built, and a string is made only for a value that the
/// caller asks for.
///
/// The whole text is checked, as strictly as by `JSONParser`, before any of it is read.
@_spi(JSON)
public struct JSONReader {
    /// Calls `body` with the JSON value of `text`, which may have white space around it. The view is valid until `body` returns.
    ///
    /// - Parameter repeated: an object that is likely to occur again.
    @inlinable
    public static func read<Result>(
        _ text: UnsafeRawBufferPointer, repeated: RepeatedObject = RepeatedObject(), _ body: (JSONView) -> Result
    ) throws(JSONError) -> Result {
        let room = JSONEntryRoom(forText: text.count)
        defer { room.free() }
        let unescaped = try Self.list(text, in: room, repeated)
        // A checked text has at least one byte.
        guard let start = text.baseAddress else { preconditionFailure("an empty text passed") }
        return unescaped.withUnsafeBytes { body(JSONView(entry: room.start, text: start, unescaped: $0.baseAddress ?? start)) }
    }

    /// Checks `text` and lists its values in `room`.
    ///
    /// - Returns: the strings that have escapes, unescaped.
    @usableFromInline
    static func list(_ text: UnsafeRawBufferPointer, in room: JSONEntryRoom, _ repeated: RepeatedObject) throws(JSONError) -> [UInt8] {
        guard text.count <= JSONParser.maximumSize else { throw JSONError(.tooLong, at: JSONParser.maximumSize) }
        guard let start = text.baseAddress, text.count > 0 else { throw JSONError(.unexpectedEnd, at: 0) }
        var reader = Self(text: start, size: text.count, entries: room.start, repeated: repeated)
        try reader.value()
        reader.skipSpace()
        guard reader.index == reader.size else { throw JSONError(.trailingBytes, at: reader.index) }
        return reader.unescaped
    }

    let text: UnsafeRawPointer
    let size: Int
    private let entries: UnsafeMutablePointer<JSONEntry>
    private var count = 0
    var unescaped: [UInt8] = []
    var index = 0
    private var depth = 0
    private let repeated: RepeatedObject

    private init(text: UnsafeRawPointer, size: Int, entries: UnsafeMutablePointer<JSONEntry>, repeated: RepeatedObject) {
        (self.text, self.size, self.entries, self.repeated) = (text, size, entries, repeated)
    }

    @inline(__always)
    func byte(at index: Int) -> UInt8 { self.text.load(fromByteOffset: index, as: UInt8.self) }

    @inline(__always)
    func peek() throws(JSONError) -> UInt8 {
        guard self.index < self.size else { throw JSONError(.unexpectedEnd, at: self.index) }
        return self.byte(at: self.index)
    }

    /// The next byte that is not white space.
    @inline(__always)
    private mutating func next() throws(JSONError) -> UInt8 {
        if try self.peek() <= 0x20 { self.skipSpace() }
        return try self.peek()
    }

    private mutating func skipSpace() {
        while self.index < self.size {
            switch self.byte(at: self.index) {
            case 0x20, 0x0A, 0x0D, 0x09: self.index += 1
            default: return
            }
        }
    }

    @inline(__always)
    private mutating func step(over byte: UInt8) throws(JSONError) {
        guard try self.peek() == byte else { throw JSONError(.unexpectedByte, at: self.index) }
        self.index += 1
    }

    @inline(__always)
    mutating func append(_ entry: JSONEntry) {
        (self.entries + self.count).initialize(to: entry)
        self.count += 1
    }

    private mutating func value() throws(JSONError) {
        switch try self.next() {
        case UInt8(ascii: "\""): try self.string()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): self.append(try self.number())
        case UInt8(ascii: "{"): if !self.appendRepeated() { try self.container(.object, UInt8(ascii: "}")) }
        case UInt8(ascii: "["): try self.container(.array, UInt8(ascii: "]"))
        case UInt8(ascii: "t"): try self.word("true", .true)
        case UInt8(ascii: "f"): try self.word("false", .false)
        case UInt8(ascii: "n"): try self.word("null", .null)
        default: throw JSONError(.unexpectedByte, at: self.index)
        }
    }

    private mutating func word(_ word: StaticString, _ kind: JSONEntry.Kind) throws(JSONError) {
        for offset in 0..<word.utf8CodeUnitCount { try self.step(over: word.utf8Start[offset]) }
        self.append(JSONEntry(kind))
    }

    /// Appends the entries of `repeated` when its text occurs here; returns `false` when another text does.
    ///
    /// An object ends at its last brace, so bytes that begin with its whole text are this object, then the rest of the text.
    private mutating func appendRepeated() -> Bool {
        let size = self.repeated.text.count
        guard size > 0, size <= self.size - self.index, self.depth <= self.repeated.depth else { return false }
        let place = UnsafeRawBufferPointer(start: self.text + self.index, count: size)
        guard self.repeated.text.withUnsafeBytes({ hasSameBytes($0, place) }) else { return false }
        self.repeated.entries.withUnsafeBufferPointer { entries in
            guard let first = entries.baseAddress else { return }
            (self.entries + self.count).initialize(from: first, count: entries.count)
        }
        for place in self.count..<self.count + self.repeated.entries.count {
            self.entries[place].move(by: self.index, unescapedBy: self.unescaped.count)
        }
        self.count += self.repeated.entries.count
        if !self.repeated.unescaped.isEmpty { self.unescaped += self.repeated.unescaped }
        self.index += size
        return true
    }

    private mutating func container(_ kind: JSONEntry.Kind, _ end: UInt8) throws(JSONError) {
        let (start, place) = (self.index, self.count)
        self.append(JSONEntry(kind, depth: self.depth))
        self.index += 1
        self.depth += 1
        guard self.depth <= JSONParser.maximumDepth else { throw JSONError(.tooDeep, at: self.index) }
        var byte = try self.next()
        while byte != end {
            if kind == .object {
                guard try self.next() == UInt8(ascii: "\"") else { throw JSONError(.unexpectedByte, at: self.index) }
                try self.string()
                _ = try self.next()
                try self.step(over: UInt8(ascii: ":"))
            }
            try self.value()
            byte = try self.next()
            guard byte == UInt8(ascii: ",") else { break }
            self.index += 1
            // A comma must be followed by a member or an element, not by the end.
            byte = UInt8(ascii: ",")
        }
        guard byte == end else { throw JSONError(.unexpectedByte, at: self.index) }
        self.index += 1
        self.depth -= 1
        self.entries[place].end(start..<self.index, count: self.count - place)
    }
}
