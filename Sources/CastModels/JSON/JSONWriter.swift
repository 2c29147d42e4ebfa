/// Writes compact JSON text piece by piece, without building a tree first.
///
/// The caller keeps the structure right (a key before each member, as many ends as beginnings); commas are added by themselves.
public struct JSONWriter: Sendable {
    /// The UTF-8 text written so far.
    public internal(set) var bytes: [UInt8]
    var needsComma = false

    /// - Parameter capacity: bytes to reserve.
    public init(capacity: Int = 256) {
        self.bytes = []
        self.bytes.reserveCapacity(capacity)
    }

    /// The text of one value.
    public static func bytes(of value: JSONValue) -> [UInt8] {
        var writer = JSONWriter()
        writer.value(value)
        return writer.bytes
    }

    /// The text of one value.
    public static func string(of value: JSONValue) -> String { String(decoding: self.bytes(of: value), as: UTF8.self) }

    public mutating func beginObject() { self.begin(UInt8(ascii: "{")) }
    public mutating func endObject() { self.end(UInt8(ascii: "}")) }
    public mutating func beginArray() { self.begin(UInt8(ascii: "[")) }
    public mutating func endArray() { self.end(UInt8(ascii: "]")) }

    /// Starts a member of the innermost object; its value comes next.
    @_disfavoredOverload  // A literal is to be taken by the next one.
    public mutating func key(_ key: String) {
        self.quoted(key, end: UInt8(ascii: ":"))
        self.needsComma = false
    }

    /// Starts a member under a name that the program itself spells, of characters that stand for themselves: most that is written is such
    /// names, and nothing in them has to be looked at.
    public mutating func key(_ key: StaticString) {
        self.plain(key, isKey: true)
        self.needsComma = false
    }

    public mutating func null() { self.literal("null") }
    public mutating func value(_ value: Bool) { self.literal(value ? "true" : "false") }
    public mutating func value(_ value: Int) { self.value(Int64(value)) }

    public mutating func value(_ value: Int64) {
        self.separate()
        if value < 0 { self.bytes.append(UInt8(ascii: "-")) }
        self.digits(of: value.magnitude)
        self.needsComma = true
    }

    /// Writes a text of characters that stand for themselves: printable ASCII without quotation mark and backslash.
    public mutating func value(plain text: StaticString) {
        self.plain(text, isKey: false)
        self.needsComma = true
    }

    /// Writes a text of `count` such characters, which `write` puts at a place with room for them.
    package mutating func value(plain count: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Void) {
        self.plain(count, isKey: false, write)
        self.needsComma = true
    }

    /// Repeats the members that `other` has written so far, without an object around them.
    public mutating func members(of other: JSONWriter) {
        guard !other.bytes.isEmpty else { return }
        self.separate()
        self.bytes.append(contentsOf: other.bytes)
        self.needsComma = true
    }

    /// Writes a number as short as it goes; what JSON can't say (NaN, infinities) becomes `null`.
    public mutating func value(_ value: Double) {
        guard value.isFinite else { return self.null() }
        if let integer = Int64(exactly: value) { return self.value(integer) }
        // Most numbers have three decimals at most: the same text, without Swift's search for the shortest one.
        let thousandths = (value * 1000).rounded()
        if abs(thousandths) < 1e15, thousandths / 1000 == value { return self.milli(value) }
        self.separate()
        self.bytes.append(contentsOf: value.description.utf8)
        self.needsComma = true
    }

    /// Writes a number rounded to at most 3 decimals, the precision of seconds and volumes in documents.
    public mutating func milli(_ value: Double) {
        let scaled = (value * 1000).rounded()
        guard scaled.isFinite, abs(scaled) < 9e15 else { return self.value(value) }
        guard abs(scaled) < 1e15 else { return self.value(scaled / 1000) }
        // At most 15 digits are exact in a Double, so these are the shortest ones that mean it.
        let (whole, rest) = UInt64(abs(scaled)).quotientAndRemainder(dividingBy: 1000)
        self.separate()
        if scaled < 0 { self.bytes.append(UInt8(ascii: "-")) }
        self.digits(of: whole)
        if rest != 0 {
            self.bytes.append(UInt8(ascii: "."))
            self.bytes.append(Self.digit(rest / 100))
            if rest % 100 != 0 { self.bytes.append(Self.digit(rest / 10 % 10)) }
            if rest % 10 != 0 { self.bytes.append(Self.digit(rest % 10)) }
        }
        self.needsComma = true
    }

    private static func digit(_ value: UInt64) -> UInt8 { UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value) }

    public mutating func value(_ value: String) {
        self.quoted(value, end: nil)
        self.needsComma = true
    }

    /// Writes a whole tree.
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
