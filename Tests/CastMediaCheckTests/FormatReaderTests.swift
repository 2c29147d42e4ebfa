import CastMediaCheck
import Testing

/// The format of files by their first bytes.
struct FormatReaderTests {
    @Test(
        "a format that is text is known by its beginning",
        arguments: [
            ("ID3\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}\u{2}ab", .mp3), ("fLaC\u{0}\u{0}\u{0}\u{22}", .flac), ("GIF89a", .gif),
            ("#EXTM3U\n#EXT-X-VERSION:3\n", .hls),
            ("\u{FEFF}#EXTM3U\n#EXTINF:1,\na.ts", .m3u), ("WEBVTT\n\n", .webVTT),
            ("\n<?xml version=\"1.0\"?>\n<tt xmlns=\"http://www.w3.org/ns/ttml\">", .ttml),
            ("<!DOCTYPE HTML><html>", .html), ("<!-- a --><x:MPD xmlns:x='urn'>", .dash),
            ("<SmoothStreamingMedia MajorVersion=\"2\">", .smoothStreaming),
            ("[playlist]\nFile1=http://a/b", .pls), ("[Script Info]\nTitle: a", .ssa), ("1\r\n00:00:01,000 --> 00:00:02,000\r\na", .srt),
            ("FLV\u{1}\u{5}", .flv),
            ("MThd\u{0}\u{0}\u{0}\u{6}", .midi), ("FORM\u{0}\u{0}\u{0}\u{6}AIFF", .aiff),
        ] as [(String, MediaFormat.Container)])
    func text(_ head: String, _ container: MediaFormat.Container) {
        #expect(FormatReader.read(Array(head.utf8))?.container == container)
    }

    @Test(
        "a format of bytes is known by its beginning",
        arguments: [
            ([0xFF, 0xF1, 0x50, 0x80, 0, 0], .aac), ([0xFF, 0xFB, 0x90, 0x64], .mp3),
            ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png),
            ([0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11], .asf), ([0, 0, 1, 0xBA, 0x44], .mpegPS), ([0x0B, 0x77, 1], .ac3),
            ([0x49, 0x49, 0x2A, 0], .tiff),
        ] as [([UInt8], MediaFormat.Container)])
    func bytes(_ head: [UInt8], _ container: MediaFormat.Container) { #expect(FormatReader.read(head)?.container == container) }

    @Test("another beginning has no format", arguments: ["", "<", "<svg xmlns='a'>", "hello", "BMx", "{\"a\":1}", "1\n2\n3", "#EXTM3"])
    func unknown(_ head: String) { #expect(FormatReader.read(Array(head.utf8)) == nil) }

    @Test("the codecs of a transport stream are read from its program map")
    func transportStream() throws {
        func packet(_ pid: Int, _ table: [UInt8]) -> [UInt8] {
            let head: [UInt8] = [0x47, 0x40 | UInt8(pid >> 8), UInt8(pid & 0xFF), 0x10, 0]
            return head + table + .init(repeating: 0xFF, count: 188 - head.count - table.count)
        }
        let programs: [UInt8] = [0x00, 0xB0, 13, 0, 1, 0xC1, 0, 0, 0, 1, 0xE1, 0x00, 1, 2, 3, 4]
        let map: [UInt8] = [
            0x02, 0xB0, 23, 0, 1, 0xC1, 0, 0, 0xE1, 0x01, 0xF0, 0, 0x24, 0xE1, 0x01, 0xF0, 0, 0x81, 0xE1, 0x02, 0xF0, 0, 1, 2, 3, 4,
        ]
        let format = try #require(FormatReader.read(packet(0, programs) + packet(0x100, map) + packet(0x1FFF, [])))
        #expect(format.container == .mpegTS)
        #expect(format.codecs == [.hevc, .ac3])
    }

    /// Every reader takes what is cut anywhere, and what is changed anywhere.
    @Test("a damaged file is read without harm")
    func nothingCrashes() {
        let heads: [[UInt8]] = [
            [0, 0, 0, 8] + Array("ftyp".utf8) + [0, 0, 0, 40] + Array("moov".utf8) + [0, 0, 0, 32] + Array("trak".utf8) + [0, 0, 0, 1]
                + Array("mdia".utf8)
                + .init(repeating: 0xFF, count: 16),
            [
                0x1A, 0x45, 0xDF, 0xA3, 0x84, 0x42, 0x82, 0x81, 0x77, 0x18, 0x53, 0x80, 0x67, 0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                0xFF, 0x16, 0x54,
            ],
            Array("OggS".utf8) + .init(repeating: 0, count: 22) + [255] + .init(repeating: 255, count: 255),
            Array("ID3".utf8) + .init(repeating: 0x7F, count: 10), Array("RIFF....WAVEfmt ".utf8),
            .init(repeating: 0x47, count: 600), Array("<MPD><Period><AdaptationSet><Representation id='".utf8), Array("<a =<>'\"".utf8),
        ]
        for head in heads {
            for end in 0...head.count { _ = FormatReader.read(Array(head.prefix(end))) }
            for place in head.indices {
                for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                    var changed = head
                    changed[place] = value
                    _ = FormatReader.read(changed)
                    _ = HLSPlaylist.read(changed)
                    _ = DASHManifest.read(changed)
                }
            }
        }
    }
}
