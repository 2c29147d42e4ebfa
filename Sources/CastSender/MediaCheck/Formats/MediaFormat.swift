/// The format of a file, as far as its first bytes show it.
package struct MediaFormat: Sendable, Hashable {
    package enum Container: String, Sendable, Hashable, CaseIterable {
        case mp4, quicktime, webm, matroska, mp3, aac, flac, ogg, wav, avi, flv, asf, aiff, ac3, midi, realmedia
        case mpegTS = "mpeg_ts"
        case mpegPS = "mpeg_ps"
        case jpeg, png, gif, webp, bmp, tiff
        case hls, dash, pls
        case smoothStreaming = "smooth_streaming"
        /// A list of addresses without HLS tags.
        case m3u
        case webVTT = "webvtt"
        case ttml, srt, ssa
        case html
    }

    /// The player that a receiver chooses for a format.
    package enum Kind: Sendable, Hashable { case file, image, adaptive, text, other }

    package var container: Container
    package var codecs: Set<MediaCodec> = []
    /// Whether the content is encrypted.
    package var isProtected = false
    /// Whether the index of an MP4 file comes after its media data.
    package var isIndexAtEnd = false

    package init(_ container: Container) { self.container = container }

    package var kind: Kind { self.container.kind }

    /// Whether it needs a device with a screen.
    package var hasPicture: Bool { self.kind == .image || self.codecs.contains(where: \.isVideo) }
}

extension MediaFormat.Container {
    package var kind: MediaFormat.Kind {
        switch self {
        case .mp4, .quicktime, .webm, .matroska, .mp3, .aac, .flac, .ogg, .wav, .avi, .flv, .asf, .aiff, .ac3, .midi, .realmedia, .mpegTS,
            .mpegPS:
            .file
        case .jpeg, .png, .gif, .webp, .bmp, .tiff: .image
        case .hls, .dash, .smoothStreaming: .adaptive
        case .webVTT, .ttml, .srt, .ssa: .text
        case .html, .m3u, .pls: .other
        }
    }

    /// Whether Cast devices play it; `nil` when that depends on the device.
    package var isPlayed: Bool? {
        switch self {
        case .mp4, .webm, .mp3, .aac, .flac, .ogg, .wav, .mpegTS, .jpeg, .png, .gif, .webp, .bmp, .hls, .dash, .smoothStreaming, .webVTT,
            .ttml:
            true
        case .quicktime, .matroska: nil
        case .avi, .flv, .asf, .aiff, .ac3, .midi, .realmedia, .mpegPS, .tiff, .m3u, .pls, .srt, .ssa, .html: false
        }
    }

    /// The name, for people.
    package var title: String {
        switch self {
        case .mp4: "MP4"
        case .quicktime: "QuickTime"
        case .webm: "WebM"
        case .matroska: "Matroska (MKV)"
        case .mp3: "MP3"
        case .aac: "AAC"
        case .flac: "FLAC"
        case .ogg: "Ogg"
        case .wav: "WAV"
        case .avi: "AVI"
        case .flv: "Flash video"
        case .asf: "Windows Media"
        case .aiff: "AIFF"
        case .ac3: "a bare Dolby Digital stream"
        case .midi: "MIDI"
        case .realmedia: "RealMedia"
        case .mpegTS: "an MPEG transport stream"
        case .mpegPS: "an MPEG program stream"
        case .jpeg, .png, .gif, .bmp, .tiff: self.rawValue.uppercased()
        case .webp: "WebP"
        case .hls: "an HLS playlist"
        case .dash: "a DASH manifest"
        case .smoothStreaming: "a Smooth Streaming manifest"
        case .pls: "a PLS playlist"
        case .m3u: "a list of addresses (M3U)"
        case .webVTT: "WebVTT"
        case .ttml: "TTML"
        case .srt: "SubRip (SRT)"
        case .ssa: "SubStation Alpha"
        case .html: "a web page"
        }
    }
}
