/// A text, audio or video track of a medium (SDK: `GCKMediaTrack`).
public struct MediaTrack: Sendable, Hashable {
    public var trackID: Int
    public var type: Kind
    /// `SUBTITLES`, `CAPTIONS`, `DESCRIPTIONS`, `CHAPTERS`, `METADATA` or another word; text tracks only.
    public var subtype: String?
    public var name: String?
    /// RFC 5646.
    public var language: String?
    public var contentID: String?
    public var contentType: String?
    public var roles: [String]
    public var customData: JSONValue?

    public init(trackID: Int, type: Kind) {
        self.trackID = trackID
        self.type = type
        self.roles = []
    }

    /// What a track carries.
    public enum Kind: Sendable, Hashable {
        case text, audio, video
        case unknown(String)

        /// The word on the wire (`TEXT` …).
        public init(wireValue: String) {
            switch wireValue {
            case "TEXT": self = .text
            case "AUDIO": self = .audio
            case "VIDEO": self = .video
            default: self = .unknown(wireValue)
            }
        }

        /// The word on the wire.
        public var wireValue: String {
            switch self {
            case .text: "TEXT"
            case .audio: "AUDIO"
            case .video: "VIDEO"
            case .unknown(let value): value
            }
        }
    }
}

/// How text tracks look. Colours are `#RRGGBBAA`.
public struct TextTrackStyle: Sendable, Hashable {
    public var foregroundColor: String?
    public var backgroundColor: String?
    public var edgeColor: String?
    public var edgeType: String?
    public var windowColor: String?
    public var windowType: String?
    /// Pixels.
    public var windowRoundedCornerRadius: Double?
    public var fontFamily: String?
    public var fontGenericFamily: String?
    /// 1 is the default size.
    public var fontScale: Double?
    public var fontStyle: String?
    public var customData: JSONValue?

    public init() {}
}
