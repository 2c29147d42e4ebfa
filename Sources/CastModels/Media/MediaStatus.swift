/// The state of one media session after merging every partial status (SDK: `GCKMediaStatus`; wire: MEDIA_STATUS of the media namespace).
///
/// The fields live behind one reference, because each status passes through many layers and several of them keep a copy.
public struct MediaStatus: Sendable, Hashable {
    @Shared private(set) var fields: Fields

    /// Changes several properties with one copy of the fields.
    package mutating func change(_ body: (inout Fields) -> Void) { body(&self.fields) }

    public init(mediaSessionID: Int, playerState: PlayerState, receivedAt: MonotonicTime) {
        self.fields = Fields(mediaSessionID: mediaSessionID, playerState: playerState, receivedAt: receivedAt)
    }

    /// Compares the references first; see `MediaInformation.==`.
    public static func == (left: Self, right: Self) -> Bool { left._fields == right._fields }

    /// The storage of the properties of the same names.
    package struct Fields: Sendable, Hashable {
        package var mediaSessionID: Int
        package var playerState: PlayerState
        package var idleReason: IdleReason?
        package var currentTime: Double?
        package var receivedAt: MonotonicTime
        package var playbackRate: Double?
        package var supportedMediaCommands: MediaCommands = []
        package var streamVolume: DeviceVolume?
        package var activeTrackIDs: [Int]?
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

    /// The id of one loaded item or queue. Each load starts a new media session.
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

    /// The time at which `currentTime` was correct: the arrival of the frame that reported it.
    public var receivedAt: MonotonicTime {
        get { self.fields.receivedAt }
        set { self.fields.receivedAt = newValue }
    }

    /// The playback rate, 1 at normal speed; `nil` when never reported.
    public var playbackRate: Double? {
        get { self.fields.playbackRate }
        set { self.fields.playbackRate = newValue }
    }

    public var supportedMediaCommands: MediaCommands {
        get { self.fields.supportedMediaCommands }
        set { self.fields.supportedMediaCommands = newValue }
    }

    /// The volume of the stream, not of the device.
    public var streamVolume: DeviceVolume? {
        get { self.fields.streamVolume }
        set { self.fields.streamVolume = newValue }
    }

    public var activeTrackIDs: [Int] {
        get { self.fields.activeTrackIDs ?? [] }
        set { self.fields.activeTrackIDs = newValue }
    }

    /// The active tracks; `nil` when never reported.
    package var reportedActiveTrackIDs: [Int]? { self.fields.activeTrackIDs }

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

    /// The ad break that is playing; `nil` when none is playing.
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

    /// The item that is being loaded while `playerState` is idle.
    public var extendedStatus: ExtendedStatus? {
        get { self.fields.extendedStatus }
        set { self.fields.extendedStatus = newValue }
    }

    public var customData: JSONValue? {
        get { self.fields.customData }
        set { self.fields.customData = newValue }
    }

    /// Returns whether both are equal except for the values that change while an item plays: position, its time, live range and ad.
    package func isEqualButForProgress(to other: Self) -> Bool {
        self.fields.playerState == other.fields.playerState && self.fields.idleReason == other.fields.idleReason
            && self.fields.playbackRate == other.fields.playbackRate && self.fields.mediaSessionID == other.fields.mediaSessionID
            && self.fields.media == other.fields.media && self.fields.currentItemID == other.fields.currentItemID
            && self.fields.loadingItemID == other.fields.loadingItemID && self.fields.preloadedItemID == other.fields.preloadedItemID
            && self.fields.extendedStatus == other.fields.extendedStatus && self.hasOptions(of: other)
    }

    /// Returns whether both offer the same choices and commands: commands, queue, tracks, ads, and the look and sound of the stream.
    package static func haveEqualOptions(_ left: Self?, _ right: Self?) -> Bool {
        guard let left, let right else { return (left == nil) == (right == nil) }
        guard left.hasOptions(of: right), left.items.isEmpty || left.currentItemID == right.currentItemID else { return false }
        guard let medium = left.shownMedia, let other = right.shownMedia else {
            return (left.shownMedia == nil) == (right.shownMedia == nil)
        }
        return medium.isCopy(of: other) || medium.hasOptions(of: other)
    }

    // Field by field: passing all fields on would copy them, and so would comparing optional ones, which are mostly missing on both sides.
    private func hasOptions(of other: Self) -> Bool {
        self.fields.supportedMediaCommands == other.fields.supportedMediaCommands
            && self.fields.streamVolume == other.fields.streamVolume && self.fields.activeTrackIDs == other.fields.activeTrackIDs
            && self.fields.items == other.fields.items && self.fields.repeatMode == other.fields.repeatMode
            && (self.fields.queueData == nil && other.fields.queueData == nil || self.fields.queueData == other.fields.queueData)
            && self.fields.videoInfo == other.fields.videoInfo
            && (self.fields.customData == nil && other.fields.customData == nil || self.fields.customData == other.fields.customData)
    }

    /// The second status that some receivers send while an item loads.
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

    /// Whether an item is being loaded, in either way that receivers report it.
    public var isLoading: Bool { self.fields.isLoading }

    /// Whether the media session has ended: idle, with no item being loaded.
    public var isEnded: Bool { self.fields.isEnded }

    /// The player state including `extendedStatus`: `loading` while an item is being loaded and the player itself is idle.
    public var extendedPlayerState: PlayerState { self.isLoading ? .loading : self.playerState }

    /// The item that is being loaded while the player is idle, else the loaded item.
    package var shownMedia: MediaInformation? { self.fields.shownMedia }
}

extension MediaStatus.Fields {
    fileprivate var isLoading: Bool {
        self.playerState == .loading
            || (self.playerState == .idle && (self.loadingItemID != nil || self.extendedStatus?.playerState == .loading))
    }

    package var isEnded: Bool { self.playerState == .idle && !self.isLoading }

    // Read in place, because reading a property of the status copies it.
    var shownMedia: MediaInformation? {
        if self.playerState == .idle, let loading = self.extendedStatus?.media { return loading }
        return self.media
    }
}
