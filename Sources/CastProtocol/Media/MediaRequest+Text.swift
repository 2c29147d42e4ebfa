import CastModels

private enum Key {
    static let mediaSessionID = "mediaSessionId"
    static let sessionID = "sessionId"
    static let sessionState = "sessionState"
    static let options = "options"
    static let media = "media"
    static let entity = "entity"
    static let autoplay = "autoplay"
    static let currentTime = "currentTime"
    static let resumeState = "resumeState"
    static let playbackRate = "playbackRate"
    static let activeTrackIDs = "activeTrackIds"
    static let textTrackStyle = "textTrackStyle"
    static let language = "language"
    static let enableTextTracks = "enableTextTracks"
    static let credentials = "credentials"
    static let credentialsType = "credentialsType"
    static let userAction = "userAction"
    static let userActionContext = "userActionContext"
    static let clear = "clear"
    static let data = "data"
    static let items = "items"
    static let itemID = "itemId"
    static let itemIDs = "itemIds"
    static let insertBefore = "insertBefore"
    static let currentItemID = "currentItemId"
    static let currentItemIndex = "currentItemIndex"
    static let startIndex = "startIndex"
    static let jump = "jump"
    static let nextCount = "nextCount"
    static let previousCount = "prevCount"
    static let repeatMode = "repeatMode"
    static let shuffle = "shuffle"
}

extension MediaRequest {
    /// The payload as it is sent.
    ///
    /// - Throws: `invalidRequest` for a number that no receiver could take.
    package func text(requestID: Int) throws(CastError) -> String {
        try self.validate()
        return PayloadText.make(type: self.type, requestID: requestID) { writer in
            writer.optional(Key.mediaSessionID, self.mediaSessionID)
            self.write(to: &writer)
            writer.optional(PayloadKey.customData, self.customData)
        }
    }

    /// The wire's name of the request.
    package var type: String {
        switch self.action {
        case .getStatus: "GET_STATUS"
        case .load: "LOAD"
        case .loadByEntity: "LOAD_BY_ENTITY"
        case .play: "PLAY"
        case .pause: "PAUSE"
        case .stop: "STOP"
        case .seek: "SEEK"
        case .setStreamVolume, .setStreamMuted: "SET_VOLUME"
        case .setPlaybackRate: "SET_PLAYBACK_RATE"
        case .editTracks: "EDIT_TRACKS_INFO"
        case .editAudioTracks: "EDIT_AUDIO_TRACKS"
        case .skipAd: "SKIP_AD"
        case .userAction: "USER_ACTION"
        case .playAgain: "PLAY_AGAIN"
        case .preload: "PRELOAD"
        case .queueLoad: "QUEUE_LOAD"
        case .queueInsert: "QUEUE_INSERT"
        case .queueUpdate: "QUEUE_UPDATE"
        case .queueRemove: "QUEUE_REMOVE"
        case .queueReorder: "QUEUE_REORDER"
        case .queueShuffle: "QUEUE_SHUFFLE"
        case .queueGetItemIDs: "QUEUE_GET_ITEM_IDS"
        case .queueGetItems: "QUEUE_GET_ITEMS"
        case .queueGetItemRange: "QUEUE_GET_ITEM_RANGE"
        case .storeSession: "STORE_SESSION"
        case .resumeSession: "RESUME_SESSION"
        case .customCommand: "CUSTOM_COMMAND"
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
        case .play, .pause, .stop, .skipAd, .playAgain, .queueGetItemIDs, .storeSession: break
        case .getStatus(let options): if !options.isEmpty { writer.member(Key.options, options.rawValue) }
        case .load(let request, let sessionID):
            writer.optional(Key.sessionID, sessionID)
            request.write(to: &writer)
        case .loadByEntity(let entity, let shuffle):
            writer.member(Key.entity, entity)
            writer.optional(Key.shuffle, shuffle)
        case .seek(let position, let resumeState):
            writer.optional(Key.currentTime, position)
            writer.optional(Key.resumeState, resumeState.wireValue)
        case .setStreamVolume(let level): DeviceVolume(level: level).writeChange(to: &writer)
        case .setStreamMuted(let isMuted): DeviceVolume(isMuted: isMuted).writeChange(to: &writer)
        case .setPlaybackRate(let rate): writer.optional(Key.playbackRate, rate)
        case .editTracks(let change): change.write(to: &writer)
        case .editAudioTracks(let language): writer.member(Key.language, language)
        case .userAction(let action):
            writer.member(Key.userAction, action.action)
            writer.optional(Key.userActionContext, action.context)
            writer.optional(Key.clear, action.clear)
        case .preload(let itemID): writer.member(Key.itemID, itemID)
        case .queueGetItems(let ids): writer.optional(Key.itemIDs, ids)
        case .queueGetItemRange(let itemID, let nextCount, let previousCount):
            writer.member(Key.itemID, itemID)
            writer.member(Key.nextCount, nextCount)
            writer.member(Key.previousCount, previousCount)
        case .queueShuffle: writer.member(Key.shuffle, true)
        case .queueLoad(let load): load.write(to: &writer)
        case .queueInsert(let insertion): insertion.write(to: &writer)
        case .queueUpdate(let update): update.write(to: &writer)
        case .queueRemove(let ids, let currentItemID):
            writer.optional(Key.itemIDs, ids)
            writer.optional(Key.currentItemID, currentItemID)
        case .queueReorder(let ids, let insertBefore):
            writer.optional(Key.itemIDs, ids)
            writer.optional(Key.insertBefore, insertBefore)
        case .resumeSession(let state): writer.member(Key.sessionState, state)
        case .customCommand(let data): writer.member(Key.data, data)
        }
    }
}

