import CastModels

/// The state of one device: facts, link, receiver, media and the values derived from them.
///
/// Large parts are `Shared`, because a copy would retain about 100 references otherwise.
///
/// ```
///   DeviceEvent ─► reduce(at: now) ─► [DeviceOutput]: documents that changed, events to publish, the time of the next timer
/// ```
///
/// - **Parts.** Each owns its facts and changes them by itself: `DeviceLink` (availability), `ApplicationStanding` (our part in the
///   application), `DeviceMedia` (what is shown, its events) and `RequestedLoad`. Only `reduce` calls them.
/// - **Callers.** `DeviceAgent` holds one for each device. The parts of the fleet reduce it, and `TopicMapper` and the announcements read it.
/// - **Thread.** A pure value; the agent is on the bridge's event loop. Time comes in as an argument.
/// - **Invariants.** Volume, application and media come from the device's reports alone. Of a command the state keeps that a load or a
///   launch is pending, and its outcome. Every change that documents show is among the outputs. `nextDeadline` is the time of the next
///   `timer` event, and one that comes early changes nothing.
///
/// Where to look next: `DeviceMedia` for playback, `DeviceEvent` for inputs and outputs, `DeviceState+Presented` for the values that
/// documents show, `TopicMapper` for the documents.
public struct DeviceState: Sendable, Equatable {
    /// The device as discovery describes it.
    @Shared public private(set) var device: Device
    /// The device's level in every topic.
    public private(set) var slug: String
    /// The facts from the control link.
    @Shared public private(set) var details: DeviceDetails
    public private(set) var link: DeviceLink
    /// The last receiver status; its volume is the last reported one.
    @Shared public private(set) var receiver: ReceiverStatus?
    public private(set) var application: ApplicationStanding
    public private(set) var media = DeviceMedia()
    private(set) var load = RequestedLoad()
    @Shared public private(set) var group = GroupStanding()
    /// The playback of one of its groups: none or one. An array, because a status is large.
    private(set) var shownGroupPlayback: [GroupPlayback] = []
    public private(set) var player = DevicePlayerState.unknown
    /// The picture of the media; unknown while pictures are not published.
    public private(set) var artworkImage = ArtworkImage.unknown
    /// What people chose for it.
    @Shared private(set) var choices: DeviceChoices
    /// The code of the last failed command; `nil` after a successful one.
    private(set) var errorCode: String?

    /// Creates the state of a device that has reported nothing in this run.
    public init(
        device: Device, slug: String, details: DeviceDetails = DeviceDetails(), aliases: [String] = [], lastSeen: Timestamp? = nil,
        at now: Now, options: DeviceOptions = DeviceOptions(), namespaces: NamespacePolicy = NamespacePolicy()
    ) {
        self.application = ApplicationStanding(namespaces)
        self.device = device
        self.slug = slug
        self.details = details
        self.choices = DeviceChoices(aliases: aliases)
        self.link = DeviceLink(lastSeen: lastSeen, patience: now.monotonic + options.startPatience)
    }

    /// When to send `timer`; `nil` when time alone changes nothing. Read it after `init` too, before the first event.
    public var nextDeadline: MonotonicTime? { MonotonicTime.earlier(self.link.deadline, self.media.deadline) }

    public mutating func move(to slug: String) { self.slug = slug }

    /// Applies the user's choices for this device.
    public mutating func choose(aliases: [String], area: String?) { (self.choices.aliases, self.choices.area) = (aliases, area) }

    public var aliases: [String] { self.choices.aliases }
    public var area: String? { self.choices.area }

