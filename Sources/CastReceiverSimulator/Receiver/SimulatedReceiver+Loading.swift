/// Loads media and handles changes of the player without a request.
extension SimulatedReceiver {
    /// The `detailedErrorCode` of a session that is ended because its items take no time (MEDIA_UNKNOWN of the receiver SDK).
    private static let endlessCode = 100

    mutating func load(_ json: JSON, from asker: Asker, at now: Duration) { self.load(Self.queue(of: json), json, from: asker, at: now) }

    /// Returns the queue of a `LOAD`; `nil` when it names nothing to play.
    static func queue(of json: JSON) -> PlayerQueue? {
        if let data = json["queueData"], data["items"]?.elements != nil { return PlayerQueue(data: data) }
        return MediaItem(json, itemID: 1).map(PlayerQueue.init(_:))
    }

    mutating func load(_ queue: PlayerQueue?, _ json: JSON, from asker: Asker, at now: Duration) {
        guard let queue, json["media"] != nil || json["queueData"] != nil || json["items"] != nil else {
            return self.refuse(asker, "INVALID_PARAMS")
        }
        if self.has(.acknowledgedOnly) { return self.answer(asker, self.mediaStatus(.everything, at: now, includingEnded: false)) }
        self.begin(queue, for: json, asker: asker, at: now)
    }

    /// Starts a media session from the body of a `LOAD`.
    mutating func begin(_ queue: PlayerQueue, for json: JSON, asker: Asker?, at now: Duration) {
        var queue = queue
        if let start = json["currentTime"]?.double { queue.setStartTime(max(0, start)) }
        if let autoplay = json["autoplay"]?.boolean { queue.setAutoplay(autoplay) }
        let tracks = (json["activeTrackIds"]?.elements ?? []).compactMap(\.int)
        let rate = json["playbackRate"]?.double ?? 1
        self.begin(queue, activeTrackIDs: tracks, rate: (0.5...2).contains(rate) ? rate : 1, asker: asker, at: now)
    }

    /// Starts a media session and reports the end of the previous one.
    mutating func begin(_ queue: PlayerQueue, activeTrackIDs: [Int], rate: Double, asker: Asker?, at now: Duration) {
        self.cancelLoad()
        if self.application?.player.hasSession ?? false {
            self.application?.player.end(.interrupted, at: now)
            self.broadcastMediaStatus(.changes, at: now)
            let former = self.application?.player.status(at: now, content: .changes)
            self.application?.formerSession = former
        }
        let timing = self.timing()
        self.application?.player.load(queue, activeTrackIDs: activeTrackIDs, rate: rate, timing: timing, at: now)
        self.application?.loadAsker = asker
        self.broadcastMediaStatus(.everything, at: now)
    }

    /// Answers the pending load that another request replaced.
    mutating func cancelLoad() {
        guard let asker = self.application?.takeLoadAsker() else { return }
        let itemID = self.application?.player.queue?.current.itemID
        self.answer(asker, .members(["type": "LOAD_CANCELLED", "itemId": self.loadsQueue ? itemID.map(JSON.integer) : nil]))
    }

    /// Whether more than a single item is being loaded; only then errors name the item.
    private var loadsQueue: Bool { (self.application?.player.queue?.items.count ?? 0) > 1 }

    mutating func timing() -> MediaTiming {
        MediaTiming(
            loading: self.random.duration(in: self.settings.loadingTime), buffering: self.random.duration(in: self.settings.bufferingTime))
    }

    mutating func tickPlayer(at now: Duration) {
        let timing = self.timing()
        guard let event = self.application?.player.tick(timing: timing, at: now) else { return }
        self.report(event, at: now)
    }

    /// Ends a session that cannot make progress.
    mutating func failPlayer(at now: Duration) {
        guard let event = self.application?.player.fail(code: Self.endlessCode, at: now) else { return }
        self.report(event, at: now)
    }