extension ResumeState {
    /// `nil` for a seek that leaves the player state alone.
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
        writer.optional(Key.activeTrackIDs, self.activeTrackIDs)
        if let textTrackStyle {
            writer.key(Key.textTrackStyle)
            textTrackStyle.write(to: &writer)
        }
        writer.optional(Key.language, self.language)
        writer.optional(Key.enableTextTracks, self.enableTextTracks)
    }
}

extension MediaRequest.QueueLoad {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.key(Key.items)
        writer.array(self.items) { $1.write(to: &$0) }
        writer.optional(Key.startIndex, self.startIndex)
        writer.optional(Key.repeatMode, self.repeatMode?.wireValue)
        writer.optional(Key.currentTime, self.startTime)
    }
}

extension MediaRequest.QueueInsertion {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.key(Key.items)
        writer.array(self.items) { writer, item in
            // Receivers refuse new items that bring an id.
            var newItem = item
            newItem.itemID = nil
            newItem.write(to: &writer)
        }
        writer.optional(Key.insertBefore, self.insertBefore)
        writer.optional(Key.currentItemIndex, self.currentItemIndex)
        writer.optional(Key.currentTime, self.startTime)
    }
}

extension MediaRequest.QueueUpdate {
    fileprivate func write(to writer: inout JSONWriter) {
        if let items {
            writer.key(Key.items)
            writer.array(items) { $1.write(to: &$0) }
        }
        writer.optional(Key.currentItemID, self.currentItemID)
        writer.optional(Key.jump, self.jump)
        writer.optional(Key.currentTime, self.startTime)
        writer.optional(Key.repeatMode, self.repeatMode?.wireValue)
        writer.optional(Key.shuffle, self.shuffle)
    }
}

extension MediaLoadRequest {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.key(Key.media)
        self.media.write(to: &writer)
        writer.optional(Key.autoplay, self.autoplay)
        writer.optional(Key.currentTime, self.startTime)
        writer.optional(Key.playbackRate, self.playbackRate)
        writer.optional(Key.activeTrackIDs, self.activeTrackIDs)
        writer.optional(Key.credentials, self.credentials)
        writer.optional(Key.credentialsType, self.credentialsType)
        writer.optional(PayloadKey.customData, self.customData)
    }
}
