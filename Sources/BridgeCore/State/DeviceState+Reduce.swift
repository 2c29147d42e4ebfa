import CastModels

extension DeviceState {
    /// Applies one event.
    /// - Returns: the actions, in order; empty when no relevant part changed.
    public mutating func reduce(_ event: DeviceEvent, at now: Now, options: DeviceOptions) -> [DeviceOutput] {
        var effects = Effects()
        let deadline = self.nextDeadline
        let wasShowingGroup = self.isShowingGroup
        switch event {
        case .deviceChanged(let device): self.deviceChanged(to: device, &effects)
        case .connecting: if self.link == .offline { self.link = .connecting }
        case .identified(let details): self.identified(details, &effects)
        case .ready(let receiver, let media): self.ready(receiver, media, at: now, options, &effects)
        case .receiverStatus(let status): self.replaceReceiver(status, at: now, silently: false, &effects)
        case .mediaStatus(let status): self.mediaStatus(status, at: now, options, &effects)
        case .mediaFailed(let error): self.mediaFailed(error, at: now, &effects)
        case .queue(let window): self.replaceQueue(window, &effects)
        case .group(let standing, let playback): self.replaceGroup(standing, playback, &effects)
        case .applicationsReported(let unavailable):
            self.unavailableApplications = unavailable
            effects.documents.formUnion([.info, .app])
        case .application(let part): self.applicationReported(part, &effects)
        case .linkLost: self.linkLost(at: now, options, &effects)
        case .loadRequested:
            self.isLoadPending = true
            self.isLoadUnanswered = true
            self.sessionBeforeLoad = self.media?.mediaSessionID
            (self.lateLoad, self.mediaFailure) = (nil, nil)
        case .loadStalled:
            self.isLoadPending = false
            if let hold, hold.until == nil { self.hold?.until = now.monotonic + options.idleDebounce }
        case .loadEnded(let failure, let detail): self.loadEnded(failure, detail, at: now, options, &effects)
        case .stopRequested: self.stoppedSession = self.shownMedia?.mediaSessionID
        case .stopFailed: self.stoppedSession = nil
        case .commandSucceeded:
            self.lateLoad = nil
            self.setErrorCode(nil, &effects)
        case .commandFailed(let code):
            // The first failure is that of the load itself.
            self.lateLoad = self.lateLoad.flatMap { $0.isReported ? nil : LateLoad(sessionBefore: $0.sessionBefore, isReported: true) }
            self.setErrorCode(code, &effects)
        case .artworkImage(let image):
            if image != self.artworkImage { effects.documents.insert(.artworkImage) }
            self.artworkImage = image
        case .timer: self.timer(at: now, &effects)
        }
        if self.isShowingGroup != wasShowingGroup { effects.documents.formUnion([.state, .media, .plain, .queue, .tracks]) }
        self.updatePlayer(options, &effects)
        if !effects.documents.isEmpty { effects.outputs.append(.changed(effects.documents)) }
        // A timer that fired too early must be set again.
        if let next = self.nextDeadline, next != deadline || event.isTimer { effects.outputs.append(.wakeAt(next)) }
        return effects.outputs
    }

    /// The effects of one event.
    struct Effects {
        var documents: DeviceDocuments = []
        var outputs: [DeviceOutput] = []

        mutating func report(_ event: PublishedEvent) {
            // Room for the usual outputs: the documents and a deadline.
            if self.outputs.isEmpty { self.outputs.reserveCapacity(3) }
            self.outputs.append(.event(event))
        }
    }

    private mutating func updatePlayer(_ options: DeviceOptions, _ effects: inout Effects) {
        let player = DevicePlayerState(
            isAvailable: self.isAvailable, receiver: self.receiver, media: self.shownMedia, isLoadPending: self.isLoadPending,
            group: self.groupPlayback?.player, inactiveInputIsOff: options.inactiveInputIsOff)
        guard player != self.player else { return }
        self.player = player
        effects.documents.formUnion(.playback)
    }

    mutating func setErrorCode(_ code: String?, _ effects: inout Effects) {
        guard code != self.errorCode else { return }
        self.errorCode = code
        effects.documents.insert(.playerValues)
    }

    // MARK: Device and link

    private mutating func deviceChanged(to device: Device, _ effects: inout Effects) {
        guard device != self.device else { return }
        let former = self.device
        self.device = device
        effects.documents.formUnion([.info, .listing])
        if device.friendlyName != former.friendlyName {
            effects.outputs.append(
                .bridgeEvent(.device(.deviceRenamed, device, slug: self.slug, facts: ["previous": .string(former.friendlyName)])))
        }
        if !former.endpoints.isEmpty, !device.endpoints.isEmpty, Set(device.endpoints) != Set(former.endpoints) {
            let facts: JSONObject = [
                "address": .string(device.endpoints[0].description), "previous": .string(former.endpoints[0].description),
            ]
            effects.outputs.append(.bridgeEvent(.device(.deviceAddressChanged, device, slug: self.slug, facts: facts)))
        }
    }

