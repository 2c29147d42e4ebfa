import CastModels

/// An event of a session's media (SDK: `GCKRemoteMediaClientListener`). The state itself is `RemoteMediaClient.mediaStatuses`.
public enum MediaEvent: Sendable, Hashable {
    case sessionStarted(mediaSessionID: Int)
    /// The media session ended.
    /// - reason: `nil` when the application ended, or reported none.
    case sessionEnded(mediaSessionID: Int, reason: IdleReason?)
    /// The state is `MediaStatus.extendedPlayerState`; between two items of a queue it is never idle.
    case playerStateChanged(from: PlayerState, to: PlayerState)
    /// Another medium, or a new description of the same one.
    case mediaChanged(MediaInformation?)
    /// The queue moved to another item.
    case currentItemChanged(itemID: Int?)
    /// The preloaded item changed; `nil` when there is none.
    case preloadedItemChanged(itemID: Int?)
    /// The window of items, the repeat mode or the queue's description changed; `MediaQueue.changes` reports details.
    case queueChanged
    case activeTracksChanged(trackIDs: [Int])
    case playbackRateChanged(Double)
    case streamVolumeChanged(DeviceVolume)
    /// A clip of an ad break began.
    case adClipStarted(AdBreakStatus)
    /// A clip ended or was skipped.
    case adClipEnded(AdBreakStatus)
    /// Playback failed without a request.
    case failed(CastError)
}

extension MediaEvent: CustomStringConvertible {
    /// Such as `player state: playing → paused`; without addresses of media, since they may contain secrets.
    public var description: String {
        switch self {
        case .sessionStarted(let id): "media session \(id) started"
        case .sessionEnded(let id, let reason): "media session \(id) ended" + (reason.map { ": \($0)" } ?? "")
        case .playerStateChanged(let old, let new): "player state: \(old) → \(new)"
        case .mediaChanged(let media): "media: \(media.map { "\($0)" } ?? "none")"
        case .currentItemChanged(let id): "current item: \(id.map { "\($0)" } ?? "none")"
        case .preloadedItemChanged(let id): "preloaded item: \(id.map { "\($0)" } ?? "none")"
        case .queueChanged: "queue changed"
        case .activeTracksChanged(let ids): "active tracks: \(ids)"
        case .playbackRateChanged(let rate): "playback rate: \(rate)"
        case .streamVolumeChanged(let volume): "stream volume: \(volume.level ?? 0)" + (volume.isMuted == true ? ", muted" : "")
        case .adClipStarted(let ad): "ad clip \(ad.breakClipID ?? "") started"
        case .adClipEnded(let ad): "ad clip \(ad.breakClipID ?? "") ended"
        case .failed(let error): "playback failed: \(error)"
        }
    }
}

extension MediaEvent {
    /// Returns the events between two shown statuses, in the order in which readers expect them.
    static func between(_ old: MediaStatus?, _ new: MediaStatus?) -> [Self] {
        let old = old.flatMap { $0.isEnded ? nil : $0 }
        let ended = new.flatMap { $0.isEnded ? $0 : nil }
        let new = new.flatMap { $0.isEnded ? nil : $0 }
        var events: [Self] = []
        if let old, old.mediaSessionID != new?.mediaSessionID {
            if let ad = old.adBreakStatus { events.append(.adClipEnded(ad)) }
            let reason = ended?.mediaSessionID == old.mediaSessionID ? ended?.idleReason : new.map { _ in .interrupted }
            events.append(.sessionEnded(mediaSessionID: old.mediaSessionID, reason: reason))
        }
        let former = old?.mediaSessionID == new?.mediaSessionID ? old : nil
        if let new, former == nil { events.append(.sessionStarted(mediaSessionID: new.mediaSessionID)) }
        if old?.extendedPlayerState ?? .idle != new?.extendedPlayerState ?? .idle {
            events.append(.playerStateChanged(from: old?.extendedPlayerState ?? .idle, to: new?.extendedPlayerState ?? .idle))
        }
        if new == nil, old?.shownMedia != nil { events.append(.mediaChanged(nil)) }
        return events + Self.details(former, new)
    }

    private static func details(_ old: MediaStatus?, _ new: MediaStatus?) -> [Self] {
        guard let new else { return [] }
        var events: [Self] = []
        if old?.shownMedia != new.shownMedia { events.append(.mediaChanged(new.shownMedia)) }
        if old?.currentItemID != new.currentItemID, old != nil || new.currentItemID != nil {
            events.append(.currentItemChanged(itemID: new.currentItemID))
        }
        if old?.preloadedItemID != new.preloadedItemID { events.append(.preloadedItemChanged(itemID: new.preloadedItemID)) }
        if old?.items ?? [] != new.items || old?.queueRepeatMode != new.queueRepeatMode || old?.queueData != new.queueData {
            events.append(.queueChanged)
        }
        if old?.activeTrackIDs ?? [] != new.activeTrackIDs { events.append(.activeTracksChanged(trackIDs: new.activeTrackIDs)) }
        if old?.effectiveRate ?? 1 != new.effectiveRate { events.append(.playbackRateChanged(new.effectiveRate)) }
        if let volume = new.streamVolume, volume != old?.streamVolume { events.append(.streamVolumeChanged(volume)) }
        let isSameClip =
            old?.adBreakStatus?.breakID == new.adBreakStatus?.breakID
            && old?.adBreakStatus?.breakClipID == new.adBreakStatus?.breakClipID
        if let ad = old?.adBreakStatus, !isSameClip || new.adBreakStatus == nil { events.append(.adClipEnded(ad)) }
        if let ad = new.adBreakStatus, !isSameClip || old?.adBreakStatus == nil { events.append(.adClipStarted(ad)) }
        return events
    }
}
