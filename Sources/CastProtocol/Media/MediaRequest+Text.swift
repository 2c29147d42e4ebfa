import CastModels

extension MediaRequest {
    /// Returns the payload as sent.
    ///
    /// - Throws: `invalidRequest` for a number that no receiver can accept.
    package func text(requestID: Int) throws(CastError) -> String {
        try self.validate()
        return PayloadText.make(type: self.type, requestID: requestID) { writer in
            writer.optional(MediaKey.mediaSessionID, self.mediaSessionID)
            self.write(to: &writer)
            writer.optional(PayloadKey.customData, self.customData)
        }
    }

    /// The type of the request on the wire.
    package var type: String {
        switch self.action {
        case .getStatus: "GET_STATUS"
        case .load: "LOAD"
        case .play: "PLAY"
        case .pause: "PAUSE"
        case .stop: "STOP"
        case .seek: "SEEK"
        case .setStreamVolume, .setStreamMuted: "SET_VOLUME"
        case .setPlaybackRate: "SET_PLAYBACK_RATE"
        case .editTracks: "EDIT_TRACKS_INFO"
        case .skipAd: "SKIP_AD"
        case .queueLoad: "QUEUE_LOAD"
        case .queueInsert: "QUEUE_INSERT"
        case .queueUpdate: "QUEUE_UPDATE"
        case .queueRemove: "QUEUE_REMOVE"
        case .queueReorder: "QUEUE_REORDER"
        case .queueGetItemIDs: "QUEUE_GET_ITEM_IDS"
        case .queueGetItems: "QUEUE_GET_ITEMS"
        case .storeSession: "STORE_SESSION"
        case .resumeSession: "RESUME_SESSION"
        }
    }

    private func validate() throws(CastError) {
        switch self.action {
        case .seek(let position, _): guard position.isFinite, position >= 0 else { throw Self.badNumber("position", position) }
        case .setStreamVolume(let level): guard (0...1).contains(level) else { throw Self.badNumber("level", level) }
        case .setPlaybackRate(let rate): guard rate.isFinite, rate > 0 else { throw Self.badNumber("rate", rate) }
        default: break
        }
    }

    private static func badNumber(_ name: String, _ value: Double) -> CastError {
        CastError(.invalidRequest, detail: "\(name) \(value) is out of range")
    }

    private func write(to writer: inout JSONWriter) {
        switch self.action {
        case .play, .pause, .stop, .skipAd, .queueGetItemIDs, .storeSession: break
        case .getStatus(let options): if !options.isEmpty { writer.member("options", options.rawValue) }
        case .load(let request, let sessionID):
            writer.optional("sessionId", sessionID)
            request.write(to: &writer)
        case .seek(let position, let resumeState):
            writer.optional(MediaKey.currentTime, position)
            writer.optional("resumeState", resumeState.wireValue)
        case .setStreamVolume(let level): DeviceVolume(level: level).writeChange(to: &writer)
        case .setStreamMuted(let isMuted): DeviceVolume(isMuted: isMuted).writeChange(to: &writer)
        case .setPlaybackRate(let rate): writer.optional(MediaKey.playbackRate, rate)
        case .editTracks(let change): change.write(to: &writer)
        case .queueGetItems(let ids): writer.optional(MediaKey.itemIDs, ids)
        case .queueLoad(let load): load.write(to: &writer)
        case .queueInsert(let insertion): insertion.write(to: &writer)
        case .queueUpdate(let update): update.write(to: &writer)
        case .queueRemove(let ids, let currentItemID):
            writer.optional(MediaKey.itemIDs, ids)
            writer.optional(MediaKey.currentItemID, currentItemID)
        case .queueReorder(let ids, let insertBefore):
            writer.optional(MediaKey.itemIDs, ids)
            writer.optional(MediaKey.insertBefore, insertBefore)
        case .resumeSession(let state): writer.member(MediaKey.sessionState, state)
        }
    }
}

extension ResumeState {
    /// The word on the wire; `nil` for a seek that keeps the player state.
    fileprivate var wireValue: String? {
        switch self {
        case .unchanged: nil
        case .play: "PLAYBACK_START"
        case .pause: "PLAYBACK_PAUSE"
        }
    }
}

extension MediaRequest.TrackChange {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.optional(MediaKey.activeTrackIDs, self.activeTrackIDs)
        writer.optional(MediaKey.textTrackStyle, self.textTrackStyle)
    }
}

extension MediaRequest.QueueLoad {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.optional(MediaKey.items, self.items.map(\.asNew))
        writer.optional(MediaKey.startIndex, self.startIndex)
        writer.optional(MediaKey.repeatMode, self.repeatMode?.wireValue)
        writer.optional(MediaKey.currentTime, self.startTime)
    }
}

extension MediaRequest.QueueInsertion {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.optional(MediaKey.items, self.items.map(\.asNew))
        writer.optional(MediaKey.insertBefore, self.insertBefore)
        writer.optional("currentItemIndex", self.currentItemIndex)
        writer.optional(MediaKey.currentTime, self.startTime)
    }
}

extension MediaRequest.QueueUpdate {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.optional(MediaKey.items, self.items)
        writer.optional(MediaKey.currentItemID, self.currentItemID)
        writer.optional("jump", self.jump)
        writer.optional(MediaKey.currentTime, self.startTime)
        writer.optional(MediaKey.repeatMode, self.repeatMode?.wireValue)
        writer.optional(MediaKey.shuffle, self.shuffle)
    }
}

extension MediaLoadRequest {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.optional(MediaKey.media, self.media)
        writer.optional(MediaKey.queueData, self.queueData)
        writer.optional(MediaKey.autoplay, self.autoplay)
        writer.optional(MediaKey.currentTime, self.startTime)
        writer.optional(MediaKey.playbackRate, self.playbackRate)
        writer.optional(MediaKey.activeTrackIDs, self.activeTrackIDs)
        writer.optional("credentials", self.credentials)
        writer.optional("credentialsType", self.credentialsType)
        writer.optional("atvCredentials", self.atvCredentials)
        writer.optional("atvCredentialsType", self.atvCredentialsType)
        if let contentFilteringMode {
            writer.key("loadOptions")
            writer.beginObject()
            writer.member("contentFilteringMode", contentFilteringMode.wireValue)
            writer.endObject()
        }
        writer.optional(PayloadKey.customData, self.customData)
    }
}
