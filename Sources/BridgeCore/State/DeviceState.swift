import CastModels

/// Everything the bridge knows of one device: facts, link, receiver, media and what follows from them.
///
/// Large parts are `Shared`, because a copy would retain about 100 references otherwise.
///
/// `reduce` is the only way it changes. It decides what is shown: an end that is followed by a beginning is held back, the position is an
/// anchor, an item's values vanish together.
package struct DeviceState: Sendable, Equatable {
    /// What discovery says.
    @Shared package internal(set) var device: Device
    /// The device's level in every topic.
    package var slug: String
    /// Further names that commands accept in place of the slug.
    package var aliases: [String]
    /// The room that a user put it in.
    package var area: String?
    /// What the control link says.
    @Shared package internal(set) var details: DeviceDetails
    package internal(set) var link: DeviceLink
    /// When the device was last heard before now; `nil` when never. A device that is available is heard all the time.
    package internal(set) var lastSeen: Timestamp?

    /// The last receiver status; its volume is the last that was told.
    @Shared package internal(set) var receiver: ReceiverStatus?
    /// The ids of applications that it reports not to run, of those that it was asked for.
    package internal(set) var unavailableApplications: Set<String> = []
    /// What it was seen to run, by name.
    @Shared package internal(set) var recentApplications = RecentApplications()
    /// The last media status as told, whatever is shown. Commands go by this one.
    package internal(set) var media: MediaStatus?
    package internal(set) var applicationConnection = ApplicationConnection(.none)
    /// Which namespaces of the running application messages can be sent on.
    @Shared package internal(set) var channels: ChannelStates
    /// The bridge's session with the application.
    var session = SenderSession()

    /// The media session that documents show; `nil` when there is none or it ended.
    package internal(set) var shownMedia: MediaStatus?
    /// Why the last media ended, until other media is shown.
    package internal(set) var idleReason: IdleReason?
    /// The queue as it was last read; of another media session than `shownMedia` it says nothing.
    @Shared package internal(set) var queueWindow: MediaQueueWindow?
    /// How the device stands to groups.
    @Shared package internal(set) var group = GroupStanding()
    /// Where `shownMedia` is.
    package internal(set) var anchor: PositionAnchor?
    /// The ad within `shownMedia`.
    package internal(set) var ad: AdAnchor?
    /// What `player` says.
    package internal(set) var player = DevicePlayerState.unknown
    /// A load of ours has neither an answer nor a status of its own yet.
    package internal(set) var isLoadPending = false
    /// The picture of what plays; unknown while pictures are not published.
    package internal(set) var artworkImage = ArtworkImage.unknown
    /// The code of the last command that failed; `nil` once one succeeded.
    package internal(set) var errorCode: String?

    /// What one of its groups plays: none or one, kept apart since a status is large.
    var lentPlayback: [GroupPlayback] = []

    /// An end that is not shown yet.
    var hold: Hold?
    /// What has been told of the shown item in events.
    var playback: Playback?
    /// A load of ours has no answer yet: its failure is told by the answer.
    var isLoadUnanswered = false
    /// The media session that ran when our load was sent.
    var sessionBeforeLoad: Int?

    /// The media session that a command of ours stops. Some receivers report its end without a reason, as they do between two items.
    var stoppedSession: Int?

    /// A device of which nothing was heard in this run.
    package init(
        device: Device, slug: String, details: DeviceDetails = DeviceDetails(), aliases: [String] = [], lastSeen: Timestamp? = nil,
        at now: Now, options: DeviceOptions = DeviceOptions(), namespaces: NamespacePolicy = NamespacePolicy()
    ) {
        self._channels = Shared(wrappedValue: ChannelStates(namespaces))
        self.device = device
        self.slug = slug
        self.details = details
        self.aliases = aliases
        self.lastSeen = lastSeen
        self.link = .neverSeen(until: now.monotonic + options.startPatience)
    }

    /// Whether `availability` says `online`.
    package var isAvailable: Bool { self.link.isAvailable }

    /// What a group that this device belongs to plays on it; `nil` while it plays something of its own or nothing.
    package var groupPlayback: GroupPlayback? {
        self.isShowingGroup ? self.lentPlayback.first : nil
    }

    var isShowingGroup: Bool { !self.lentPlayback.isEmpty && self.isAvailable && self.shownMedia == nil && !self.isLoadPending }

    /// The media session that documents show: its own, else that of a group that plays on it.
    package var presentedMedia: MediaStatus? { self.shownMedia ?? self.groupPlayback?.media }

    /// Where `presentedMedia` is.
    package var presentedAnchor: PositionAnchor? { self.shownMedia == nil ? self.groupPlayback?.anchor : self.anchor }

    /// The ad within `presentedMedia`.
    package var presentedAd: AdAnchor? { self.shownMedia == nil ? self.groupPlayback?.ad : self.ad }

    /// The queue of `presentedMedia`, if it was read.
    package var presentedQueue: MediaQueueWindow? {
        let window = self.shownMedia == nil ? self.groupPlayback?.queueWindow : self.queueWindow
        return window?.mediaSessionID == self.presentedMedia?.mediaSessionID ? window : nil
    }

    /// Why the player is idle; `nil` while it is anything else. An absence changes nothing about it.
    package var presentedIdleReason: IdleReason? {
        switch self.player {
        case .idle, .unknown: self.idleReason
        case .off, .on, .loading, .buffering, .playing, .paused: nil
        }
    }

    /// Whether it plays, speaks, or is used by a group.
    package var isBusy: Bool {
        switch self.player {
        // What stands for a group that the bridge sees is as busy as that; for any other, something may play.
        case .off, .idle, .on: self.receiver?.application?.isGroupPlaceholder == true && !self.group.memberships.contains { $0.isOpen }
        case .loading, .buffering, .playing, .paused, .unknown: self.player.isActive
        }
    }

    /// When to send `timer`; `nil` when time alone changes nothing. Ask after `init` too, before the first event.
    package var nextDeadline: MonotonicTime? {
        MonotonicTime.earlier(self.link.deadline, MonotonicTime.earlier(self.hold?.until, self.ad?.deadline))
    }

    /// The facts on which the texts depend that `DocumentTexts` keeps.
    struct Facts {
        var status: MediaStatus?
        private let queue: Shared<MediaQueueWindow?>
        private let ad: AdAnchor?
        private let device: Shared<Device>
        private let receiver: Shared<ReceiverStatus?>
        private let group: Shared<GroupStanding>
        private let isShowingGroup: Bool

        init(_ state: borrowing DeviceState) {
            (self.status, self.queue, self.ad, self.device) = (state.presentedMedia, state._queueWindow, state.presentedAd, state._device)
            (self.receiver, self.group, self.isShowingGroup) = (state._receiver, state._group, state.isShowingGroup)
        }

        /// Returns the parts that may differ for `state`. What a group plays always counts as different.
        func partsChanged(in state: borrowing DeviceState) -> Set<DocumentTexts.Part> {
            let status = state.presentedMedia
            let isSameMedium = (self.status == nil) == (status == nil) && self.status?.shownMedia == status?.shownMedia
            var parts: Set<DocumentTexts.Part> = isSameMedium ? [] : [.description, .details]
            if self.isShowingGroup || state.isShowingGroup { return parts.union([.receiver, .standing, .controls]) }
            if !self.receiver.isCopy(of: state._receiver) { parts.formUnion([.receiver, .standing]) }
            if !MediaStatus.haveEqualOptions(self.status, status) { parts.formUnion([.standing, .controls]) }
            if !self.queue.isCopy(of: state._queueWindow) || !self.group.isCopy(of: state._group) || !self.device.isCopy(of: state._device)
                || self.ad != state.ad || state.queueWindow != nil && self.status?.currentItemID != status?.currentItemID
            {
                parts.insert(.standing)
            }
            return parts
        }
    }

    /// An end of an item that may be followed by a beginning.
    struct Hold: Sendable, Hashable {
        /// When to show the end after all; `nil` while a load of ours decides it.
        var until: MonotonicTime?
        var reason: IdleReason?
    }

    /// What was told in events of the item that is shown.
    struct Playback: Sendable, Hashable {
        /// Whether its beginning was told.
        var isAnnounced = false
        /// Whether it ever played.
        var hasPlayed = false
        /// Whether it was last seen paused, seen over phases of buffering.
        var isPaused = false
        /// Seconds it played until `playingSince`.
        var playedSeconds = 0.0
        var playingSince: MonotonicTime?
        /// When its beginning was told; `nil` for what played before the device was seen.
        var startedAt: Timestamp?

        func played(at time: MonotonicTime) -> Double {
            self.playedSeconds + (self.playingSince.map { max(0, time.seconds(since: $0)) } ?? 0)
        }

        mutating func stopCounting(at time: MonotonicTime) {
            self.playedSeconds = self.played(at: time)
            self.playingSince = nil
        }
    }
}
