import CastModels
import CastProtocol

/// Changes the items. When a later part of a long change fails, the error's detail names the number of items that were changed.
extension MediaQueue {
    /// Loads a queue in place of the current media. The first item starts at once, whatever the length of the queue.
    ///
    /// - Parameters:
    ///   - items: at least one, each with media; ids are ignored.
    ///   - startIndex: the item to begin with, from 0.
    ///   - repeatMode: how the queue repeats; `nil` leaves it to the receiver.
    ///   - startTime: seconds into that item.
    ///   - customData: data for the application.
    ///   - applicationID: waits until this application is ready; `nil` uses the running one.
    /// - Throws: `mediaLoadFailed`, `replaced`, `messageTooBig` for an item above 63 KiB. When a later part of a long queue fails, the
    ///   error's detail names the number of loaded items.
    nonisolated(nonsending) public func load(
        _ items: [MediaQueueItem], startIndex: Int = 0, repeatMode: RepeatMode? = nil, startTime: Double? = nil,
        customData: JSONValue? = nil,
        in applicationID: String? = nil
    ) async throws(CastError) {
        try Self.check(items)
        guard items.indices.contains(startIndex) else { throw .invalidArgument("startIndex", "\(startIndex) is none of \(items.count)") }
        try CastError.checkSeconds(startTime, "startTime")
        let load = MediaRequest.QueueLoad(
            items: self.client.defaults.completing(items), startIndex: startIndex, repeatMode: repeatMode, startTime: startTime)
        try await self.session.load(load.items, in: applicationID) { _ in MediaRequest(.queueLoad(load), customData: customData) }
    }

    /// Inserts items, completed by the client's `defaults`.
    ///
    /// - Parameters:
    ///   - items: each with media; ids are ignored.
    ///   - place: where in the queue.
    ///   - index: the index among `items` of the one to play at once, from 0; `nil` continues with the current item.
    ///   - startTime: seconds into that item.
    ///   - customData: data for the application.
    nonisolated(nonsending) public func insert(
        _ items: [MediaQueueItem], at place: Place, playing index: Int? = nil, startTime: Double? = nil, customData: JSONValue? = nil
    ) async throws(CastError) {
        try Self.check(items)
        if let index, !items.indices.contains(index) { throw .invalidArgument("index", "\(index) is none of \(items.count)") }
        try CastError.checkSeconds(startTime, "startTime")
        if startTime != nil, index == nil { throw .invalidArgument("startTime", "given without an item to play") }
        let insertBefore: Int?
        switch place {
        case .before(let id):
            try await self.check([id], "itemID")
            insertBefore = id
        case .next: insertBefore = try await self.itemAfterCurrent()
        case .end: insertBefore = nil
        }
        let insertion = MediaRequest.QueueInsertion(
            items: self.client.defaults.completing(items), insertBefore: insertBefore, currentItemIndex: index, startTime: startTime)
        try await self.send(.queueInsert(insertion), customData: customData)
    }

    /// Replaces the content of items that are in the queue: media (completed by the client's `defaults`), times, tracks, custom data.
    ///
    /// - Parameters:
    ///   - items: each with its id. An item without media changes the given values and keeps the rest.
    ///   - customData: data for the application.
    nonisolated(nonsending) public func update(_ items: [MediaQueueItem], customData: JSONValue? = nil) async throws(CastError) {
        guard !items.isEmpty else { throw .invalidArgument("items", "there are none") }
        for (index, item) in items.enumerated() where item.itemID == nil {
            throw .invalidArgument("items[\(index)].itemID", "an item in the queue has one")
        }
        try await self.check(items.compactMap(\.itemID), "items")
        for (index, item) in items.enumerated() { try item.validate("items[\(index)]") }
        let completed = try await self.completed(self.client.defaults.completing(items))
        try await self.send(.queueUpdate(.init(items: completed)), customData: customData)
    }

    /// Receivers may replace an item as a whole, so missing values of an item without media are read from the receiver first. A receiver
    /// that does not report its items receives the item as given.
    private nonisolated(nonsending) func completed(_ items: [MediaQueueItem]) async throws(CastError) -> [MediaQueueItem] {
        let ids = items.filter { $0.media == nil }.compactMap(\.itemID)
        guard !ids.isEmpty else { return items }
        var reported: [MediaQueueItem] = []
        do throws(CastError) { reported = try await self.session.fetchQueueItems(ids) } catch  where !CastSession.isRefusal(error) {
            throw error
        } catch {}
        let known = Dictionary(reported.map { ($0.itemID, $0) }) { first, _ in first }
        return items.map { item in item.media == nil ? known[item.itemID].map(item.completed) ?? item : item }
    }

    /// Removes items. When the current one is among them, the receiver continues with another.
    ///
    /// - Parameters:
    ///   - itemIDs: the items to remove; at least one.
    ///   - currentItemID: the item to play when the current one is removed; `nil` leaves it to the receiver.
    ///   - customData: data for the application.
    nonisolated(nonsending) public func remove(
        itemIDs: [Int], playing currentItemID: Int? = nil, customData: JSONValue? = nil
    ) async throws(CastError) {
        try await self.check(itemIDs, "itemIDs")
        if let currentItemID {
            guard !itemIDs.contains(currentItemID) else { throw .invalidArgument("currentItemID", "it is to be removed") }
            try await self.check([currentItemID], "currentItemID")
        }
        try await self.send(.queueRemove(itemIDs: itemIDs, currentItemID: currentItemID), customData: customData)
    }

