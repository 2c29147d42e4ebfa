/// One value of a text that `JSONReader` has checked. A container is followed by what it holds; a member is its key, then its value.
@usableFromInline
struct JSONEntry: Sendable {
    @usableFromInline
    enum Kind: UInt8, Sendable {
        case null, `false`, `true`, integer, number
        // Those that have a place in the text.
        case string, array, object
    }

    @usableFromInline let kind: Kind
    /// Strings only: it has escapes, so `place` is in their copy without them.
    @usableFromInline private(set) var isUnescaped = false
    /// Strings only.
    @usableFromInline private(set) var isASCII = false
    /// Of a container: how many others it is in.
    private(set) var depth: UInt8 = 0
    /// The entries of this value, those within it included: as far away is what follows it.
    @usableFromInline private(set) var count: UInt32 = 1
    /// A number's value; of a string the place of its bytes, of a container that of its text.
    @usableFromInline private(set) var bits: UInt64 = 0

    init(_ kind: Kind, depth: Int = 0) {
        self.kind = kind
        self.depth = UInt8(truncatingIfNeeded: depth)
    }

    init(_ value: Int64) {
        self.kind = .integer
        self.bits = UInt64(bitPattern: value)
    }

    init(_ value: Double) {
        self.kind = .number
        self.bits = value.bitPattern
    }

    init(text place: Range<Int>, isASCII: Bool) {
        self.kind = .string
        self.isASCII = isASCII
        self.bits = Self.bits(of: place)
    }

    init(unescaped place: Range<Int>) {
        self.kind = .string
        self.isUnescaped = true
        self.bits = Self.bits(of: place)
    }

    mutating func end(_ place: Range<Int>, count: Int) {
        self.count = UInt32(count)
        self.bits = Self.bits(of: place)
    }

    // Texts have at most `JSONParser.maximumSize` bytes, and what is in them fewer.
    private static func bits(of place: Range<Int>) -> UInt64 {
        UInt64(truncatingIfNeeded: place.lowerBound) &<< 32 | UInt64(truncatingIfNeeded: place.upperBound &- place.lowerBound)
    }

    /// The same value is so many bytes further on in the text, or in the copies without escapes.
    mutating func move(by distance: Int, unescapedBy unescapedDistance: Int) {
        guard self.kind.rawValue >= Kind.string.rawValue else { return }
        self.bits &+= UInt64(truncatingIfNeeded: self.isUnescaped ? unescapedDistance : distance) &<< 32
    }

    @inlinable var start: Int { Int(self.bits >> 32) }
    @inlinable var length: Int { Int(self.bits & 0xFFFF_FFFF) }
}

/// A value within a text that was checked, read where it is.
///
/// Safe within `JSONReader.read` alone: it points into the text and into the reader's list, which both last until the call returns, and the
/// reader has made each entry's place and count so that they stay inside. So it is handed down, never kept.
///
/// Public as SPI only: unlike package declarations, those are compiled into the modules that use them.
@_spi(JSON)
public struct JSONView {
    @usableFromInline let entry: UnsafePointer<JSONEntry>
    @usableFromInline let text: UnsafeRawPointer
    @usableFromInline let unescaped: UnsafeRawPointer

    @inlinable
    init(entry: UnsafePointer<JSONEntry>, text: UnsafeRawPointer, unescaped: UnsafeRawPointer) {
        self.entry = entry
        self.text = text
        self.unescaped = unescaped
    }

