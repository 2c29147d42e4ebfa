/// Width, height and dynamic range of the video that plays.
public struct VideoInfo: Sendable, Hashable {
    /// Pixels.
    public var width: Int?
    /// Pixels.
    public var height: Int?
    public var hdrType: HDRType?

    public init(width: Int? = nil, height: Int? = nil, hdrType: HDRType? = nil) {
        self.width = width
        self.height = height
        self.hdrType = hdrType
    }

    /// The dynamic range; the wire says `sdr`, `hdr`, `hdr10`, `hlg` or `dv`.
    public enum HDRType: Sendable, Hashable {
        case sdr, hdr10, hlg, dolbyVision
        case unknown(String)

        /// The word on the wire. A bare `hdr` means HDR10.
        public init(wireValue: String) {
            switch wireValue.lowercased() {
            case "sdr": self = .sdr
            case "hdr", "hdr10": self = .hdr10
            case "hlg": self = .hlg
            case "dv", "dolby_vision": self = .dolbyVision
            default: self = .unknown(wireValue)
            }
        }
    }
}

/// The part of a live stream that can be sought, in seconds of its own time line.
public struct LiveSeekableRange: Sendable, Hashable {
    public var start: Double
    public var end: Double
    public var isMovingWindow: Bool
    public var isLiveDone: Bool

    public init(start: Double, end: Double, isMovingWindow: Bool = false, isLiveDone: Bool = false) {
        self.start = start
        self.end = end
        self.isMovingWindow = isMovingWindow
        self.isLiveDone = isLiveDone
    }
}

/// Where in an ad break the player is.
public struct AdBreakStatus: Sendable, Hashable {
    public var breakID: String?
    public var breakClipID: String?
    /// Seconds since the start of the break.
    public var currentBreakTime: Double?
    /// Seconds since the start of the clip.
    public var currentBreakClipTime: Double?
    /// Seconds into the clip after which it may be skipped; `nil` when it may not.
    public var whenSkippable: Double?

    public init(
        breakID: String? = nil, breakClipID: String? = nil, currentBreakTime: Double? = nil, currentBreakClipTime: Double? = nil,
        whenSkippable: Double? = nil
    ) {
        self.breakID = breakID
        self.breakClipID = breakClipID
        self.currentBreakTime = currentBreakTime
        self.currentBreakClipTime = currentBreakClipTime
        self.whenSkippable = whenSkippable
    }
}

/// A break of a medium, in which clips play.
public struct AdBreak: Sendable, Hashable {
    public var id: String
    public var clipIDs: [String]
    /// Seconds from the start of the medium; -1 means after its end.
    public var position: Double?
    public var duration: Double?
    public var isEmbedded: Bool
    public var isWatched: Bool

    public init(
        id: String, clipIDs: [String] = [], position: Double? = nil, duration: Double? = nil, isEmbedded: Bool = false,
        isWatched: Bool = false
    ) {
        self.id = id
        self.clipIDs = clipIDs
        self.position = position
        self.duration = duration
        self.isEmbedded = isEmbedded
        self.isWatched = isWatched
    }
}

/// One clip of an ad break.
public struct AdBreakClip: Sendable, Hashable {
    public var id: String
    public var title: String?
    public var contentID: String?
    public var contentURL: String?
    public var contentType: String?
    /// Seconds.
    public var duration: Double?
    public var clickThroughURL: String?
    public var posterURL: String?
    /// Seconds into the clip after which it may be skipped; `nil` when it may not.
    public var whenSkippable: Double?

    public init(id: String) { self.id = id }
}

/// One item of a queue, as far as the receiver told it.
public struct MediaQueueItem: Sendable, Hashable {
    /// Given by the receiver; `nil` in items that are yet to be inserted.
    public var itemID: Int?
    public var media: MediaInformation?
    public var autoplay: Bool?
    /// Seconds.
    public var startTime: Double?
    /// Seconds before the end of the item before, at which this one is loaded.
    public var preloadTime: Double?
    public var playbackDuration: Double?
    public var activeTrackIDs: [Int]
    public var orderID: Int?
    public var customData: JSONValue?

    public init(itemID: Int? = nil, media: MediaInformation? = nil) {
        self.itemID = itemID
        self.media = media
        self.activeTrackIDs = []
    }
}

/// What a receiver tells of a queue as a whole.
public struct MediaQueueData: Sendable, Hashable {
    public var queueID: String?
    public var name: String?
    public var queueType: String?
    public var repeatMode: RepeatMode?
    public var shuffle: Bool?
    public var startIndex: Int?

    public init() {}
}
