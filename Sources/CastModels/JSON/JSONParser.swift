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

    /// Parses one JSON value that fills `bytes` but for white space.
    public static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        try bytes.span.withUnsafeBufferPointer { buffer throws(JSONError) in try self.parse(buffer) }
    }

    /// Parses one JSON value that fills `text` but for white space.
    public static func parse(_ text: String) throws(JSONError) -> JSONValue {
        try text.utf8Span.span.withUnsafeBufferPointer { buffer throws(JSONError) in try self.parse(buffer) }
    }

    /// Parses one JSON value that fills `buffer` but for white space.
    public static func parse(_ buffer: UnsafeBufferPointer<UInt8>) throws(JSONError) -> JSONValue {
        try JSONReader.read(UnsafeRawBufferPointer(buffer)) { $0.value }
    }
}
