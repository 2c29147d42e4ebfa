/// The category of a medium.
public enum MediaCategory: WireWord {
    case audio, video, image
    case unknown(String)

    public static let words: KeyValuePairs<String, Self> = ["AUDIO": .audio, "VIDEO": .video, "IMAGE": .image]
    public var unknownWord: String? { if case .unknown(let word) = self { word } else { nil } }
}

/// The container of HLS audio segments, or of all segments where audio and video share them.
public enum HLSSegmentFormat: WireWord {
    case aac, ac3, eac3, fmp4, mp3, ts, tsAAC
    case unknown(String)

    public static let words: KeyValuePairs<String, Self> = [
        "aac": .aac, "ac3": .ac3, "e_ac3": .eac3, "fmp4": .fmp4, "mp3": .mp3, "ts": .ts, "ts_aac": .tsAAC,
    ]
    public var unknownWord: String? { if case .unknown(let word) = self { word } else { nil } }
}

/// The container of HLS video segments.
public enum HLSVideoSegmentFormat: WireWord {
    case fmp4, mpeg2TS
    case unknown(String)

    public static let words: KeyValuePairs<String, Self> = ["fmp4": .fmp4, "mpeg2_ts": .mpeg2TS]
    public var unknownWord: String? { if case .unknown(let word) = self { word } else { nil } }
}
