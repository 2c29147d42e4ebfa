import Testing

@testable import CastReceiverSimulator

@Suite struct QueueEditingTests {
    /// Queue of a…e with ids 1…5; the current item is the third.
    static func probe() -> Probe { QueueTests.probe(["type": "QUEUE_LOAD", "items": QueueTests.items, "startIndex": 2]) }

    static func ids(_ probe: inout Probe) -> [Int] {
        (probe.askMedia(["type": "QUEUE_GET_ITEM_IDS"]).first?.json["itemIds"]?.elements ?? []).compactMap(\.int)
    }

    @Test(
        "an edit leaves the current item and puts the rest where the request asks; all senders are notified",
        arguments: [
            (["type": "QUEUE_REMOVE", "itemIds": [2, 4]], [1, 3, 5], "REMOVE", [2, 4]),
            (["type": "QUEUE_REMOVE", "itemIds": [5, 77]], [1, 2, 3, 4], "REMOVE", [5]),
            (["type": "QUEUE_REORDER", "itemIds": [5, 1], "insertBefore": 3], [2, 5, 1, 3, 4], "UPDATE", [2, 5, 1, 3, 4]),
            (["type": "QUEUE_REORDER", "itemIds": [1]], [2, 3, 4, 5, 1], "UPDATE", [2, 3, 4, 5, 1]),
            (["type": "QUEUE_REORDER", "itemIds": [3], "insertBefore": 1], [3, 1, 2, 4, 5], "UPDATE", [3, 1, 2, 4, 5]),
            (["type": "QUEUE_INSERT", "items": [QueueTests.item("x"), QueueTests.item("y")]], [1, 2, 3, 4, 5, 6, 7], "INSERT", [6, 7]),
            (["type": "QUEUE_UPDATE", "items": [["itemId": 4, "startTime": 3]]], [1, 2, 3, 4, 5], "ITEMS_CHANGE", [4]),
        ] as [(JSON, [Int], String, [Int])])
    func edits(request: JSON, after: [Int], change: String, reported: [Int]) {
        var probe = Self.probe()
        #expect(probe.askMedia(request).map(\.type) == ["MEDIA_STATUS"])
        let changes = probe.broadcasts("QUEUE_CHANGE").map(\.json)
        #expect(changes.map { $0["changeType"]?.text } == [change])
        #expect(changes.first?["itemIds"]?.elements?.compactMap(\.int) == reported)
        #expect(changes.first?["sequenceNumber"] == 2)
        #expect(probe.broadcasts("MEDIA_STATUS").last?.status?["items"] != nil)
        #expect(Self.ids(&probe) == after)
        #expect(probe.state["item_id"] == 3 && probe.state["player"] == "PLAYING")
    }

