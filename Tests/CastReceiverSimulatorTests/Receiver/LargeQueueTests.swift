import Testing

@testable import CastReceiverSimulator

@Suite struct LargeQueueTests {
    /// The expected queue of the receiver, computed in the simplest way.
    private struct Model {
        var ids: [Int]
        var nextID: Int

        mutating func move(_ moved: [Int], before: Int?) {
            self.ids.removeAll(where: moved.contains)
            let place = before.flatMap { self.ids.firstIndex(of: $0) } ?? self.ids.count
            self.ids.insert(contentsOf: moved, at: place)
        }
    }

    @Test("thousands of random edits by two senders keep the queue that a plain list has", arguments: [1, 2] as [UInt64])
    func randomEdits(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var probe = QueueTests.probe()
        probe.open(socket: 2)
        probe.connect(from: "other", socket: 2)
        probe.connect(to: probe.transport, from: "other", socket: 2)
        var model = Model(ids: [1, 2, 3, 4, 5], nextID: 6)
        _ = probe.askMedia(["type": "PAUSE"])
        for step in 0..<1_500 {
            let (socket, source) = step % 2 == 0 ? (1, "sender-0") : (2, "other")
            let current = probe.state["item_id"]?.int ?? 0
            let some = Array(model.ids.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random)))
            let before = Bool.random(using: &random) ? model.ids.filter { !some.contains($0) }.randomElement(using: &random) : nil
            var request: JSON
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                request = ["type": "QUEUE_INSERT", "items": .array(some.map { QueueTests.item("n\($0)") })]
                let added = Array(model.nextID..<(model.nextID + some.count))
                model.nextID += some.count
                model.ids += added
                model.move(added, before: before)
            case 1:
                let removed = some.filter { $0 != current }
                guard !removed.isEmpty else { continue }
                request = ["type": "QUEUE_REMOVE", "itemIds": .array(removed.map(JSON.integer))]
                model.ids.removeAll(where: removed.contains)
            default:
                request = ["type": "QUEUE_REORDER", "itemIds": .array(some.map(JSON.integer))]
                model.move(some, before: before)
            }
            if let before, request["type"] != "QUEUE_REMOVE" { request["insertBefore"] = .integer(before) }
            #expect(probe.askMedia(request, socket: socket, source: source).map(\.type) == ["MEDIA_STATUS"], "\(request)")
            #expect(probe.broadcasts("QUEUE_CHANGE").count == 2, "both senders learn of it")
            #expect(probe.state["item_id"]?.int == current)
            if step % 25 == 0 { #expect(QueueEditingTests.ids(&probe) == model.ids) }
        }
        #expect(QueueEditingTests.ids(&probe) == model.ids)
    }

    @Test("queues of any size come in pieces that fit in frames", arguments: [1, 49, 50, 51, 1_000, 10_000])
    func sizes(count: Int) throws {
        var probe = Probe()
        probe.launch()
        let title = String(repeating: "Дубрава 森の家 ", count: 12)
        let all = (0..<count).map { index -> JSON in
            var item = QueueTests.item("\(index)")
            item["media"]?["metadata"]?["title"] = .string(title + String(index))
            return item
        }
        _ = probe.askMedia(["type": "QUEUE_LOAD", "items": .array(Array(all.prefix(50)))], within: .seconds(1))
        _ = probe.askMedia(["type": "PAUSE"])
        for start in stride(from: 50, to: count, by: 50) {
            _ = probe.askMedia(["type": "QUEUE_INSERT", "items": .array(Array(all[start..<min(count, start + 50)]))])
        }
        let ids = QueueEditingTests.ids(&probe)
        #expect(ids == Array(1...count))
        #expect(probe.sent.allSatisfy { $0.json.utf8.count < 65_536 })
        // As many as fit are returned, in the order of the queue; the rest is requested again.
        var fetched: [JSON] = []
        for _ in 0..<20 where fetched.count < min(count, 200) {
            let wanted = ids[fetched.count..<min(count, 200)]
            let answer = try #require(
                probe.askMedia(["type": "QUEUE_GET_ITEMS", "itemIds": .array(wanted.map(JSON.integer))]).first)
            #expect(answer.json.utf8.count < 65_536)
            fetched += answer.json["items"]?.elements ?? []
        }
        #expect(fetched.map { $0["media"]?["metadata"]?["title"]?.text } == (0..<min(count, 200)).map { title + String($0) })
        if count == FleetPlanLimit.items {
            let refused = probe.askMedia(["type": "QUEUE_INSERT", "items": [QueueTests.item("x")]])
            #expect(refused.map { $0.json["reason"]?.text } == ["INVALID_PARAMS"])
        }
    }

    private enum FleetPlanLimit { static let items = PlayerQueue.maximumItems }

    /// Text of so many bytes.
    private static func text(_ size: Int) -> JSON { .string(String(repeating: "x", count: size)) }

    @Test(
        "whatever items carry, every message about them comes and fits",
        arguments: [(20_000, 100), (100, 20_000), (25_000, 30_000), (100, 59_000)])
    func customData(media: Int, custom: Int) throws {
        func item(_ media: Int, _ custom: Int) -> JSON {
            [
                "media": ["contentId": "http://q/x?duration=1000", "customData": Self.text(media)], "customData": Self.text(custom),
            ]
        }
        var probe = Probe()
        probe.launch()
        let small = item(1, 1)
        #expect(probe.askMedia(["type": "QUEUE_LOAD", "items": [small]], within: .seconds(1)).map(\.type) == ["MEDIA_STATUS"])
        for before in [nil, 1, nil, nil] as [Int?] {
            var request: JSON = ["type": "QUEUE_INSERT", "items": [item(media, custom)]]
            request["insertBefore"] = before.map(JSON.integer)
            #expect(probe.askMedia(request).map(\.type) == ["MEDIA_STATUS"])
            #expect(probe.broadcasts("QUEUE_CHANGE").count == 1 && probe.broadcasts("MEDIA_STATUS").count == 1)
        }
        for (id, index) in [(2, 2), (3, 0), (4, 3), (5, 4)] {
            let answers = probe.askMedia(["type": "QUEUE_UPDATE", "currentItemId": .integer(id)], within: .seconds(1))
            #expect(answers.map(\.type) == ["MEDIA_STATUS"])
            let reported = probe.broadcasts("MEDIA_STATUS")
            #expect(
                reported.contains { $0.status?["loadingItemId"]?.int == id } && reported.contains { $0.status?["playerState"] == "PLAYING" }
            )
            #expect(answers.first?.status?["items"]?.elements?.contains { $0["itemId"]?.int == id } == true)
            let items = try #require(
                probe.askMedia(["type": "QUEUE_GET_ITEMS", "itemIds": [.integer(id), 1]]).first?.json["items"]?.elements)
            #expect(items.contains { $0["itemId"]?.int == id || $0["itemId"] == 1 }, "\(index)")
            #expect(probe.sent.allSatisfy { $0.json.utf8.count <= 65_000 })
        }
        let refused = probe.askMedia(["type": "QUEUE_INSERT", "items": [item(30_000, 31_000)]])
        #expect(refused.map { $0.json["reason"]?.text } == ["INVALID_PARAMS"])
    }

    @Test("a reordering of thousands is reported, if necessary without the moved items", arguments: [10, 2_000, 9_999])
    func reorderMany(count: Int) throws {
        var probe = QueueTests.probe(["type": "QUEUE_LOAD", "items": [QueueTests.item("0")]])
        _ = probe.askMedia(["type": "PAUSE"])
        for start in stride(from: 1, to: 10_000, by: 250) {
            let items = (start..<min(start + 250, 10_000)).map { QueueTests.item("\($0)") }
            #expect(probe.askMedia(["type": "QUEUE_INSERT", "items": .array(items)]).map(\.type) == ["MEDIA_STATUS"])
        }
        let moved = Array(2..<(count + 2)).filter { $0 <= 10_000 }
        #expect(
            probe.askMedia(["type": "QUEUE_REORDER", "itemIds": .array(moved.map(JSON.integer)), "insertBefore": 1]).map(\.type)
                == ["MEDIA_STATUS"])
        let change = try #require(probe.broadcasts("QUEUE_CHANGE").first)
        #expect(change.json["itemIds"]?.elements?.prefix(moved.count + 1).compactMap(\.int) == moved + [1])
        #expect((change.json["reorderItemIds"] != nil) == (count < 9_999) && (change.json["insertBefore"] != nil) == (count < 9_999))
        #expect(change.json.utf8.count <= 65_000)
    }

    @Test(
        "a stored session of large items is one that can be resumed",
        arguments: [(45_000, 100), (100, 45_000), (29_000, 29_000), (59_000, 100)])
    func storedLarge(first: Int, second: Int) throws {
        func item(_ size: Int) -> JSON {
            ["media": ["contentId": .string("http://q/\(size)?duration=1000"), "customData": Self.text(size)]]
        }
        var source = QueueTests.probe(["type": "QUEUE_LOAD", "items": [item(first)]])
        _ = source.askMedia(["type": "QUEUE_INSERT", "items": [item(second)]])
        let stored = try #require(source.askMedia(["type": "STORE_SESSION"]).first)
        #expect(stored.type == "SESSION_STATE")
        var target = Probe(seed: 2)
        target.launch()
        let answers = target.askMedia(
            ["type": "RESUME_SESSION", "sessionState": try #require(stored.json["sessionState"])], within: .seconds(1))
        #expect(answers.map(\.type) == ["MEDIA_STATUS"])
        #expect(target.state["content_id"]?.text == "http://q/\(first)?duration=1000")
        #expect(target.state["queue_length"]?.int == (first == 100 ? 2 : 1))
    }

    @Test("a window of large items leaves out media rather than break the frame")
    func largeItems() throws {
        var probe = Probe()
        probe.launch()
        func item(_ size: Int) -> JSON {
            ["media": ["contentId": "http://q/x?duration=10", "customData": .string(String(repeating: "x", count: size))]]
        }
        let status = try #require(
            probe.askMedia(["type": "QUEUE_LOAD", "items": [item(20_000), item(20_000)]], within: .seconds(1)).first)
        #expect(status.json.utf8.count < 65_536)
        #expect(status.status?["media"] != nil)
        #expect(probe.askMedia(["type": "QUEUE_INSERT", "items": [item(63_000)]]).map { $0.json["reason"]?.text } == ["INVALID_PARAMS"])
    }
}
