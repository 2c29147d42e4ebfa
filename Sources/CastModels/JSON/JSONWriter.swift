/// Writes compact JSON text piece by piece into a reusable buffer, without building a tree first.
///
/// The caller keeps the structure valid: a key before each member, an end for each beginning. The writer adds commas by itself.
public struct JSONWriter: ~Copyable {
    var buffer: OutputBuffer
    /// 1 when a comma is due before the next value or member, else 0.
    var separator = 0
    /// The position where the current text begins; 0 unless the buffer holds several texts.
    package private(set) var start = 0

    /// - Parameter capacity: bytes to reserve.
    public init(capacity: Int = 256) { self.buffer = OutputBuffer(capacity: capacity) }

    /// The number of bytes written.
    public var count: Int { self.buffer.count }

    /// A copy of the UTF-8 text written so far.
    public var bytes: [UInt8] { self.bytes(in: 0..<self.count) }

    /// Returns a copy of a part of the written bytes.
    package func bytes(in range: Range<Int>) -> [UInt8] { self.withBytes { Array(UnsafeRawBufferPointer(rebasing: $0[range])) } }

    /// Calls `body` with the written bytes, in place.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { self.buffer.withBytes(body) }

    /// Discards the text; keeps the buffer unless it is larger than `capacity`.
    package mutating func removeAll(keeping capacity: Int = .max) {
        if self.buffer.capacity > capacity { self.buffer = OutputBuffer(capacity: 0) }
        self.buffer.removeAll()
        self.beginText()
    }

    /// Begins another text after the bytes already written.
    package mutating func beginText() {
        self.start = self.count
        self.separator = 0
    }

    /// Appends a byte unchanged, outside of any JSON text.
    package mutating func append(_ byte: UInt8) {
        self.buffer.append(upTo: 1) { place in
            place[0] = byte
            return 1
        }
    }

