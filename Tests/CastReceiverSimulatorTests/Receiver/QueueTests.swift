import Testing

@testable import CastReceiverSimulator

@Suite struct QueueTests {
    static func item(_ name: String) -> JSON {
        [
            "media": [
                "contentId": .string("http://q/\(name)?duration=10"), "contentType": "audio/mpeg", "metadata": ["title": .string(name)],
            ]
        ]
    }
    static let items = JSON.array(["a", "b", "c", "d", "e"].map(item))

    static func probe(_ load: JSON = ["type": "QUEUE_LOAD", "items": items]) -> Probe {
        var probe = Probe()
        probe.launch()
        _ = probe.askMedia(load, within: .seconds(1))
        return probe
    }

    @Test(
        "QUEUE_LOAD and LOAD with queueData begin at the start index and show a window of the items",
        arguments: [
            ["type": "QUEUE_LOAD", "items": items, "startIndex": 1], ["type": "LOAD", "queueData": ["items": items, "startIndex": 1]],
        ] as [JSON])
    func load(request: JSON) throws {
        var probe = Self.probe(request)
        #expect(probe.state["title"] == "b")
        let status = try #require(probe.askMedia(["type": "GET_STATUS"]).first?.status)
        #expect(status["items"]?.elements?.map { $0["itemId"]?.int } == [1, 2, 3, 4])
        #expect(status["currentItemId"] == 2)
    }

    @Test("jumps load the other item; the answer comes when it is loaded", arguments: [(1, "b"), (2, "c"), (4, "e")])
    func jump(count: Int, title: String) throws {
        var probe = Self.probe()
        let answers = probe.askMedia(["type": "QUEUE_UPDATE", "jump": .integer(count)], within: .seconds(1))
        #expect(answers.map(\.type) == ["MEDIA_STATUS"])
        #expect(answers.first?.status?["media"]?["metadata"]?["title"]?.text == title)
        #expect(probe.broadcasts("MEDIA_STATUS").first?.status?["loadingItemId"]?.int == count + 1)
        #expect(probe.state["title"]?.text == title)
        _ = probe.askMedia(["type": "QUEUE_UPDATE", "currentItemId": 1], within: .seconds(1))
        #expect(probe.state["title"] == "a")
    }

    @Test("an item that begins without a gap is reported by one status, in the same session")
    func gapless() throws {
        var probe = Probe()
        probe.play()
        let session = probe.session
        let item = RemoteItem(
            url: "http://media/next.mp3", title: "Next", metadata: ["metadataType": 3, "artist": "A band"], durationSeconds: 200)
        probe.take(try probe.model.perform(.next(item), at: probe.now))
        probe.pass(.seconds(1))
        let statuses = probe.broadcasts("MEDIA_STATUS")
        #expect(statuses.count == 1)
        let status = try #require(statuses.first?.status)
        #expect(status["playerState"] == "PLAYING" && status["currentTime"] == 0 && status["mediaSessionId"]?.int == session)
        #expect(status["media"]?["contentId"] == "http://media/next.mp3" && status["media"]?["duration"] == 200)
        #expect(status["media"]?["metadata"] == ["metadataType": 3, "artist": "A band", "title": "Next"])
        #expect(probe.state["position"]?.int == 1)
        probe.pass(.seconds(200))
        #expect(probe.state["idle_reason"] == "FINISHED")
    }

    @Test("items follow each other by themselves and the last one finishes")
    func advance() {
        var probe = Self.probe()
        probe.sent = []
        probe.pass(.seconds(11))
        #expect(probe.state["title"] == "b")
        #expect(probe.state["media_session_id"] == 1)
        probe.pass(.seconds(60))
        #expect(probe.state["idle_reason"] == "FINISHED")
    }

    @Test("each repeat mode plays on as its name says", arguments: [("REPEAT_SINGLE", "a"), ("REPEAT_ALL", "b")])
    func repeats(mode: String, after: String) {
        var probe = Self.probe()
        _ = probe.askMedia(["type": "QUEUE_UPDATE", "repeatMode": .string(mode)])
        #expect(probe.broadcasts("MEDIA_STATUS").last?.status?["repeatMode"]?.text == mode)
        probe.pass(.seconds(11))
        #expect(probe.state["title"]?.text == after)
        probe.pass(.seconds(500))
        #expect(probe.state["player"] != "IDLE")
    }

    @Test("inserted items get ids and their place; the current item stays")
    func insert() {
        var probe = Self.probe()
        let answer = probe.askMedia(["type": "QUEUE_INSERT", "items": [Self.item("x")], "insertBefore": 1])
        #expect(answer.map(\.type) == ["MEDIA_STATUS"])
        #expect(probe.broadcasts("QUEUE_CHANGE").first?.json["itemIds"] == [6])
        #expect(probe.askMedia(["type": "QUEUE_GET_ITEM_IDS"]).first?.json["itemIds"] == [6, 1, 2, 3, 4, 5])
        #expect(probe.state["title"] == "a")
        #expect(
            probe.askMedia(["type": "QUEUE_GET_ITEMS", "itemIds": [6]]).first?.json["items"]?.elements?.first?["media"]?["metadata"]?[
                "title"] == "x")
    }
}
