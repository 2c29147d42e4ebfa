/// The state of one media session after merging every partial status (SDK: `GCKMediaStatus`; wire: MEDIA_STATUS of the media namespace).
///
/// All of it is behind one reference: each status is handed on through many layers, and kept in several.
public struct MediaStatus: Sendable, Hashable {
    /// Exactly one element: an array copies itself when one of several owners changes it.
    private var fields: [Fields]

    public init(mediaSessionID: Int, playerState: PlayerState, receivedAt: MonotonicTime) {
        self.fields = [Fields(mediaSessionID: mediaSessionID, playerState: playerState, receivedAt: receivedAt)]
    }

    /// What the properties of the same names hold.
    private struct Fields: Sendable, Hashable {
        var mediaSessionID: Int
        var playerState: PlayerState
        var idleReason: IdleReason?
        var currentTime: Double?
        var receivedAt: MonotonicTime
        var playbackRate: Double?
        var supportedMediaCommands: MediaCommands = []
        var streamVolume: DeviceVolume?
        var activeTrackIDs: [Int] = []
        var media: MediaInformation?
        var items: [MediaQueueItem] = []
        var currentItemID: Int?
        var loadingItemID: Int?
        var preloadedItemID: Int?
        var repeatMode: RepeatMode?
        var queueData: MediaQueueData?
        var adBreakStatus: AdBreakStatus?
        var liveSeekableRange: LiveSeekableRange?
        var videoInfo: VideoInfo?
        var extendedStatus: ExtendedStatus?
        var customData: JSONValue?
    }

    /// The life of one loaded item, or of one queue.
    public var mediaSessionID: Int {
        get { self.fields[0].mediaSessionID }
        set { self.fields[0].mediaSessionID = newValue }
    }

    public var playerState: PlayerState {
        get { self.fields[0].playerState }
        set { self.fields[0].playerState = newValue }
    }

    public var idleReason: IdleReason? {
        get { self.fields[0].idleReason }
        set { self.fields[0].idleReason = newValue }
    }

    /// Seconds from the start of the media at `receivedAt`; not extrapolated.
    public var currentTime: Double? {
        get { self.fields[0].currentTime }
        set { self.fields[0].currentTime = newValue }
    }

    /// When `currentTime` was true, as exactly as we can know: the arrival of the frame that told it.
    public var receivedAt: MonotonicTime {
        get { self.fields[0].receivedAt }
        set { self.fields[0].receivedAt = newValue }
    }

    /// 1 is normal speed; `nil` when never told.
    public var playbackRate: Double? {
        get { self.fields[0].playbackRate }
        set { self.fields[0].playbackRate = newValue }
    }

    public var supportedMediaCommands: MediaCommands {
        get { self.fields[0].supportedMediaCommands }
        set { self.fields[0].supportedMediaCommands = newValue }
    }

    /// The stream's volume, not the device's.
    public var streamVolume: DeviceVolume? {
        get { self.fields[0].streamVolume }
        set { self.fields[0].streamVolume = newValue }
    }

    public var activeTrackIDs: [Int] {
        get { self.fields[0].activeTrackIDs }
        set { self.fields[0].activeTrackIDs = newValue }
    }

    public var media: MediaInformation? {
        get { self.fields[0].media }
        set { self.fields[0].media = newValue }
    }

    /// A window around the current item, not the whole queue.
    public var items: [MediaQueueItem] {
        get { self.fields[0].items }
        set { self.fields[0].items = newValue }
    }

    public var currentItemID: Int? {
        get { self.fields[0].currentItemID }
        set { self.fields[0].currentItemID = newValue }
    }

    public var loadingItemID: Int? {
        get { self.fields[0].loadingItemID }
        set { self.fields[0].loadingItemID = newValue }
    }

    public var preloadedItemID: Int? {
        get { self.fields[0].preloadedItemID }
        set { self.fields[0].preloadedItemID = newValue }
    }

    public var repeatMode: RepeatMode? {
        get { self.fields[0].repeatMode }
        set { self.fields[0].repeatMode = newValue }
    }

    public var queueData: MediaQueueData? {
        get { self.fields[0].queueData }
        set { self.fields[0].queueData = newValue }
    }

    /// Present only while an ad break plays.
    public var adBreakStatus: AdBreakStatus? {
        get { self.fields[0].adBreakStatus }
        set { self.fields[0].adBreakStatus = newValue }
    }

    public var liveSeekableRange: LiveSeekableRange? {
        get { self.fields[0].liveSeekableRange }
        set { self.fields[0].liveSeekableRange = newValue }
    }

    public var videoInfo: VideoInfo? {
        get { self.fields[0].videoInfo }
        set { self.fields[0].videoInfo = newValue }
    }

    /// What is being loaded while `playerState` is idle.
    public var extendedStatus: ExtendedStatus? {
        get { self.fields[0].extendedStatus }
        set { self.fields[0].extendedStatus = newValue }
    }

    public var customData: JSONValue? {
        get { self.fields[0].customData }
        set { self.fields[0].customData = newValue }
    }

    /// The second status some receivers carry while an item loads.
    public struct ExtendedStatus: Sendable, Hashable {
        public var playerState: PlayerState
        public var mediaSessionID: Int?
        public var media: MediaInformation?

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
