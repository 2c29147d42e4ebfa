import NIOCore

/// Reads the fields of a serialized protobuf message one by one, without copying them.
struct ProtobufReader {
    enum Value {
        case number(UInt64)
        case bytes(ByteBuffer)
    }

    struct Malformed: Error {}

    private var rest: ByteBuffer

    init(_ message: ByteBuffer) { self.rest = message }

    /// The next field and its number. Fields of fixed width, which none of these messages has, are left out.
    ///
    /// - Returns: `nil` at the end.
    /// - Throws: for a field that doesn't end where it should, and for groups, which protobuf has given up long ago.
    mutating func next() throws(Malformed) -> (number: UInt64, value: Value)? {
        while self.rest.readableBytes > 0 {
            let tag = try self.varint()
            guard (1...0x1FFF_FFFF).contains(tag >> 3) else { throw Malformed() }
            switch tag & 7 {
            case 0: return (tag >> 3, .number(try self.varint()))
            case 1: _ = try self.take(8)
            case 2: return (tag >> 3, .bytes(try self.take(try self.varint())))
            case 5: _ = try self.take(4)
            default: throw Malformed()
            }
        }
        return nil
    }

    private mutating func take(_ count: UInt64) throws(Malformed) -> ByteBuffer {
        guard let count = Int(exactly: count), let bytes = self.rest.readSlice(length: count) else { throw Malformed() }
        return bytes
    }

    private mutating func varint() throws(Malformed) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = self.rest.readInteger(as: UInt8.self) else { throw Malformed() }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw Malformed()
    }
}

extension ByteBuffer {
    var readableArray: [UInt8] { Array(self.readableBytesView) }
}
