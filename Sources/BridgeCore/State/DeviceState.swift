import CastModels

/// The state of one device: facts, link, receiver, media and the values derived from them.
///
/// Large parts are `Shared`, because a copy would retain about 100 references otherwise.
///
/// Only `reduce` changes it. `reduce` decides what is shown: the end of an item is held back if a new item may follow, the position is an
/// anchor, and the values of an item disappear together.
///
/// ```
///   DeviceEvent ─► reduce(at: now) ─► [DeviceOutput]: documents that changed, events to publish, the time of the next timer
///
///   link   neverSeen ──► online ◄──► grace ──► offline ◄──► connecting ──► online
///              └── an attempt failed, or time ────▲
/// ```
///
/// - **Callers.** `DeviceAgent` holds one for each device. The parts of the fleet reduce it, and `TopicMapper` and the announcements read it.
/// - **Thread.** A pure value; the agent is on the bridge's event loop. Time comes in as an argument.
/// - **Invariants.** Volume, application and media come from the device's reports alone. Of a command the state keeps that a load or a
///   launch is pending, and its outcome. Every change that documents show is among the outputs. `nextDeadline` is the time of the next `timer` event, and one that comes early changes nothing.
///
/// Where to look next: `DeviceState+Reduce` for the events, `DeviceState+Media` for playback, `DeviceEvent` for inputs and outputs,
/// `TopicMapper` for the documents.
public struct DeviceState: Sendable, Equatable {
    /// The device as discovery describes it.
    @Shared public internal(set) var device: Device
    /// The device's level in every topic.
    public var slug: String
    /// Further names that commands accept in place of the slug.
    public var aliases: [String]
    /// The room that a user assigned.
    public var area: String?
    /// The facts from the control link.
    @Shared public internal(set) var details: DeviceDetails
    public internal(set) var link: DeviceLink
    /// When the device was last seen; `nil` when never. An available device is seen continuously.
    public internal(set) var lastSeen: Timestamp?

    /// The last receiver status; its volume is the last reported one.
    @Shared public internal(set) var receiver: ReceiverStatus?
    /// The ids of queried applications that the device reported as unavailable.
    public internal(set) var unavailableApplications: Set<String> = []
    /// The names of applications that the device was seen running.
    @Shared public internal(set) var recentApplications = RecentApplications()
    /// The last media status as reported, independently of what is shown. Commands use it.
    public internal(set) var media: MediaStatus?
    /// The bridge's part in the running application, as the link reported it last.
    public internal(set) var application = ApplicationSession()
    /// The namespaces of the running application that can receive messages.
    @Shared public internal(set) var channels: ChannelStates
    /// The bridge's session with the application.
    var session = SenderSession()

    /// The media session that documents show; `nil` when there is none or it ended.
    public internal(set) var shownMedia: MediaStatus?
    /// Why the last media ended, until other media is shown.
    public internal(set) var idleReason: IdleReason?
    /// The queue as last read; ignored if it belongs to another media session than `shownMedia`.
    @Shared public internal(set) var queueWindow: MediaQueueWindow?
    /// The relation of the device to groups.
    @Shared public internal(set) var group = GroupStanding()
    /// The position of `shownMedia`.
    public internal(set) var anchor: PositionAnchor?
    /// The ad within `shownMedia`.
    public internal(set) var ad: AdAnchor?
    /// The value of `player`.
    public internal(set) var player = DevicePlayerState.unknown
    /// Whether a load of the bridge has neither an answer nor a status of its own yet.
    public internal(set) var isLoadPending = false
    /// The picture of the media; unknown while pictures are not published.
    public internal(set) var artworkImage = ArtworkImage.unknown
    /// The code of the last failed command; `nil` after a successful one.
    public internal(set) var errorCode: String?

    /// The playback of one of its groups: none or one. An array, because a status is large.
    var shownGroupPlayback: [GroupPlayback] = []

    /// An end of an item that is not shown yet.
    var hold: Hold?
    /// The events that were reported for the shown item.
    var playback: Playback?
    /// Whether a load of the bridge has no answer yet; the answer then reports its failure.
    var isLoadUnanswered = false
    /// The last error of the player that has not ended an item yet.
    var mediaFailure: MediaFailure?
    /// The media session at the time of our load.
    var sessionBeforeLoad: Int?
    /// The media session before a load that the bridge stopped waiting for; `nil` when there is no such load.
    var lateLoad: LateLoad?

