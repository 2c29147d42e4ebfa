/// Handles requests about the queue.
extension SimulatedReceiver {
    /// The largest size of items in one answer, in bytes; further ones must be requested again.
    static let maximumItemsSize = 60_000

    mutating func queueRequest(_ request: SessionRequest, _ json: JSON, from asker: Asker, at now: Duration) {
        guard let queue = self.application?.player.queue else { return }
        switch request {
        case .queueGetItemIDs:
            self.answer(
                asker,
                [
                    "type": "QUEUE_ITEM_IDS", "itemIds": .array(self.has(.emptyQueueIDs) ? [] : queue.items.map { .integer($0.itemID) }),
                    "sequenceNumber": .integer(queue.sequenceNumber),
                ])
        case .queueGetItems:
            let ids = Set((json["itemIds"]?.elements ?? []).compactMap(\.int))
            self.answerItems(queue.items.filter { ids.contains($0.itemID) }, of: queue, to: asker)
        case .queueGetItemRange:
            guard let index = json["itemId"]?.int.flatMap(queue.index(of:)) else { return self.refuse(asker, "INVALID_PARAMS") }
            let (before, after) = (json["prevCount"]?.int ?? 0, json["nextCount"]?.int ?? 0)
            guard before >= 0, after >= 0 else { return self.refuse(asker, "INVALID_PARAMS") }
            let range = max(0, index - min(before, index))...min(queue.items.count - 1, index + min(after, queue.items.count))
            self.answerItems(Array(queue.items[range]), of: queue, to: asker)
        case .queueInsert: self.insert(json, from: asker, at: now)
        case .queueRemove: self.remove(json, from: asker, at: now)
        case .queueReorder:
            self.edit(json, from: asker, at: now) { $0.reorder(Self.ids(json), before: json["insertBefore"]?.int) }
        case .queueShuffle:
            self.edit(json, from: asker, at: now) { queue in json["shuffle"]?.boolean.map { queue.shuffle($0) } }
        case .queueNext: self.go(from: asker, at: now, refusal: "END_OF_QUEUE") { $0.jump(by: 1) }
        case .queuePrevious: self.go(from: asker, at: now, refusal: "END_OF_QUEUE") { $0.jump(by: -1) }
        case .preload:
            guard let id = json["itemId"]?.int, self.application?.player.preload(itemID: id) ?? false else {
                return self.refuse(asker, "INVALID_PARAMS")
            }
            self.changePlayer(for: asker, at: now) { _ in }
        case .queueUpdate: self.updateQueue(json, from: asker, at: now)
        case .play, .pause, .stop, .seek, .setVolume, .setPlaybackRate, .skipAd, .editTracks, .editAudioTracks, .storeSession: break
        }
    }

    private static func ids(_ json: JSON) -> [Int] { (json["itemIds"]?.elements ?? []).compactMap(\.int) }

    private mutating func answerItems(_ items: [MediaItem], of queue: PlayerQueue, to asker: Asker) {
        let fitting = PlayerQueue.prefix(of: items[...], room: Self.maximumItemsSize)
        self.answer(
            asker,
            [
                "type": "QUEUE_ITEMS", "items": .array((fitting.isEmpty ? items.prefix(1) : fitting).map { $0.json() }),
                "sequenceNumber": .integer(queue.sequenceNumber),
            ])
    }

    // MARK: Editing

    /// Edits the queue and moves to another item if the request asks for it.
    private mutating func edit(
        _ json: JSON, from asker: Asker, at now: Duration, _ change: (inout PlayerQueue) -> QueueChange?
    ) {
        guard self.canGo(json), let change = self.application?.player.edit(change) else { return self.refuse(asker, "INVALID_PARAMS") }
        self.report(change)
        self.finishEdit(json, from: asker, at: now)
    }

