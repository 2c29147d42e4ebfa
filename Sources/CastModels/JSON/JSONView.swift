/// A value within a checked text, read in place.
///
/// It is safe only within `JSONReader.read`: it points into the text and into the reader's list. Both last until that call returns, and the
/// reader keeps each entry's position and count inside them. Pass a view to callees, but never store it.
///
/// Public as SPI only: unlike package declarations, public ones can be inlined into other modules.
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

    /// The text of a container; empty for numbers and words.
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

    /// The view of a JSON object; `nil` for other values.
    @inlinable public var objectView: JSONView? { self.entry.pointee.kind == .object ? self : nil }

    /// The view of a JSON array; `nil` for other values.
    @inlinable public var arrayView: JSONView? { self.entry.pointee.kind == .array ? self : nil }

    /// The view of a JSON string; `nil` for other values.
    @inlinable public var stringView: StringView? { self.entry.pointee.kind == .string ? self.stringBytes : nil }

    /// The text of a JSON string; `nil` for other values.
    public var stringValue: String? { self.stringView?.string }

    /// The value of a JSON boolean; `nil` for other values.
    public var boolValue: Bool? {
        switch self.entry.pointee.kind {
        case .false: false
        case .true: true
        default: nil
        }
    }

    /// A JSON number as a `Double`; `nil` for other values.
    public var doubleValue: Double? {
        switch self.entry.pointee.kind {
        case .integer: Double(Int64(bitPattern: self.entry.pointee.bits))
        case .number: Double(bitPattern: self.entry.pointee.bits)
        default: nil
        }
    }

    /// A JSON number without a fraction that fits `Int`, also when written like `3.0`; `nil` for other values.
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
    func sibling(_ distance: Int) -> JSONView { self.view(of: self.entry + distance) }

    @inlinable
    func view(of entry: UnsafePointer<JSONEntry>) -> JSONView {
        JSONView(entry: entry, text: self.text, unescaped: self.unescaped)
    }

    /// The last value of `key`; `nil` for a missing key and for a value that is not an object.
    public subscript(key: StaticString) -> JSONView? {
        guard self.entry.pointee.kind == .object else { return nil }
        let name = UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
        var found: UnsafePointer<JSONEntry>?
        let end = self.entry + Int(self.entry.pointee.count)
        var key = self.entry + 1
        while key < end {
            let value = key + 1
            if key.pointee.length == name.count, hasSameBytes(self.view(of: key).stringBytes.bytes, name) { found = value }
            key = value + Int(value.pointee.count)
        }
        return found.map { self.view(of: $0) }
    }

    /// The members of an object in order, duplicates included; empty for other values.
    @inlinable public var members: Members { Members(of: self) }

    /// The elements of an array; empty for other values.
    @inlinable public var elements: Elements { Elements(of: self) }
}
