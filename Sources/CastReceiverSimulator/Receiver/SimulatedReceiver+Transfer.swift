/// Taking a media session from one device to another.
extension SimulatedReceiver {
    /// Most bytes of media and queue items in a stored session, which has to fit in one frame with the rest.
    private static let maximumStoredSize = 60_000

    /// Answers with what another device needs to go on where this one is.
    mutating func storeSession(from asker: Asker, at now: Duration) {
        guard let application, application.definition.supportsTransfer, let queue = application.player.queue else {
            return self.refuseMedia(asker, "NOT_SUPPORTED")
        }
        let player = application.player
        var media = queue.current.media
        if let style = player.textTrackStyle { media["textTrackStyle"] = style }
        let request = JSON.members([
            "type": "LOAD", "media": media, "currentTime": .number(player.position(at: now)),
            "autoplay": .bool(player.playerState != "PAUSED"), "playbackRate": .number(player.speed),
            "activeTrackIds": .array(player.activeTrackIDs.map(JSON.integer)),
            "queueData": queue.items.count > 1 ? Self.queueData(of: queue, room: Self.maximumStoredSize - media.utf8.count) : nil,
        ])
        self.answer(
            asker, ["type": "SESSION_STATE", "sessionState": ["loadRequestData": request, "customData": [:]]], namespace: Namespace.media)
    }

    /// The queue from the current item on, as far as there is room; all of it when it is short, and `nil` when not even that item fits.
    private static func queueData(of queue: MediaQueue, room: Int) -> JSON? {
        var data = queue.dataJSON ?? .object([])
        var room = room - data.utf8.count
        let total = queue.items.reduce(0) { $0 + $1.size + 256 }
        let first = total <= room ? 0 : queue.currentIndex
        let items = queue.items[first...].prefix { item in
            room -= item.size + 256
            return room >= 0
        }
        guard !items.isEmpty else { return nil }
        data["items"] = .array(
            items.map { item in
                var json = item.json()
                json["itemId"] = nil
                return json
            })
        data["startIndex"] = .integer(queue.currentIndex - first)
        data["repeatMode"] = .string(queue.repeatMode)
        // They are in their shuffled order already.
        data["shuffle"] = nil
        return data
    }

    /// Loads what another device stored.
    mutating func resumeSession(_ json: JSON, from asker: Asker, at now: Duration) {
        guard self.application?.definition.supportsTransfer ?? false else { return self.refuseMedia(asker, "NOT_SUPPORTED") }
        guard let request = json["sessionState"]?["loadRequestData"], request.isObject else {
            return self.refuseMedia(asker, "INVALID_PARAMS")
        }
        self.load(request, from: asker, at: now)
    }
}
