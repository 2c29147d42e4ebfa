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
    package var title: String {
        switch self {
        case .h264: "H.264"
        case .hevc: "HEVC (H.265)"
        case .mpeg4: "MPEG-4 part 2 (DivX, Xvid)"
        case .mpeg2video: "MPEG-2 video"
        case .h263: "H.263"
        case .vc1: "VC-1"
        case .dolbyVision: "Dolby Vision"
        case .ac3: "Dolby Digital (AC-3)"
        case .eac3: "Dolby Digital Plus (E-AC-3)"
        case .ac4: "AC-4"
        case .truehd: "Dolby TrueHD"
        default: self.rawValue.uppercased()
        }
    }

    /// Parses one name of an RFC 6381 list (`avc1.64001f`) or the name of an MP4 sample entry; `nil` when unknown.
    package init?(sampleEntry name: some StringProtocol) {
        switch name.prefix(4).lowercased() {
        case "avc1", "avc3": self = .h264
        case "hvc1", "hev1": self = .hevc
        case "dvh1", "dvhe", "dva1", "dvav": self = .dolbyVision
        case "vp08", "vp8", "vp8.": self = .vp8
        case "vp09", "vp9", "vp9.": self = .vp9
        case "av01": self = .av1
        case "mp4a":
            switch name.lowercased() {
            case "mp4a.69", "mp4a.6b", "mp4a.40.34": self = .mp3
            case "mp4a.a5": self = .ac3
            case "mp4a.a6": self = .eac3
            default: self = .aac
            }
        case "mp4v": self = .mpeg4
        case "ac-3": self = .ac3
        case "ec-3": self = .eac3
        case "ac-4": self = .ac4
        case "opus": self = .opus
        case "flac": self = .flac
        case "alac": self = .alac
        case ".mp3": self = .mp3
        case "dtsc", "dtse", "dtsh", "dtsl", "dtsx": self = .dts
        case "mlpa": self = .truehd
        case "jpeg", "mjpa", "mjpg": self = .mjpeg
        case "ap4h", "ap4x", "apch", "apcn", "apcs", "apco": self = .prores
        case "s263", "h263": self = .h263
        case "samr", "sawb": self = .amr
        case "twos", "sowt", "lpcm", "in24", "in32", "ipcm", "fpcm": self = .pcm
        case "vc-1": self = .vc1
        case "vorb": self = .vorbis
        default: return nil
        }
    }
}
