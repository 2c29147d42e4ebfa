/// Reads the tables at the head of an MPEG transport stream (ISO 13818-1): the codecs of its first program.
enum TransportStreamReader {
    private static let packetLength = 188

    /// Returns whether the sync byte begins each of three packets, or each available one.
    static func isTransportStream(_ head: MediaBytes) -> Bool {
        let starts = [0, self.packetLength, 2 * self.packetLength].filter { $0 < head.count }
        return starts.count > 1 && starts.allSatisfy { head.byte(at: $0) == 0x47 }
    }

    static func read(_ head: MediaBytes) -> MediaFormat {
        var format = MediaFormat(.mpegTS)
        var mapPID: Int?
        for packet in stride(from: 0, to: head.count - self.packetLength + 1, by: self.packetLength) {
            guard let flags = head.number(at: packet + 1, 2), flags & 0x4000 != 0, let section = self.section(head, packet) else {
                continue
            }
            let pid = flags & 0x1FFF
            if pid == 0, mapPID == nil {
                mapPID = self.programMap(head, section)
            } else if pid == mapPID {
                format.codecs = self.codecs(head, section)
                break
            }
        }
        return format
    }

    /// Returns the bytes of the table that begins in a packet, as far as the packet contains it.
    private static func section(_ head: MediaBytes, _ packet: Int) -> Range<Int>? {
        guard let control = head.byte(at: packet + 3) else { return nil }
        var offset = packet + 4
        if control & 0x20 != 0 { offset += 1 + Int(head.byte(at: offset) ?? 0) }
        offset += 1 + Int(head.byte(at: offset) ?? 0)
        let end = packet + self.packetLength
        guard offset + 3 < end, let length = head.number(at: offset + 1, 2) else { return nil }
        // The last four bytes are a checksum.
        let last = min(end, offset + 3 + (length & 0xFFF) - 4)
        return offset < last ? offset..<last : nil
    }

    private static func programMap(_ head: MediaBytes, _ section: Range<Int>) -> Int? {
        for entry in stride(from: section.lowerBound + 8, to: section.upperBound - 3, by: 4) {
            if let program = head.number(at: entry, 2), program != 0 { return head.number(at: entry + 2, 2).map { $0 & 0x1FFF } }
        }
        return nil
    }

    private static func codecs(_ head: MediaBytes, _ section: Range<Int>) -> Set<MediaCodec> {
        var codecs: Set<MediaCodec> = []
        guard let information = head.number(at: section.lowerBound + 10, 2) else { return [] }
        var entry = section.lowerBound + 12 + (information & 0xFFF)
        while entry + 5 <= section.upperBound, let type = head.byte(at: entry), let length = head.number(at: entry + 3, 2) {
            if let codec = self.codecsByStreamType[type] { codecs.insert(codec) }
            entry += 5 + (length & 0xFFF)
        }
        return codecs
    }

    private static let codecsByStreamType: [UInt8: MediaCodec] = [
        0x01: .mpeg2video, 0x02: .mpeg2video, 0x03: .mp3, 0x04: .mp3, 0x0F: .aac, 0x10: .mpeg4, 0x11: .aac, 0x1B: .h264, 0x24: .hevc,
        0x81: .ac3, 0x82: .dts, 0x87: .eac3, 0x8A: .dts, 0xEA: .vc1,
    ]
}
