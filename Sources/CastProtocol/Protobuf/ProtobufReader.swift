import NIOCore

/// Reads the fields of a serialized protobuf message one by one, and returns their positions.
package struct ProtobufReader {
    package enum Value {
        case number(UInt64)
        /// The range of the field's bytes.
        case bytes(Range<Int>)
    }

    package struct Malformed: Error {}

    private var rest: Range<Int>

    /// - Parameter range: the range of the message in the bytes that each call receives.
    package init(_ range: Range<Int>) { self.rest = range }

    /// Returns the next field and its number. Fields of fixed width, which none of these messages has, are skipped.
    ///
    /// - Parameter bytes: the same bytes in each call.
    /// - Returns: `nil` at the end.
    /// - Throws: for a field that exceeds the message, and for groups, which are deprecated in protobuf.
    package mutating func next(in bytes: Span<UInt8>) throws(Malformed) -> (number: UInt64, value: Value)? {
        while !self.rest.isEmpty {
            let tag = try self.varint(in: bytes)
            guard (1...0x1FFF_FFFF).contains(tag >> 3) else { throw Malformed() }
            switch tag & 7 {
            case 0: return (tag >> 3, .number(try self.varint(in: bytes)))
            case 1: _ = try self.take(8)
            case 2: return (tag >> 3, .bytes(try self.take(try self.varint(in: bytes))))
            case 5: _ = try self.take(4)
            default: throw Malformed()
            }
        }
        return nil
    }

    private mutating func take(_ count: UInt64) throws(Malformed) -> Range<Int> {
        guard count <= UInt64(self.rest.count) else { throw Malformed() }
        let end = self.rest.lowerBound + Int(count)
        defer { self.rest = end..<self.rest.upperBound }
        return self.rest.lowerBound..<end
    }

    private mutating func varint(in bytes: Span<UInt8>) throws(Malformed) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while shift < 64, let index = self.rest.first {
            self.rest = index + 1..<self.rest.upperBound
            value |= UInt64(bytes[index] & 0x7F) << shift
            if bytes[index] < 0x80 { return value }
            shift += 7
        }
        throw Malformed()
    }
}