    /// Applies one event.
    /// - Returns: the actions, in order; empty when no relevant part changed.
    public mutating func reduce(_ event: DeviceEvent, at now: Now, options: DeviceOptions) -> [DeviceOutput] {
        var reduction = Reduction(at: now, options)
        let deadline = self.nextDeadline
        let wasShowingGroup = self.isShowingGroup
        switch event {
        case .deviceChanged(let device): self.deviceChanged(to: device, &reduction)
        case .connecting: self.link.connecting()
        case .identified(let details): self.identified(details, &reduction)
        case .ready(let receiver, let media): self.ready(receiver, media, &reduction)
        case .receiverStatus(let status): self.replaceReceiver(status, silently: false, &reduction)
        case .mediaStatus(let status): self.mediaStatus(status, &reduction)
        case .mediaFailed(let error): self.media.failed(error, self.load, app: self.runningApplication, &reduction)
        case .queue(let window): self.media.queueRead(window, &reduction)
        case .group(let standing, let playback): self.replaceGroup(standing, playback, &reduction)
        case .applicationsReported(let unavailable): self.application.queried(unavailable: unavailable, &reduction)
        case .application(let part): self.application.reported(part, app: self.runningApplication, &reduction)
        case .linkLost: self.linkLost(&reduction)
        case .loadRequested:
            self.load.requested(during: self.media.reported?.mediaSessionID)
            self.media.loadRequested()
        case .loadStalled:
            self.load.stalled()
            self.media.loadStalled(reduction)
        case .loadEnded(let failure, let detail, let media):
            self.load.answered(isTimeout: failure == AnswerCode.timeout.rawValue)
            self.media.loadAnswered(failure, detail, media, self.load, app: self.runningApplication, &reduction)
        case .stopRequested: self.media.stopRequested()
        case .stopFailed: self.media.stopFailed()
        case .commandSucceeded:
            self.load.commandSucceeded()
            self.setErrorCode(nil, &reduction)
        case .commandFailed(let code):
            self.load.commandFailed()
            self.setErrorCode(code, &reduction)
        case .presetPlayed(let preset):
            self.choices.preset = preset
            reduction.documents.insert(.state)
        case .sleepChanged(let end):
            self.choices.sleepEnd = end
            reduction.documents.insert(.state)
        case .artworkImage(let image):
            if image != self.artworkImage { reduction.documents.insert(.artworkImage) }
            self.artworkImage = image
        case .timer: self.timer(&reduction)
        case .clockStepped(let seconds):
            self.link.clockStepped(by: seconds)
            self.media.clockStepped(by: seconds)
            if self.choices.sleepEnd != nil { self.choices.sleepEnd?.add(seconds: seconds) }
            reduction.documents.formUnion([.all, .listing])
        }
        if self.isShowingGroup != wasShowingGroup { reduction.documents.formUnion([.state, .media, .plain, .queue, .tracks]) }
        self.updatePlayer(&reduction)
        if !reduction.documents.isEmpty { reduction.add(.changed(reduction.documents)) }
        // A timer that fired too early must be set again.
        let isTimer = if case .timer = event { true } else { false }
        if let next = self.nextDeadline, next != deadline || isTimer { reduction.add(.wakeAt(next)) }
        return reduction.outputs
    }

    private mutating func updatePlayer(_ reduction: inout Reduction) {
        let player = DevicePlayerState(
            isAvailable: self.isAvailable, receiver: self.receiver, media: self.media.shown, isLoadPending: self.load.isPending,
            group: self.groupPlayback?.player, inactiveInputIsOff: reduction.options.inactiveInputIsOff)
        guard player != self.player else { return }
        self.player = player
        reduction.documents.formUnion(.playback)
    }

    private mutating func setErrorCode(_ code: String?, _ reduction: inout Reduction) {
        guard code != self.errorCode else { return }
        self.errorCode = code
        reduction.documents.insert(.playerValues)
    }

    // MARK: Device and link

    private mutating func deviceChanged(to device: Device, _ reduction: inout Reduction) {
        guard device != self.device else { return }
        let former = self.device
        self.device = device
        reduction.documents.formUnion([.info, .listing])
        if device.friendlyName != former.friendlyName {
            reduction.report(.device(.deviceRenamed, device, slug: self.slug, facts: ["previous": .string(former.friendlyName)]))
        }
        if !former.endpoints.isEmpty, !device.endpoints.isEmpty, Set(device.endpoints) != Set(former.endpoints) {
            let facts: JSONObject = [
                "address": .string(device.endpoints[0].description), "previous": .string(former.endpoints[0].description),
            ]
            reduction.report(.device(.deviceAddressChanged, device, slug: self.slug, facts: facts))
        }
    }

