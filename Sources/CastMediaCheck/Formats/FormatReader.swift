/// Detects the format of a file from its first bytes. Pure; its cost is bounded by their number.
package enum FormatReader {
    /// - Returns: `nil` for an unknown format.
    package static func read(_ bytes: [UInt8]) -> MediaFormat? {
        let head = MediaBytes(bytes: bytes)
        if let binary = self.readBinary(head) { return binary }
        return TextFormatReader.read(head)
    }

    private static func readBinary(_ head: MediaBytes) -> MediaFormat? {
        if let box = head.code(at: 4), MP4Reader.isFirstBox(box) { return MP4Reader.read(head) }
        if head.has([0x1A, 0x45, 0xDF, 0xA3]) { return MatroskaReader.read(head) }
        if head.has("OggS") { return self.ogg(head) }
        if head.has("fLaC") { return MediaFormat(.flac, .flac) }
        if head.has("RIFF") { return self.riff(head) }
        if head.has("ID3") { return self.tagged(head) }
        if let image = self.image(head) { return image }
        if let old = self.unplayable(head) { return MediaFormat(old) }
        if TransportStreamReader.isTransportStream(head) { return TransportStreamReader.read(head) }
        return self.soundFrame(head, at: 0)
    }

    private static func image(_ head: MediaBytes) -> MediaFormat? {
        let magics: [([UInt8], MediaFormat.Container)] = [
            ([0xFF, 0xD8, 0xFF], .jpeg), ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png), (Array("GIF8".utf8), .gif),
            ([0x49, 0x49, 0x2A, 0x00], .tiff), ([0x4D, 0x4D, 0x00, 0x2A], .tiff),
        ]
        if let found = magics.first(where: { head.has($0.0) }) { return MediaFormat(found.1) }
        // Two letters are weak evidence, so the reserved fields of a bitmap must be zero.
        return head.has("BM") && head.number(at: 6, 4) == 0 ? MediaFormat(.bmp) : nil
    }

    private static func unplayable(_ head: MediaBytes) -> MediaFormat.Container? {
        let magics: [([UInt8], MediaFormat.Container)] = [
            (Array("FLV\u{1}".utf8), .flv), ([0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11], .asf), ([0, 0, 1, 0xBA], .mpegPS),
            ([0, 0, 1, 0xB3], .mpegPS), (Array(".RMF".utf8), .realmedia), (Array("FORM".utf8), .aiff), (Array("MThd".utf8), .midi),
            ([0x0B, 0x77], .ac3),
        ]
        return magics.first { head.has($0.0) }?.1
    }

    private static func riff(_ head: MediaBytes) -> MediaFormat? {
        switch head.code(at: 8) {
        case "WAVE":
            // The format tag of the chunk "fmt " is little-endian: 0x55 is MP3.
            let isMP3 = head.has("fmt ", at: 12) && head.byte(at: 20) == 0x55 && head.byte(at: 21) == 0
            return MediaFormat(.wav, isMP3 ? .mp3 : .pcm)
        case "AVI ": return MediaFormat(.avi)
        case "WEBP": return MediaFormat(.webp)
        default: return nil
        }
    }

    private static func ogg(_ head: MediaBytes) -> MediaFormat {
        var format = MediaFormat(.ogg)
        // The first packet of each stream names its codec (RFC 3533 section 6: 27 bytes and the segment table). The first pages of all
        // streams come first.
        var page = 0
        for _ in 0..<8 {
            guard head.has("OggS", at: page), let segments = head.byte(at: page + 26) else { break }
            let start = page + 27 + Int(segments)
            if head.has("\u{1}vorbis", at: start) { format.codecs.insert(.vorbis) }
            if head.has("OpusHead", at: start) { format.codecs.insert(.opus) }
            if head.has("\u{7F}FLAC", at: start) { format.codecs.insert(.flac) }
            if head.has([0x80] + Array("theora".utf8), at: start) { format.codecs.insert(.theora) }
            let length = (0..<Int(segments)).reduce(0) { $0 + Int(head.byte(at: page + 27 + $1) ?? 0) }
            page = start + length
        }
        return format
    }

    /// Returns the format of the data after an ID3 tag; MP3 when that is beyond the head.
    private static func tagged(_ head: MediaBytes) -> MediaFormat {
        let sizes = (6..<10).map { Int(head.byte(at: $0) ?? 0) & 0x7F }
        let end = 10 + sizes.reduce(0) { $0 << 7 | $1 }
        if head.has("fLaC", at: end) { return MediaFormat(.flac, .flac) }
        return self.soundFrame(head, at: end) ?? MediaFormat(.mp3, .mp3)
    }

    /// Reads the header of an ADTS or MPEG audio frame (ISO 13818-7 section 6.2, ISO 11172-3 section 2.4.1).
    private static func soundFrame(_ head: MediaBytes, at offset: Int) -> MediaFormat? {
        guard head.byte(at: offset) == 0xFF, let second = head.byte(at: offset + 1), let third = head.byte(at: offset + 2) else {
            return nil
        }
        if second & 0xF6 == 0xF0 { return third >> 2 & 15 < 13 ? MediaFormat(.aac, .aac) : nil }
        guard second & 0xE0 == 0xE0, second & 0x18 != 0x08, third >> 4 != 15, third >> 4 != 0, third >> 2 & 3 != 3 else { return nil }
        switch second >> 1 & 3 {
        case 1: return MediaFormat(.mp3, .mp3)
        case 2: return MediaFormat(.mp3, .mp2)
        default: return nil
        }
    }
}

extension MediaFormat {
    init(_ container: Container, _ codecs: MediaCodec...) {
        self.init(container)
        self.codecs = Set(codecs)
    }
}