    /// Appends text unchanged.
    package mutating func append(raw text: StaticString) {
        self.append(raw: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends text unchanged.
    @_disfavoredOverload
    package mutating func append(raw text: String) { text.withBytes { self.append(raw: $0) } }

    /// Appends bytes unchanged.
    package mutating func append(raw bytes: UnsafeRawBufferPointer) {
        self.buffer.append(upTo: bytes.count) { place in
            place.copy(bytes)
            return bytes.count
        }
    }

    /// Returns the JSON text of one value.
    public static func bytes(of value: JSONValue) -> [UInt8] {
        var writer = JSONWriter()
        writer.value(value)
        return writer.bytes
    }

    /// Returns the JSON text of one value.
    public static func string(of value: JSONValue) -> String { String(decoding: self.bytes(of: value), as: UTF8.self) }

    public mutating func beginObject() { self.begin(UInt8(ascii: "{")) }
    public mutating func endObject() { self.end(UInt8(ascii: "}")) }
    public mutating func beginArray() { self.begin(UInt8(ascii: "[")) }
    public mutating func endArray() { self.end(UInt8(ascii: "]")) }

    /// Starts a member of the innermost object; its value comes next.
    @_disfavoredOverload  // Literals must take the next overload.
    public mutating func key(_ key: String) {
        self.quoted(key, isKey: true)
        self.separator = 0
    }

    /// Starts a member whose key is a literal of characters that need no escaping. Most of the written bytes are such keys, and none of
    /// them is examined.
    public mutating func key(_ key: StaticString) {
        self.plain(key, isKey: true)
        self.separator = 0
    }

    public mutating func null() { self.literal("null") }
    public mutating func value(_ value: Bool) { self.literal(value ? "true" : "false") }
    public mutating func value(_ value: Int) { self.value(Int64(value)) }

    public mutating func value(_ value: Int64) {
        self.token(upTo: 20) { place in
            place[0] = UInt8(ascii: "-")
            let sign = value < 0 ? 1 : 0
            return sign + Self.digits(of: value.magnitude, to: place + sign)
        }
    }

    /// Writes a text of characters that need no escaping: printable ASCII without quotation mark and backslash.
    public mutating func value(plain text: StaticString) {
        self.plain(text, isKey: false)
    }

    /// Writes a text of `count` such characters, which `write` stores at the given pointer.
    package mutating func value(plain count: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Void) {
        self.plain(count, isKey: false, write)
    }

    /// Repeats the members that `other` has written so far, without the enclosing object.
    public mutating func members(of other: borrowing JSONWriter) { other.withBytes { self.members($0) } }

    /// Appends the text of members, without an enclosing object.
    package mutating func members(_ text: [UInt8]) { text.withUnsafeBytes { self.members($0) } }

    private mutating func members(_ text: UnsafeRawBufferPointer) {
        guard !text.isEmpty else { return }
        self.token(upTo: text.count) { place in
            place.copy(text)
            return text.count
        }
    }

    /// Repeats the members that this writer wrote at `range`, without the enclosing object.
    package mutating func members(writtenAt range: Range<Int>) {
        guard !range.isEmpty else { return }
        if self.separator > 0 { self.append(UInt8(ascii: ",")) }
        self.append(copyOf: range)
        self.separator = 1
    }

    /// Appends a copy of the bytes at `range`, then `text`.
    package mutating func append(copyOf range: Range<Int>, then text: StaticString = "") {
        guard range.upperBound <= self.count else { return }
        let distance = self.count - range.lowerBound
        self.buffer.append(upTo: range.count &+ text.utf8CodeUnitCount) { place in
            // The range lies in front of `place`, in the same buffer.
            place.copy(UnsafeRawBufferPointer(start: place - distance, count: range.count))
            (place + range.count).copyShort(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
            return range.count &+ text.utf8CodeUnitCount
        }
    }

    /// Writes the shortest form of a number. Values that JSON cannot represent (NaN, infinities) become `null`.
    public mutating func value(_ value: Double) {
        guard value.isFinite else { return self.null() }
        if let integer = Int64(exactly: value) { return self.value(integer) }
        // Most numbers have at most three decimals; this gives the same text as Swift's search for the shortest form, at less cost.
        let thousandths = (value * 1000).rounded()
        if abs(thousandths) < 1e15, thousandths / 1000 == value { return self.milli(value) }
        value.description.withBytes { text in
            self.token(upTo: text.count) { place in
                place.copy(text)
                return text.count
            }
        }
    }

    /// Writes a number rounded to at most 3 decimals, the precision of seconds and volumes in documents.
    public mutating func milli(_ value: Double) {
        let scaled = (value * 1000).rounded()
        guard scaled.isFinite, abs(scaled) < 9e15 else { return self.value(value) }
        guard abs(scaled) < 1e15 else { return self.value(scaled / 1000) }
        self.token(upTo: 20) { place in
            // A `Double` represents at most 15 digits exactly, so these digits are the shortest form.
            let (whole, rest) = UInt64(abs(scaled)).quotientAndRemainder(dividingBy: 1000)
            place[0] = UInt8(ascii: "-")
            let sign = scaled < 0 ? 1 : 0
            let end = sign + Self.digits(of: whole, to: place + sign)
            guard rest != 0 else { return end }
            place[end] = UInt8(ascii: ".")
            place[end + 1] = Self.digit(rest / 100)
            place[end + 2] = Self.digit(rest / 10 % 10)
            place[end + 3] = Self.digit(rest % 10)
            return end + (rest % 100 == 0 ? 2 : rest % 10 == 0 ? 3 : 4)
        }
    }

    public mutating func value(_ value: String) {
        self.quoted(value, isKey: false)
    }

    /// Writes a tree.
    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: self.null()
        case .bool(let value): self.value(value)
        case .integer(let value): self.value(value)
        case .number(let value): self.value(value)
        case .string(let value): self.value(value)
        case .array(let elements):
            self.beginArray()
            for element in elements { self.value(element) }
            self.endArray()
        case .object(let object):
            self.beginObject()
            for member in object.members { self.member(member.key, member.value) }
            self.endObject()
        }
    }
}
