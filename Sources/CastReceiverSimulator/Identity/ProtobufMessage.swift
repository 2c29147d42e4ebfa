import CastProtocol

/// The fields of a serialized protobuf message that device authentication needs: varints and byte strings.
struct ProtobufMessage {
    private var numbers: [UInt64: UInt64] = [:]
    private var byteStrings: [UInt64: [UInt8]] = [:]

    /// Parses a message; `nil` for malformed bytes.
    init?(_ bytes: [UInt8]) {
        var reader = ProtobufReader(bytes.indices)
        do throws(ProtobufReader.Malformed) {
            while let (field, value) = try reader.next(in: bytes.span) {
                switch value {
                case .number(let number): self.numbers[field] = number
                case .bytes(let range): self.byteStrings[field] = Array(bytes[range])
                }
            }
        } catch { return nil }
    }

    /// Returns the last value of a varint field.
    func number(_ field: UInt64) -> UInt64? { self.numbers[field] }
    /// Returns the last value of a length-delimited field.
    func bytes(_ field: UInt64) -> [UInt8]? { self.byteStrings[field] }
}
