import CastModels

extension IdleReason {
    /// The word in documents; `nil` for a reason outside the closed list.
    var word: String? {
        switch self {
        case .finished: "finished"
        case .cancelled: "cancelled"
        case .interrupted: "interrupted"
        case .error: "error"
        case .unknown: nil
        }
    }
}

extension RepeatMode {
    /// The word in documents and in `set/repeat`; `nil` for a mode outside the closed list.
    var word: String? {
        switch self {
        case .off: "off"
        case .single: "one"
        case .all: "all"
        case .allAndShuffle: "all_shuffle"
        case .unknown: nil
        }
    }

    public static let words = [Self.off, .all, .single, .allAndShuffle].compactMap(\.word)
}

extension StreamType {
    /// The word in documents; `nil` for a type outside the closed list.
    var word: String? { self.unknownWord == nil ? self.wireValue.lowercased() : nil }
}

extension VideoInfo.HDRType {
    /// The word in documents; `nil` for a range outside the closed list.
    var word: String? {
        switch self {
        case .sdr: "sdr"
        case .hdr10: "hdr10"
        case .hlg: "hlg"
        case .dolbyVision: "dolby_vision"
        case .unknown: nil
        }
    }
}

extension MediaMetadata.Kind {
    /// The word in documents.
    var word: String {
        switch self {
        case .generic: "generic"
        case .movie: "movie"
        case .tvShow: "tv_show"
        case .musicTrack: "music"
        case .photo: "photo"
        case .audiobookChapter: "audiobook_chapter"
        case .unknown: "unknown"
        }
    }
}
