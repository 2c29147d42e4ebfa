import Testing

@testable import CastReceiverSimulator

/// Files made by hand, byte by byte from their specifications.
enum TestFile {
    static func number(_ value: UInt64, bytes: Int) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        self.number(UInt64(content.count + 8), bytes: 4) + Array(type.utf8) + content
    }

    static func movieHeader(seconds: Double, isLong: Bool = false) -> [UInt8] {
        let times = [UInt8](repeating: 0, count: isLong ? 16 : 8)
        let length = self.number(UInt64(seconds * 600), bytes: isLong ? 8 : 4)
        return self.box("mvhd", [isLong ? 1 : 0, 0, 0, 0] + times + self.number(600, bytes: 4) + length + [UInt8](repeating: 0, count: 80))
    }

    static let brand = box("ftyp", Array("isomavc1".utf8))

    /// - Parameter gap: bytes of media before the header.
    static func mp4(seconds: Double, isLong: Bool = false, gap: Int = 0) -> [UInt8] {
        let media = gap > 0 ? self.box("mdat", [UInt8](repeating: 9, count: gap)) : []
        return self.brand + media + self.box("moov", self.box("udta", [1, 2]) + self.movieHeader(seconds: seconds, isLong: isLong))
    }

    static func wav(seconds: Int, statesSize: Bool = true) -> [UInt8] {
        func little(_ value: Int, _ bytes: Int) -> [UInt8] { self.number(UInt64(value), bytes: bytes).reversed() }
        let format =
            Array("fmt ".utf8) + little(16, 4) + little(1, 2) + little(1, 2) + little(8_000, 4) + little(8_000, 4) + little(1, 2)
            + little(8, 2)
        let note = Array("LIST".utf8) + little(3, 4) + [1, 2, 3, 0]
        let data = Array("data".utf8) + little(statesSize ? seconds * 8_000 : 0, 4) + [UInt8](repeating: 128, count: seconds * 8_000)
        return Array("RIFF".utf8) + little(100, 4) + Array("WAVE".utf8) + format + note + data
    }

    static func element(_ id: [UInt8], _ content: [UInt8], isEndless: Bool = false) -> [UInt8] {
        id + (isEndless ? [0x01] + [UInt8](repeating: 0xFF, count: 7) : [0x08] + self.number(UInt64(content.count), bytes: 4)) + content
    }

    /// - Parameters:
    ///   - duration: big-endian bytes of a floating-point number; `nil` when it is written as it comes.
    ///   - gap: bytes before the information.
    static func matroska(duration: [UInt8]?, scale: UInt64? = nil, gap: Int = 0) -> [UInt8] {
        let head = self.element([0x1A, 0x45, 0xDF, 0xA3], self.element([0x42, 0x82], Array("webm".utf8)))
        let void = gap > 0 ? self.element([0xEC], [UInt8](repeating: 0, count: gap)) : []
        let unit = scale.map { self.element([0x2A, 0xD7, 0xB1], self.number($0, bytes: 4)) } ?? []
        let info = self.element([0x15, 0x49, 0xA9, 0x66], unit + (duration.map { self.element([0x44, 0x89], $0) } ?? []) + [0xEC, 0x80])
        let cluster = self.element([0x1F, 0x43, 0xB6, 0x75], [0xE7, 0x81, 0x00], isEndless: true)
        return head + self.element([0x18, 0x53, 0x80, 0x67], void + info + cluster, isEndless: true)
    }

    static func double(_ value: Double) -> [UInt8] { self.number(value.bitPattern, bytes: 8) }

    static func flac(samples: UInt64, rate: UInt64 = 44_100) -> [UInt8] {
        Array("fLaC".utf8) + [0, 0, 0, 34] + [UInt8](repeating: 0, count: 10)
            + self.number(rate << 44 | 1 << 41 | 15 << 36 | samples, bytes: 8)
            + [UInt8](repeating: 0, count: 16)
    }

    /// MPEG-1 layer III, 128 kbit/s, 44.1 kHz, stereo.
    static let frame: [UInt8] = [0xFF, 0xFB, 0x90, 0x00]

    static func mp3(tag: Int = 0, frames: UInt64? = nil, size: Int = 16_000) -> [UInt8] {
        let head =
            tag > 0 ? Array("ID3".utf8) + [4, 0, 0, 0, 0, UInt8(tag >> 7), UInt8(tag & 0x7F)] + [UInt8](repeating: 0, count: tag) : []
        let xing = frames.map { [UInt8](repeating: 0, count: 32) + Array("Xing".utf8) + [0, 0, 0, 1] + self.number($0, bytes: 4) } ?? []
        let body = self.frame + xing
        return head + body + [UInt8](repeating: 0, count: max(0, size - body.count))
    }
}