    private mutating func insert(_ json: JSON, from asker: Asker, at now: Duration) {
        let items = json["items"]?.elements ?? []
        let place = json["currentItemIndex"]?.int
        guard place.map(items.indices.contains) ?? true, self.canGo(json),
            let change = self.application?.player.edit({ $0.insert(items, before: json["insertBefore"]?.int) })
        else { return self.refuse(asker, "INVALID_PARAMS") }
        self.report(change)
        guard let place else { return self.finishEdit(json, from: asker, at: now) }
        let startTime = json["currentTime"]?.double
        self.go(startTime: startTime, from: asker, at: now, refusal: "INVALID_PARAMS") { $0.jump(toItem: change.itemIDs[place]) }
    }

    private mutating func remove(_ json: JSON, from asker: Asker, at now: Duration) {
        let ids = Self.ids(json)
        // The item to continue with must not be one of the removed ones.
        guard self.canGo(json), json["currentItemId"]?.int.map({ !ids.contains($0) }) ?? true,
            let removal = self.application?.player.edit({ $0.remove(ids) })
        else { return self.refuse(asker, "INVALID_PARAMS") }
        switch removal {
        case .kept(let change):
            self.report(change)
            self.finishEdit(json, from: asker, at: now)
        case .replaced(let change):
            self.report(change)
            let id = json["currentItemId"]?.int
            let startTime = json["currentTime"]?.double
            self.go(startTime: startTime, from: asker, at: now, refusal: "INVALID_PARAMS") { queue in
                id.map { queue.jump(toItem: $0) } ?? true
            }
        case .ended:
            self.cancelLoad()
            self.changePlayer(for: asker, at: now) { $0.end(.cancelled, at: now) }
        }
    }

    private mutating func updateQueue(_ json: JSON, from asker: Asker, at now: Duration) {
        let mode = json["repeatMode"]?.text
        guard mode.map(PlayerQueue.repeatModes.contains) ?? true, self.canGo(json) else { return self.refuse(asker, "INVALID_PARAMS") }
        if let items = json["items"]?.elements, !items.isEmpty {
            guard let change = self.application?.player.edit({ $0.update(items) }) else { return self.refuse(asker, "INVALID_PARAMS") }
            self.report(change)
        }
        if let mode { self.application?.player.queue?.repeatMode = mode }
        if let shuffle = json["shuffle"]?.boolean, shuffle != self.application?.player.queue?.isShuffled,
            let change = self.application?.player.edit({ $0.shuffle(shuffle) })
        {
            self.report(change)
        }
        self.finishEdit(json, from: asker, at: now)
    }

    /// Returns whether the item that a request moves to exists.
    private func canGo(_ json: JSON) -> Bool {
        guard let id = json["currentItemId"]?.int else { return true }
        return self.application?.player.queue?.index(of: id) != nil
    }

    private mutating func report(_ change: QueueChange) {
        guard let queue = self.application?.player.queue, !self.has(.noQueueChange) else { return }
        self.broadcastMedia(change.json(sequenceNumber: queue.sequenceNumber))
    }

    /// Moves to the requested item; without one, all senders receive the new queue.
    private mutating func finishEdit(_ json: JSON, from asker: Asker, at now: Duration) {
        let startTime = json["currentTime"]?.double
        if let id = json["currentItemId"]?.int {
            self.go(startTime: startTime, from: asker, at: now, refusal: "INVALID_PARAMS") { $0.jump(toItem: id) }
        } else if let count = json["jump"]?.int {
            self.go(startTime: startTime, from: asker, at: now, refusal: "END_OF_QUEUE") { $0.jump(by: count) }
        } else {
            self.answer(asker, self.mediaStatus(.everything, at: now))
            self.broadcastMediaStatus(.queue, at: now)
        }
    }

    /// Loads another item of the queue; the asker is answered when it is loaded.
    private mutating func go(
        startTime: Double? = nil, from asker: Asker, at now: Duration, refusal: String, _ change: (inout PlayerQueue) -> Bool
    ) {
        let timing = self.timing()
        guard self.application?.player.jump(change, startTime: startTime, timing: timing, at: now) ?? false else {
            return self.refuse(asker, refusal)
        }
        self.cancelLoad()
        self.application?.loadAsker = asker
        self.broadcastMediaStatus(.everything, at: now)
    }
}