    private mutating func identified(_ details: DeviceDetails, _ effects: inout Effects) {
        if !self.isAvailable { self.updateSession(&effects) { $0.answered() } }
        guard details != self.details else { return }
        self.details = details
        effects.documents.formUnion([.info, .listing])
    }

    private mutating func ready(
        _ receiver: ReceiverStatus, _ media: MediaStatus?, at now: Now, _ options: DeviceOptions, _ effects: inout Effects
    ) {
        let wasAvailable = self.isAvailable
        self.link = .online
        self.session.connected()
        effects.documents.formUnion([.all, .listing])
        defer { self.updateChannels(&effects) }
        guard !wasAvailable else {
            self.replaceReceiver(receiver, at: now, silently: false, &effects)
            return self.mediaStatus(media, at: now, options, &effects)
        }
        // The times of changes during an absence are unknown, so no events are reported for them; only the state is.
        effects.outputs.append(.bridgeEvent(.device(.deviceOnline, self.device, slug: self.slug)))
        self.replaceReceiver(receiver, at: now, silently: true, &effects)
        self.media = media
        let active = media.flatMap { $0.isEnded ? nil : $0 }
        self.show(active, reason: media?.idleReason, at: now, silently: true, &effects)
    }

    private mutating func linkLost(at now: Now, _ options: DeviceOptions, _ effects: inout Effects) {
        self.updateSession(&effects) { $0.linkLost() }
        switch self.link {
        case .online:
            self.lastSeen = now.wall
            self.link = .grace(until: now.monotonic + options.availabilityGrace)
            self.updateChannels(&effects)
        case .connecting:
            self.link = .offline
            self.changeSession(&effects) { $0.wentOffline() }
        case .neverSeen, .grace, .offline: break
        }
    }

    private mutating func goOffline(at now: Now, _ effects: inout Effects) {
        self.link = .offline
        self.isLoadPending = false
        self.hold = nil
        self.ad = nil
        self.playback?.stopCounting(at: now.monotonic)
        effects.documents.formUnion([.availability, .state, .media, .plain, .listing])
        let seen: JSONValue = self.lastSeen.map { .string($0.text) } ?? .null
        effects.outputs.append(.bridgeEvent(.device(.deviceOffline, self.device, slug: self.slug, facts: ["last_seen": seen])))
        self.changeSession(&effects) { $0.wentOffline() }
    }

    private mutating func timer(at now: Now, _ effects: inout Effects) {
        switch self.link {
        case .grace(let until) where now.monotonic >= until: self.goOffline(at: now, &effects)
        case .neverSeen(let until) where now.monotonic >= until:
            self.link = .offline
            effects.documents.formUnion([.all, .listing])
        case .neverSeen, .grace, .connecting, .online, .offline: break
        }
        if let until = self.hold?.until, now.monotonic >= until { self.releaseHold(at: now, &effects) }
        if let deadline = self.ad?.deadline, now.monotonic >= deadline {
            self.ad?.update(at: now.monotonic)
            effects.documents.insert(.state)
        }
    }

    // MARK: Queue and groups

    private mutating func replaceQueue(_ window: MediaQueueWindow?, _ effects: inout Effects) {
        // Media that is still shown keeps its queue; both end together.
        guard window != self.queueWindow, window != nil || self.shownMedia == nil else { return }
        let former = self.presentedQueue
        let overview = self.shownMedia.map { QueueOverview($0, former) }
        self.queueWindow = window
        if self.presentedQueue != former { effects.documents.insert(.queue) }
        if self.shownMedia.map({ QueueOverview($0, self.presentedQueue) }) != overview { effects.documents.insert(.state) }
    }

    private mutating func replaceGroup(_ standing: GroupStanding, _ playback: GroupPlayback?, _ effects: inout Effects) {
        if standing != self.group {
            effects.documents.formUnion([.group, .state])
            if standing.memberships.map(\.slug) != self.group.memberships.map(\.slug) { effects.documents.formUnion([.info, .listing]) }
            let wasBusy = self.isBusy
            self.group = standing
            if self.isBusy != wasBusy { effects.documents.insert(.playerValues) }
        }
        guard playback != self.shownGroupPlayback.first else { return }
        let former = self.groupPlayback
        self.shownGroupPlayback = playback.map { [$0] } ?? []
        let current = self.groupPlayback
        guard former != current else { return }
        effects.documents.formUnion(.playback)
        effects.documents.formUnion(Self.documents(between: former?.media, current?.media, hasWindow: true))
        if former?.queueWindow != current?.queueWindow { effects.documents.insert(.queue) }
    }

