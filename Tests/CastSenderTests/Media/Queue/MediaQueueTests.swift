import CastModels
import CastTestSupport
import NIOCore
import Testing

@testable import CastSender

@Suite struct MediaQueueTests {
    private static func items(_ count: Int, from first: Int = 1, title: String = "一首歌") -> [MediaQueueItem] {
        (first..<first + count).map { MediaQueueItem(media: MediaInformation(contentID: "c\($0)", metadata: .generic(title: title))) }
    }

    /// A world whose receiver plays a queue of `count` items, the first one.
    private static func playing(
        _ count: Int, _ change: @escaping @Sendable (inout QueueReceiverModel) -> Void = { _ in }
    ) async throws -> (FakeReceiver, SupervisorWorld, Task<Void, Never>) {
        let receiver = FakeReceiver { state in
            state.application = FakeReceiver.Application()
            var queue = QueueReceiverModel()
            change(&queue)
            if count > 0 {
                let elements = (1...count).map { JSONValue.object(["media": ["contentId": .string("c\($0)")]]) }
                _ = queue.replies(to: "QUEUE_LOAD", ["items": .array(elements)], requestID: 1)
            }
            state.queue = queue
        }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        return (receiver, world, task)
    }

    private static func call<Value: Sendable>(
        _ world: SupervisorWorld, _ body: nonisolated(nonsending) @escaping @Sendable (MediaQueue) async throws(CastError) -> Value
    ) async throws -> Result<Value, CastError> {
        let queue = try await world.session().remoteMediaClient.queue
        let outcome = await world.virtual.call { await result { () async throws(CastError) in try await body(queue) } }
        return try #require(outcome).value
    }

    private static func contents(_ receiver: FakeReceiver) -> [String] { receiver.set { $0.queue?.items.map(\.contentID) ?? [] } }

    private static func requests(_ receiver: FakeReceiver, _ type: String) -> [JSONValue] {
        receiver.journal.filter { $0.type == type }.map(\.body)
    }

    @Test("the whole order is read once, items come in pages and then from the cache")
    func pages() async throws {
        let (receiver, world, task) = try await Self.playing(95)
        let ids = try await Self.call(world) { queue async throws(CastError) in try await queue.itemIDs }.get()
        #expect(ids == Array(1...95))
        let item = try await Self.call(world) { queue async throws(CastError) in try await queue.item(at: 50) }.get()
        #expect(item?.media?.contentID == "c51")
        #expect(Self.requests(receiver, "QUEUE_GET_ITEMS").map { $0["itemIds"]?.arrayValue?.count } == [20])
        _ = try await Self.call(world) { queue async throws(CastError) in try await queue.item(at: 59) }.get()
        #expect(Self.requests(receiver, "QUEUE_GET_ITEMS").count == 1, "the same page")
        let all = try await Self.call(world) { queue async throws(CastError) in try await queue.items(withIDs: Array(1...95)) }.get()
        #expect(all.map { $0.media?.contentID } == (1...95).map { "c\($0)" })
        #expect(Self.requests(receiver, "QUEUE_GET_ITEM_IDS").count == 1)
        let wrong = try await Self.call(world) { queue async throws(CastError) in try await queue.item(at: 95) }
        #expect(throws: CastError.invalidArgument("index", "95 is none of 95")) { try wrong.get() }
        _ = await world.end(task)
    }

    @Test("a page that the receiver can't answer is asked for in halves")
    func halves() async throws {
        let (receiver, world, task) = try await Self.playing(40) { $0.largestPage = 6 }
        let items = try await Self.call(world) { queue async throws(CastError) in try await queue.items(withIDs: Array(21...40)) }.get()
        #expect(items.map { $0.media?.contentID } == (21...40).map { "c\($0)" })
        #expect(Self.requests(receiver, "QUEUE_GET_ITEMS").map { $0["itemIds"]?.arrayValue?.count } == [20, 10, 5, 5, 10, 5, 5])
        _ = await world.end(task)
    }

