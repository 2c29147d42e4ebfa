/// Reads numbers in a file's bytes; `nil` beyond their end.
extension ArraySlice<UInt8> {
    /// Returns an unsigned big-endian number of up to eight bytes at an offset from the start of the slice.
    func bigEndian(at offset: Int, bytes count: Int) -> UInt64? {
        self.part(at: offset, count: count).map { $0.reduce(0) { $0 << 8 | UInt64($1) } }
    }

    func littleEndian(at offset: Int, bytes count: Int) -> UInt64? {
        self.part(at: offset, count: count).map { $0.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    }

    func part(at offset: Int, count: Int) -> ArraySlice<UInt8>? {
        guard offset >= 0, count >= 0, offset <= self.count, count <= self.count - offset else { return nil }
        return self[(self.startIndex + offset)..<(self.startIndex + offset + count)]
    }

    func has(_ text: StaticString, at offset: Int) -> Bool {
        guard let part = self.part(at: offset, count: text.utf8CodeUnitCount) else { return false }
        return text.withUTF8Buffer { part.elementsEqual($0) }
    }
}

/// The result of searching a part of a file for the duration.
enum LengthSearch: Sendable, Hashable {
    case found(seconds: Double)
    /// The duration is further on: search again from that byte of the file.
    case continues(at: Int)
    case unknown
}
