/// The fields of a serialized protobuf message that device authentication needs: varints and byte strings.
struct ProtobufMessage {
    private var numbers: [Int: UInt64] = [:]
    private var byteStrings: [Int: [UInt8]] = [:]

    /// Parses a message; `nil` for malformed bytes.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let tag = Self.varint(&rest), tag >> 3 > 0, let field = Int(exactly: tag >> 3) else { return nil }
            switch tag & 7 {
            case 0:
                guard let value = Self.varint(&rest) else { return nil }
                self.numbers[field] = value
            case 1, 5:
                let size = tag & 7 == 1 ? 8 : 4
                guard rest.count >= size else { return nil }
                rest = rest.dropFirst(size)
            case 2:
                guard let length = Self.varint(&rest), length <= UInt64(rest.count) else { return nil }
                self.byteStrings[field] = Array(rest.prefix(Int(length)))
                rest = rest.dropFirst(Int(length))
            default: return nil
            }
        }
    }

    /// Returns the last value of a varint field.
    func number(_ field: Int) -> UInt64? { self.numbers[field] }
    /// Returns the last value of a length-delimited field.
    func bytes(_ field: Int) -> [UInt8]? { self.byteStrings[field] }

    private static func varint(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }
}

/// Builds a serialized protobuf message.
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ field: Int, _ value: UInt64) {
        self.varint(UInt64(field) << 3)
        self.varint(value)
    }

    mutating func write(_ field: Int, _ value: [UInt8]) {
        self.varint(UInt64(field) << 3 | 2)
        self.varint(UInt64(value.count))
        self.bytes += value
    }

    private mutating func varint(_ value: UInt64) {
        var value = value
        while value >= 0x80 {
            self.bytes.append(UInt8(value & 0x7F) | 0x80)
            value >>= 7
        }
        self.bytes.append(UInt8(value))
    }
}
