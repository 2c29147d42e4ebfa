/// Handles requests of the media namespace.
extension SimulatedReceiver {
    mutating func mediaRequest(_ message: SocketMessage, from asker: Asker, at now: Duration) {
        let json = message.json ?? .object([])
        switch message.type {
        case "GET_STATUS":
            let options = json["options"]?.int ?? 0
            let content = Player.StatusContent(media: options & 1 == 0, items: options & 2 == 0)
            self.answer(asker, self.mediaStatus(content, at: now, includingEnded: false))
        case "LOAD": self.load(json, from: asker, at: now)
        case "QUEUE_LOAD":
            let queue = PlayerQueue(
                items: json["items"]?.elements ?? [], startIndex: json["startIndex"]?.int ?? 0, repeatMode: json["repeatMode"]?.text)
            self.load(queue, json, from: asker, at: now)
        case "RESUME_SESSION": self.resumeSession(json, from: asker, at: now)
        case let type?:
            guard let request = SessionRequest(rawValue: type) else { return self.refuse(asker, "INVALID_COMMAND") }
            self.sessionRequest(request, json, from: asker, at: now)
        case nil: self.refuse(asker, "INVALID_COMMAND")
        }
    }

    /// Handles requests that name a media session: it must be the current one, in a state that allows them.
    private mutating func sessionRequest(_ request: SessionRequest, _ json: JSON, from asker: Asker, at now: Duration) {
        guard let application = self.application else { return }
        let player = application.player
        if request.isQueueCommand, !application.definition.hasQueueCommands { return self.refuse(asker, "INVALID_COMMAND") }
        guard player.hasSession else { return self.answer(asker, ["type": "INVALID_PLAYER_STATE"]) }
        guard json["mediaSessionId"]?.int == player.mediaSessionID else { return self.refuse(asker, "INVALID_MEDIA_SESSION_ID") }
        guard request.worksWhileLoading || !player.isLoading, request.worksInBreaks || player.adBreak == nil else {
            return self.answer(asker, ["type": "INVALID_PLAYER_STATE"])
        }
        switch request {
        case .play: self.changePlayer(for: asker, at: now) { $0.play(at: now) }
        case .pause:
            guard player.isSeekable || player.adBreak != nil else { return self.refuse(asker, "NOT_SUPPORTED") }
            self.changePlayer(for: asker, at: now) { $0.pause(at: now) }
        case .stop:
            self.cancelLoad()
            self.changePlayer(for: asker, at: now) { $0.end(.cancelled, at: now) }
        case .seek: self.seek(json, from: asker, at: now)
        case .setVolume:
            guard let change = VolumeChange(json["volume"]) else { return self.refuse(asker, "INVALID_PARAMS") }
            self.changePlayer(for: asker, at: now) { $0.streamVolume = change.applied(to: $0.streamVolume) }
        case .setPlaybackRate:
            let rate = json["playbackRate"]?.double ?? json["relativePlaybackRate"]?.double.map { $0 * player.rate }
            guard let rate, rate > 0 else { return self.refuse(asker, "INVALID_PARAMS") }
            guard player.hasRates else { return self.refuse(asker, "NOT_SUPPORTED") }
            self.changePlayer(for: asker, at: now) { $0.setRate(rate, at: now) }
        case .skipAd: self.skipAd(from: asker, at: now)
        case .editTracks: self.editTracks(json, from: asker, at: now)
        case .editAudioTracks: self.editAudioTracks(json, from: asker, at: now)
        case .storeSession: self.storeSession(from: asker, at: now)
        case .queueUpdate, .queueInsert, .queueRemove, .queueReorder, .queueNext, .queuePrevious, .queueShuffle, .queueGetItemIDs,
            .queueGetItems, .queueGetItemRange, .preload:
            self.queueRequest(request, json, from: asker, at: now)
        }
    }

    private mutating func seek(_ json: JSON, from asker: Asker, at now: Duration) {
        guard let player = self.application?.player else { return }
        let relative = json["relativeTime"]?.double.map { player.position(at: now) + $0 }
        guard let target = relative ?? json["currentTime"]?.double else { return self.refuse(asker, "INVALID_PARAMS") }
        guard player.isSeekable else { return self.refuse(asker, "NOT_SUPPORTED") }
        let states = ["PLAYBACK_START": true, "PLAYBACK_PAUSE": false]
        let playing = self.isSabotaged(.seekResumes) ? true : json["resumeState"]?.text.flatMap { states[$0] }
        let timing = self.timing()
        self.changePlayer(for: asker, at: now) { $0.seek(to: target, playing: playing, timing: timing, at: now) }
    }

    private mutating func skipAd(from asker: Asker, at now: Duration) {
        guard self.application?.player.adBreak != nil else { return self.answer(asker, ["type": "INVALID_PLAYER_STATE"]) }
        let timing = self.timing()
        guard let event = self.application?.player.skipAd(timing: timing, at: now) else { return self.refuse(asker, "NOT_SUPPORTED") }
        self.answer(asker, self.mediaStatus(.media, at: now))
        self.report(event, at: now)
    }

    // MARK: Answering

    /// Changes the player, then notifies the asker and all other senders.
    mutating func changePlayer(
        for asker: Asker, telling content: Player.StatusContent = .changes, at now: Duration, _ change: (inout Player) -> Void
    ) {
        guard var application = self.application else { return }
        change(&application.player)
        self.application = application
        self.answer(asker, self.mediaStatus(content, at: now))
        self.broadcastMediaStatus(content, at: now)
        self.reportTitle()
    }

    mutating func refuse(_ asker: Asker, _ reason: String) {
        self.answer(asker, ["type": "INVALID_REQUEST", "reason": .string(reason)])
    }
}

/// The requests that name a media session, by their `type`.
enum SessionRequest: String, Sendable, Hashable, CaseIterable {
    case play = "PLAY"
    case pause = "PAUSE"
    case stop = "STOP"
    case seek = "SEEK"
    case setVolume = "SET_VOLUME"
    case setPlaybackRate = "SET_PLAYBACK_RATE"
    case skipAd = "SKIP_AD"
    case editTracks = "EDIT_TRACKS_INFO"
    case editAudioTracks = "EDIT_AUDIO_TRACKS"
    case storeSession = "STORE_SESSION"
    case queueUpdate = "QUEUE_UPDATE"
    case queueInsert = "QUEUE_INSERT"
    case queueRemove = "QUEUE_REMOVE"
    case queueReorder = "QUEUE_REORDER"
    case queueNext = "QUEUE_NEXT"
    case queuePrevious = "QUEUE_PREV"
    case queueShuffle = "QUEUE_SHUFFLE"
    case queueGetItemIDs = "QUEUE_GET_ITEM_IDS"
    case queueGetItems = "QUEUE_GET_ITEMS"
    case queueGetItemRange = "QUEUE_GET_ITEM_RANGE"
    case preload = "PRELOAD"

    /// Whether it is a command that many applications do not support although their queues work.
    var isQueueCommand: Bool { Self.queueCommands.contains(self) }
    var worksWhileLoading: Bool { !Self.needLoadedMedia.contains(self) }
    var worksInBreaks: Bool { !Self.needContent.contains(self) }

    private static let queueCommands: Set<Self> = [.queueNext, .queuePrevious, .queueShuffle]
    private static let needLoadedMedia: Set<Self> = [
        .play, .pause, .seek, .setPlaybackRate, .skipAd, .editTracks, .editAudioTracks, .storeSession,
    ]
    private static let needContent: Set<Self> = [.seek, .setPlaybackRate, .storeSession]
}
