/// Reads the time stamps of a Matroska stream whose duration is known only at its end.
///
/// It searches for Cluster elements and their Timestamp (RFC 9559 section 5.1.3); the bytes may arrive in any pieces.
struct MatroskaClock: Sendable {
    private static let cluster: [UInt8] = [0x1F, 0x43, 0xB6, 0x75]
    /// Id and size of the optional checksum at the start of a cluster.
    private static let checksum: [UInt8] = [0xBF, 0x84]
    /// The longest header of a cluster with checksum and time stamp, in bytes.
    private static let longest = 4 + 8 + 6 + 2 + 8

    /// The time of the last cluster in seconds, at the usual scale of a millisecond; `nil` before the first.
    private(set) var seconds: Double?
    private var rest: [UInt8] = []

    mutating func take(_ bytes: some Sequence<UInt8>) {
        self.rest += bytes
        var index = 0
        while index + Self.longest <= self.rest.count {
            if self.rest[index] == Self.cluster[0], self.rest[index..<(index + 4)].elementsEqual(Self.cluster) {
                self.seconds = Self.time(self.rest[(index + 4)...]) ?? self.seconds
            }
            index += 1
        }
        self.rest.removeFirst(index)
    }

    private static func time(_ bytes: ArraySlice<UInt8>) -> Double? {
        guard let first = bytes.first, first != 0 else { return nil }
        // The number of leading zeros in the first byte determines the length of the size field.
        var header = first.leadingZeroBitCount + 1
        if let part = bytes.part(at: header, count: 2), part.elementsEqual(Self.checksum) { header += 6 }
        guard bytes.bigEndian(at: header, bytes: 1) == 0xE7, let size = bytes.bigEndian(at: header + 1, bytes: 1),
            (0x81...0x88).contains(size)
        else { return nil }
        return bytes.bigEndian(at: header + 2, bytes: Int(size) - 0x80).map { Double($0) / 1_000 }
    }
}