    private mutating func identified(_ details: DeviceDetails, _ reduction: inout Reduction) {
        if !self.isAvailable { self.application.deviceAnswered(&reduction) }
        guard details != self.details else { return }
        self.details = details
        reduction.documents.formUnion([.info, .listing])
    }

    private mutating func ready(_ receiver: ReceiverStatus, _ media: MediaStatus?, _ reduction: inout Reduction) {
        let wasAvailable = self.isAvailable
        self.link.ready()
        self.application.linkReady()
        reduction.documents.formUnion([.all, .listing])
        defer { self.updateChannels(&reduction) }
        // The times of changes during an absence are unknown, so no events are reported for them; only the state is.
        if !wasAvailable { reduction.report(.device(.deviceOnline, self.device, slug: self.slug)) }
        self.replaceReceiver(receiver, silently: !wasAvailable, &reduction)
        if wasAvailable {
            self.mediaStatus(media, &reduction)
        } else {
            self.media.read(media, self.load, app: self.runningApplication, &reduction)
        }
    }

    private mutating func linkLost(_ reduction: inout Reduction) {
        self.application.linkLost(&reduction)
        self.link.lost(at: reduction.now, grace: reduction.options.availabilityGrace)
        self.updateChannels(&reduction)
        if self.link.phase == .offline { self.application.wentOffline(app: self.runningApplication, &reduction) }
    }

    private mutating func timer(_ reduction: inout Reduction) {
        switch self.link.expire(at: reduction.now.monotonic) {
        case true?: self.goOffline(&reduction)
        case false?: reduction.documents.formUnion([.all, .listing])
        case nil: break
        }
        self.media.timer(self.load, app: self.runningApplication, &reduction)
    }

    private mutating func goOffline(_ reduction: inout Reduction) {
        self.load.stalled()
        self.media.wentOffline(at: reduction.now.monotonic)
        reduction.documents.formUnion([.availability, .state, .media, .plain, .listing])
        let seen: JSONValue = self.link.lastSeen.map { .string($0.text) } ?? .null
        reduction.report(.device(.deviceOffline, self.device, slug: self.slug, facts: ["last_seen": seen]))
        self.application.wentOffline(app: self.runningApplication, &reduction)
    }

    // MARK: Receiver and media

    private mutating func replaceReceiver(_ status: ReceiverStatus, silently: Bool, _ reduction: inout Reduction) {
        var status = status
        if status.volume == nil { status.volume = self.receiver?.volume }
        guard status != self.receiver else { return }
        let former = self.receiver?.application
        self.receiver = status
        reduction.documents.formUnion([.state, .receiverValues])
        guard status.application != former else { return }
        self.application.changed(to: status.application, &reduction)
        self.updateChannels(&reduction)
        guard status.application?.applicationID != former?.applicationID || status.application?.sessionID != former?.sessionID else {
            return
        }

        // This is another application session: any media belonged to the previous one.
        let app = self.runningApplication
        self.media.applicationChanged(from: former, self.load, app: app, silently: silently, &reduction)
        self.application.replaced(former?.displayName, by: status.application, &reduction)
        guard !silently else { return }
        let facts: EventFacts = [
            "app_id": status.application.map { .string($0.applicationID) } ?? .null,
            "previous": former.map { .string($0.displayName) } ?? .null,
            "previous_app_id": former.map { .string($0.applicationID) } ?? .null,
        ]
        reduction.report(PublishedEvent(.appChanged, app: app, facts: facts))
    }

    private mutating func updateChannels(_ reduction: inout Reduction) {
        self.application.updateChannels(self.link.phase == .online ? self.receiver?.application?.namespaces ?? [] : [], &reduction)
    }

