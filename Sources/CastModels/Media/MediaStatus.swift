/// The state of one media session after merging every partial status (SDK: `GCKMediaStatus`; wire: MEDIA_STATUS of the media namespace).
public struct MediaStatus: Sendable, Hashable {
    /// The life of one loaded item, or of one queue.
    public var mediaSessionID: Int
    public var playerState: PlayerState
    public var idleReason: IdleReason?
    /// Seconds from the start of the media at `receivedAt`; not extrapolated.
    public var currentTime: Double?
    /// When `currentTime` was true, as exactly as we can know: the arrival of the frame that told it.
    public var receivedAt: MonotonicTime
    /// 1 is normal speed; `nil` when never told.
    public var playbackRate: Double?
    public var supportedMediaCommands: MediaCommands
    /// The stream's volume, not the device's.
    public var streamVolume: DeviceVolume?
    public var activeTrackIDs: [Int]
    @Shared public var media: MediaInformation?
    /// A window around the current item, not the whole queue.
    public var items: [MediaQueueItem]
    public var currentItemID: Int?
    public var loadingItemID: Int?
    public var preloadedItemID: Int?
    public var repeatMode: RepeatMode?
    public var queueData: MediaQueueData?
    /// Present only while an ad break plays.
    public var adBreakStatus: AdBreakStatus?
    public var liveSeekableRange: LiveSeekableRange?
    public var videoInfo: VideoInfo?
    /// What is being loaded while `playerState` is idle.
    public var extendedStatus: ExtendedStatus?
    public var customData: JSONValue?

    public init(mediaSessionID: Int, playerState: PlayerState, receivedAt: MonotonicTime) {
        self.mediaSessionID = mediaSessionID
        self.playerState = playerState
        self.receivedAt = receivedAt
        self.supportedMediaCommands = []
        self.activeTrackIDs = []
        self.media = nil
        self.items = []
    }

    /// The second status some receivers carry while an item loads.
    public struct ExtendedStatus: Sendable, Hashable {
        public var playerState: PlayerState
        public var mediaSessionID: Int?
        @Shared public var media: MediaInformation?

        public init(playerState: PlayerState, mediaSessionID: Int? = nil, media: MediaInformation? = nil) {
            self.playerState = playerState
            self.mediaSessionID = mediaSessionID
            self.media = media
        }
    }

    /// Whether an item is being loaded, however the receiver tells it.
    public var isLoading: Bool {
        self.playerState == .loading
            || (self.playerState == .idle && (self.loadingItemID != nil || self.extendedStatus?.playerState == .loading))
    }

    /// Whether the media session is over: idle with nothing on its way.
    public var isEnded: Bool { self.playerState == .idle && !self.isLoading }

    /// What the player does, with what `extendedStatus` adds: `loading` while an item is on its way and the player itself is idle.
    public var extendedPlayerState: PlayerState { self.isLoading ? .loading : self.playerState }

    /// What is being loaded while the player is idle, else what is loaded.
    package var shownMedia: MediaInformation? {
        if self.playerState == .idle, let loading = self.extendedStatus?.media { return loading }
        return self.media
    }
}
