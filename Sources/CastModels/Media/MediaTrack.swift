/// A text, audio or video track of a medium (SDK: `GCKMediaTrack`; wire: `tracks`).
public struct MediaTrack: Sendable, Hashable {
    /// The id, unique within its medium.
    public var trackID: Int
    public var type: Kind
    /// The subtype of a text track; required for text tracks outside the medium.
    public var subtype: Subtype?
    public var name: String?
    /// The language (RFC 5646); required for subtitles outside the medium.
    public var language: String?
    /// The URL of a track outside the medium; `nil` for a track inside it.
    public var contentID: String?
    /// The MIME type (`text/vtt` …).
    public var contentType: String?
    public var roles: [String]
    /// Whether the track is part of the medium's own stream; `nil` when not reported.
    public var isInband: Bool?
    public var customData: JSONValue?

    public init(
        trackID: Int, type: Kind, subtype: Subtype? = nil, name: String? = nil, language: String? = nil, contentID: String? = nil,
        contentType: String? = nil
    ) {
        self.trackID = trackID
        self.type = type
        self.subtype = subtype
        self.name = name
        self.language = language
        self.contentID = contentID
        self.contentType = contentType
        self.roles = []
    }

    /// The kind of content of a track.
    public enum Kind: WireWord {
        case text, audio, video
        case unknown(String)

        public static let words: KeyValuePairs<String, Self> = ["TEXT": .text, "AUDIO": .audio, "VIDEO": .video]
        public var unknownWord: String? { if case .unknown(let word) = self { word } else { nil } }
    }

    /// The purpose of a text track.
    public enum Subtype: WireWord {
        /// Translated dialogue.
        case subtitles
        /// Dialogue and sounds, for viewers who cannot hear.
        case captions
        /// Descriptions of the picture, for viewers who cannot see.
        case descriptions
        case chapters
        /// Data for programs, not for people.
        case metadata
        case unknown(String)

        public static let words: KeyValuePairs<String, Self> = [
            "SUBTITLES": .subtitles, "CAPTIONS": .captions, "DESCRIPTIONS": .descriptions, "CHAPTERS": .chapters, "METADATA": .metadata,
        ]
        public var unknownWord: String? { if case .unknown(let word) = self { word } else { nil } }
    }

    /// Checks for values that receivers do not accept.
    ///
    /// - Throws: `invalidRequest` with `path` and the field as its argument.
    package func validate(_ path: String) throws(CastError) {
        // The receiver describes tracks inside the stream, in less detail.
        let isSideLoaded = self.contentID != nil
        if isSideLoaded, self.type == .text, self.subtype == nil { throw .invalidArgument("\(path).subtype", "a text track needs one") }
        if self.type != .text, self.subtype != nil { throw .invalidArgument("\(path).subtype", "only text tracks have one") }
        if isSideLoaded, self.subtype == .subtitles, self.language == nil {
            throw .invalidArgument("\(path).language", "subtitles need one")
        }
        try CastError.checkText(self.language, "\(path).language")
        try CastError.checkText(self.contentID, "\(path).contentID")
    }
}
