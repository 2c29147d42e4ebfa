import BridgeCore
import CastSender

extension CommandRunner {
    nonisolated(nonsending) func perform(_ command: QueueCommand) async throws(CastError) -> JSONObject {
        let queue = self.player.remoteMediaClient.queue
        switch command {
        case .load(let load): return try await self.load(load)
        case .insert(let insertion): return try await self.insert(insertion)
        case .update(let items): try await Self.naming(["items": "item"]) { () throws(CastError) in try await queue.update(items) }
        case .remove(let ids):
            try await Self.naming(["itemIDs": "item"]) { () throws(CastError) in
                try await queue.remove(itemIDs: ids, customData: self.customData)
            }
        case .jump(let id, let position):
            try await Self.naming(["itemID": "item"]) { () throws(CastError) in
                try await queue.jump(toItemID: id, startTime: position, customData: self.customData)
            }
        case .jumpBy(let count): try await queue.jump(by: count, customData: self.customData)
        case .move(let ids, let place): try await self.move(ids, to: place)
        case .clear(let keepsCurrent): try await queue.clear(keepsCurrent: keepsCurrent, customData: self.customData)
        }
        return [:]
    }

    private nonisolated(nonsending) func load(_ load: QueueLoad) async throws(CastError) -> JSONObject {
        try await self.session.start(load.applicationID, options: load.launchOptions)
        let queue = self.session.remoteMediaClient.queue
        do throws(CastError) {
            if var data = load.details {
                (data.items, data.startIndex, data.startTime) = (load.items, load.startIndex, load.position)
                data.repeatMode = load.repeatMode
                var request = MediaLoadRequest(queueData: data)
                request.customData = load.customData
                try await self.session.remoteMediaClient.load(request, in: load.applicationID)
            } else {
                try await queue.load(
                    load.items, startIndex: load.startIndex, repeatMode: load.repeatMode, startTime: load.position,
                    customData: load.customData,
                    in: load.applicationID)
            }
            if let isShuffled = load.isShuffled { try await queue.setShuffled(isShuffled) }
        } catch { throw Self.underWay(error) }
        return await self.loaded()
    }

    private nonisolated(nonsending) func insert(_ insertion: QueueInsertion) async throws(CastError) -> JSONObject {
        let queue = self.player.remoteMediaClient.queue
        if let application = insertion.application { try await self.expectNoOther(than: application) }
        let place: MediaQueue.Place =
            switch insertion.place {
            case .before(let id): .before(itemID: id)
            case .next: .next
            case .end, .index: .end
            }
        do throws(CastError) {
            try await Self.naming(["itemID": "before"]) { () throws(CastError) in
                try await queue.insert(insertion.items, at: place, playing: insertion.playing, startTime: insertion.position)
            }
            return [:]
        } catch let error where error.code == .noMediaSession || error.code == .applicationNotRunning {
            guard let application = insertion.loadsInto else { throw error }
            var load = QueueLoad(items: insertion.items, applicationID: application)
            load.launchOptions = insertion.launchOptions
            return try await self.load(load)
        }
    }

    /// Checks that no other application is running, so that items are not added to its queue.
    private nonisolated(nonsending) func expectNoOther(than applicationID: String) async throws(CastError) {
        guard (try? await self.currentStatus()) != nil,
            let running = await self.player.receiverStatus?.application, running.applicationID != applicationID
        else { return }
        throw CastError(.invalidState, detail: "\(running.applicationID) plays, so there is no queue of \(applicationID)")
    }

    private nonisolated(nonsending) func move(_ ids: [Int], to place: QueuePlace) async throws(CastError) {
        let queue = self.player.remoteMediaClient.queue
        try await Self.naming(["itemID": "item", "itemIDs": "item", "index": "to"]) { () throws(CastError) in
            switch place {
            case .index(let index):
                for id in ids { try await queue.move(itemID: id, to: index, customData: self.customData) }
            case .before(let id): try await queue.reorder(itemIDs: ids, before: id, customData: self.customData)
            case .end: try await queue.reorder(itemIDs: ids, before: nil, customData: self.customData)
            case .next:
                let all = try await queue.itemIDs
                let current = try await self.currentStatus().currentItemID
                guard let current, let index = all.firstIndex(of: current) else {
                    throw CastError(.invalidState, detail: "the receiver does not report which item plays")
                }
                try await queue.reorder(
                    itemIDs: ids, before: all[(index + 1)...].first { !ids.contains($0) }, customData: self.customData)
            }
        }
    }

    /// Returns a page of the queue; requests the items that are unknown.
    nonisolated(nonsending) func queue(_ page: QueueListing.Page) async throws(CastError) -> JSONObject {
        let client = self.player.remoteMediaClient
        let status = try await self.currentStatus()
        let ids = try await client.queue.requestItemIDs()
        let items = try await client.queue.items(withIDs: page.ids(of: ids))
        return QueueListing.data(items, of: page, ids: ids, status: await client.mediaStatus ?? status)
    }

    /// Renames the argument in errors to its name in the command.
    private static nonisolated(nonsending) func naming(
        _ names: [String: String], _ body: () async throws(CastError) -> Void
    ) async throws(CastError) {
        do throws(CastError) { try await body() } catch {
            guard let argument = error.argument, let name = names[argument] else { throw error }
            var named = error
            named.argument = name
            throw named
        }
    }
}
