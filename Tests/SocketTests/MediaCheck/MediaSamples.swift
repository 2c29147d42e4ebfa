/// Small media files, made of the parts that a reader looks at.
enum MediaSamples {
    /// Bytes that look like nothing, different at every place.
    static func noise(_ count: Int, from seed: UInt32 = 1) -> [UInt8] {
        seed == 1 && count <= Self.longNoise.count ? Array(Self.longNoise.prefix(count)) : Self.made(count, seed)
    }

    private static let longNoise = Self.made(200_000, 1)

    private static func made(_ count: Int, _ seed: UInt32) -> [UInt8] {
        var state = seed
        return (0..<count).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(truncatingIfNeeded: state >> 24)
        }
    }

    static func box(_ name: String, _ content: [UInt8]...) -> [UInt8] {
        let body = Array(content.joined())
        return Self.number(8 + body.count) + Array(name.utf8) + body
    }

    static func number(_ value: Int, _ length: Int = 4) -> [UInt8] {
        (0..<length).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// A track with one sample entry; `objectType` adds the box `esds`.
    static func track(_ entry: String, objectType: UInt8? = nil) -> [UInt8] {
        let description: [UInt8] =
            objectType.map { Self.box("esds", [0, 0, 0, 0, 0x03, 0x16, 0, 1, 0, 0x04, 0x11, $0] + .init(repeating: 0, count: 16)) } ?? []
        let entries = Self.box("stsd", [0, 0, 0, 0, 0, 0, 0, 1], Self.box(entry, .init(repeating: 0, count: 28), description))
        return Self.box("trak", Self.box("mdia", Self.box("minf", Self.box("stbl", entries))))
    }

    static let fileType = Self.box("ftyp", Array("isom".utf8), [0, 0, 2, 0], Array("isomiso2avc1mp41".utf8))
    static let avc = Self.track("avc1") + Self.track("mp4a", objectType: 0x40)

    /// An MP4 of these tracks with 200 kB of media data.
    static func mp4(_ tracks: [UInt8] = MediaSamples.avc, isIndexAtEnd: Bool = false, count: Int = 200_000) -> [UInt8] {
        let (index, data) = (Self.box("moov", tracks), Self.box("mdat", Self.noise(count)))
        return Self.fileType + (isIndexAtEnd ? data + index : index + data)
    }

    /// An EBML element with a size of eight bytes.
    static func element(_ id: [UInt8], _ content: [UInt8]) -> [UInt8] { id + [0x01] + Self.number(content.count, 7) + content }

    static func matroska(_ type: String, codecs: [String]) -> [UInt8] {
        let head = Self.element([0x1A, 0x45, 0xDF, 0xA3], Self.element([0x42, 0x82], Array(type.utf8)))
        let tracks = codecs.flatMap { Self.element([0xAE], Self.element([0x86], Array($0.utf8))) }
        return head + Self.element([0x18, 0x53, 0x80, 0x67], Self.element([0x16, 0x54, 0xAE, 0x6B], tracks) + Self.noise(200_000))
    }

    /// MPEG audio frames of 128 kbit/s.
    static let mp3 = Array((0..<300).map { [0xFF, 0xFB, 0x90, 0x44] + Self.noise(414, from: UInt32($0)) }.joined())
    static let wav = Array("RIFF".utf8) + [0, 0, 4, 0] + Array("WAVEfmt ".utf8) + [16, 0, 0, 0, 1, 0, 2, 0] + Self.noise(200_000)
    static let jpeg = [0xFF, 0xD8, 0xFF, 0xE0] + Self.noise(5000)
    static let avi = Array("RIFF".utf8) + [0, 0, 4, 0] + Array("AVI LIST".utf8) + Self.noise(200_000)
    static let transportStream = Array((0..<20).map { [0x47, 0x1F, 0xFF, 0x10] + Self.noise(184, from: UInt32($0)) }.joined())

    /// A transport stream whose first packets are the tables of one program with these stream types.
    static func transportStream(_ types: [UInt8]) -> [UInt8] {
        let programs = Self.table(pid: 0, id: 0, [0, 1, 0xE1, 0])
        let map = Self.table(pid: 0x100, id: 2, [0xE1, 1, 0xF0, 0] + types.flatMap { [$0, 0xE1, 1, 0xF0, 0] })
        return programs + map + Self.transportStream
    }

    /// A packet with one table (ISO 13818-1 section 2.4.4): its header of eight bytes, the content, and a checksum that readers ignore.
    private static func table(pid: Int, id: UInt8, _ content: [UInt8]) -> [UInt8] {
        let section = [id] + Self.number(0xB000 + 5 + content.count + 4, 2) + [0, 1, 0xC1, 0, 0] + content + [0, 0, 0, 0]
        let packet = [0x47] + Self.number(0x4000 + pid, 2) + [0x10, 0] + section
        return packet + [UInt8](repeating: 0xFF, count: 188 - packet.count)
    }

    static let vtt = Array("WEBVTT\n\n00:00.000 --> 00:05.000\nA text\n".utf8)
    static let srt = Array("1\n00:00:00,000 --> 00:00:05,000\nA text\n".utf8)
    static let page = Array("<!DOCTYPE html>\n<html><head><title>Log in</title></head></html>".utf8)
    static let playlist = Array("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\nseg0.ts\n#EXTINF:6,\nseg1.ts\n#EXT-X-ENDLIST\n".utf8)
    static let masterPlaylist = Array(
        "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000000,CODECS=\"avc1.64001f,mp4a.40.2\"\nlow.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=2,CODECS=\"hvc1.1.6\"\nhigh.m3u8\n"
            .utf8)
    static let manifest = Array(
        """
        <?xml version="1.0"?><!-- <MPD> --><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><BaseURL>dash/</BaseURL><Period>
        <AdaptationSet mimeType="video/mp4"><SegmentTemplate initialization="$RepresentationID$/init.mp4?a=1&amp;b=2" media="$Number$.m4s"/>
        <Representation id="v1" bandwidth="1000" codecs="avc1.64001f"/><Representation id="v2" codecs="hvc1.1"/></AdaptationSet></Period></MPD>
        """.utf8)
}
