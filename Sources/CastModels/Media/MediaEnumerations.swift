/// The state of an application's player. Most receivers report `loading` in `extendedStatus`.
public enum PlayerState: WireWord {
    case idle, loading, buffering, playing, paused
    case unknown(String)

    public static let words: KeyValuePairs<String, Self> = [
        "IDLE": .idle, "LOADING": .loading, "BUFFERING": .buffering, "PLAYING": .playing, "PAUSED": .paused,
    ]
    public var unknownWord: String? { if case .unknown(let word) = self { word } else { nil } }
}

/// The reason why a player is idle.
public enum IdleReason: WireWord {
    case finished, cancelled, interrupted, error
    case unknown(String)

    public static let words: KeyValuePairs<String, Self> = [
        "FINISHED": .finished, "CANCELLED": .cancelled, "INTERRUPTED": .interrupted, "ERROR": .error,
    ]
    public var unknownWord: String? { if case .unknown(let word) = self { word } else { nil } }
}

/// How a queue repeats.
public enum RepeatMode: WireWord {
    case off, single, all, allAndShuffle
    case unknown(String)

    public static let words: KeyValuePairs<String, Self> = [
        "REPEAT_OFF": .off, "REPEAT_SINGLE": .single, "REPEAT_ALL": .all, "REPEAT_ALL_AND_SHUFFLE": .allAndShuffle,
    ]
    public var unknownWord: String? { if case .unknown(let word) = self { word } else { nil } }
}

/// Whether media has an end.
public enum StreamType: WireWord {
    case buffered, live, none
    case unknown(String)

    public static let words: KeyValuePairs<String, Self> = ["BUFFERED": .buffered, "LIVE": .live, "NONE": .none]
    public var unknownWord: String? { if case .unknown(let word) = self { word } else { nil } }

    /// Creates the value from the word on the wire, in any case (`BUFFERED`, `live` …).
    public init(wireValue: String) {
        let word = wireValue.uppercased()
        self = Self.words.first { $0.key == word }?.value ?? .unknown(wireValue)
    }
}

/// The player state after a seek (SDK: `GCKMediaResumeState`).
public enum ResumeState: Sendable, Hashable { case unchanged, play, pause }

/// The commands that a receiver accepts now: the bit mask `supportedMediaCommands`.
public struct MediaCommands: OptionSet, Sendable, Hashable {
    public var rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let pause = Self(rawValue: 1)
    public static let seek = Self(rawValue: 2)
    public static let streamVolume = Self(rawValue: 4)
    public static let streamMute = Self(rawValue: 8)
    public static let skipForward = Self(rawValue: 16)
    public static let skipBackward = Self(rawValue: 32)
    public static let queueNext = Self(rawValue: 64)
    public static let queuePrevious = Self(rawValue: 128)
    public static let queueShuffle = Self(rawValue: 256)
    public static let skipAd = Self(rawValue: 512)
    public static let queueRepeatAll = Self(rawValue: 1024)
    public static let queueRepeatOne = Self(rawValue: 2048)
    public static let editTracks = Self(rawValue: 4096)
    public static let playbackRate = Self(rawValue: 8192)
    public static let like = Self(rawValue: 16384)
    public static let dislike = Self(rawValue: 32768)
    public static let follow = Self(rawValue: 65536)
    public static let unfollow = Self(rawValue: 131_072)
    public static let streamTransfer = Self(rawValue: 262_144)

    /// The bits with a name, lowest first.
    public static let named: [(command: Self, name: String)] = [
        (.pause, "pause"), (.seek, "seek"), (.streamVolume, "stream_volume"), (.streamMute, "stream_mute"), (.skipForward, "skip_forward"),
        (.skipBackward, "skip_backward"), (.queueNext, "queue_next"), (.queuePrevious, "queue_previous"), (.queueShuffle, "queue_shuffle"),
        (.skipAd, "skip_ad"), (.queueRepeatAll, "queue_repeat_all"), (.queueRepeatOne, "queue_repeat_one"), (.editTracks, "edit_tracks"),
        (.playbackRate, "playback_rate"), (.like, "like"), (.dislike, "dislike"), (.follow, "follow"), (.unfollow, "unfollow"),
        (.streamTransfer, "stream_transfer"),
    ]

    /// The names of the set bits, lowest bit first. Bits without a name are left out.
    public var names: [String] { Self.named.filter { self.contains($0.command) }.map(\.name) }
}