    @Test("a long queue is loaded in parts, the item to start with first", arguments: [0, 130, 299])
    func load(start: Int) async throws {
        let (receiver, world, task) = try await Self.playing(0)
        let items = Self.items(300, title: String(repeating: "夜", count: 200))
        _ = try await Self.call(world) { queue async throws(CastError) in
            try await queue.load(items, startIndex: start, repeatMode: .all, startTime: 7, customData: ["k": 1])
        }.get()
        #expect(Self.contents(receiver) == (1...300).map { "c\($0)" })
        let load = try #require(Self.requests(receiver, "QUEUE_LOAD").first)
        #expect(load["currentTime"] == 7)
        #expect(load["repeatMode"] == "REPEAT_ALL")
        #expect(load["items"]?.arrayValue?.first?["media"]?["contentId"]?.stringValue == "c\(start + 1)")
        #expect(Self.requests(receiver, "QUEUE_INSERT").count >= 3)
        #expect(Self.requests(receiver, "QUEUE_INSERT").allSatisfy { $0["customData"] == ["k": 1] })
        let ids = try await Self.call(world) { queue async throws(CastError) in try await queue.itemIDs }.get()
        #expect(ids == receiver.set { $0.queue?.items.map(\.id) ?? [] })
        _ = await world.end(task)
    }

    @Test("LOAD with a queue is loaded in parts as well")
    func loadRequest() async throws {
        let (receiver, world, task) = try await Self.playing(0)
        let items = Self.items(200, title: String(repeating: "夜", count: 200))
        let client = try await world.session().remoteMediaClient
        let outcome = await world.virtual.call {
            await result { () async throws(CastError) in
                try await client.load(MediaLoadRequest(queueData: MediaQueueData(items: items, startIndex: 100)))
            }
        }
        try #require(outcome).value.get()
        #expect(Self.contents(receiver) == (1...200).map { "c\($0)" })
        #expect(Self.requests(receiver, "LOAD").count == 1)
        _ = await world.end(task)
    }

    @Test("items are inserted before, next and at the end")
    func insert() async throws {
        let (receiver, world, task) = try await Self.playing(4)
        _ = try await Self.call(world) { queue async throws(CastError) in try await queue.jump(toItemID: 2, startTime: 5) }.get()
        _ = try await Self.call(world) { queue async throws(CastError) in
            try await queue.insert(Self.items(1, from: 10), at: .before(itemID: 1))
            try await queue.insert(Self.items(2, from: 20), at: .next)
            try await queue.insert(Self.items(1, from: 30), at: .end, playing: 0, startTime: 3)
        }.get()
        #expect(Self.contents(receiver) == ["c10", "c1", "c2", "c20", "c21", "c3", "c4", "c30"])
        #expect(receiver.set { $0.queue?.currentID } == 8)
        let last = try #require(Self.requests(receiver, "QUEUE_INSERT").last)
        #expect(last["currentItemIndex"] == 0)
        #expect(last["currentTime"] == 3)
        _ = await world.end(task)
    }

    @Test("inserted and updated items get the client's defaults")
    func defaults() async throws {
        let (receiver, world, task) = try await Self.playing(2)
        let track = MediaTrack(trackID: 4, type: .text, subtype: .subtitles, language: "de", contentID: "http://h/de.vtt")
        let media = MediaInformation(contentID: "a", tracks: [track])
        _ = try await Self.call(world) { queue async throws(CastError) in
            var client = queue.client
            client.defaults.textTrackStyle = .standard
            try await client.queue.insert([MediaQueueItem(media: media)], at: .end)
            try await client.queue.update([MediaQueueItem(itemID: 1, media: media)])
        }.get()
        for type in ["QUEUE_INSERT", "QUEUE_UPDATE"] {
            let item = try #require(Self.requests(receiver, type).last?["items"]?.arrayValue?.first)
            #expect(item["media"]?["textTrackStyle"]?["edgeType"] == "OUTLINE", "\(type)")
        }
        _ = await world.end(task)
    }

