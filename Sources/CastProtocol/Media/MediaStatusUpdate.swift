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

    /// Fastest playback that is believed.
    private static let maximumRate = 100.0

    init(_ object: JSONObject, _ memory: inout PayloadMemory) {
        for member in object.members {
            let value = member.value
            switch member.key {
            case MediaKey.mediaSessionID: self.mediaSessionID = value.intValue
            case MediaKey.playerState: self.playerState = value.stringValue.map(PlayerState.init(wireValue:))
            case MediaKey.idleReason: self.idleReason = object.word(MediaKey.idleReason).map(IdleReason.init(wireValue:))
            case MediaKey.currentTime: self.currentTime = object.number(MediaKey.currentTime).map { max(0, $0) }
            case MediaKey.playbackRate:
                self.playbackRate = object.number(MediaKey.playbackRate).flatMap { abs($0) <= Self.maximumRate ? $0 : nil }
            case MediaKey.supportedMediaCommands:
                self.supportedMediaCommands = value.intValue.flatMap(UInt64.init(exactly:)).map(MediaCommands.init(rawValue:))
            case MediaKey.volume: self.streamVolume = value.objectValue.map(DeviceVolume.init(wire:))
            case MediaKey.activeTrackIDs: self.activeTrackIDs = value.isNull ? [] : object.wholes(MediaKey.activeTrackIDs)
            case MediaKey.media: self.media = value.objectValue.map { memory.media($0) }
            case MediaKey.items: self.items = object.objects(MediaKey.items)?.map(MediaQueueItem.init(wire:))
            case MediaKey.currentItemID: self.currentItemID = value.intValue
            case MediaKey.loadingItemID: self.loadingItemID = value.intValue
            case MediaKey.preloadedItemID: self.preloadedItemID = value.intValue
            case MediaKey.repeatMode: self.repeatMode = object.word(MediaKey.repeatMode).map(RepeatMode.init(wireValue:))
            case MediaKey.queueData: self.queueData = value.objectValue.map(MediaQueueData.init(wire:))
            case MediaKey.breakStatus: self.adBreakStatus = value.objectValue.map(AdBreakStatus.init(wire:))
            case MediaKey.liveSeekableRange: self.liveSeekableRange = value.objectValue.flatMap(LiveSeekableRange.init(wire:))
            case MediaKey.videoInfo: self.videoInfo = value.objectValue.map(VideoInfo.init(wire:))
            case MediaKey.extendedStatus: self.extendedStatus = value.objectValue.flatMap(MediaStatus.ExtendedStatus.init(wire:))
            case MediaKey.customData: self.customData = object.any(MediaKey.customData)
            default: continue
            }
        }
    }

    /// Reads the elements of MEDIA_STATUS: `status` as an array or as one object, or the fields at the top level.
    ///
    /// - Returns: `nil` when there is neither a status nor fields of one.
    static func elements(of message: JSONObject, _ memory: inout PayloadMemory) -> [Self]? {
        if let elements = message.objects(PayloadKey.status) { return elements.map { Self($0, &memory) } }
        if let element = message.object(PayloadKey.status) { return [Self(element, &memory)] }
        guard message.whole(MediaKey.mediaSessionID) != nil || message.text(MediaKey.playerState) != nil else { return nil }
        return [Self(message, &memory)]
    }
}

extension MediaStatus.ExtendedStatus {
    init?(wire object: JSONObject) {
        guard let state = object.word(MediaKey.playerState) else { return nil }
        self.init(
            playerState: PlayerState(wireValue: state), mediaSessionID: object.whole(MediaKey.mediaSessionID),
            media: object.object(MediaKey.media).map(MediaInformation.init(wire:)))
    }
}

extension LiveSeekableRange {
    /// `nil` without both ends in order.
    init?(wire object: JSONObject) {
        guard let start = object.number(MediaKey.start), let end = object.number(MediaKey.end), start <= end else { return nil }
        self.init(
            start: start, end: end, isMovingWindow: object.flag(MediaKey.isMovingWindow) ?? false,
            isLiveDone: object.flag(MediaKey.isLiveDone) ?? false)
    }
}

extension VideoInfo {
    init(wire object: JSONObject) {
        self.init(
            width: object.whole(MediaKey.width), height: object.whole(MediaKey.height),
            hdrType: object.word(MediaKey.hdrType).map(HDRType.init(wireValue:)))
    }
}