    /// A load that was answered `timeout` and may still play.
    struct LateLoad: Sendable, Hashable {
        var sessionBefore: Int?
        /// Whether `error_code` is its failure.
        var isReported = false
    }

    /// The media session that a command of the bridge stops. Some receivers report its end without a reason, like the gap between two
    /// items.
    var stoppedSession: Int?

    /// Creates the state of a device that has reported nothing in this run.
    public init(
        device: Device, slug: String, details: DeviceDetails = DeviceDetails(), aliases: [String] = [], lastSeen: Timestamp? = nil,
        at now: Now, options: DeviceOptions = DeviceOptions(),
        namespaces: NamespacePolicy = NamespacePolicy()
    ) {
        self._channels = Shared(wrappedValue: ChannelStates(namespaces))
        self.device = device
        self.slug = slug
        self.details = details
        self.aliases = aliases
        self.lastSeen = lastSeen
        self.link = .neverSeen(until: now.monotonic + options.startPatience)
    }

    /// Whether `availability` is `online`.
    public var isAvailable: Bool { self.link.isAvailable }

    /// The playback of a group that this device belongs to; `nil` while the device plays its own media or nothing.
    public var groupPlayback: GroupPlayback? {
        self.isShowingGroup ? self.shownGroupPlayback.first : nil
    }

    var isShowingGroup: Bool { !self.shownGroupPlayback.isEmpty && self.isAvailable && self.shownMedia == nil && !self.isLoadPending }

    /// The media session that documents show: the device's own, else that of a group that plays on it.
    public var presentedMedia: MediaStatus? { self.shownMedia ?? self.groupPlayback?.media }

    /// The position of `presentedMedia`.
    public var presentedAnchor: PositionAnchor? { self.shownMedia == nil ? self.groupPlayback?.anchor : self.anchor }

    /// The ad within `presentedMedia`.
    public var presentedAd: AdAnchor? { self.shownMedia == nil ? self.groupPlayback?.ad : self.ad }

    /// The queue of `presentedMedia`, if it was read.
    public var presentedQueue: MediaQueueWindow? {
        let window = self.shownMedia == nil ? self.groupPlayback?.queueWindow : self.queueWindow
        return window?.mediaSessionID == self.presentedMedia?.mediaSessionID ? window : nil
    }

    /// Why the player is idle; `nil` while it is not idle. An absence does not change it.
    public var presentedIdleReason: IdleReason? {
        switch self.player {
        case .idle, .unknown: self.idleReason
        case .off, .on, .loading, .buffering, .playing, .paused: nil
        }
    }

    /// Whether the device is playing, speaking, or used by a group.
    public var isBusy: Bool {
        switch self.player {
        // A placeholder of a group that the bridge sees is as busy as that group; for an unseen group, playback is assumed.
        case .off, .idle, .on: self.receiver?.application?.isGroupPlaceholder == true && !self.group.memberships.contains { $0.isOpen }
        case .loading, .buffering, .playing, .paused, .unknown: self.player.isActive
        }
    }

    /// When to send `timer`; `nil` when time alone changes nothing. Read it after `init` too, before the first event.
    public var nextDeadline: MonotonicTime? {
        MonotonicTime.earlier(self.link.deadline, MonotonicTime.earlier(self.hold?.until, self.ad?.deadline))
    }

    /// The facts that the texts of `DocumentTexts` depend on.
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

        /// Returns the parts that may differ for `state`. The playback of a group always counts as different.
        func partsChanged(in state: borrowing DeviceState) -> DocumentTexts.Parts {
            let status = state.presentedMedia
            let isSameMedium = (self.status == nil) == (status == nil) && self.status?.shownMedia == status?.shownMedia
            var parts: DocumentTexts.Parts = isSameMedium ? [] : [.description, .details]
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

    /// An end of an item that a new item may follow.
    struct Hold: Sendable, Hashable {
        /// When to show the end; `nil` while a load of the bridge decides it.
        var until: MonotonicTime?
        var reason: IdleReason?
        /// When the device reported it.
        var since: Now
    }

    /// The events that were reported for the shown item.
    struct Playback: Sendable, Hashable {
        /// Whether its beginning was reported.
        var isAnnounced = false
        /// Whether it has ever played.
        var hasPlayed = false
        /// Whether it was paused, ignoring phases of buffering.
        var isPaused = false
        /// Seconds that it has played until `playingSince`.
        var playedSeconds = 0.0
        var playingSince: MonotonicTime?
        /// When its beginning was reported; `nil` for media that was already playing when the device was first seen.
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
