/// MIME types of what Cast devices load, guessed from the name in a URL.
public enum ContentType {
    /// Returns the type for the extension of the last path component; `nil` for an unknown extension.
    public static func guess(url: String) -> String? {
        var path = url.prefix { $0 != "?" && $0 != "#" }
        if let scheme = path.firstRange(of: "://") {
            path = path[scheme.upperBound...]
            guard let slash = path.firstIndex(of: "/") else { return nil }
            path = path[slash...]
        }
        return self.type(of: path)
    }

    /// Returns the type for the extension of a file, in whose name every character counts.
    public static func guess(name: String) -> String? { self.type(of: name[...]) }

    private static func type(of path: Substring) -> String? {
        let lowered = path.lowercased()
        // Smooth Streaming manifests are addressed below the presentation.
        if lowered.hasSuffix(".ism/manifest") || lowered.hasSuffix(".isml/manifest") { return "application/vnd.ms-sstr+xml" }
        let name = lowered[(lowered.lastIndex(of: "/").map { lowered.index(after: $0) } ?? lowered.startIndex)...]
        guard let dot = name.lastIndex(of: ".") else { return nil }
        return self.extensions[String(name[name.index(after: dot)...])]
    }

    /// Returns the extension of files of a type; `nil` for an unknown type.
    public static func fileExtension(of type: String) -> String? {
        let subtype = type.drop { $0 != "/" }.dropFirst()
        return self.extensions.filter { $0.value == type }.keys.min {
            ($0.utf8.count, $0 == subtype ? 0 : 1, $0) < ($1.utf8.count, $1 == subtype ? 0 : 1, $1)
        }
    }

    /// Subtitles that devices don't show until they are converted.
    public static let subRip = "application/x-subrip"

    /// A playlist that is called nothing else.
    public static let list = "audio/x-scpls"

    /// Whether the name is that of a playlist and of nothing else; what is called .m3u8 is mostly HLS.
    public static func isList(_ url: String) -> Bool {
        self.guess(url: url) == self.list || url.prefix { $0 != "?" && $0 != "#" }.lowercased().hasSuffix(".m3u")
    }

    /// Whether a file of this name is played by itself; subtitles are not.
    public static func isMedium(_ name: String) -> Bool {
        self.guess(name: name).map { $0 != self.subRip && $0 != "text/vtt" && $0 != "application/ttml+xml" } ?? false
    }

    /// Whether the name is that of a playlist, or of a manifest that is called the same.
    static func isPlaylist(_ url: String) -> Bool { ["application/x-mpegURL", self.list].contains(self.guess(url: url)) }

    /// The words in place of a type that Home Assistant passes on, by the type to use when the URL has no known extension; `nil` where a
    /// word implies none.
    static let words: [String?: Set<String>] = [
        "audio/mpeg": ["music", "audio", "song", "track", "podcast", "radio"],
        "video/mp4": ["video", "movie", "tvshow", "tv_show", "episode"], "image/jpeg": ["image", "photo", "picture"],
        nil: ["playlist", "channel", "channels", "url", "album", "artist", "season", "genre"],
    ]

    /// Returns whether `text` has the form `type/subtype`, optionally with parameters (RFC 9110, section 8.3.1).
    static func isMediaType(_ text: String) -> Bool {
        let head = text.prefix { $0 != ";" }
        let parts = head.split(separator: "/", omittingEmptySubsequences: false)
        let isToken = { (part: Substring) in
            let part = part.last == " " ? part.dropLast() : part
            return !part.isEmpty && part.utf8.allSatisfy { Character(Unicode.Scalar($0)).isToken }
        }
        return parts.count == 2 && text.utf8.count <= 128 && parts.allSatisfy(isToken)
            && text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    }

    private static let extensions: [String: String] = [
        "mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/quicktime", "webm": "video/webm", "mkv": "video/x-matroska",
        "ogv": "video/ogg", "ts": "video/mp2t", "mp3": "audio/mpeg", "mpga": "audio/mpeg", "m4a": "audio/mp4", "m4b": "audio/mp4",
        "aac": "audio/aac", "flac": "audio/flac", "ogg": "audio/ogg", "oga": "audio/ogg", "opus": "audio/ogg", "wav": "audio/wav",
        "weba": "audio/webm", "m3u8": "application/x-mpegURL", "m3u": "application/x-mpegURL", "mpd": "application/dash+xml",
        "jpg": "image/jpeg", "jpeg": "image/jpeg",
        "png": "image/png", "gif": "image/gif", "webp": "image/webp", "bmp": "image/bmp", "vtt": "text/vtt",
        "ttml": "application/ttml+xml", "dfxp": "application/ttml+xml", "srt": Self.subRip, "pls": Self.list,
    ]
}

extension Character {
    fileprivate var isToken: Bool { self.isASCII && (self.isLetter || self.isNumber || "!#$%&'*+-.^_`|~".contains(self)) }
}
