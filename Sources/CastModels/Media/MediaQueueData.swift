/// A queue as a whole (SDK: `GCKMediaQueueData`; wire: `queueData`).
public struct MediaQueueData: Sendable, Hashable {
    /// The application's id of the queue.
    public var queueID: String?
    public var name: String?
    /// The name of the queue, for people.
    public var text: String?
    /// A deep link to the queue.
    public var entity: String?
    public var queueType: QueueType?
    public var repeatMode: RepeatMode?
    public var shuffle: Bool?
    /// The items to load. Receivers report them in `MediaStatus.items` instead.
    public var items: [MediaQueueItem]
    /// The index of the item to begin with, from 0.
    public var startIndex: Int?
    /// Seconds into that item at which to start.
    public var startTime: Double?
    @Shared public var containerMetadata: MediaQueueContainerMetadata?

    public init(items: [MediaQueueItem] = [], repeatMode: RepeatMode? = nil, startIndex: Int? = nil, startTime: Double? = nil) {
        self.containerMetadata = nil
        self.items = items
        self.repeatMode = repeatMode
        self.startIndex = startIndex
        self.startTime = startTime
    }

    /// The kind of queue.
    public enum QueueType: WireWord {
        case album, playlist, audiobook, radioStation, podcastSeries, tvSeries, videoPlaylist, liveTV, movie
        case unknown(String)

        public static let words: KeyValuePairs<String, Self> = [
            "ALBUM": .album, "PLAYLIST": .playlist, "AUDIOBOOK": .audiobook, "RADIO_STATION": .radioStation,
            "PODCAST_SERIES": .podcastSeries, "TV_SERIES": .tvSeries, "VIDEO_PLAYLIST": .videoPlaylist, "LIVE_TV": .liveTV,
            "MOVIE": .movie,
        ]
        public var unknownWord: String? { if case .unknown(let word) = self { word } else { nil } }
    }

    /// Checks for values that no receiver can accept.
    ///
    /// - Throws: `invalidRequest` with `path` and the field as its argument.
    package func validate(_ path: String) throws(CastError) {
        for (index, item) in self.items.enumerated() { try item.validateAsNew("\(path).items[\(index)]") }
        if let startIndex, !self.items.indices.contains(startIndex) {
            throw .invalidArgument("\(path).startIndex", "\(startIndex) is not an index of \(self.items.count) items")
        }
        try CastError.checkSeconds(self.startTime, "\(path).startTime")
        try CastError.checkSeconds(self.containerMetadata?.duration, "\(path).containerMetadata.duration")
    }
}

/// The album, series or book of a queue (SDK: `GCKMediaQueueContainerMetadata`).
public struct MediaQueueContainerMetadata: Sendable, Hashable {
    public var type: Kind
    public var title: String?
    /// The total duration in seconds.
    public var duration: Double?
    public var images: [MediaImage]
    /// The parts: chapters, programmes.
    public var sections: [MediaMetadata]
    /// Audiobooks only.
    public var authors: [String]
    /// Audiobooks only.
    public var narrators: [String]
    /// Audiobooks only.
    public var publisher: String?
    /// Audiobooks only.
    public var releaseDate: MediaDate?

    public init(type: Kind = .generic, title: String? = nil) {
        self.type = type
        self.title = title
        self.images = []
        self.sections = []
        self.authors = []
        self.narrators = []
    }

    /// The kind of container: `containerType` on the wire.
    public enum Kind: Sendable, Hashable, RawRepresentable {
        case generic, audiobook
        case unknown(Int)

        public init(rawValue: Int) {
            switch rawValue {
            case 0: self = .generic
            case 1: self = .audiobook
            default: self = .unknown(rawValue)
            }
        }

        public var rawValue: Int {
            switch self {
            case .generic: 0
            case .audiobook: 1
            case .unknown(let value): value
            }
        }
    }
}