    @Test("items are moved, reordered, updated and removed")
    func changes() async throws {
        let (receiver, world, task) = try await Self.playing(5)
        _ = try await Self.call(world) { queue async throws(CastError) in
            try await queue.move(itemID: 5, to: 0)
            try await queue.move(itemID: 1, to: 4)
            try await queue.reorder(itemIDs: [4, 2], before: 5)
            var item = MediaQueueItem(itemID: 3, media: MediaInformation(contentID: "other"))
            (item.preloadTime, item.startTime, item.autoplay) = (15, 2, false)
            try await queue.update([item])
            try await queue.remove(itemIDs: [1], playing: 2)
        }.get()
        #expect(Self.contents(receiver) == ["c4", "c2", "c5", "other"])
        #expect(receiver.set { $0.queue?.currentID } == 2)
        let update = try #require(Self.requests(receiver, "QUEUE_UPDATE").last?["items"]?.arrayValue?.first)
        #expect(update["preloadTime"] == 15)
        #expect(update["startTime"] == 2)
        #expect(update["autoplay"] == false)
        let item = try await Self.call(world) { queue async throws(CastError) in try await queue.item(at: 3) }.get()
        #expect(item?.media?.contentID == "other", "the cache learnt of the new content")
        _ = await world.end(task)
    }

    @Test("an item that is updated without media keeps the missing values, also where the receiver replaces whole items")
    func property() async throws {
        let (receiver, world, task) = try await Self.playing(2)
        _ = try await Self.call(world) { queue async throws(CastError) in
            var full = MediaQueueItem(itemID: 2, media: MediaInformation(contentID: "c2", metadata: .generic(title: "Second")))
            (full.preloadTime, full.startTime, full.autoplay, full.activeTrackIDs) = (15, 2, false, [3])
            full.customData = ["k": 1]
            try await queue.update([full])
            var change = MediaQueueItem(itemID: 2)
            (change.preloadTime, change.activeTrackIDs) = (20, [])
            try await queue.update([change])
        }.get()
        let item = try #require(Self.requests(receiver, "QUEUE_UPDATE").last?["items"]?.arrayValue?.first)
        #expect(item["media"]?["contentId"] == "c2" && item["media"]?["metadata"]?["title"] == "Second")
        #expect(item["preloadTime"] == 20 && item["startTime"] == 2 && item["autoplay"] == false && item["customData"] == ["k": 1])
        #expect(item["activeTrackIds"] == [], "none is a choice, too")
        _ = await world.end(task)
    }

    @Test("jumps, repeating and shuffling reach the receiver")
    func playing() async throws {
        let (receiver, world, task) = try await Self.playing(5)
        _ = try await Self.call(world) { queue async throws(CastError) in
            try await queue.next()
            try await queue.jump(by: 2)
            try await queue.previous()
            try await queue.setRepeatMode(.single)
            try await queue.setShuffled(true, customData: ["why": "party"])
        }.get()
        let updates = Self.requests(receiver, "QUEUE_UPDATE")
        #expect(updates.map { $0["jump"]?.intValue } == [1, 2, -1, nil, nil])
        #expect(updates.map { $0["repeatMode"]?.stringValue } == [nil, nil, nil, "REPEAT_SINGLE", nil])
        #expect(updates.last?["shuffle"] == true)
        #expect(updates.last?["customData"] == ["why": "party"])
        #expect(receiver.set { $0.queue?.currentID } == 3)
        _ = await world.end(task)
    }

