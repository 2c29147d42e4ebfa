/// Reads the fields of a serialized protobuf message one by one, for the few messages that need no generated code.
struct ProtobufReader {
    enum Value {
        case number(UInt64)
        case bytes(ArraySlice<UInt8>)
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>) { self.rest = ArraySlice(Array(bytes)) }

    /// The next field and its number; fixed-width fields, which none of these messages has, are left out.
    ///
    /// - Returns: `nil` at the end.
    /// - Throws: `Malformed` when a field doesn't end where it should.
    mutating func next() throws(Malformed) -> (number: UInt64, value: Value)? {
        while !self.rest.isEmpty {
            let tag = try self.varint()
            switch tag & 7 {
            case 0: return (tag >> 3, .number(try self.varint()))
            case 1: _ = try self.take(8)
            case 2:
                let length = try self.varint()
                guard length <= UInt64(self.rest.count) else { throw Malformed() }
                return (tag >> 3, .bytes(try self.take(Int(length))))
            case 5: _ = try self.take(4)
            default: throw Malformed()
            }
        }
        return nil
    }

    struct Malformed: Error {}

    private mutating func take(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
        guard count <= self.rest.count else { throw Malformed() }
        defer { self.rest = self.rest.dropFirst(count) }
        return self.rest.prefix(count)
    }

    private mutating func varint() throws(Malformed) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = self.rest.popFirst() else { throw Malformed() }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw Malformed()
    }
}