    /// Removes every item, which ends playback, or every item except the current one.
    ///
    /// - Throws: `unsupportedFeature` when the receiver does not report the items of its queue; `timeout` when it does not answer the
    ///   request for them; `invalidState` when the current item is to be kept and the receiver does not report it; `noMediaSession`.
    nonisolated(nonsending) public func clear(keepsCurrent: Bool = false, customData: JSONValue? = nil) async throws(CastError) {
        var ids = try await self.session.wholeQueueItemIDs()
        if keepsCurrent {
            guard let current = try await self.session.currentMediaStatus().currentItemID else { throw Self.currentUnreported }
            if ids == [current] { return }
            ids.removeAll { $0 == current }
        }
        // Media is playing, so an empty list means that the receiver does not report its items.
        guard !ids.isEmpty else { throw Self.unreported }
        try await self.send(.queueRemove(itemIDs: ids, currentItemID: nil), customData: customData)
    }

    /// Moves items, in this order, before another one.
    ///
    /// - Parameters:
    ///   - itemIDs: the items to move; at least one.
    ///   - itemID: the item before which to insert them; it must not be one of them. `nil` moves them to the end.
    ///   - customData: data for the application.
    nonisolated(nonsending) public func reorder(
        itemIDs: [Int], before itemID: Int?, customData: JSONValue? = nil
    ) async throws(CastError) {
        try await self.check(itemIDs, "itemIDs")
        if let itemID {
            guard !itemIDs.contains(itemID) else { throw .invalidArgument("before", "\(itemID) is to be moved itself") }
            try await self.check([itemID], "before")
        }
        try await self.send(.queueReorder(itemIDs: itemIDs, insertBefore: itemID), customData: customData)
    }

    /// Moves one item to an index of the resulting queue, from 0.
    ///
    /// - Throws: `unsupportedFeature` when the receiver does not report the items of its queue.
    nonisolated(nonsending) public func move(itemID: Int, to index: Int, customData: JSONValue? = nil) async throws(CastError) {
        try await self.check([itemID], "itemID")
        let others = try await self.itemIDs.filter { $0 != itemID }
        guard await self.session.isQueueKnown else { throw Self.unreported }
        guard (0...others.count).contains(index) else { throw .invalidArgument("index", "\(index) is none of \(others.count + 1)") }
        let insertBefore = index < others.count ? others[index] : nil
        try await self.send(.queueReorder(itemIDs: [itemID], insertBefore: insertBefore), customData: customData)
    }

    // MARK: -

    static let unreported = CastError(.unsupportedFeature, detail: "the receiver does not report the items of its queue")
    private static let currentUnreported = CastError(.invalidState, detail: "the receiver does not report which item plays")

    private static func check(_ items: [MediaQueueItem]) throws(CastError) {
        guard !items.isEmpty else { throw .invalidArgument("items", "there are none") }
        for (index, item) in items.enumerated() { try item.validateAsNew("items[\(index)]") }
    }

    /// Checks for ids that are not in the queue or occur twice. If the receiver does not report its ids, the check is left to the receiver.
    nonisolated(nonsending) func check(_ ids: [Int], _ name: String) async throws(CastError) {
        guard !ids.isEmpty else { throw .invalidArgument(name, "there are none") }
        guard Set(ids).count == ids.count else { throw .invalidArgument(name, "one of them comes twice") }
        let known = Set(try await self.itemIDs)
        guard await self.session.isQueueKnown else { return }
        for id in ids where !known.contains(id) { throw .invalidArgument(name, "\(id) is not one of the queue's items") }
    }

    private nonisolated(nonsending) func itemAfterCurrent() async throws(CastError) -> Int? {
        let ids = try await self.itemIDs
        guard let current = await self.client.mediaStatus?.currentItemID, let index = ids.firstIndex(of: current) else {
            throw Self.currentUnreported
        }
        if index + 1 < ids.count { return ids[index + 1] }
        // The end of the reported window may not be the end of the queue.
        guard await self.session.isQueueKnown else { throw Self.unreported }
        return nil
    }

    nonisolated(nonsending) func send(_ action: MediaRequest.Action, customData: JSONValue?) async throws(CastError) {
        // The size of a request does not depend on the media session.
        let parts = try MediaRequest(action, mediaSessionID: Int(Int32.max), customData: customData).split()
        let known = await self.session.facts.queue
        try await self.session.control(customData: customData) { status in
            let former = known?.itemIDs ?? status.items.compactMap(\.itemID)
            // Of several parts, the effect of the first one would also show for the others, which are believed.
            return parts.enumerated().map { index, part in
                let edit = index == 0 ? QueueEdit(part.action, former, isWhole: known?.isWhole ?? false) : nil
                return MediaCommand(part.action, observed: edit.map(ObservedState.queue) ?? .none)
            }
        }
    }
}

extension QueueEdit {
    /// Creates the edit that shows the success of `action`; `nil` when only its answer can.
    ///
    /// - Parameters:
    ///   - formerIDs: the order before.
    ///   - isWhole: whether these are all items. A change outside of the known ones does not show.
    fileprivate init?(_ action: MediaRequest.Action, _ formerIDs: [Int], isWhole: Bool) {
        switch action {
        case .queueInsert(let insertion) where !isWhole && insertion.insertBefore == nil: return nil
        case .queueRemove(let ids, _) where !isWhole && !Set(ids).isSubset(of: formerIDs): return nil
        case .queueInsert: self = .inserted(formerIDs: Set(formerIDs))
        case .queueRemove(let ids, _): self = .removed(ids)
        case .queueReorder(let ids, let before): self = .reordered(ids, before: before, formerIDs: formerIDs)
        case .queueUpdate(let update): self = .updated(update.items?.compactMap(\.itemID) ?? [])
        default: return nil
        }
    }
}
