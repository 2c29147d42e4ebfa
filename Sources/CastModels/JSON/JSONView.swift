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
    func sibling(_ distance: Int) -> JSONView { self.view(of: self.entry + distance) }

    @inlinable
    func view(of entry: UnsafePointer<JSONEntry>) -> JSONView {
        JSONView(entry: entry, text: self.text, unescaped: self.unescaped)
    }

    /// The last value of `key`; `nil` for a missing key and for anything that is not an object.
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

    /// The members of an object in their order, duplicates included; none of anything else.
    @inlinable public var members: Members { Members(of: self) }

    /// The elements of an array; none of anything else.
    @inlinable public var elements: Elements { Elements(of: self) }
}
