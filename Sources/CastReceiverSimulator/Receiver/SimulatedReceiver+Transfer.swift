/// Moves a media session from one device to another.
extension SimulatedReceiver {
    /// The largest size of media and queue items in a stored session, in bytes; it must fit in one frame with the rest.
    private static let maximumStoredSize = 60_000

    /// Answers with the data with which another device can continue.
    mutating func storeSession(from asker: Asker, at now: Duration) {
        guard let session = self.storedSession(at: now) else { return self.refuse(asker, "NOT_SUPPORTED") }
        self.answer(asker, ["type": "SESSION_STATE", "sessionState": session.state])
    }

    /// Returns the data with which another device can continue; `nil` when no media is playing, or the application cannot be moved.
    package func storedSession(at now: Duration) -> StoredSession? {
        guard let application, application.definition.supportsTransfer, application.player.hasSession, let queue = application.player.queue
        else { return nil }
        let player = application.player
        var media = queue.current.media
        if let style = player.tracks.style { media["textTrackStyle"] = style }
        let request = JSON.members([
            "type": "LOAD", "media": media, "currentTime": .number(player.position(at: now)),
            "autoplay": .bool(player.playerState != "PAUSED"), "playbackRate": .number(player.speed),
            "activeTrackIds": player.tracks.json,
            "queueData": queue.items.count > 1 ? Self.queueData(of: queue, room: Self.maximumStoredSize - media.utf8.count) : nil,
        ])
        return StoredSession(applicationID: application.definition.id, state: ["loadRequestData": request, "customData": [:]])
    }

    /// Returns the queue from the current item on, as far as there is room; all of it when it is short, and `nil` when not even that item
    /// fits.
    private static func queueData(of queue: PlayerQueue, room: Int) -> JSON? {
        var data = queue.dataJSON ?? .object([])
        let room = room - data.utf8.count
        let isShort = PlayerQueue.prefix(of: queue.items[...], room: room).count == queue.items.count
        let first = isShort ? 0 : queue.currentIndex
        let items = PlayerQueue.prefix(of: queue.items[first...], room: room)
        guard !items.isEmpty else { return nil }
        data["items"] = .array(
            items.map { item in
                var json = item.json()
                json["itemId"] = nil
                return json
            })
        data["startIndex"] = .integer(queue.currentIndex - first)
        data["repeatMode"] = .string(queue.repeatMode)
        // The items are already in their shuffled order.
        data["shuffle"] = nil
        return data
    }

    /// Loads a session that another device stored.
    mutating func resumeSession(_ json: JSON, from asker: Asker, at now: Duration) {
        guard self.application?.definition.supportsTransfer ?? false else { return self.refuse(asker, "NOT_SUPPORTED") }
        guard let request = json["sessionState"]?["loadRequestData"], request.isObject else { return self.refuse(asker, "INVALID_PARAMS") }
        self.load(request, from: asker, at: now)
    }

    // MARK: By another sender

    /// Continues the playback of another device.
    mutating func takeOver(_ session: StoredSession, at now: Duration) throws(SimulatorError) {
        guard let definition = self.definition(of: session.applicationID), definition.supportsTransfer,
            let request = session.state["loadRequestData"], let queue = Self.queue(of: request)
        else { throw SimulatorError(.wrongState, "\(self.description.controlName) can't go on with that") }
        if self.application?.definition.id != definition.id {
            self.start(definition, at: now)
            self.broadcastReceiverStatus()
        }
        self.begin(queue, for: request, asker: nil, at: now)
    }

    /// Ends the playback here because it continues on another device.
    mutating func handOver(at now: Duration) {
        self.broadcast(["type": "PLAYBACK_SESSION_UPDATED"], from: Self.platform, namespace: Namespace.multizone)
        self.endApplication(at: now)
    }
}

/// The result of `STORE_SESSION`, with its application.
public struct StoredSession: Sendable, Hashable {
    var applicationID: String
    var state: JSON
}
