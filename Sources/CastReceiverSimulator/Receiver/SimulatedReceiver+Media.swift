extension SimulatedReceiver {
    mutating func mediaRequest(_ message: IncomingMessage, from asker: Asker, at now: Duration) {
        let json = message.json ?? .object([])
        switch message.type {
        case "GET_STATUS":
            let options = json["options"]?.int ?? 0
            let content = Player.StatusContent(media: options & 1 == 0, items: options & 2 == 0)
            self.answer(asker, self.mediaStatus(content, at: now, includingEnded: false), namespace: Namespace.media)
        case "LOAD": self.load(json, from: asker, at: now)
        case "QUEUE_LOAD":
            let queue = MediaQueue(
                items: json["items"]?.elements ?? [], startIndex: json["startIndex"]?.int ?? 0, repeatMode: json["repeatMode"]?.text)
            self.load(queue, json, from: asker, at: now)
        case let type?:
            guard Self.sessionRequests.contains(type) else { return self.refuseMedia(asker, "INVALID_COMMAND") }
            self.sessionRequest(type, json, from: asker, at: now)
        case nil: self.refuseMedia(asker, "INVALID_COMMAND")
        }
    }

    private static let sessionRequests: Set = [
        "PLAY", "PAUSE", "STOP", "SEEK", "SET_VOLUME", "SET_PLAYBACK_RATE", "EDIT_TRACKS_INFO", "QUEUE_UPDATE", "QUEUE_INSERT",
        "QUEUE_GET_ITEM_IDS",
        "QUEUE_GET_ITEMS",
    ]

    /// Requests that name a media session: it must be the present one, and in a state that allows them.
    private mutating func sessionRequest(_ type: String, _ json: JSON, from asker: Asker, at now: Duration) {
        guard let player = self.application?.player else { return }
        guard player.hasSession else { return self.answer(asker, ["type": "INVALID_PLAYER_STATE"], namespace: Namespace.media) }
        guard json["mediaSessionId"]?.int == player.mediaSessionID else { return self.refuseMedia(asker, "INVALID_MEDIA_SESSION_ID") }
        let worksWhileLoading = ["STOP", "SET_VOLUME", "QUEUE_UPDATE", "QUEUE_INSERT", "QUEUE_GET_ITEM_IDS", "QUEUE_GET_ITEMS"].contains(
            type)
        guard worksWhileLoading || !player.isLoading else {
            return self.answer(asker, ["type": "INVALID_PLAYER_STATE"], namespace: Namespace.media)
        }
        switch type {
        case "PLAY": self.changePlayer(for: asker, at: now) { $0.play(at: now) }
        case "PAUSE":
            guard player.isSeekable else { return self.refuseMedia(asker, "NOT_SUPPORTED") }
            self.changePlayer(for: asker, at: now) { $0.pause(at: now) }
        case "STOP":
            self.cancelLoad()
            self.changePlayer(for: asker, at: now) { $0.end(.cancelled, at: now) }
        case "SEEK": self.seek(json, from: asker, at: now)
        case "SET_VOLUME":
            guard let change = VolumeChange(json["volume"]) else { return self.refuseMedia(asker, "INVALID_PARAMS") }
            self.changePlayer(for: asker, at: now) { $0.streamVolume = change.applied(to: $0.streamVolume) }
        case "SET_PLAYBACK_RATE":
            let rate = json["playbackRate"]?.double ?? json["relativePlaybackRate"]?.double.map { $0 * player.rate }
            guard let rate, rate > 0 else { return self.refuseMedia(asker, "INVALID_PARAMS") }
            guard player.isSeekable else { return self.refuseMedia(asker, "NOT_SUPPORTED") }
            self.changePlayer(for: asker, at: now) { $0.setRate(rate, at: now) }
        case "EDIT_TRACKS_INFO": self.editTracks(json, from: asker, at: now)
        default: self.queueRequest(type, json, from: asker, at: now)
        }
    }

    // MARK: Loading

    private mutating func load(_ json: JSON, from asker: Asker, at now: Duration) {
        if let queueData = json["queueData"], let items = queueData["items"]?.elements {
            let queue = MediaQueue(items: items, startIndex: queueData["startIndex"]?.int ?? 0, repeatMode: queueData["repeatMode"]?.text)
            self.load(queue, json, from: asker, at: now)
        } else {
            self.load(MediaItem(json, itemID: 1).map(MediaQueue.init(_:)), json, from: asker, at: now)
        }
    }

    private mutating func load(_ queue: MediaQueue?, _ json: JSON, from asker: Asker, at now: Duration) {
        guard var queue, json["media"] != nil || json["queueData"] != nil || json["items"] != nil else {
            return self.refuseMedia(asker, "INVALID_PARAMS")
        }
        if let start = json["currentTime"]?.double { queue.setStartTime(max(0, start)) }
        let tracks = (json["activeTrackIds"]?.elements ?? []).compactMap(\.int)
        let rate = json["playbackRate"]?.double ?? 1
        self.begin(queue, activeTrackIDs: tracks, rate: (0.5...2).contains(rate) ? rate : 1, asker: asker, at: now)
    }

    /// Starts a media session; what was loading or playing before is told to be over.
    mutating func begin(_ queue: MediaQueue, activeTrackIDs: [Int], rate: Double, asker: Asker?, at now: Duration) {
        self.cancelLoad()
        if self.application?.player.hasSession ?? false {
            self.application?.player.end(.interrupted, at: now)
            self.broadcastMediaStatus(.changes, at: now)
        }
        let timing = self.timing()
        self.application?.player.load(queue, activeTrackIDs: activeTrackIDs, rate: rate, timing: timing, at: now)
        self.loadAsker = asker
        self.broadcastMediaStatus(.everything, at: now)
    }

    /// The asker of a load that another request overtakes learns so.
    private mutating func cancelLoad() {
        guard let asker = self.loadAsker else { return }
        self.loadAsker = nil
        self.answer(asker, ["type": "LOAD_CANCELLED"], namespace: Namespace.media)
    }

    mutating func timing() -> MediaTiming {
        MediaTiming(
            loading: self.random.duration(in: self.settings.loadingTime), buffering: self.random.duration(in: self.settings.bufferingTime))
    }

    mutating func tickPlayer(at now: Duration) {
        let timing = self.timing()
        guard let event = self.application?.player.tick(timing: timing, at: now) else { return }
        switch event {
        case .loaded:
            if let asker = self.loadAsker {
                self.loadAsker = nil
                self.answer(asker, self.mediaStatus(.everything, at: now), namespace: Namespace.media)
            }
            self.broadcastMediaStatus(.everything, at: now)
            self.tellTitle()
        case .loadFailed:
            if let asker = self.loadAsker {
                self.loadAsker = nil
                self.answer(asker, ["type": "LOAD_FAILED", "detailedErrorCode": 905], namespace: Namespace.media)
            }
            self.broadcastMediaStatus(.changes, at: now)
            self.tellTitle()
        case .changed: self.broadcastMediaStatus(.changes, at: now)
        case .advanced: self.broadcastMediaStatus(.everything, at: now)
        case .finished:
            self.broadcastMediaStatus(.changes, at: now)
            self.tellTitle()
        case .failed:
            if let transportID = self.application?.transportID {
                self.broadcast(
                    ["type": "ERROR", "detailedErrorCode": 301, "reason": "APP_ERROR"], from: transportID, namespace: Namespace.media)
            }
            self.broadcastMediaStatus(.changes, at: now)
            self.tellTitle()
        }
    }

    // MARK: Control

    private mutating func seek(_ json: JSON, from asker: Asker, at now: Duration) {
        guard let player = self.application?.player else { return }
        let relative = json["relativeTime"]?.double.map { player.position(at: now) + $0 }
        guard let target = relative ?? json["currentTime"]?.double else { return self.refuseMedia(asker, "INVALID_PARAMS") }
        guard player.isSeekable else { return self.refuseMedia(asker, "NOT_SUPPORTED") }
        var playing: Bool?
        switch json["resumeState"]?.text {
        case "PLAYBACK_START": playing = true
        case "PLAYBACK_PAUSE": playing = false
        default: playing = nil
        }
        if self.isSabotaged(.seekResumes) { playing = true }
        let timing = self.timing()
        self.changePlayer(for: asker, at: now) { $0.seek(to: target, playing: playing, timing: timing, at: now) }
    }

    private mutating func editTracks(_ json: JSON, from asker: Asker, at now: Duration) {
        if let tracks = json["activeTrackIds"]?.elements {
            let ids = tracks.compactMap(\.int)
            guard ids.count == tracks.count, self.application?.player.activate(tracks: ids) ?? false else {
                return self.refuseMedia(asker, "INVALID_PARAMS")
            }
        }
        let style = json["textTrackStyle"]
        if let style { self.application?.player.textTrackStyle = style }
        self.answer(asker, self.mediaStatus(.everything, at: now), namespace: Namespace.media)
        self.broadcastMediaStatus(Player.StatusContent(media: style != nil, items: false), at: now)
    }

    private mutating func queueRequest(_ type: String, _ json: JSON, from asker: Asker, at now: Duration) {
        guard let queue = self.application?.player.queue else { return }
        switch type {
        case "QUEUE_GET_ITEM_IDS":
            self.answer(
                asker, ["type": "QUEUE_ITEM_IDS", "itemIds": .array(queue.items.map { .integer($0.itemID) })], namespace: Namespace.media)
        case "QUEUE_GET_ITEMS":
            let ids = (json["itemIds"]?.elements ?? []).compactMap(\.int)
            self.answer(
                asker, ["type": "QUEUE_ITEMS", "items": .array(queue.items.filter { ids.contains($0.itemID) }.map(\.json))],
                namespace: Namespace.media)
        case "QUEUE_INSERT":
            let before = json["insertBefore"]?.int
            guard let added = self.application?.player.insert(json["items"]?.elements ?? [], before: before) else {
                return self.refuseMedia(asker, "INVALID_PARAMS")
            }
            self.answer(asker, self.mediaStatus(.everything, at: now), namespace: Namespace.media)
            if let transportID = self.application?.transportID {
                self.broadcast(
                    .members([
                        "type": "QUEUE_CHANGE", "changeType": "INSERT", "itemIds": .array(added.map(JSON.integer)),
                        "insertBefore": before.map(JSON.integer),
                    ]), from: transportID, namespace: Namespace.media)
            }
            self.broadcastMediaStatus(Player.StatusContent(media: false, items: true), at: now)
        default: self.updateQueue(json, from: asker, at: now)
        }
    }

    private mutating func updateQueue(_ json: JSON, from asker: Asker, at now: Duration) {
        if let mode = json["repeatMode"]?.text {
            guard MediaQueue.repeatModes.contains(mode) else { return self.refuseMedia(asker, "INVALID_PARAMS") }
            self.application?.player.setRepeatMode(mode)
        }
        let itemID = json["currentItemId"]?.int
        guard
            let change = itemID.map({ id in { (queue: inout MediaQueue) in queue.jump(toItem: id) } })
                ?? json["jump"]?.int.map({ count in { (queue: inout MediaQueue) in queue.jump(by: count) } })
        else {
            self.answer(asker, self.mediaStatus(.everything, at: now), namespace: Namespace.media)
            self.broadcastMediaStatus(.changes, at: now)
            return
        }
        let timing = self.timing()
        let startTime = json["currentTime"]?.double
        guard self.application?.player.jump(change, startTime: startTime, timing: timing, at: now) ?? false else {
            return self.refuseMedia(asker, itemID == nil ? "END_OF_QUEUE" : "INVALID_PARAMS")
        }
        self.cancelLoad()
        self.loadAsker = asker
        self.broadcastMediaStatus(.everything, at: now)
    }

    // MARK: Status

    /// Changes the player, then tells the asker and everyone else.
    private mutating func changePlayer(for asker: Asker, at now: Duration, _ change: (inout Player) -> Void) {
        self.application.mutatePlayer(change)
        self.answer(asker, self.mediaStatus(.changes, at: now), namespace: Namespace.media)
        self.broadcastMediaStatus(.changes, at: now)
        self.tellTitle()
    }

    private mutating func refuseMedia(_ asker: Asker, _ reason: String) {
        self.answer(asker, ["type": "INVALID_REQUEST", "reason": .string(reason)], namespace: Namespace.media)
    }

    /// `MEDIA_STATUS` without `requestId`; its list is empty when there is no session, or only one that ended and those are left out.
    func mediaStatus(_ content: Player.StatusContent, at now: Duration, includingEnded: Bool = true) -> JSON {
        guard let player = self.application?.player, player.hasSession || (includingEnded && player.mediaSessionID > 0) else {
            return ["type": "MEDIA_STATUS", "requestId": 0, "status": []]
        }
        let stale: Double? = self.isSabotaged(.stalePosition) ? player.lastAnchor : nil
        return ["type": "MEDIA_STATUS", "requestId": 0, "status": [player.status(at: now, content: content, stalePosition: stale)]]
    }

    mutating func broadcastMediaStatus(_ content: Player.StatusContent, at now: Duration) {
        guard let transportID = self.application?.transportID else { return }
        var content = content
        if self.settings.repeatsMedia { content.media = true }
        self.broadcast(self.mediaStatus(content, at: now), from: transportID, namespace: Namespace.media)
    }

    /// Applications that show the title change their receiver status with it.
    mutating func tellTitle() {
        guard self.application?.definition.showsTitle ?? false else { return }
        self.broadcastReceiverStatus()
    }
}

extension Optional<RunningApplication> {
    fileprivate mutating func mutatePlayer(_ change: (inout Player) -> Void) {
        guard var application = self else { return }
        change(&application.player)
        self = application
    }
}