@Suite struct ContainerLengthTests {
    @Test(
        "the length follows from the header of the file",
        arguments: [
            (TestFile.mp4(seconds: 12.5), 12.5), (TestFile.mp4(seconds: 7_200, isLong: true), 7_200), (TestFile.wav(seconds: 3), 3),
            (TestFile.wav(seconds: 2, statesSize: false), 2), (TestFile.mp3(), 1), (TestFile.mp3(tag: 300), 1),
            (TestFile.mp3(frames: 1_000), 1_000 * 1_152 / 44_100.0),
            (TestFile.mp3(frames: 0), 1), (TestFile.matroska(duration: TestFile.double(90_500)), 90.5),
            (TestFile.matroska(duration: TestFile.number(UInt64(Float(2_000).bitPattern), bytes: 4), scale: 500_000), 1),
            (TestFile.flac(samples: 44_100 * 7_200), 7_200),
        ] as [([UInt8], Double)])
    func lengths(file: [UInt8], seconds: Double) throws {
        let format = try #require(ContainerLength.format(of: file[...]))
        guard case .found(let found) = ContainerLength.search(format, file[...], at: 0, size: file.count) else {
            Issue.record("not found")
            return
        }
        #expect(abs(found - seconds) < 0.001)
    }

    @Test("bytes after the available part are requested")
    func further() {
        let file = TestFile.mp4(seconds: 5, gap: 100_000)
        let place = TestFile.brand.count + 100_008
        #expect(ContainerLength.search(.mp4, file[..<65_536], at: 0, size: file.count) == .continues(at: place))
        #expect(ContainerLength.search(.mp4, file[place...], at: place, size: file.count) == .found(seconds: 5))
        let video = TestFile.matroska(duration: TestFile.double(5_000), gap: 100_000)
        guard case .continues(let start) = ContainerLength.search(.matroska, video[..<65_536], at: 0, size: video.count) else {
            Issue.record("the information lies further on")
            return
        }
        #expect(ContainerLength.search(.matroska, video[start...], at: start, size: video.count) == .found(seconds: 5))
        let music = TestFile.mp3(tag: 2_000)
        #expect(ContainerLength.search(.mp3, music[..<1_000], at: 0, size: music.count) == .continues(at: 2_010))
        #expect(ContainerLength.search(.mp3, music[2_010...], at: 2_010, size: music.count) == .found(seconds: 1))
    }

    @Test(
        "what is written as it arrives, or is invalid, has no length",
        arguments: [
            TestFile.matroska(duration: nil), TestFile.matroska(duration: TestFile.double(.nan)),
            TestFile.matroska(duration: TestFile.double(-1)), TestFile.matroska(duration: [1, 2, 3]), TestFile.flac(samples: 0),
            TestFile.flac(samples: 9, rate: 0),
        ])
    func noLength(file: [UInt8]) throws {
        let format = try #require(ContainerLength.format(of: file[...]))
        #expect(ContainerLength.search(format, file[...], at: 0, size: file.count) == .unknown)
    }

