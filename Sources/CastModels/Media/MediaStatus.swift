/// The state of one media session after merging every partial status (SDK: `GCKMediaStatus`; wire: MEDIA_STATUS of the media namespace).
///
/// All of it is behind one reference: each status is handed on through many layers, and kept in several.
public struct MediaStatus: Sendable, Hashable {
    @Shared private var fields: Fields

    public init(mediaSessionID: Int, playerState: PlayerState, receivedAt: MonotonicTime) {
        self.fields = Fields(mediaSessionID: mediaSessionID, playerState: playerState, receivedAt: receivedAt)
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
        get { self.fields.mediaSessionID }
        _modify { yield &self.fields.mediaSessionID }
    }

    public var playerState: PlayerState {
        get { self.fields.playerState }
        _modify { yield &self.fields.playerState }
    }

    public var idleReason: IdleReason? {
        get { self.fields.idleReason }
        _modify { yield &self.fields.idleReason }
    }

    /// Seconds from the start of the media at `receivedAt`; not extrapolated.
    public var currentTime: Double? {
        get { self.fields.currentTime }
        _modify { yield &self.fields.currentTime }
    }

    /// When `currentTime` was true, as exactly as we can know: the arrival of the frame that told it.
    public var receivedAt: MonotonicTime {
        get { self.fields.receivedAt }
        _modify { yield &self.fields.receivedAt }
    }

    /// 1 is normal speed; `nil` when never told.
    public var playbackRate: Double? {
        get { self.fields.playbackRate }
        _modify { yield &self.fields.playbackRate }
    }

    public var supportedMediaCommands: MediaCommands {
        get { self.fields.supportedMediaCommands }
        _modify { yield &self.fields.supportedMediaCommands }
    }

    /// The stream's volume, not the device's.
    public var streamVolume: DeviceVolume? {
        get { self.fields.streamVolume }
        _modify { yield &self.fields.streamVolume }
    }

    public var activeTrackIDs: [Int] {
        get { self.fields.activeTrackIDs }
        _modify { yield &self.fields.activeTrackIDs }
    }

    public var media: MediaInformation? {
        get { self.fields.media }
        _modify { yield &self.fields.media }
    }

    /// A window around the current item, not the whole queue.
    public var items: [MediaQueueItem] {
        get { self.fields.items }
        _modify { yield &self.fields.items }
    }

    public var currentItemID: Int? {
        get { self.fields.currentItemID }
        _modify { yield &self.fields.currentItemID }
    }

    public var loadingItemID: Int? {
        get { self.fields.loadingItemID }
        _modify { yield &self.fields.loadingItemID }
    }

    public var preloadedItemID: Int? {
        get { self.fields.preloadedItemID }
        _modify { yield &self.fields.preloadedItemID }
    }

    public var repeatMode: RepeatMode? {
        get { self.fields.repeatMode }
        _modify { yield &self.fields.repeatMode }
    }

    public var queueData: MediaQueueData? {
        get { self.fields.queueData }
        _modify { yield &self.fields.queueData }
    }

    /// Present only while an ad break plays.
    public var adBreakStatus: AdBreakStatus? {
        get { self.fields.adBreakStatus }
        _modify { yield &self.fields.adBreakStatus }
    }

    public var liveSeekableRange: LiveSeekableRange? {
        get { self.fields.liveSeekableRange }
        _modify { yield &self.fields.liveSeekableRange }
    }

    public var videoInfo: VideoInfo? {
        get { self.fields.videoInfo }
        _modify { yield &self.fields.videoInfo }
    }

    /// What is being loaded while `playerState` is idle.
    public var extendedStatus: ExtendedStatus? {
        get { self.fields.extendedStatus }
        _modify { yield &self.fields.extendedStatus }
    }

    public var customData: JSONValue? {
        get { self.fields.customData }
        _modify { yield &self.fields.customData }
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