    @Test(
        "removing the current item goes on with the next one, another one named, or ends the session",
        arguments: [
            ([3], nil, 4, [1, 2, 4, 5]), ([3, 4], nil, 5, [1, 2, 5]), ([3], 1, 1, [1, 2, 4, 5]), ([3, 4, 5], nil, nil, []),
            ([1, 2, 3, 4, 5], nil, nil, []),
        ] as [([Int], Int?, Int?, [Int])])
    func removeCurrent(ids: [Int], goTo: Int?, current: Int?, after: [Int]) {
        var probe = Self.probe()
        let request = JSON.members([
            "type": "QUEUE_REMOVE", "itemIds": .array(ids.map(JSON.integer)), "currentItemId": goTo.map(JSON.integer),
        ])
        #expect(probe.askMedia(request, within: .seconds(1)).map(\.type) == ["MEDIA_STATUS"])
        #expect(probe.state["item_id"]?.int == current)
        #expect(probe.state["idle_reason"] == (current == nil ? "CANCELLED" : nil))
        if current != nil { #expect(Self.ids(&probe) == after) }
    }

    @Test("with REPEAT_ALL the first item follows the removed last one")
    func removeLastOfRepeating() {
        var probe = Self.probe()
        _ = probe.askMedia(["type": "QUEUE_UPDATE", "repeatMode": "REPEAT_ALL"])
        _ = probe.askMedia(["type": "QUEUE_REMOVE", "itemIds": [3, 4, 5]], within: .seconds(1))
        #expect(probe.state["item_id"] == 1)
    }

    @Test("an insert can begin with one of the inserted items at a position")
    func insertAndPlay() {
        var probe = Self.probe()
        let answers = probe.askMedia(
            [
                "type": "QUEUE_INSERT", "items": [QueueTests.item("x"), QueueTests.item("y")], "insertBefore": 4, "currentItemIndex": 1,
                "currentTime": 4,
            ], within: .seconds(1))
        #expect(answers.first?.status?["media"]?["metadata"]?["title"] == "y")
        #expect(answers.first?.status?["currentTime"] == 4)
        #expect(Self.ids(&probe) == [1, 2, 3, 6, 7, 4, 5])
    }

    @Test("shuffling puts the current item first and keeps all; without it the old order is restored")
    func shuffle() {
        var probe = Self.probe()
        _ = probe.askMedia(["type": "QUEUE_UPDATE", "shuffle": true])
        #expect(probe.broadcasts("MEDIA_STATUS").last?.status?["queueData"]?["shuffle"] == true)
        let shuffled = Self.ids(&probe)
        #expect(shuffled.first == 3 && shuffled.sorted() == [1, 2, 3, 4, 5] && shuffled != [3, 1, 2, 4, 5])
        _ = probe.askMedia(["type": "QUEUE_UPDATE", "shuffle": false])
        #expect(Self.ids(&probe) == [1, 2, 3, 4, 5])
        #expect(probe.state["item_id"] == 3)
    }

    @Test(
        "QUEUE_NEXT and the like are for applications that report support",
        arguments: [(ReceiverApp.defaultMediaReceiver.id, false), (ReceiverApp.orchardRadio.id, true)])
    func queueCommands(application: String, knows: Bool) {
        var probe = Probe()
        probe.launch(application)
        let loaded = probe.askMedia(["type": "QUEUE_LOAD", "items": QueueTests.items], within: .seconds(1)).first?.status
        #expect((loaded?["supportedMediaCommands"]?.int ?? 0) & 448 == (knows ? 448 : 0))
        let answers = probe.askMedia(["type": "QUEUE_NEXT"], within: .seconds(1))
        #expect(answers.map(\.type) == [knows ? "MEDIA_STATUS" : "INVALID_REQUEST"])
        #expect(probe.state["title"] == (knows ? "b" : "a"))
        #expect(probe.askMedia(["type": "QUEUE_PREV"], within: .seconds(1)).map(\.type) == [knows ? "MEDIA_STATUS" : "INVALID_REQUEST"])
        #expect(probe.state["title"] == "a")
    }

    @Test("a range of items around one is cut at the ends", arguments: [(3, 1, 1, [2, 3, 4]), (1, 9, 1, [1, 2]), (5, 0, 9, [5])])
    func range(id: Int, before: Int, after: Int, expected: [Int]) {
        var probe = Self.probe()
        let answer = probe.askMedia([
            "type": "QUEUE_GET_ITEM_RANGE", "itemId": .integer(id), "prevCount": .integer(before), "nextCount": .integer(after),
        ])
        #expect(answer.first?.type == "QUEUE_ITEMS")
        #expect(answer.first?.json["items"]?.elements?.compactMap { $0["itemId"]?.int } == expected)
    }

    @Test("the next item is preloaded as long before as it asks for, and then begins at once")
    func preload() throws {
        var probe = Probe()
        probe.launch()
        var second = QueueTests.item("b")
        second["preloadTime"] = 4
        _ = probe.askMedia(["type": "QUEUE_LOAD", "items": [QueueTests.item("a"), second]], within: .seconds(1))
        probe.sent = []
        probe.pass(.seconds(10))
        let reported = probe.broadcasts("MEDIA_STATUS").compactMap(\.status)
        let preloaded = try #require(reported.first { $0["preloadedItemId"] == 2 })
        #expect((5.9...6.1).contains(preloaded["currentTime"]?.double ?? 0))
        let loading = try #require(probe.broadcasts("MEDIA_STATUS").first { $0.status?["loadingItemId"] == 2 })
        let buffering = try #require(probe.broadcasts("MEDIA_STATUS").first { $0.status?["currentItemId"] == 2 })
        #expect(loading.at == buffering.at)
        #expect(probe.askMedia(["type": "PRELOAD", "itemId": 1]).first?.status?["preloadedItemId"] == 1)
        #expect(probe.askMedia(["type": "PRELOAD", "itemId": 9]).map(\.type) == ["INVALID_REQUEST"])
    }

    @Test("items have their own start, length, tracks and autoplay", arguments: [(5, 8), (-4, 6)])
    func itemOptions(length: Int, end: Int) {
        var probe = Probe()
        probe.launch()
        var first = QueueTests.item("a")
        first["startTime"] = 3
        first["playbackDuration"] = .integer(length)
        first["media"]?["tracks"] = [["trackId": 7, "type": "TEXT"]]
        first["activeTrackIds"] = [7]
        var second = QueueTests.item("b")
        second["autoplay"] = false
        _ = probe.askMedia(["type": "QUEUE_LOAD", "items": [first, second]], within: .seconds(1))
        #expect(probe.state["active_tracks"] == [7])
        probe.pass(.seconds(Double(end) - 4.5))
        #expect(probe.state["title"] == "a")
        probe.pass(.seconds(3))
        #expect(probe.state["title"] == "b" && probe.state["player"] == "PAUSED" && probe.state["active_tracks"] == [])
    }

    @Test("queue data with its container are reported in the status, without the items")
    func queueData() {
        var probe = Probe()
        probe.launch()
        let data: JSON = [
            "id": "q", "name": "Sunday", "queueType": "ALBUM", "containerMetadata": ["containerType": 0, "title": "Trees"],
            "items": QueueTests.items, "startIndex": 1, "startTime": 2, "repeatMode": "REPEAT_ALL",
        ]
        let status = probe.askMedia(["type": "LOAD", "queueData": data], within: .seconds(1)).first?.status
        #expect(status?["queueData"]?["containerMetadata"]?["title"] == "Trees")
        #expect(status?["queueData"]?["items"] == nil)
        #expect(status?["queueData"]?["repeatMode"] == "REPEAT_ALL")
        #expect(status?["currentTime"] == 2)
    }

    @Test("REPEAT_ALL_AND_SHUFFLE plays all again in another order")
    func repeatAndShuffle() {
        var probe = QueueTests.probe(["type": "QUEUE_LOAD", "items": QueueTests.items, "repeatMode": "REPEAT_ALL_AND_SHUFFLE"])
        probe.pass(.seconds(70))
        #expect(probe.state["player"] != "IDLE")
        #expect(Self.ids(&probe).sorted() == [1, 2, 3, 4, 5])
        #expect(Self.ids(&probe) != [1, 2, 3, 4, 5])
    }
}