    private mutating func mediaStatus(_ status: MediaStatus?, _ reduction: inout Reduction) {
        if let status, !status.isEnded, self.load.mediaReported(status), self.errorCode == AnswerCode.timeout.rawValue {
            self.setErrorCode(nil, &reduction)
        }
        self.media.statusReported(status, self.load, app: self.runningApplication, &reduction)
    }

    /// The name of the running application, or its id if it has no name.
    private var runningApplication: String? {
        // Read in place, because the application would be copied otherwise.
        if let name = self.receiver?.application?.name, !name.isEmpty { return name }
        return self.receiver?.application?.applicationID
    }

    // MARK: Groups

    private mutating func replaceGroup(_ standing: GroupStanding, _ playback: GroupPlayback?, _ reduction: inout Reduction) {
        if standing != self.group {
            reduction.documents.formUnion([.group, .state])
            if standing.memberships.map(\.slug) != self.group.memberships.map(\.slug) { reduction.documents.formUnion([.info, .listing]) }
            let wasBusy = self.isBusy
            self.group = standing
            if self.isBusy != wasBusy { reduction.documents.insert(.playerValues) }
        }
        guard playback != self.shownGroupPlayback.first else { return }
        let former = self.groupPlayback
        self.shownGroupPlayback = playback.map { [$0] } ?? []
        let current = self.groupPlayback
        guard former != current else { return }
        reduction.documents.formUnion(.playback)
        reduction.documents.formUnion(DeviceMedia.documents(between: former?.media, current?.media, hasWindow: true))
        if former?.queue != current?.queue { reduction.documents.insert(.queue) }
    }

    // MARK: Comparison

    /// The facts that the texts of `DocumentTexts` depend on.
    struct Facts {
        private var status: MediaStatus?
        private let queue: Shared<MediaQueueWindow?>
        private let ad: AdAnchor?
        private let device: Shared<Device>
        private let receiver: Shared<ReceiverStatus?>
        private let group: Shared<GroupStanding>
        private let choices: Shared<DeviceChoices>
        /// A preset ends with its media.
        private let preset: String?
        private let isShowingGroup: Bool

        init(_ state: borrowing DeviceState) {
            (self.status, self.queue, self.ad) = (state.presentedMedia, state.media.sharedQueue, state.presentedAd)
            (self.device, self.receiver, self.group) = (state._device, state._receiver, state._group)
            (self.isShowingGroup, self.choices, self.preset) = (state.isShowingGroup, state._choices, state.presentedPreset)
        }

        /// Keeps the newest copy: the next status most likely shares its storage, which makes the comparison free.
        mutating func keep(_ status: MediaStatus?) { self.status = status }

        /// Returns the parts that may differ for `state`. The playback of a group always counts as different.
        func partsChanged(in state: borrowing DeviceState) -> DocumentTexts.Parts {
            let status = state.presentedMedia
            let isSameMedium = (self.status == nil) == (status == nil) && self.status?.shownMedia == status?.shownMedia
            var parts: DocumentTexts.Parts = isSameMedium ? [] : [.description, .details]
            if self.isShowingGroup || state.isShowingGroup { return parts.union([.receiver, .standing, .controls]) }
            if !self.receiver.isCopy(of: state._receiver) { parts.formUnion([.receiver, .standing]) }
            if !MediaStatus.haveEqualOptions(self.status, status) { parts.formUnion([.standing, .controls]) }
            if !self.queue.isCopy(of: state.media.sharedQueue) || !self.group.isCopy(of: state._group)
                || !self.device.isCopy(of: state._device) || self.ad != state.media.ad
                || !self.choices.isCopy(of: state._choices) || self.preset != state.presentedPreset
                || state.media.sharedQueue.wrappedValue != nil && self.status?.currentItemID != status?.currentItemID
            {
                parts.insert(.standing)
            }
            return parts
        }
    }
}