    @Test("a shuffle that doesn't happen is no success, whether refused or ignored")
    func shuffleRefused() async throws {
        let ignoring: @Sendable (inout QueueReceiverModel) -> Void = { $0.shuffles = false }
        let (_, world, task) = try await Self.playing(5, ignoring)
        let ignored = try await Self.call(world) { queue async throws(CastError) in try await queue.setShuffled(true) }
        guard case .failure(let error) = ignored else { return #expect(Bool(false), "a silent success") }
        #expect(error.code == .notApplied)
        _ = await world.end(task)

        let (_, other, otherTask) = try await Self.playing(5) { $0.refusals = ["QUEUE_UPDATE": "NOT_SUPPORTED"] }
        let refused = try await Self.call(other) { queue async throws(CastError) in try await queue.setShuffled(true) }
        guard case .failure(let reason) = refused else { return #expect(Bool(false), "a silent success") }
        #expect(reason.code == .unsupportedFeature)
        #expect(reason.reason == "NOT_SUPPORTED")
        _ = await other.end(otherTask)
    }

    @Test("changes of other senders are tracked without requests")
    func otherSender() async throws {
        let (receiver, world, task) = try await Self.playing(3)
        let session = try await world.session()
        let changes = await session.remoteMediaClient.queue.changes
        await world.virtual.advance(.milliseconds(50))
        let asked = Self.requests(receiver, "QUEUE_GET_ITEM_IDS").count
        for (type, body): (String, JSONValue) in [
            ("QUEUE_INSERT", ["mediaSessionId": 1, "items": [["media": ["contentId": "x"]]], "insertBefore": 2]),
            ("QUEUE_REMOVE", ["mediaSessionId": 1, "itemIds": [3]]),
            ("QUEUE_REORDER", ["mediaSessionId": 1, "itemIds": [1]]),
        ] {
            for reply in receiver.set({ $0.queue?.replies(to: type, body, requestID: 77) ?? [] }) {
                receiver.sendToAll("urn:x-cast:com.google.cast.media", from: "transport-1", to: "*", reply.text)
            }
            await world.virtual.advance(.milliseconds(20))
        }
        let ids = try await Self.call(world) { queue async throws(CastError) in try await queue.itemIDs }.get()
        #expect(ids == [4, 2, 1])
        #expect(Self.requests(receiver, "QUEUE_GET_ITEM_IDS").count == asked)
        var reported: [MediaQueueChange] = []
        for await element in changes {
            if case .event(let change) = element { reported.append(change) }
            if reported.count == 4 { break }
        }
        #expect(reported == [.reloaded(itemCount: 3), .inserted(itemIDs: [4], index: 1), .removed(itemIDs: [3]), .reordered])
        _ = await world.end(task)
    }

    @Test("a receiver that reports no ids has the queue of its status, and checks ids itself")
    func unreported() async throws {
        let (receiver, world, task) = try await Self.playing(9) { $0.reportsItemIDs = false }
        let ids = try await Self.call(world) { queue async throws(CastError) in try await queue.itemIDs }.get()
        #expect(ids == [1, 2, 3])
        _ = try await Self.call(world) { queue async throws(CastError) in try await queue.remove(itemIDs: [8]) }.get()
        #expect(Self.contents(receiver).count == 8)
        let move = try await Self.call(world) { queue async throws(CastError) in try await queue.move(itemID: 1, to: 2) }
        guard case .failure(let refusal) = move else { return #expect(Bool(false), "moved to an unknown place") }
        #expect(refusal.code == .unsupportedFeature)
        let wrong = try await Self.call(world) { queue async throws(CastError) in try await queue.remove(itemIDs: [80]) }
        guard case .failure(let error) = wrong else { return #expect(Bool(false), "a silent success") }
        #expect(error.reason == "INVALID_PARAMS")
        _ = await world.end(task)
    }

    @Test("clearing removes the whole queue, or all but the current item", arguments: [false, true])
    func clear(keepsCurrent: Bool) async throws {
        let (receiver, world, task) = try await Self.playing(9)
        _ = try await Self.call(world) { queue async throws(CastError) in try await queue.clear(keepsCurrent: keepsCurrent) }.get()
        #expect(Self.contents(receiver) == (keepsCurrent ? ["c1"] : []))
        _ = await world.end(task)
    }

    @Test("a queue whose ids the receiver refuses, hides or leaves unanswered is not cleared, within one request's time limit")
    func clearUnknown() async throws {
        let cases: [(@Sendable (inout QueueReceiverModel) -> Void, CastError.Code)] = [
            ({ $0.reportsItemIDs = false }, .unsupportedFeature), ({ $0.listsNoItemIDs = true }, .unsupportedFeature),
            ({ $0.lostItemIDs = 99 }, .timeout),
        ]
        for (change, code) in cases {
            let (receiver, world, task) = try await Self.playing(9, change)
            let queue = try await world.session().remoteMediaClient.queue
            let outcome = try #require(
                await world.virtual.call { await result { () async throws(CastError) in try await queue.clear() } })
            guard case .failure(let error) = outcome.value else {
                Issue.record("done though nothing was cleared")
                continue
            }
            #expect(error.code == code)
            #expect(outcome.duration <= .seconds(9))
            #expect(Self.contents(receiver).count == 9)
            _ = await world.end(task)
        }
    }

    @Test("one lost answer doesn't hide the order of the queue", arguments: [1, 2, 3])
    func lostAnswer(losses: Int) async throws {
        let (receiver, world, task) = try await Self.playing(9) { $0.lostItemIDs = losses }
        let ids = try await Self.call(world) { queue async throws(CastError) in try await queue.itemIDs }.get()
        #expect(ids == (losses < 3 ? Array(1...9) : [1, 2, 3]))
        #expect(Self.requests(receiver, "QUEUE_GET_ITEM_IDS").count == min(losses + 1, 3))
        _ = await world.end(task)
    }

    @Test("all but the current item of an unreported queue can't be removed, and nothing is sent")
    func clearUnlisted() async throws {
        let (receiver, world, task) = try await Self.playing(3) { $0.listsNoItemIDs = true }
        let outcome = try await Self.call(world) { queue async throws(CastError) in try await queue.clear(keepsCurrent: true) }
        guard case .failure(let error) = outcome else { return #expect(Bool(false), "a silent success") }
        #expect(error.code == .unsupportedFeature)
        #expect(Self.requests(receiver, "QUEUE_REMOVE").isEmpty)
        let ids = try await Self.call(world) { queue async throws(CastError) in try await queue.itemIDs }.get()
        #expect(ids == [1, 2, 3], "those of the status")
        _ = await world.end(task)
    }

    @Test("the current item alone is kept without a request")
    func clearSingle() async throws {
        let (receiver, world, task) = try await Self.playing(1)
        try await Self.call(world) { queue async throws(CastError) in try await queue.clear(keepsCurrent: true) }.get()
        #expect(Self.requests(receiver, "QUEUE_REMOVE").isEmpty)
        _ = await world.end(task)
    }

    @Test("an edit by another sender that only the window of the status shows has the order read again")
    func windowOnly() async throws {
        let (receiver, world, task) = try await Self.playing(3) { $0.sendsNotices = false }
        let former = try await Self.call(world) { queue async throws(CastError) in try await queue.itemIDs }.get()
        #expect(former == [1, 2, 3])
        for reply in receiver.set({
            $0.queue?.replies(to: "QUEUE_REMOVE", ["mediaSessionId": 1, "itemIds": [3]], requestID: 77) ?? []
        }) {
            receiver.sendToAll("urn:x-cast:com.google.cast.media", from: "transport-1", to: "*", reply.text)
        }
        await world.virtual.advance(.milliseconds(50))
        let asked = Self.requests(receiver, "QUEUE_GET_ITEM_IDS").count
        let ids = try await Self.call(world) { queue async throws(CastError) in try await queue.itemIDs }.get()
        #expect(ids == [1, 2])
        #expect(Self.requests(receiver, "QUEUE_GET_ITEM_IDS").count == asked, "the status was reason enough")
        _ = await world.end(task)
    }

    @Test("a reader can have the order of a known queue read from the receiver")
    func requested() async throws {
        let (receiver, world, task) = try await Self.playing(3) { $0.sendsNotices = false }
        _ = try await Self.call(world) { queue async throws(CastError) in try await queue.itemIDs }.get()
        _ = receiver.set { $0.queue?.items.removeLast() }
        let ids = try await Self.call(world) { queue async throws(CastError) in try await queue.requestItemIDs() }.get()
        #expect(ids == [1, 2])
        _ = await world.end(task)
    }

    /// The edits, each with its type on the wire.
    static let edits: [(String, @Sendable (MediaQueue) async throws(CastError) -> Void)] = [
        ("QUEUE_INSERT", { queue async throws(CastError) in try await queue.insert(Self.items(1), at: .end) }),
        ("QUEUE_REMOVE", { queue async throws(CastError) in try await queue.remove(itemIDs: [3]) }),
        ("QUEUE_REORDER", { queue async throws(CastError) in try await queue.reorder(itemIDs: [3], before: 1) }),
        ("QUEUE_UPDATE", { queue async throws(CastError) in try await queue.jump(toItemID: 3) }),
        ("QUEUE_UPDATE", { queue async throws(CastError) in try await queue.next() }),
        ("QUEUE_UPDATE", { queue async throws(CastError) in try await queue.setRepeatMode(.all) }),
    ]

    @Test("an edit that is answered and changes nothing is no success, after 2 s", arguments: Self.edits.indices)
    func editIgnored(index: Int) async throws {
        let (type, edit) = Self.edits[index]
        let (receiver, world, task) = try await Self.playing(3)
        _ = try await Self.call(world) { queue async throws(CastError) in try await queue.itemIDs }.get()
        receiver.set { state in
            let queue = state.queue
            state.script = { entry in
                var queue = queue
                let id = entry.body["requestId"]?.intValue ?? 0
                return entry.type == type ? queue?.replies(to: "GET_STATUS", [:], requestID: id) : nil
            }
        }
        let begin = world.virtual.now
        let outcome = try await Self.call(world) { queue async throws(CastError) in try await edit(queue) }
        #expect(LaunchTests.code(outcome) == .notApplied)
        #expect(world.virtual.now - begin < .milliseconds(2200))
        _ = await world.end(task)
    }

    @Test("an edit whose only outcome are notices and statuses without a request's id succeeds at once", arguments: Self.edits.indices)
    func editBroadcast(index: Int) async throws {
        let edit = Self.edits[index].1
        for hasNotices in [true, false] {
            let (receiver, world, task) = try await Self.playing(3) { $0.sendsNotices = hasNotices }
            _ = try await Self.call(world) { queue async throws(CastError) in try await queue.itemIDs }.get()
            receiver.set { $0.mediaAnswer = .broadcast }
            let begin = world.virtual.now
            try await Self.call(world) { queue async throws(CastError) in try await edit(queue) }.get()
            #expect(world.virtual.now - begin < .milliseconds(900))
            _ = await world.end(task)
        }
    }

    @Test("a long change that fails reports how many items were changed")
    func partial() async throws {
        let (receiver, world, task) = try await Self.playing(1)
        receiver.set { state in
            state.script = { entry in
                guard entry.type == "QUEUE_INSERT", entry.body["items"]?.arrayValue?.last?["media"]?["contentId"] == "c500" else {
                    return nil
                }
                return [
                    ("", #"{"type":"INVALID_REQUEST","requestId":\#(entry.body["requestId"]?.intValue ?? 0),"reason":"INVALID_PARAMS"}"#)
                ]
            }
        }
        let items = Self.items(500, title: String(repeating: "夜", count: 200))
        let outcome = try await Self.call(world) { queue async throws(CastError) in try await queue.insert(items, at: .end) }
        guard case .failure(let error) = outcome else { return #expect(Bool(false), "a silent success") }
        #expect(error.reason == "INVALID_PARAMS")
        let done = Self.contents(receiver).count - 1
        #expect(done > 0)
        #expect(error.detail.hasSuffix("; \(done) of 500 items are done"), "\(error.detail)")
        _ = await world.end(task)
    }

    static let refused: [(String, @Sendable (MediaQueue) async throws(CastError) -> Void)] = [
        ("items", { queue async throws(CastError) in try await queue.load([]) }),
        ("items[1].media", { queue async throws(CastError) in try await queue.load([Self.items(1)[0], MediaQueueItem()]) }),
        ("startIndex", { queue async throws(CastError) in try await queue.load(Self.items(1), startIndex: 1) }),
        ("startTime", { queue async throws(CastError) in try await queue.load(Self.items(1), startTime: .nan) }),
        ("items", { queue async throws(CastError) in try await queue.insert([], at: .end) }),
        ("itemID", { queue async throws(CastError) in try await queue.insert(Self.items(1), at: .before(itemID: 99)) }),
        ("index", { queue async throws(CastError) in try await queue.insert(Self.items(1), at: .end, playing: 1) }),
        ("startTime", { queue async throws(CastError) in try await queue.insert(Self.items(1), at: .end, startTime: 1) }),
        ("items[0].itemID", { queue async throws(CastError) in try await queue.update(Self.items(1)) }),
        ("items", { queue async throws(CastError) in try await queue.update([MediaQueueItem(itemID: 99)]) }),
        ("itemIDs", { queue async throws(CastError) in try await queue.remove(itemIDs: []) }),
        ("itemIDs", { queue async throws(CastError) in try await queue.remove(itemIDs: [1, 1]) }),
        ("itemIDs", { queue async throws(CastError) in try await queue.remove(itemIDs: [1, 99]) }),
        ("currentItemID", { queue async throws(CastError) in try await queue.remove(itemIDs: [1], playing: 1) }),
        ("before", { queue async throws(CastError) in try await queue.reorder(itemIDs: [1, 2], before: 2) }),
        ("before", { queue async throws(CastError) in try await queue.reorder(itemIDs: [1, 2], before: 99) }),
        ("index", { queue async throws(CastError) in try await queue.move(itemID: 1, to: 3) }),
        ("index", { queue async throws(CastError) in try await queue.move(itemID: 1, to: -1) }),
        ("count", { queue async throws(CastError) in try await queue.jump(by: 0) }),
        ("count", { queue async throws(CastError) in try await queue.jump(by: .min) }),
        ("itemID", { queue async throws(CastError) in try await queue.jump(toItemID: 99) }),
        ("startTime", { queue async throws(CastError) in try await queue.jump(toItemID: 1, startTime: -1) }),
        ("mode", { queue async throws(CastError) in try await queue.setRepeatMode(.unknown("X")) }),
        ("cacheSize", { queue async throws(CastError) in try await queue.configure(cacheSize: 0, pageSize: 20) }),
        ("pageSize", { queue async throws(CastError) in try await queue.configure(cacheSize: 10, pageSize: 501) }),
    ]

    @Test("invalid values are refused with the argument's name, and no change is sent")
    func refuses() async throws {
        let (receiver, world, task) = try await Self.playing(3)
        for (argument, call) in Self.refused {
            let outcome = try await Self.call(world) { queue async throws(CastError) in try await call(queue) }
            guard case .failure(let error) = outcome else {
                Issue.record("\(argument) was let through")
                continue
            }
            #expect(error.code == .invalidRequest)
            #expect(error.argument == argument)
        }
        let sent = receiver.types("cast.media").filter { $0 != "GET_STATUS" && $0 != "QUEUE_GET_ITEM_IDS" }
        #expect(sent.isEmpty)
        _ = await world.end(task)
    }
}
