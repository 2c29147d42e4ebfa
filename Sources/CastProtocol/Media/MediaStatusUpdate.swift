@_spi(JSON) import CastModels

/// One element of MEDIA_STATUS. It may contain only the values that have changed; a missing value is `nil`, and `MediaStatusMerger` decides
/// what that means.
package struct MediaStatusUpdate: Sendable, Hashable {
    package var mediaSessionID: Int?
    package var playerState: PlayerState?
    package var idleReason: IdleReason?
    /// The position in seconds, 0 or more.
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

    /// The highest plausible playback rate, forward or backward. Higher ones are ignored.
    private static let maximumRate = 100.0

    /// - Parameter memory: the previous `media` object of the device, which is not parsed again while it is the same.
    init(_ object: JSONView, _ memory: inout PayloadMemory) {
        for (key, value) in object.members {
            switch key {
            case MediaKey.mediaSessionID: self.mediaSessionID = value.intValue
            case MediaKey.playerState: self.playerState = value.stringValue.map(PlayerState.init(wireValue:))
            case "idleReason": self.idleReason = value.word.map(IdleReason.init(wireValue:))
            case MediaKey.currentTime: self.currentTime = value.number.map { max(0, $0) }
            case MediaKey.playbackRate:
                self.playbackRate = value.number.flatMap { abs($0) <= Self.maximumRate ? $0 : nil }
            case "supportedMediaCommands":
                self.supportedMediaCommands = value.intValue.flatMap(UInt64.init(exactly:)).map(MediaCommands.init(rawValue:))
            case "volume": self.streamVolume = value.objectView.map(DeviceVolume.init(wire:))
            case MediaKey.activeTrackIDs: self.activeTrackIDs = value.isNull ? [] : value.wholes
            case MediaKey.media: self.media = value.objectView.map { memory.media($0) }
            case MediaKey.items: self.items = value.objects(MediaQueueItem.init(wire:))
            case MediaKey.currentItemID: self.currentItemID = value.intValue
            case "loadingItemId": self.loadingItemID = value.intValue
            case "preloadedItemId": self.preloadedItemID = value.intValue
            case MediaKey.repeatMode: self.repeatMode = value.word.map(RepeatMode.init(wireValue:))
            case MediaKey.queueData: self.queueData = value.objectView.map(MediaQueueData.init(wire:))
            case "breakStatus": self.adBreakStatus = value.objectView.map(AdBreakStatus.init(wire:))
            case "liveSeekableRange": self.liveSeekableRange = value.objectView.flatMap(LiveSeekableRange.init(wire:))
            case "videoInfo": self.videoInfo = value.objectView.map(VideoInfo.init(wire:))
            case "extendedStatus": self.extendedStatus = value.objectView.flatMap(MediaStatus.ExtendedStatus.init(wire:))
            case MediaKey.customData: self.customData = value.any
            default: continue
            }
        }
    }

    /// Reads the elements of MEDIA_STATUS: `status` as an array or as one object, or the fields at the top level.
    ///
    /// - Returns: `nil` when the message contains neither a status nor fields of one.
    static func elements(of message: JSONView, _ memory: inout PayloadMemory) -> [Self]? {
        if let elements = message.objects(PayloadKey.status, { Self($0, &memory) }) { return elements }
        if let element = message.object(PayloadKey.status) { return [Self(element, &memory)] }
        guard message.whole(MediaKey.mediaSessionID) != nil || message.text(MediaKey.playerState) != nil else { return nil }
        return [Self(message, &memory)]
    }
}

extension MediaStatus.ExtendedStatus {
    init?(wire object: JSONView) {
        guard let state = object.word(MediaKey.playerState) else { return nil }
        self.init(
            playerState: PlayerState(wireValue: state), mediaSessionID: object.whole(MediaKey.mediaSessionID),
            media: object.object(MediaKey.media).map(MediaInformation.init(wire:)))
    }
}

extension LiveSeekableRange {
    /// Reads the range; `nil` when an end is missing, or `start` is after `end`.
    init?(wire object: JSONView) {
        guard let start = object.number("start"), let end = object.number("end"), start <= end else { return nil }
        self.init(
            start: start, end: end, isMovingWindow: object.flag("isMovingWindow") ?? false,
            isLiveDone: object.flag("isLiveDone") ?? false)
    }
}

extension VideoInfo {
    init(wire object: JSONView) {
        self.init(
            width: object.whole(MediaKey.width), height: object.whole(MediaKey.height),
            hdrType: object.word("hdrType").map(HDRType.init(wireValue:)))
    }
}
