/// What kind of medium it is.
public enum MediaCategory: Sendable, Hashable {
    case audio, video, image
    case unknown(String)

    /// The word on the wire (`AUDIO` …).
    public init(wireValue: String) {
        switch wireValue {
        case "AUDIO": self = .audio
        case "VIDEO": self = .video
        case "IMAGE": self = .image
        default: self = .unknown(wireValue)
        }
    }

    /// The word on the wire.
    public var wireValue: String {
        switch self {
        case .audio: "AUDIO"
        case .video: "VIDEO"
        case .image: "IMAGE"
        case .unknown(let value): value
        }
    }
}

/// The container of HLS audio segments, or of all segments where audio and video share them.
public enum HLSSegmentFormat: Sendable, Hashable {
    case aac, ac3, eac3, fmp4, mp3, ts, tsAAC
    case unknown(String)

    private static let words: [(Self, String)] = [
        (.aac, "aac"), (.ac3, "ac3"), (.eac3, "e_ac3"), (.fmp4, "fmp4"), (.mp3, "mp3"), (.ts, "ts"), (.tsAAC, "ts_aac"),
    ]

    /// The word on the wire (`e_ac3` …).
    public init(wireValue: String) { self = Self.words.first { $0.1 == wireValue }?.0 ?? .unknown(wireValue) }

    /// The word on the wire.
    public var wireValue: String {
        if case .unknown(let word) = self { return word }
        return Self.words.first { $0.0 == self }?.1 ?? ""
    }
}

/// The container of HLS video segments.
public enum HLSVideoSegmentFormat: Sendable, Hashable {
    case fmp4, mpeg2TS
    case unknown(String)

    /// The word on the wire (`mpeg2_ts` …).
    public init(wireValue: String) {
        switch wireValue {
        case "fmp4": self = .fmp4
        case "mpeg2_ts": self = .mpeg2TS
        default: self = .unknown(wireValue)
        }
    }

    /// The word on the wire.
    public var wireValue: String {
        switch self {
        case .fmp4: "fmp4"
        case .mpeg2TS: "mpeg2_ts"
        case .unknown(let value): value
        }
    }
}
