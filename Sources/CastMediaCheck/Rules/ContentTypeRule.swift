/// Compares a declared content type with the detected format. Pure.
package enum ContentTypeRule {
    /// Returns the type without parameters, in lower case.
    static func bare(_ type: String) -> String { String(String(type.prefix { $0 != ";" }).trimmingSpace).lowercased() }

    /// Returns whether a type, as returned by `bare`, belongs to the format.
    static func fits(_ type: String, _ container: MediaFormat.Container) -> Bool { self.types(container).contains(type) }

    /// Returns the player that a receiver selects for a type; `nil` when the type is unknown.
    static func kind(of type: String) -> MediaFormat.Kind? {
        if let container = MediaFormat.Container.allCases.first(where: { self.fits(type, $0) }) { return container.kind }
        if type.hasPrefix("image/") { return .image }
        return type.hasPrefix("video/") || type.hasPrefix("audio/") ? .file : nil
    }

    /// Returns the type to declare for a format: `hint`, as far as it belongs to the format.
    package static func type(of container: MediaFormat.Container, like hint: String?) -> String {
        if let hint, self.fits(self.bare(hint), container) { return hint }
        return container == .matroska ? "video/x-matroska" : self.types(container).first ?? "application/octet-stream"
    }

    /// The types of a format, the usual one first.
    private static func types(_ container: MediaFormat.Container) -> [String] {
        switch container {
        case .mp4, .quicktime:
            [
                "video/mp4", "audio/mp4", "application/mp4", "video/x-m4v", "audio/x-m4a", "audio/m4a", "video/quicktime",
                "video/iso.segment",
                "audio/aac", "audio/x-m4b", "video/mpeg4",
            ]
        case .webm, .matroska:
            [
                "video/webm", "audio/webm", "video/x-matroska", "audio/x-matroska", "video/matroska", "audio/matroska",
                "application/x-matroska",
            ]
        case .mp3: ["audio/mpeg", "audio/mp3", "audio/x-mp3", "audio/x-mpeg", "audio/mpeg3", "audio/mpg"]
        case .aac: ["audio/aac", "audio/aacp", "audio/x-aac", "audio/x-hx-aac-adts"]
        case .flac: ["audio/flac", "audio/x-flac"]
        case .ogg: ["audio/ogg", "video/ogg", "application/ogg", "audio/opus", "audio/vorbis", "audio/x-ogg"]
        case .wav: ["audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave"]
        case .avi: ["video/x-msvideo", "video/avi", "video/msvideo"]
        case .flv: ["video/x-flv"]
        case .asf: ["video/x-ms-wmv", "video/x-ms-asf", "audio/x-ms-wma", "application/vnd.ms-asf"]
        case .aiff: ["audio/aiff", "audio/x-aiff"]
        case .ac3: ["audio/ac3"]
        case .midi: ["audio/midi"]
        case .realmedia: ["application/vnd.rn-realmedia"]
        case .mpegTS: ["video/mp2t", "video/mpeg", "video/vnd.dlna.mpeg-tts"]
        case .mpegPS: ["video/mpeg", "video/mp2p"]
        case .jpeg: ["image/jpeg", "image/jpg", "image/pjpeg"]
        case .png: ["image/png"]
        case .gif: ["image/gif"]
        case .webp: ["image/webp"]
        case .bmp: ["image/bmp", "image/x-ms-bmp"]
        case .tiff: ["image/tiff"]
        case .hls:
            [
                "application/x-mpegurl", "application/vnd.apple.mpegurl", "audio/mpegurl", "audio/x-mpegurl", "application/mpegurl",
                "video/mpegurl",
            ]
        case .dash: ["application/dash+xml", "video/vnd.mpeg.dash.mpd"]
        case .smoothStreaming: ["application/vnd.ms-sstr+xml"]
        case .m3u: ["audio/x-mpegurl", "audio/mpegurl"]
        case .pls: ["audio/x-scpls"]
        case .webVTT: ["text/vtt"]
        case .ttml: ["application/ttml+xml", "application/xml", "text/xml", "application/ttaf+xml"]
        case .srt: ["application/x-subrip", "text/srt"]
        case .ssa: ["text/x-ssa"]
        case .html: ["text/html", "application/xhtml+xml"]
        }
    }
}
