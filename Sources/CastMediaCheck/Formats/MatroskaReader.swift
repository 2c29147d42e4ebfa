/// Reads the head of a Matroska or WebM file (RFC 8794, RFC 9559): the document type and the codecs of its tracks.
enum MatroskaReader {
    private static let docType = 0x4282
    private static let codecID = 0x86
    private static let encryption = 0x5035
    /// The elements that contain the codecs: EBML, Segment, Tracks, TrackEntry, ContentEncodings, ContentEncoding.
    private static let ways: Set<Int> = [0x1A45_DFA3, 0x1853_8067, 0x1654_AE6B, 0xAE, 0x6D80, 0x6240]
    private static let cluster = 0x1F43_B675
    private static let elementLimit = 4096

    static func read(_ head: MediaBytes) -> MediaFormat {
        var format = MediaFormat(.matroska)
        var elements = 0
        self.walk(head, 0..<head.count, &elements) { id, body in
            let text = String(decoding: head.bytes[body.prefix(32)], as: UTF8.self)
            switch id {
            case self.docType: if text.hasPrefix("webm") { format.container = .webm }
            case self.codecID: if let codec = MediaCodec(matroska: text) { format.codecs.insert(codec) }
            case self.encryption: format.isProtected = true
            default: break
            }
        }
        return format
    }

    private static func walk(_ head: MediaBytes, _ range: Range<Int>, _ elements: inout Int, _ handle: (Int, Range<Int>) -> Void) {
        var offset = range.lowerBound
        while offset < range.upperBound, elements < self.elementLimit {
            elements += 1
            guard let (id, start) = self.variable(head, at: offset, keepsMarker: true, limit: 4),
                let (size, body) = self.variable(head, at: start, keepsMarker: false, limit: 8), body <= range.upperBound
            else { return }
            // Media data follows. A size of all ones is unknown and means the rest of the file.
            if id == self.cluster { return }
            let end = size.map { $0 < range.upperBound - body ? body + $0 : range.upperBound } ?? range.upperBound
            guard let id else { return }
            handle(id, body..<end)
            if self.ways.contains(id) { self.walk(head, body..<end, &elements, handle) }
            offset = end
        }
    }

    /// Reads a number of variable length (RFC 8794 section 4): its value, or `nil` when all bits are set, and its end.
    private static func variable(_ head: MediaBytes, at offset: Int, keepsMarker: Bool, limit: Int) -> (value: Int?, end: Int)? {
        guard let first = head.byte(at: offset), first != 0 else { return nil }
        let length = first.leadingZeroBitCount + 1
        guard length <= limit, let value = head.number(at: offset, length) else { return nil }
        let mask = 1 << (7 * length) - 1
        if keepsMarker { return (value, offset + length) }
        return (value & mask == mask ? nil : value & mask, offset + length)
    }
}

extension MediaCodec {
    /// The codec of a Matroska CodecID (RFC 9559 section 27.2 and the codec registry); `nil` when it is unknown.
    fileprivate init?(matroska id: String) {
        let prefixes: [(String, MediaCodec)] = [
            ("V_MPEG4/ISO/AVC", .h264), ("V_MPEGH/ISO/HEVC", .hevc), ("V_MPEG4/ISO", .mpeg4), ("V_MPEG4/MS", .mpeg4),
            ("V_MPEG1", .mpeg2video),
            ("V_MPEG2", .mpeg2video), ("V_VP8", .vp8), ("V_VP9", .vp9), ("V_AV1", .av1), ("V_THEORA", .theora), ("V_MS/VFW", .mpeg4),
            ("V_PRORES", .prores), ("V_MJPEG", .mjpeg), ("A_AAC", .aac), ("A_MPEG/L3", .mp3), ("A_MPEG/L2", .mp2), ("A_OPUS", .opus),
            ("A_VORBIS", .vorbis), ("A_FLAC", .flac), ("A_PCM", .pcm), ("A_ALAC", .alac), ("A_AC3", .ac3), ("A_EAC3", .eac3),
            ("A_DTS", .dts), ("A_TRUEHD", .truehd), ("A_MLP", .truehd),
        ]
        guard let found = prefixes.first(where: { id.hasPrefix($0.0) }) else { return nil }
        self = found.1
    }
}
