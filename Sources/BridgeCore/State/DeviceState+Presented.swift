import CastModels

/// The values that documents show, of the device's own media or of a group that plays on it.
extension DeviceState {
    public var isAvailable: Bool { self.link.isAvailable }

    /// Whether the bridge launched the running application.
    var isApplicationOurs: Bool {
        self.application.part.isLaunched && self.receiver?.application?.sessionID == self.application.part.id
    }

    /// The playback of a group that this device belongs to; `nil` while the device plays its own media or nothing.
    public var groupPlayback: GroupPlayback? { self.isShowingGroup ? self.shownGroupPlayback.first : nil }

    var isShowingGroup: Bool {
        !self.shownGroupPlayback.isEmpty && self.isAvailable && self.media.shown == nil && !self.load.isPending
    }

    /// The media session that documents show: the device's own, else that of a group that plays on it.
    public var presentedMedia: MediaStatus? { self.media.shown ?? self.groupPlayback?.media }

    /// The position of `presentedMedia`.
    public var presentedAnchor: PositionAnchor? { self.media.shown == nil ? self.groupPlayback?.anchor : self.media.anchor }

    /// The ad within `presentedMedia`.
    public var presentedAd: AdAnchor? { self.media.shown == nil ? self.groupPlayback?.ad : self.media.ad }

    /// The queue of `presentedMedia`, if it was read.
    public var presentedQueue: MediaQueueWindow? { self.media.shown == nil ? self.groupPlayback?.queue : self.media.queue }

    /// Why the player is idle; `nil` while it is not idle. An absence does not change it.
    public var presentedIdleReason: IdleReason? {
        switch self.player {
        case .idle, .unknown: self.media.idleReason
        case .off, .on, .loading, .buffering, .playing, .paused: nil
        }
    }

    /// The name of the preset that plays; `nil` once something else does.
    public var presentedPreset: String? {
        guard let preset = self.choices.preset, let application = self.receiver?.application else { return nil }
        let media = self.media.reported
        if let content = preset.content, content == media?.media?.contentID { return preset.name }
        return preset.application == application.sessionID && (preset.media == nil || preset.media == media?.mediaSessionID)
            ? preset.name : nil
    }

    /// Whether the device is playing, speaking, or used by a group.
    public var isBusy: Bool {
        switch self.player {
        // A placeholder of a group that the bridge sees is as busy as that group; for an unseen group, playback is assumed.
        case .off, .idle, .on: self.receiver?.application?.isGroupPlaceholder == true && !self.group.memberships.contains { $0.isOpen }
        case .loading, .buffering, .playing, .paused, .unknown: self.player.isActive
        }
    }
}
