/// Reads the boxes at the head of an MP4 file (ISO 14496-12): the codecs of its tracks, encryption, and the position of its index.
enum MP4Reader {
    private static let firstBoxes: Set<String> = ["ftyp", "styp", "moov", "moof", "mdat", "sidx", "free", "skip", "wide", "pnot"]
    /// The boxes that contain the sample entries.
    private static let ways: Set<String> = ["moov", "trak", "mdia", "minf", "stbl"]
    private static let boxLimit = 4096

    static func isFirstBox(_ name: String) -> Bool { self.firstBoxes.contains(name) }

    static func read(_ head: MediaBytes) -> MediaFormat {
        let isQuickTime = head.has("ftyp", at: 4) ? head.has("qt  ", at: 8) : !head.has("styp", at: 4) && !head.has("moof", at: 4)
        var format = MediaFormat(isQuickTime && !head.has("sidx", at: 4) ? .quicktime : .mp4)
        var hasIndex = false
        var boxes = 0
        self.walk(head, 0..<head.count, &boxes) { name, body in
            switch name {
            case "moov", "moof": hasIndex = true
            case "mdat": if !hasIndex { format.isIndexAtEnd = true }
            case "pssh": format.isProtected = true
            case "stsd": self.readEntries(head, body, &format)
            default: break
            }
        }
        return format
    }

    /// Returns the offset of the first box after the media data that the head does not contain; `nil` when unknown.
    static func indexOffset(_ head: MediaBytes) -> Int? {
        var offset = 0
        for _ in 0..<64 {
            guard let short = head.number(at: offset, 4), head.number(at: offset + 4, 4) != nil else { return nil }
            let length = short == 1 ? head.number(at: offset + 8, 8) ?? 0 : short
            guard length >= 8, length <= 1 << 50 else { return nil }
            offset += length
            if offset >= head.count { return offset }
        }
        return nil
    }

    /// Calls `handle` for the boxes of a range in order, and for the boxes inside containers of sample entries.
    private static func walk(_ head: MediaBytes, _ range: Range<Int>, _ boxes: inout Int, _ handle: (String, Range<Int>) -> Void) {
        var offset = range.lowerBound
        while boxes < self.boxLimit, offset < range.upperBound, let size = head.number(at: offset, 4), let name = head.code(at: offset + 4)
        {
            boxes += 1
            var (start, length) = (offset + 8, size)
            // A size of 1 is followed by the size in 8 bytes; 0 means the rest of the file.
            if size == 1 { (start, length) = (offset + 16, head.number(at: offset + 8, 8) ?? 0) }
            if size == 0 { length = range.upperBound - offset }
            guard length >= start - offset else { return }
            // The box may extend beyond the bytes that were read.
            let end = length < range.upperBound - offset ? offset + length : range.upperBound
            let body = min(start, end)..<end
            handle(name, body)
            if self.ways.contains(name) { self.walk(head, body, &boxes, handle) }
            offset = end
        }
    }

    private static func readEntries(_ head: MediaBytes, _ body: Range<Int>, _ format: inout MediaFormat) {
        // Version, flags and the number of entries come first.
        guard body.count > 8 else { return }
        var boxes = 0
        self.walk(head, body.lowerBound + 8..<body.upperBound, &boxes) { name, entry in
            switch name {
            case "encv", "enca": format.isProtected = true
            case "mp4a", "mp4v":
                let codec = self.objectType(head, entry).flatMap { MediaCodec(objectType: $0) } ?? MediaCodec(sampleEntry: name)
                if let codec { format.codecs.insert(codec) }
            default: if let codec = MediaCodec(sampleEntry: name) { format.codecs.insert(codec) }
            }
        }
    }

    /// The objectTypeIndication of the box `esds` (ISO 14496-1 section 7.2.6.6), which distinguishes MP3 from AAC.
    private static func objectType(_ head: MediaBytes, _ entry: Range<Int>) -> UInt8? {
        let name = Array("esds".utf8)
        let places = entry.prefix(512).dropLast(4)
        guard let start = places.first(where: { head.has(name, at: $0) }) else { return nil }
        // Descriptors follow version and flags: a tag, and a length whose bytes have the highest bit set except for the last.
        var offset = start + 8
        for _ in 0..<4 {
            guard offset < entry.upperBound, let tag = head.byte(at: offset) else { return nil }
            offset += 1
            while let length = head.byte(at: offset), length & 0x80 != 0, offset < entry.upperBound { offset += 1 }
            offset += 1
            switch tag {
            // ES descriptor: its id and flags; the three upper flags announce further fields.
            case 0x03:
                let flags = head.byte(at: offset + 2) ?? 0
                offset += 3 + (flags & 0x80 != 0 ? 2 : 0)
                if flags & 0x40 != 0 { offset += 1 + Int(head.byte(at: offset) ?? 0) }
                if flags & 0x20 != 0 { offset += 2 }
            case 0x04: return head.byte(at: offset)
            default: return nil
            }
        }
        return nil
    }
}

extension MediaCodec {
    /// The codec of an objectTypeIndication (ISO 14496-1 table 5, and the MP4 registration authority); `nil` when it is unknown.
    fileprivate init?(objectType: UInt8) {
        switch objectType {
        case 0x20: self = .mpeg4
        case 0x21: self = .h264
        case 0x40, 0x66...0x68: self = .aac
        case 0x60...0x65: self = .mpeg2video
        case 0x69, 0x6B: self = .mp3
        case 0x6C: self = .mjpeg
        case 0xA5: self = .ac3
        case 0xA6: self = .eac3
        case 0xA9...0xAC: self = .dts
        case 0xAD: self = .opus
        default: return nil
        }
    }
}
