/// Writes compact JSON text piece by piece, without building a tree first.
///
/// The caller keeps the structure right (a key before each member, as many ends as beginnings); commas are added by themselves.
public struct JSONWriter {
    /// The UTF-8 text written so far.
    public private(set) var bytes: [UInt8]
    private var needsComma = false

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
    public mutating func key(_ key: String) {
        self.quoted(key, end: UInt8(ascii: ":"))
        self.needsComma = false
    }

    public mutating func null() { self.literal("null") }
    public mutating func value(_ value: Bool) { self.literal(value ? "true" : "false") }
    public mutating func value(_ value: Int) { self.literal(String(value)) }
    public mutating func value(_ value: Int64) { self.literal(String(value)) }

    /// Writes a text of characters that stand for themselves: printable ASCII without quotation mark and backslash.
    public mutating func value(plain text: [UInt8]) {
        self.separate()
        self.bytes.append(UInt8(ascii: "\""))
        self.bytes.append(contentsOf: text)
        self.bytes.append(UInt8(ascii: "\""))
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
        self.literal(value.description)
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
        self.bytes.append(contentsOf: String(whole).utf8)
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

    // Members; `nil` is written as `null`, because readers rely on every key.
    public mutating func member(_ key: String, _ value: JSONValue) {
        self.key(key)
        self.value(value)
    }

    public mutating func member(_ key: String, _ value: String?) {
        self.key(key)
        if let value { self.value(value) } else { self.null() }
    }

    public mutating func member(_ key: String, _ value: Bool?) {
        self.key(key)
        if let value { self.value(value) } else { self.null() }
    }

    public mutating func member(_ key: String, _ value: Int?) {
        self.key(key)
        if let value { self.value(value) } else { self.null() }
    }

    /// A member rounded to at most 3 decimals.
    public mutating func member(_ key: String, milli value: Double?) {
        self.key(key)
        if let value { self.milli(value) } else { self.null() }
    }

    public mutating func member(_ key: String, _ values: [String]) {
        self.key(key)
        self.beginArray()
        for value in values { self.value(value) }
        self.endArray()
    }

    private mutating func separate() { if self.needsComma { self.bytes.append(UInt8(ascii: ",")) } }

    private mutating func begin(_ byte: UInt8) {
        self.separate()
        self.bytes.append(byte)
        self.needsComma = false
    }

    private mutating func end(_ byte: UInt8) {
        self.bytes.append(byte)
        self.needsComma = true
    }

    private mutating func literal(_ text: String) {
        self.separate()
        self.bytes.append(contentsOf: text.utf8)
        self.needsComma = true
    }

    /// A comma if one is due, the text in quotation marks, and what ends it.
    private mutating func quoted(_ text: String, end: UInt8?) {
        var text = text
        let needsComma = self.needsComma
        text.withUTF8 { text in
            guard Self.isPlain(text) else { return self.escaped(text, end: end) }
            self.bytes.append(addingCapacity: text.count + 4) { output in
                if needsComma { output.append(UInt8(ascii: ",")) }
                output.append(UInt8(ascii: "\""))
                output.withUnsafeMutableBufferPointer { buffer, count in
                    guard let start = buffer.baseAddress, let source = text.baseAddress else { return }
                    (start + count).initialize(from: source, count: text.count)
                    count += text.count
                }
                output.append(UInt8(ascii: "\""))
                if let end { output.append(end) }
            }
        }
    }

    /// Whether every character stands for itself: most texts do. Looks at eight bytes at once.
    private static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let raw = UnsafeRawBufferPointer(text)
        var index = 0
        while index + 8 <= raw.count {
            if !JSONBytes.isPlain(raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)) { return false }
            index += 8
        }
        // The rest, filled up with a byte that is plain.
        var rest: UInt64 = 0x2020_2020_2020_2020
        while index < raw.count {
            rest = rest << 8 | UInt64(raw[index])
            index += 1
        }
        return JSONBytes.isPlain(rest)
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
