import CastModels

/// One element of MEDIA_STATUS: what changed. `nil` means that the element doesn't say; `MediaStatusMerger` knows what that means.
package struct MediaStatusUpdate: Sendable, Hashable {
    package var mediaSessionID: Int?
    package var playerState: PlayerState?
    package var idleReason: IdleReason?
    /// Seconds.
    package var currentTime: Double?
    package var playbackRate: Double?
    package var supportedMediaCommands: MediaCommands?
    package var streamVolume: DeviceVolume?
    package var activeTrackIDs: [Int]?
    package var media: MediaInformation?
    package var items: [MediaQueueItem]?
    package var currentItemID: Int?
    package var loadingItemID: Int?
    package var preloadedItemID: Int?
    package var repeatMode: RepeatMode?
    package var queueData: MediaQueueData?
    package var adBreakStatus: AdBreakStatus?
    package var liveSeekableRange: LiveSeekableRange?
    package var videoInfo: VideoInfo?
    package var extendedStatus: MediaStatus.ExtendedStatus?
    package var customData: JSONValue?

    package init(mediaSessionID: Int? = nil, playerState: PlayerState? = nil) {
        self.mediaSessionID = mediaSessionID
        self.playerState = playerState
    }

    private enum Key {
        static let mediaSessionID = "mediaSessionId"
        static let playerState = "playerState"
        static let idleReason = "idleReason"
        static let currentTime = "currentTime"
        static let playbackRate = "playbackRate"
        static let supportedMediaCommands = "supportedMediaCommands"
        static let volume = "volume"
        static let activeTrackIDs = "activeTrackIds"
        static let media = "media"
        static let items = "items"
        static let currentItemID = "currentItemId"
        static let loadingItemID = "loadingItemId"
        static let preloadedItemID = "preloadedItemId"
        static let repeatMode = "repeatMode"
        static let queueData = "queueData"
        static let breakStatus = "breakStatus"
        static let liveSeekableRange = "liveSeekableRange"
        static let videoInfo = "videoInfo"
        static let extendedStatus = "extendedStatus"
        static let customData = "customData"
    }

    /// Fastest playback that is believed.
    private static let maximumRate = 100.0

    init(_ object: JSONObject) {
        for member in object.members {
            let value = member.value
            switch member.key {
            case Key.mediaSessionID: self.mediaSessionID = value.intValue
            case Key.playerState: self.playerState = value.stringValue.map(PlayerState.init(wireValue:))
            case Key.idleReason: self.idleReason = object.word(Key.idleReason).map(IdleReason.init(wireValue:))
            case Key.currentTime: self.currentTime = object.number(Key.currentTime).map { max(0, $0) }
            case Key.playbackRate: self.playbackRate = object.number(Key.playbackRate).flatMap { abs($0) <= Self.maximumRate ? $0 : nil }
            case Key.supportedMediaCommands:
                self.supportedMediaCommands = value.intValue.flatMap(UInt64.init(exactly:)).map(MediaCommands.init(rawValue:))
            case Key.volume: self.streamVolume = value.objectValue.map(DeviceVolume.init(wire:))
            case Key.activeTrackIDs: self.activeTrackIDs = value.isNull ? [] : object.wholes(Key.activeTrackIDs)
            case Key.media: self.media = value.objectValue.map(MediaInformation.init(wire:))
            case Key.items: self.items = object.objects(Key.items)?.map(MediaQueueItem.init(wire:))
            case Key.currentItemID: self.currentItemID = value.intValue
            case Key.loadingItemID: self.loadingItemID = value.intValue
            case Key.preloadedItemID: self.preloadedItemID = value.intValue
            case Key.repeatMode: self.repeatMode = object.word(Key.repeatMode).map(RepeatMode.init(wireValue:))
            case Key.queueData: self.queueData = value.objectValue.map(MediaQueueData.init(wire:))
            case Key.breakStatus: self.adBreakStatus = value.objectValue.map(AdBreakStatus.init(wire:))
            case Key.liveSeekableRange: self.liveSeekableRange = value.objectValue.flatMap(LiveSeekableRange.init(wire:))
            case Key.videoInfo: self.videoInfo = value.objectValue.map(VideoInfo.init(wire:))
            case Key.extendedStatus: self.extendedStatus = value.objectValue.flatMap(MediaStatus.ExtendedStatus.init(wire:))
            case Key.customData: self.customData = object.any(Key.customData)
            default: continue
            }
        }
    }

    /// Reads the elements of MEDIA_STATUS: `status` as an array or as one object, or the fields at the top level.
    ///
    /// - Returns: `nil` when there is neither a status nor fields of one.
    static func elements(of message: JSONObject) -> [Self]? {
        if let elements = message.objects(PayloadKey.status) { return elements.map(Self.init) }
        if let element = message.object(PayloadKey.status) { return [Self(element)] }
        guard message.whole(Key.mediaSessionID) != nil || message.text(Key.playerState) != nil else { return nil }
        return [Self(message)]
    }
}

extension MediaStatus.ExtendedStatus {
    init?(wire object: JSONObject) {
        guard let state = object.word("playerState") else { return nil }
        self.init(
            playerState: PlayerState(wireValue: state), mediaSessionID: object.whole("mediaSessionId"),
            media: object.object("media").map(MediaInformation.init(wire:)))
    }
}

extension LiveSeekableRange {
    /// `nil` without both ends in order.
    init?(wire object: JSONObject) {
        guard let start = object.number("start"), let end = object.number("end"), start <= end else { return nil }
        self.init(
            start: start, end: end, isMovingWindow: object.flag("isMovingWindow") ?? false, isLiveDone: object.flag("isLiveDone") ?? false)
    }
}

extension VideoInfo {
    init(wire object: JSONObject) {
        self.init(
            width: object.whole("width"), height: object.whole("height"), hdrType: object.word("hdrType").map(HDRType.init(wireValue:)))
    }
}
