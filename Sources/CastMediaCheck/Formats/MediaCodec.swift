/// An audio or video codec, and whether Cast devices play it.
package enum MediaCodec: String, Sendable, Hashable, CaseIterable {
    case h264, hevc, vp8, vp9, av1, mpeg4, mpeg2video, h263, vc1, theora, prores, mjpeg
    case dolbyVision = "dolby_vision"
    case aac, mp3, opus, vorbis, flac, pcm, alac, ac3, eac3, ac4, dts, truehd, amr, wma, mp2

    /// Whether devices play it; `nil` when that depends on the model, or on the connected equipment.
    package var isPlayed: Bool? {
        switch self {
        case .h264, .vp8, .aac, .mp3, .opus, .vorbis, .flac, .pcm: true
        case .hevc, .vp9, .av1, .dolbyVision, .ac3, .eac3, .ac4, .alac, .mp2: nil
        case .mpeg4, .mpeg2video, .h263, .vc1, .theora, .prores, .mjpeg, .dts, .truehd, .amr, .wma: false
        }
    }

    /// Whether a warning is due. Every recent model plays VP9.
    package var needsWarning: Bool { self.isPlayed == nil && self != .vp9 }

    package var isVideo: Bool {
        switch self {
        case .h264, .hevc, .vp8, .vp9, .av1, .mpeg4, .mpeg2video, .h263, .vc1, .theora, .prores, .mjpeg, .dolbyVision: true
        case .aac, .mp3, .opus, .vorbis, .flac, .pcm, .alac, .ac3, .eac3, .ac4, .dts, .truehd, .amr, .wma, .mp2: false
        }
    }

    /// The name, for people.
    package var title: String { Self.titles[self] ?? self.rawValue.uppercased() }

    private static let titles: [MediaCodec: String] = [
        .h264: "H.264", .hevc: "HEVC (H.265)", .mpeg4: "MPEG-4 part 2 (DivX, Xvid)", .mpeg2video: "MPEG-2 video", .h263: "H.263",
        .vc1: "VC-1", .dolbyVision: "Dolby Vision", .ac3: "Dolby Digital (AC-3)", .eac3: "Dolby Digital Plus (E-AC-3)", .ac4: "AC-4",
        .truehd: "Dolby TrueHD",
    ]

    /// The sample entries of an MP4 file, and the first parts of names, except for `mp4a`, which has several codecs.
    private static let sampleEntries: [MediaCodec: [String]] = [
        .h264: ["avc1", "avc3"], .hevc: ["hvc1", "hev1"], .dolbyVision: ["dvh1", "dvhe", "dva1", "dvav"], .vp8: ["vp08", "vp8", "vp8."],
        .vp9: ["vp09", "vp9", "vp9."], .av1: ["av01"], .mpeg4: ["mp4v"], .ac3: ["ac-3"], .eac3: ["ec-3"], .ac4: ["ac-4"],
        .opus: ["opus"], .flac: ["flac"], .alac: ["alac"], .mp3: [".mp3"], .dts: ["dtsc", "dtse", "dtsh", "dtsl", "dtsx"],
        .truehd: ["mlpa"], .mjpeg: ["jpeg", "mjpa", "mjpg"], .prores: ["ap4h", "ap4x", "apch", "apcn", "apcs", "apco"],
        .h263: ["s263", "h263"], .amr: ["samr", "sawb"], .pcm: ["twos", "sowt", "lpcm", "in24", "in32", "ipcm", "fpcm"],
        .vc1: ["vc-1"], .vorbis: ["vorb"],
    ]

    /// Parses one name of an RFC 6381 list (`avc1.64001f`) or the name of an MP4 sample entry; `nil` when unknown.
    package init?(sampleEntry name: some StringProtocol) {
        let entry = name.prefix(4).lowercased()
        switch name.lowercased() {
        case "mp4a.69", "mp4a.6b", "mp4a.40.34": self = .mp3
        case "mp4a.a5": self = .ac3
        case "mp4a.a6": self = .eac3
        case _ where entry == "mp4a": self = .aac
        default:
            guard let known = Self.sampleEntries.first(where: { $0.value.contains(entry) }) else { return nil }
            self = known.key
        }
    }
}
