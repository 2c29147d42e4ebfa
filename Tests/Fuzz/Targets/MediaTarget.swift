@testable import CastMediaCheck

/// The head of a media file, a playlist or a manifest, as a web server sends it.
enum MediaTarget: FuzzTarget {
    static let name = "media"

    static var seeds: [[UInt8]] {
        let texts = [
            "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS=\"avc1.64001f,mp4a.40.2\"\nlow.m3u8\n",
            "#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"key\"\n#EXT-X-MAP:URI=\"init.mp4\"\n#EXTINF:6,\nseg0.m4s\n",
            "<?xml version=\"1.0\"?><MPD><BaseURL>a/</BaseURL><Period><AdaptationSet><SegmentTemplate initialization=\"$RepresentationID$.mp4\"/>"
                + "<ContentProtection/><Representation id=\"v\" codecs=\"hvc1.1\"/></AdaptationSet></Period></MPD>",
            "bytes 0-99/1000", "bytes 0-9223372036854775807/*",
            "WEBVTT\n\n00:00.000 --> 00:05.000\nA text\n", "<!DOCTYPE html><html></html>", "1\n00:00:00,000 --> 00:00:05,000\nA\n",
        ]
        let transport = [0x47, 0x40, 0, 0x10, 0, 0, 0xB0, 13, 0, 1, 0xC1, 0, 0, 0, 1, 0xE1, 0] + [UInt8](repeating: 0xFF, count: 171)
        let ogg =
            Array("OggS".utf8) + [UInt8](repeating: 0, count: 22) + [1, 19] + Array("OpusHead".utf8) + [UInt8](repeating: 0, count: 11)
        return texts.map { Array($0.utf8) } + [
            self.mp4, self.matroska, transport + transport + transport, ogg, [0xFF, 0xFB, 0x90, 0x44, 0, 0],
        ]
    }

    private static func box(_ name: String, _ body: [UInt8]) -> [UInt8] {
        [0, 0, UInt8(body.count >> 8 & 255), UInt8((body.count + 8) & 255)] + Array(name.utf8) + body
    }

    private static var mp4: [UInt8] {
        let esds = self.box("esds", [0, 0, 0, 0, 0x03, 0x16, 0, 1, 0, 0x04, 0x11, 0x6B, 0, 0, 0, 0])
        let entries = self.box("stsd", [0, 0, 0, 0, 0, 0, 0, 1] + self.box("mp4a", [UInt8](repeating: 0, count: 28) + esds))
        let track = ["stbl", "minf", "mdia", "trak", "moov"].reduce(entries) { self.box($1, $0) }
        return self.box("ftyp", Array("isom".utf8) + [0, 0, 2, 0]) + track + self.box("mdat", [1, 2, 3, 4])
    }

    private static var matroska: [UInt8] {
        [0x1A, 0x45, 0xDF, 0xA3, 0x87, 0x42, 0x82, 0x84] + Array("webm".utf8)
            + [0x18, 0x53, 0x80, 0x67, 0xFF, 0x16, 0x54, 0xAE, 0x6B, 0x89, 0xAE, 0x87, 0x86, 0x85] + Array("V_VP9".utf8)
    }

    static let words = [
        "moov", "trak", "encv", "pssh", "hvc1", "A_OPUS", "#EXT-X-MEDIA:URI=", "<SegmentList>", "<Initialization sourceURL=", "$Number$",
    ]

    static var tokens: [[UInt8]] {
        [[0, 0, 0, 1], [0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF], [0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0xEC, 0x80]]
    }

    /// An MP4 file gets another box between two of its own. Boxes have their length before their name, so words alone hardly make one.
    static func changed(_ input: [UInt8], by random: inout MutationRandom) -> [UInt8]? {
        var ends: [Int] = []
        var offset = 0
        while offset + 8 <= input.count, ends.count < 64 {
            let length = input[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            guard length >= 8, length <= input.count - offset else { break }
            offset += length
            ends.append(offset)
        }
        guard let place = ends.randomElement(using: &random),
            let name = ["moov", "moof", "trak", "stsd", "mdat", "pssh", "free", "ftyp"].randomElement(using: &random)
        else { return nil }
        let body = input.prefix(Int.random(in: 0...min(64, input.count), using: &random))
        return Array(input[..<place]) + self.box(name, Array(body)) + input[place...]
    }

    static func run(_ input: [UInt8]) {
        let format = FormatReader.read(input)
        require(FormatReader.read(input) == format, "the same head is read in two ways")
        for content in [HLSPlaylist.read(input), DASHManifest.read(input)] {
            require(content.items.count <= 3, "more addresses are kept than allowed")
            require(content.requiredCodecs.isSubset(of: content.codecs), "a codec is needed that no variant has")
        }
        // The beginning as a header's value.
        let header = String(decoding: input.prefix(64), as: UTF8.self)
        if let range = RangeRule.ContentRange(header)?.range {
            require(RangeRule.fault(contentRange: header, offset: range.lowerBound, count: nil) == nil, "a range does not fit itself")
            _ = RangeRule.fault(contentRange: header, offset: range.lowerBound, count: 1)
        }
        planted(format?.container == .mp4 && format?.codecs.contains(.mp3) == true && format?.isProtected == true)
    }
}
