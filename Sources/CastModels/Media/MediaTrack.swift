/// A text, audio or video track of a medium (SDK: `GCKMediaTrack`; wire: `tracks`).
public struct MediaTrack: Sendable, Hashable {
    /// Unique within its medium.
    public var trackID: Int
    public var type: Kind
    /// Text tracks only, which need one when they are outside the medium.
    public var subtype: Subtype?
    public var name: String?
    /// RFC 5646; subtitles outside the medium need one.
    public var language: String?
    /// The URL of a track outside the medium; `nil` for one inside it.
    public var contentID: String?
    /// A MIME type (`text/vtt` …).
    public var contentType: String?
    public var roles: [String]
    /// Whether the track is part of the medium's own stream; `nil` when not told.
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

    /// What a track carries.
    public enum Kind: WireWord {
        case text, audio, video
        case unknown(String)

        public static let words: KeyValuePairs<String, Self> = ["TEXT": .text, "AUDIO": .audio, "VIDEO": .video]
        public var unknownWord: String? { if case .unknown(let word) = self { word } else { nil } }
    }

    /// What the text of a text track is for.
    public enum Subtype: WireWord {
        /// The spoken words, translated.
        case subtitles
        /// Words and sounds, for those who can't hear.
        case captions
        /// What is seen, for those who can't see.
        case descriptions
        case chapters
        /// For programs, not for people.
        case metadata
        case unknown(String)

        public static let words: KeyValuePairs<String, Self> = [
            "SUBTITLES": .subtitles, "CAPTIONS": .captions, "DESCRIPTIONS": .descriptions, "CHAPTERS": .chapters, "METADATA": .metadata,
        ]
        public var unknownWord: String? { if case .unknown(let word) = self { word } else { nil } }
    }

    /// Refuses a track that receivers would not take.
    ///
    /// - Throws: `invalidRequest` with `path` and the field as its argument.
    package func validate(_ path: String) throws(CastError) {
        // Tracks inside the stream are the receiver's to describe, and it says less of them.
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
