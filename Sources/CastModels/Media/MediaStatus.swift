/// The state of one media session after merging every partial status (SDK: `GCKMediaStatus`; wire: MEDIA_STATUS of the media namespace).
///
/// All of it is behind one reference: each status is handed on through many layers, and kept in several.
public struct MediaStatus: Sendable, Hashable {
    @Shared private(set) var fields: Fields

    /// Changes many properties at once: the copy that a status needs of its own is made once, and each change costs nothing more.
    package mutating func change(_ body: (inout Fields) -> Void) { body(&self.fields) }

    public init(mediaSessionID: Int, playerState: PlayerState, receivedAt: MonotonicTime) {
        self.fields = Fields(mediaSessionID: mediaSessionID, playerState: playerState, receivedAt: receivedAt)
    }

    /// As for `MediaInformation`.
    public static func == (left: Self, right: Self) -> Bool { left._fields == right._fields }

    /// What the properties of the same names hold.
    package struct Fields: Sendable, Hashable {
        package var mediaSessionID: Int
        package var playerState: PlayerState
        package var idleReason: IdleReason?
        package var currentTime: Double?
        package var receivedAt: MonotonicTime
        package var playbackRate: Double?
        package var supportedMediaCommands: MediaCommands = []
        package var streamVolume: DeviceVolume?
        package var activeTrackIDs: [Int] = []
        package var media: MediaInformation?
        package var items: [MediaQueueItem] = []
        package var currentItemID: Int?
        package var loadingItemID: Int?
        package var preloadedItemID: Int?
        package var repeatMode: RepeatMode?
        package var queueData: MediaQueueData?
        package var adBreakStatus: AdBreakStatus?
        package var liveSeekableRange: LiveSeekableRange?
        package var videoInfo: VideoInfo?
        package var extendedStatus: ExtendedStatus?
        package var customData: JSONValue?
    }

    /// The life of one loaded item, or of one queue.
    public var mediaSessionID: Int {
        get { self.fields.mediaSessionID }
        set { self.fields.mediaSessionID = newValue }
    }

    public var playerState: PlayerState {
        get { self.fields.playerState }
        set { self.fields.playerState = newValue }
    }

    public var idleReason: IdleReason? {
        get { self.fields.idleReason }
        set { self.fields.idleReason = newValue }
    }

    /// Seconds from the start of the media at `receivedAt`; not extrapolated.
    public var currentTime: Double? {
        get { self.fields.currentTime }
        set { self.fields.currentTime = newValue }
    }

    /// When `currentTime` was true, as exactly as we can know: the arrival of the frame that told it.
    public var receivedAt: MonotonicTime {
        get { self.fields.receivedAt }
        set { self.fields.receivedAt = newValue }
    }

    /// 1 is normal speed; `nil` when never told.
    public var playbackRate: Double? {
        get { self.fields.playbackRate }
        set { self.fields.playbackRate = newValue }
    }

    public var supportedMediaCommands: MediaCommands {
        get { self.fields.supportedMediaCommands }
        set { self.fields.supportedMediaCommands = newValue }
    }

    /// The stream's volume, not the device's.
    public var streamVolume: DeviceVolume? {
        get { self.fields.streamVolume }
        set { self.fields.streamVolume = newValue }
    }

    public var activeTrackIDs: [Int] {
        get { self.fields.activeTrackIDs }
        set { self.fields.activeTrackIDs = newValue }
    }

    public var media: MediaInformation? {
        get { self.fields.media }
        set { self.fields.media = newValue }
    }

    /// A window around the current item, not the whole queue.
    public var items: [MediaQueueItem] {
        get { self.fields.items }
        set { self.fields.items = newValue }
    }

    public var currentItemID: Int? {
        get { self.fields.currentItemID }
        set { self.fields.currentItemID = newValue }
    }

    public var loadingItemID: Int? {
        get { self.fields.loadingItemID }
        set { self.fields.loadingItemID = newValue }
    }

    public var preloadedItemID: Int? {
        get { self.fields.preloadedItemID }
        set { self.fields.preloadedItemID = newValue }
    }