    // MARK: Receiver

    private mutating func replaceReceiver(_ status: ReceiverStatus, at now: Now, silently: Bool, _ effects: inout Effects) {
        var status = status
        if status.volume == nil { status.volume = self.receiver?.volume }
        guard status != self.receiver else { return }
        let former = self.receiver?.application
        self.receiver = status
        effects.documents.formUnion([.state, .receiverValues])
        guard status.application != former else { return }
        if let application = status.application { self.recentApplications.note(application) }
        effects.documents.insert(.app)
        self.updateChannels(&effects)
        guard status.application?.applicationID != former?.applicationID || status.application?.sessionID != former?.sessionID else {
            return
        }

        // This is another application session: any media belonged to the previous one.
        self.media = nil
        self.mediaFailure = nil
        self.show(nil, reason: nil, at: now, silently: silently, application: former, &effects)
        self.changeSession(of: former, &effects) { $0.applicationChanged(to: status.application) }
        guard !silently else { return }
        let facts: JSONObject = [
            "app_id": status.application.map { .string($0.applicationID) } ?? .null,
            "previous": former.map { .string($0.displayName) } ?? .null,
            "previous_app_id": former.map { .string($0.applicationID) } ?? .null,
        ]
        effects.report(PublishedEvent(.appChanged, app: status.application?.displayName, facts: facts))
    }

    private mutating func updateChannels(_ effects: inout Effects) {
        guard !self.channels.isOff else { return }
        switch self.channels.update(self.link == .online ? self.receiver?.application?.namespaces ?? [] : []) {
        case .none: break
        case .values: effects.documents.insert(.channels)
        // Only a complete round clears topics that it does not contain.
        case .topics: effects.documents.formUnion(.all)
        }
    }

    // MARK: Load commands of the bridge

    private mutating func loadEnded(
        _ failure: String?, _ detail: Int?, at now: Now, _ options: DeviceOptions, _ effects: inout Effects
    ) {
        self.isLoadPending = false
        self.isLoadUnanswered = false
        if failure == AnswerCode.timeout.rawValue { self.lateLoad = LateLoad(sessionBefore: self.sessionBeforeLoad) }
        self.sessionBeforeLoad = nil
        if self.hold != nil, self.hold?.until == nil {
            if failure == nil {
                self.hold?.until = now.monotonic + options.idleDebounce
            } else {
                self.releaseHold(at: now, &effects)
            }
        }
        guard let failure else { return self.reportFailedItem(&effects) }
        self.reportFailedLoad(failure, detail ?? self.mediaFailure?.code, self.mediaFailure?.itemID, &effects)
        self.mediaFailure = nil
    }

    /// Handles an error of the player. One of the item that plays is part of its end, which a status reports.
    private mutating func mediaFailed(_ error: CastError, at now: Now, _ effects: inout Effects) {
        guard error.code == .mediaError || error.code == .mediaLoadFailed else { return }
        self.mediaFailure = MediaFailure(code: error.detailedErrorCode, itemID: error.itemID, time: now.monotonic)
        if !self.isLoadUnanswered { self.reportFailedItem(&effects) }
    }

    /// Reports an item of a queue that could not be loaded; the receiver plays the next one.
    private mutating func reportFailedItem(_ effects: inout Effects) {
        guard let failure = self.mediaFailure, let itemID = failure.itemID, !failure.isReported else { return }
        if let shown = self.shownMedia, shown.currentItemID == itemID, !shown.isLoading { return }
        self.mediaFailure?.isReported = true
        self.reportFailedLoad("load_failed", failure.code, itemID, &effects)
    }

    private func reportFailedLoad(_ code: String, _ detail: Int?, _ itemID: Int?, _ effects: inout Effects) {
        let items = [self.queueWindow?.items, self.media?.items, self.shownMedia?.items].compactMap(\.self).joined()
        let media = itemID.flatMap { id in items.first { $0.itemID == id }?.media }
        let facts: JSONObject = [
            "code": .string(code), "detailed_error_code": MediaFailure.number(detail), "item": MediaFailure.number(itemID),
        ]
        effects.report(
            PublishedEvent(
                .loadFailed, title: media?.metadata?.title, contentID: media?.contentID,
                app: self.receiver?.application?.displayName, facts: facts))
    }
}

extension DeviceEvent {
    fileprivate var isTimer: Bool { if case .timer = self { true } else { false } }
}
