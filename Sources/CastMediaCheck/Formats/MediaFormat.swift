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
    package var title: String { Self.titles[self] ?? self.rawValue.uppercased() }

    private static let titles: [Self: String] = [
        .quicktime: "QuickTime", .webm: "WebM", .matroska: "Matroska (MKV)", .ogg: "Ogg", .flv: "Flash video", .asf: "Windows Media",
        .ac3: "a bare Dolby Digital stream", .realmedia: "RealMedia", .mpegTS: "an MPEG transport stream",
        .mpegPS: "an MPEG program stream", .webp: "WebP", .hls: "an HLS playlist", .dash: "a DASH manifest",
        .smoothStreaming: "a Smooth Streaming manifest", .pls: "a PLS playlist", .m3u: "a list of addresses (M3U)", .webVTT: "WebVTT",
        .srt: "SubRip (SRT)", .ssa: "SubStation Alpha", .html: "a web page",
    ]
}