    public var repeatMode: RepeatMode? {
        get { self.fields.repeatMode }
        set { self.fields.repeatMode = newValue }
    }

    public var queueData: MediaQueueData? {
        get { self.fields.queueData }
        set { self.fields.queueData = newValue }
    }

    /// Present only while an ad break plays.
    public var adBreakStatus: AdBreakStatus? {
        get { self.fields.adBreakStatus }
        set { self.fields.adBreakStatus = newValue }
    }

    public var liveSeekableRange: LiveSeekableRange? {
        get { self.fields.liveSeekableRange }
        set { self.fields.liveSeekableRange = newValue }
    }

    public var videoInfo: VideoInfo? {
        get { self.fields.videoInfo }
        set { self.fields.videoInfo = newValue }
    }

    /// What is being loaded while `playerState` is idle.
    public var extendedStatus: ExtendedStatus? {
        get { self.fields.extendedStatus }
        set { self.fields.extendedStatus = newValue }
    }

    public var customData: JSONValue? {
        get { self.fields.customData }
        set { self.fields.customData = newValue }
    }

    /// Whether both are equal in all but what changes while an item goes on: position, its time, live range and ad.
    package func isEqualButForProgress(to other: Self) -> Bool {
        self.fields.playerState == other.fields.playerState && self.fields.idleReason == other.fields.idleReason
            && self.fields.playbackRate == other.fields.playbackRate && self.fields.mediaSessionID == other.fields.mediaSessionID
            && self.fields.media == other.fields.media && self.fields.currentItemID == other.fields.currentItemID
            && self.fields.loadingItemID == other.fields.loadingItemID && self.fields.preloadedItemID == other.fields.preloadedItemID
            && self.fields.extendedStatus == other.fields.extendedStatus && self.hasOptions(of: other)
    }

    /// Whether both say the same of what can be chosen and done: commands, queue, tracks, ads, and how the stream looks and sounds.
    package static func haveEqualOptions(_ left: Self?, _ right: Self?) -> Bool {
        guard let left, let right else { return (left == nil) == (right == nil) }
        guard left.hasOptions(of: right), left.items.isEmpty || left.currentItemID == right.currentItemID else { return false }
        guard let medium = left.shownMedia, let other = right.shownMedia else {
            return (left.shownMedia == nil) == (right.shownMedia == nil)
        }
        return medium.isCopy(of: other) || medium.hasOptions(of: other)
    }

    // One by one: handed on, all fields would be copied. So would be optional ones, which mostly are missing on both sides.
    private func hasOptions(of other: Self) -> Bool {
        self.fields.supportedMediaCommands == other.fields.supportedMediaCommands
            && self.fields.streamVolume == other.fields.streamVolume && self.fields.activeTrackIDs == other.fields.activeTrackIDs
            && self.fields.items == other.fields.items && self.fields.repeatMode == other.fields.repeatMode
            && (self.fields.queueData == nil && other.fields.queueData == nil || self.fields.queueData == other.fields.queueData)
            && self.fields.videoInfo == other.fields.videoInfo
            && (self.fields.customData == nil && other.fields.customData == nil || self.fields.customData == other.fields.customData)
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
    public var isLoading: Bool { self.fields.isLoading }

    /// Whether the media session is over: idle with nothing on its way.
    public var isEnded: Bool { self.fields.isEnded }

    /// What the player does, with what `extendedStatus` adds: `loading` while an item is on its way and the player itself is idle.
    public var extendedPlayerState: PlayerState { self.isLoading ? .loading : self.playerState }

    /// What is being loaded while the player is idle, else what is loaded.
    package var shownMedia: MediaInformation? { self.fields.shownMedia }
}

extension MediaStatus.Fields {
    fileprivate var isLoading: Bool {
        self.playerState == .loading
            || (self.playerState == .idle && (self.loadingItemID != nil || self.extendedStatus?.playerState == .loading))
    }

    package var isEnded: Bool { self.playerState == .idle && !self.isLoading }

    // In place: to read a property of the status is to copy it.
    var shownMedia: MediaInformation? {
        if self.playerState == .idle, let loading = self.extendedStatus?.media { return loading }
        return self.media
    }
}