    /// The text of a container; numbers and words have none.
    public var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: self.text + self.entry.pointee.start, count: self.entry.pointee.length)
    }

    /// The value as a tree.
    public var value: JSONValue {
        switch self.entry.pointee.kind {
        case .null: .null
        case .false: .bool(false)
        case .true: .bool(true)
        case .integer: .integer(Int64(bitPattern: self.entry.pointee.bits))
        case .number: .number(Double(bitPattern: self.entry.pointee.bits))
        case .string: .string(self.stringBytes.string)
        case .array: .array(self.elements.map(\.value))
        case .object: .object(JSONObject(members: self.members.map { JSONObject.Member(key: $0.key.string, value: $0.value.value) }))
        }
    }

    @inlinable public var isNull: Bool { self.entry.pointee.kind == .null }

    /// The view of a JSON object, else `nil`.
    @inlinable public var objectView: JSONView? { self.entry.pointee.kind == .object ? self : nil }

    /// The view of a JSON array, else `nil`.
    @inlinable public var arrayView: JSONView? { self.entry.pointee.kind == .array ? self : nil }

    /// A JSON string, else `nil`.
    @inlinable public var stringView: StringView? { self.entry.pointee.kind == .string ? self.stringBytes : nil }

    /// The text of a JSON string, else `nil`.
    public var stringValue: String? { self.stringView?.string }

    /// The value of a JSON boolean, else `nil`.
    public var boolValue: Bool? {
        switch self.entry.pointee.kind {
        case .false: false
        case .true: true
        default: nil
        }
    }

    /// Any JSON number as a `Double`, else `nil`.
    public var doubleValue: Double? {
        switch self.entry.pointee.kind {
        case .integer: Double(Int64(bitPattern: self.entry.pointee.bits))
        case .number: Double(bitPattern: self.entry.pointee.bits)
        default: nil
        }
    }

    /// A JSON number without a fraction that fits `Int`, also when written like `3.0`, else `nil`.
    public var intValue: Int? {
        switch self.entry.pointee.kind {
        case .integer: Int(exactly: Int64(bitPattern: self.entry.pointee.bits))
        case .number: Int(exactly: Double(bitPattern: self.entry.pointee.bits))
        default: nil
        }
    }

    @inlinable
    var stringBytes: StringView {
        let entry = self.entry.pointee
        return StringView(
            start: (entry.isUnescaped ? self.unescaped : self.text) + entry.start, count: entry.length, isASCII: entry.isASCII)
    }

    @inlinable
    func sibling(_ distance: Int) -> JSONView { JSONView(entry: self.entry + distance, text: self.text, unescaped: self.unescaped) }

    /// The last value of `key`; `nil` for a missing key and for anything that is not an object.
    public subscript(key: StaticString) -> JSONView? {
        guard self.entry.pointee.kind == .object else { return nil }
        let name = UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
        var value: JSONView?
        var place = 1
        while place < self.entry.pointee.count {
            let member = self.sibling(place)
            if member.entry.pointee.length == name.count, hasSameBytes(member.stringBytes.bytes, name) { value = self.sibling(place + 1) }
            place += 1 + Int(self.entry[place + 1].count)
        }
        return value
    }

    /// The members of an object in their order, duplicates included; none of anything else.
    @inlinable public var members: Members { Members(of: self) }

    /// The elements of an array; none of anything else.
    @inlinable public var elements: Elements { Elements(of: self) }
}

@_spi(JSON)
extension JSONView {
    /// A string where it is, without its escapes.
    public struct StringView {
        @usableFromInline let start: UnsafeRawPointer
        @usableFromInline let count: Int
        @usableFromInline let isASCII: Bool

        @inlinable
        init(start: UnsafeRawPointer, count: Int, isASCII: Bool) {
            self.start = start
            self.count = count
            self.isASCII = isASCII
        }

        @inlinable public var isEmpty: Bool { self.count == 0 }

        public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: self.start, count: self.count) }

        public var string: String {
            let bytes = UnsafeBufferPointer(start: self.start.assumingMemoryBound(to: UInt8.self), count: self.count)
            // The reader has checked that it is UTF-8.
            return String(copying: UTF8Span(unchecked: bytes.span, isKnownASCII: self.isASCII))
        }

        /// Whether the string is `word`. The compiler makes a few comparisons of it that have the word in them.
        @inlinable
        @inline(__always)
        public static func ~= (word: StaticString, string: Self) -> Bool {
            let (count, other) = (word.utf8CodeUnitCount, UnsafeRawPointer(word.utf8Start))
            guard string.count == count else { return false }
            var index = 0
            while index + 8 <= count {
                let bytes = string.start.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                guard bytes == other.loadUnaligned(fromByteOffset: index, as: UInt64.self) else { return false }
                index += 8
            }
            while index < count {
                let byte = string.start.load(fromByteOffset: index, as: UInt8.self)
                guard byte == other.load(fromByteOffset: index, as: UInt8.self) else { return false }
                index += 1
            }
            return true
        }
    }

    public struct Members: Sequence, IteratorProtocol {
        @usableFromInline var current: JSONView
        @usableFromInline let end: UnsafePointer<JSONEntry>

        @inlinable
        init(of object: JSONView) {
            self.current = object.sibling(1)
            self.end = object.entry + (object.entry.pointee.kind == .object ? Int(object.entry.pointee.count) : 1)
        }

        @inlinable public var underestimatedCount: Int { self.reduce(0) { count, _ in count + 1 } }

        @inlinable
        public mutating func next() -> (key: StringView, value: JSONView)? {
            guard self.current.entry < self.end else { return nil }
            let (key, value) = (self.current.stringBytes, self.current.sibling(1))
            self.current = value.sibling(Int(value.entry.pointee.count))
            return (key, value)
        }
    }

    public struct Elements: Sequence, IteratorProtocol {
        @usableFromInline var current: JSONView
        @usableFromInline let end: UnsafePointer<JSONEntry>

        @inlinable
        init(of array: JSONView) {
            self.current = array.sibling(1)
            self.end = array.entry + (array.entry.pointee.kind == .array ? Int(array.entry.pointee.count) : 1)
        }

        @inlinable public var underestimatedCount: Int { self.reduce(0) { count, _ in count + 1 } }

        @inlinable
        public mutating func next() -> JSONView? {
            guard self.current.entry < self.end else { return nil }
            let value = self.current
            self.current = value.sibling(Int(value.entry.pointee.count))
            return value
        }
    }
}