    /// Reports a change of the player to the senders.
    mutating func report(_ event: Player.Event, at now: Duration) {
        switch event {
        case .loaded:
            if let asker = self.application?.takeLoadAsker() { self.answer(asker, self.mediaStatus(.everything, at: now)) }
            self.broadcastMediaStatus(.everything, at: now)
            self.reportTitle()
        case .loadFailed(let code):
            let failure = JSON.members([
                "type": "LOAD_FAILED", "detailedErrorCode": .integer(code),
                "itemId": self.loadsQueue ? self.application?.player.queue.map { .integer($0.current.itemID) } : nil,
            ])
            if let asker = self.application?.takeLoadAsker() {
                self.answer(asker, failure)
            } else {
                self.broadcastMedia(failure)
            }
            self.reportEnd(at: now)
        case .changed: self.broadcastMediaStatus(.changes, at: now)
        case .mediaChanged: self.broadcastMediaStatus(.media, at: now)
        case .advanced: self.broadcastMediaStatus(.everything, at: now)
        case .finished: self.reportEnd(at: now)
        case .failed(let code):
            self.broadcastMedia(["type": "ERROR", "detailedErrorCode": .integer(code), "reason": "APP_ERROR"])
            self.reportEnd(at: now)
        case .abandoned: self.endApplication(at: now)
        }
    }

    private mutating func reportEnd(at now: Duration) {
        self.broadcastMediaStatus(.changes, at: now)
        self.reportTitle()
    }

    // MARK: Fetching

    /// Starts the request that the player needs, and ends one that is no longer needed.
    mutating func updateFetch() {
        if let fetch = self.application?.player.takeFetch(id: self.fetches.nextID) {
            self.fetches.begin()
            self.actions.append(.fetch(fetch))
        } else if self.fetches.current != nil, self.fetches.current != self.application?.player.fetchID {
            self.fetches.end()
            self.actions.append(.stopFetching)
        }
    }

    /// Handles the result of `ReceiverAction.fetch`.
    public mutating func fetched(_ id: Int, _ finding: FetchFinding, at now: Duration) -> [ReceiverAction] {
        let due = self.advance(to: now)
        let timing = self.timing()
        guard id == self.fetches.current, let event = self.application?.player.fetched(finding, timing: timing, at: now) else { return due }
        self.report(event, at: now)
        return due + self.advance(to: now)
    }

    /// Handles the end of a stream without a stated length.
    ///
    /// - Parameters:
    ///   - id: the number of the fetch.
    ///   - seconds: its last time stamp; `nil` when it has none.
    ///   - now: the current time, on the clock of all calls.
    public mutating func streamEnded(_ id: Int, seconds: Double?, at now: Duration) -> [ReceiverAction] {
        let due = self.advance(to: now)
        guard id == self.fetches.current else { return due }
        self.application?.player.streamEnded(seconds: seconds, at: now)
        self.broadcastMediaStatus(.media, at: now)
        return due + self.advance(to: now)
    }

    // MARK: Status

    /// Returns `MEDIA_STATUS` without `requestId`; its list is empty when there is no session, or only an ended one and those are left out.
    func mediaStatus(_ content: Player.StatusContent, at now: Duration, includingEnded: Bool = true) -> JSON {
        guard !self.has(.emptyStatus), let player = self.application?.player,
            player.hasSession || (includingEnded && player.mediaSessionID > 0)
        else {
            return ["type": "MEDIA_STATUS", "requestId": 0, "status": []]
        }
        let stale: Double? = self.isSabotaged(.stalePosition) ? player.lastAnchor : nil
        let status = self.habitual(player.status(at: now, content: content, stalePosition: stale))
        if self.has(.flatMediaStatus), case .object(let members) = status {
            return .object([.init(name: "type", value: "MEDIA_STATUS"), .init(name: "requestId", value: 0)] + members)
        }
        let former = self.has(.formerSession) ? self.application?.formerSession.map { [$0] } ?? [] : []
        return ["type": "MEDIA_STATUS", "requestId": 0, "status": .array([status] + former)]
    }

    mutating func broadcastMediaStatus(_ content: Player.StatusContent, at now: Duration) {
        var content = content
        if self.settings.repeatsMedia { content.media = true }
        self.broadcastMedia(self.mediaStatus(content, at: now))
    }

    /// Sends a message of the running application to its senders.
    mutating func broadcastMedia(_ json: JSON) {
        if let application { self.broadcast(json, from: application.transportID, namespace: Namespace.media) }
    }

    /// Reports the receiver status of applications whose status text is the title.
    mutating func reportTitle() {
        guard self.application?.definition.showsTitle ?? false else { return }
        self.broadcastReceiverStatus()
    }
}
