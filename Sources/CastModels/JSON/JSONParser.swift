/// The reason why a text is not accepted as JSON.
public struct JSONError: Error, Sendable, Hashable {
    public var kind: Kind
    /// The position of the error, in bytes from the start of the text.
    public var offset: Int

    public enum Kind: Sendable, Hashable { case unexpectedEnd, unexpectedByte, badNumber, badString, tooDeep, tooLong, trailingBytes }

    init(_ kind: Kind, at offset: Int) { (self.kind, self.offset) = (kind, offset) }
}

/// Parses RFC 8259 text strictly, with bounded depth and size.
///
/// Integers that fit 64 bits stay exact. Numbers outside the range of `Double` and malformed UTF-8 are errors. Lone surrogates become
/// U+FFFD.
public struct JSONParser {
    /// The deepest accepted nesting of arrays and objects.
    public static let maximumDepth = 64
    /// The longest accepted text, in bytes; the largest legal Cast payload is a quarter of it.
    public static let maximumSize = 262_144

    /// Parses `bytes` as one JSON value with optional white space around it.
    public static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        try bytes.span.withUnsafeBufferPointer { buffer throws(JSONError) in try self.parse(buffer) }
    }

    /// Parses `text` as one JSON value with optional white space around it.
    public static func parse(_ text: String) throws(JSONError) -> JSONValue {
        try text.utf8Span.span.withUnsafeBufferPointer { buffer throws(JSONError) in try self.parse(buffer) }
    }

    /// Parses `buffer` as one JSON value with optional white space around it.
    public static func parse(_ buffer: UnsafeBufferPointer<UInt8>) throws(JSONError) -> JSONValue {
        try JSONReader.read(UnsafeRawBufferPointer(buffer)) { $0.value }
    }
}