    @Test("cut, empty and hostile files give no length and no crash")
    func hostile() {
        var random = SeededRandom(seed: 1)
        for (format, file) in [
            (ContainerLength.Format.mp4, TestFile.mp4(seconds: 5)), (.wav, TestFile.wav(seconds: 1)),
            (.mp3, TestFile.mp3(tag: 9, frames: 4)), (.matroska, TestFile.matroska(duration: TestFile.double(1), scale: 7, gap: 9)),
            (.flac, TestFile.flac(samples: 5)),
        ] {
            for count in 0..<min(file.count, 400) { _ = ContainerLength.search(format, file[..<count], at: 0, size: nil) }
            for _ in 0..<2_000 {
                var broken = Array(file.prefix(400))
                for _ in 0..<4 { broken[Int.random(in: 0..<broken.count, using: &random)] = UInt8.random(in: 0...255, using: &random) }
                _ = ContainerLength.search(format, broken[...], at: 0, size: Int.random(in: 0...500, using: &random))
                if let found = ContainerLength.format(of: broken[...]) {
                    _ = ContainerLength.search(found, broken[...], at: Int.max - 5, size: nil)
                }
            }
        }
        let endless = TestFile.number(1, bytes: 4) + Array("mdat".utf8) + TestFile.number(.max, bytes: 8)
        #expect(ContainerLength.search(.mp4, endless[...], at: 0, size: nil) == .unknown)
        #expect(ContainerLength.format(of: []) == nil)
    }

    @Test("the clock of a Matroska stream is its last cluster, in whatever pieces it comes", arguments: [1, 7, 1_000])
    func matroska(piece: Int) {
        let cluster: [UInt8] = [0x1F, 0x43, 0xB6, 0x75]
        let unknownSize: [UInt8] = [0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        let filling = [UInt8](repeating: 0x1F, count: 40)
        let stream =
            filling + cluster + unknownSize + [0xE7, 0x81, 0x00] + filling + cluster + [0x8A] + [
                0xBF, 0x84, 1, 2, 3, 4, 0xE7, 0x82, 0x1B, 0x58,
            ] + filling
        var clock = MatroskaClock()
        for start in stride(from: 0, to: stream.count, by: piece) { clock.take(stream[start..<min(stream.count, start + piece)]) }
        #expect(clock.seconds == 7)
    }

    @Test(
        "manifests contain their length, that they continue, or where the playlist is",
        arguments: [
            ("#EXTM3U\n#EXTINF:9.5,\na.ts\n#EXTINF:4.5,title\nb.ts\n#EXT-X-ENDLIST\n", .finite(seconds: 14)),
            ("#EXTM3U\r\n#EXTINF:9.5,\r\na.ts\r\n", .live),
            ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n\nlow/a.m3u8\n", .variant("low/a.m3u8")),
            ("#EXTM3U\n", .broken), ("<html>", .broken), ("", .broken),
        ] as [(String, Manifest)])
    func hls(text: String, expected: Manifest) { #expect(Manifest.hls(text) == expected) }

    @Test(
        "MPEG-DASH states a duration or that it is dynamic",
        arguments: [
            (#"<?xml?><MPD a="b" mediaPresentationDuration="PT1H2M3.5S" type="static"><Period/></MPD>"#, .finite(seconds: 3_723.5)),
            ("<MPD\n\ttype=\"dynamic\">", .live), (#"<MPD mediaPresentationDuration="P1DT1S"><Period>"#, .finite(seconds: 86_401)),
            (#"<MPD mediaPresentationDuration="P0Y0M0DT0H3M30S"><Period>"#, .finite(seconds: 210)),
            (#"<MPD mediaPresentationDuration="P1Y1M1DT1M"><Period>"#, .finite(seconds: 396 * 86_400 + 60)),
            (#"<MPD mediaPresentationDuration="PT9S"></MPD>"#, .broken), ("<MPD", .broken), ("nothing", .broken),
        ] as [(String, Manifest)])
    func dash(text: String, expected: Manifest) { #expect(Manifest.dash(text) == expected) }
}
