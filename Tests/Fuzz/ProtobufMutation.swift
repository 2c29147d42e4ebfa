/// Changes one field of a serialized protobuf message, at whatever depth: it goes, is doubled, or is emptied.
enum ProtobufMutation {
    private struct Field {
        var tag: UInt8
        /// The bytes after the tag; for a field with a length, its content alone.
        var content: [UInt8]
        var hasLength: Bool { self.tag & 7 == 2 }

        var bytes: [UInt8] {
            self.hasLength ? [self.tag] + ProtobufMutation.varint(self.content.count) + self.content : [self.tag] + self.content
        }
    }

    /// - Returns: `nil` for what is no message of fields below number 16.
    static func changed(_ message: ArraySlice<UInt8>, by random: inout MutationRandom) -> [UInt8]? {
        guard var fields = self.fields(message), let index = fields.indices.randomElement(using: &random) else { return nil }
        if fields[index].hasLength, Bool.random(using: &random), let inner = self.changed(fields[index].content[...], by: &random) {
            fields[index].content = inner
        } else {
            switch Int.random(in: 0..<3, using: &random) {
            case 0: fields.remove(at: index)
            case 1: fields.insert(fields[index], at: fields.indices.randomElement(using: &random) ?? 0)
            default: fields[index].content = fields[index].hasLength ? [] : [0]
            }
        }
        return fields.flatMap(\.bytes)
    }

    private static func fields(_ message: ArraySlice<UInt8>) -> [Field]? {
        var rest = message
        var fields: [Field] = []
        while let tag = rest.popFirst() {
            guard tag < 0x80, tag & 7 == 0 || tag & 7 == 2, let last = rest.firstIndex(where: { $0 < 0x80 }), last - rest.startIndex < 9
            else {
                return nil
            }
            let number = rest[...last]
            rest = rest[(last + 1)...]
            guard tag & 7 == 2 else {
                fields.append(Field(tag: tag, content: Array(number)))
                continue
            }
            let length = number.reversed().reduce(0) { $0 << 7 | Int($1 & 0x7F) }
            guard length <= rest.count else { return nil }
            fields.append(Field(tag: tag, content: Array(rest.prefix(length))))
            rest = rest.dropFirst(length)
        }
        return fields.isEmpty ? nil : fields
    }

    private static func varint(_ value: Int) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + self.varint(value >> 7)
    }
}
