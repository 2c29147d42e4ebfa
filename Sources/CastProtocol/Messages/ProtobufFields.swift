/// Walks the fields of a serialized `CastMessage` without decoding them.
enum ProtobufFields {
    /// Tags of length-delimited fields: number × 8 + 2.
    enum Tag: UInt8 {
        case payloadText = 0x32
        case payloadBinary = 0x3A
    }

    /// A copy of `message` in which every field `source` is a field `target`; `nil` when `message` ends within a field.
    static func moving(_ source: Tag, to target: Tag, in message: UnsafeRawBufferPointer) -> [UInt8]? {
        var copy = Array(message)
        var index = 0
        while index < copy.count {
            if copy[index] == source.rawValue { copy[index] = target.rawValue }
            guard let tag = self.varint(copy, &index) else { return nil }
            switch tag & 7 {
            case 0: guard self.varint(copy, &index) != nil else { return nil }
            case 1: index += 8
            case 2:
                guard let length = self.varint(copy, &index), length <= UInt64(copy.count - index) else { return nil }
                index += Int(length)
            case 5: index += 4
            default: return nil
            }
        }
        return index == copy.count ? copy : nil
    }

    private static func varint(_ bytes: [UInt8], _ index: inout Int) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard index < bytes.count else { return nil }
            let byte = bytes[index]
            index += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}
