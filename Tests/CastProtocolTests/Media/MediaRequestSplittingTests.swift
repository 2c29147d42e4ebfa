import CastModels
import Testing

@testable import CastProtocol

@Suite("Queue requests larger than a frame")
struct MediaRequestSplittingTests {
    private static func items(_ count: Int, title: String = "Ein Lied – 一首歌") -> [MediaQueueItem] {
        (0..<count).map {
            MediaQueueItem(itemID: $0 + 1, media: MediaInformation(contentID: "http://h/\($0)", metadata: .generic(title: title)))
        }
    }

    private static func ids(_ text: String, _ key: String = "itemIds") throws -> [Int] {
        try #require(try JSONParser.parse(text)[key]?.arrayValue).compactMap(\.intValue)
    }

    private static func contents(_ text: String) throws -> [String] {
        try #require(try JSONParser.parse(text)["items"]?.arrayValue).compactMap { $0["media"]?["contentId"]?.stringValue }
    }

    /// The payloads of a request, each checked against the bound.
    private static func texts(_ action: MediaRequest.Action, limit: Int) throws -> [String] {
        try MediaRequest(action, mediaSessionID: 7, customData: ["k": "v"]).split(limit: limit).map { part in
            let text = try part.text(requestID: 2_000_000_000)
            #expect(text.utf8.count <= limit)
            #expect(part.mediaSessionID == 7)
            #expect(part.customData == ["k": "v"])
            return text
        }
    }

    @Test("inserted items keep their order, and one part plays the item to play", arguments: [600, 1000, 5000])
    func insert(limit: Int) throws {
        let action = MediaRequest.Action.queueInsert(.init(items: Self.items(100), insertBefore: 5, currentItemIndex: 60, startTime: 3))
        let texts = try Self.texts(action, limit: limit)
        #expect(texts.count > 1)
        #expect(try texts.flatMap(Self.contents) == (0..<100).map { "http://h/\($0)" })
        var before = 0
        var played: [String] = []
        for text in texts {
            let body = try JSONParser.parse(text)
            #expect(body["insertBefore"] == 5)
            let contents = try Self.contents(text)
            if let index = body["currentItemIndex"]?.intValue {
                played.append(contents[index])
                #expect(body["currentTime"] == 3)
            } else {
                #expect(body["currentTime"] == nil)
            }
            before += contents.count
        }
        #expect(played == ["http://h/60"])
    }

    @Test("removed and moved ids keep their order")
    func ids() throws {
        let ids = Array(1...500)
        let removals = try Self.texts(.queueRemove(itemIDs: ids, currentItemID: 501), limit: 400)
        #expect(removals.count > 3)
        #expect(try removals.flatMap { try Self.ids($0) } == ids)
        #expect(try removals.map { try JSONParser.parse($0)["currentItemId"]?.intValue }.compactMap { $0 } == [501])
        let moves = try Self.texts(.queueReorder(itemIDs: ids.reversed(), insertBefore: 600), limit: 400)
        #expect(try moves.flatMap { try Self.ids($0) } == ids.reversed())
        #expect(try moves.allSatisfy { try JSONParser.parse($0)["insertBefore"] == 600 })
    }

    @Test("an update contains options that are not about items once, with the last item")
    func update() throws {
        let action = MediaRequest.Action.queueUpdate(.init(items: Self.items(100), currentItemID: 3, repeatMode: .all))
        let texts = try Self.texts(action, limit: 2000)
        #expect(try texts.flatMap(Self.contents).count == 100)
        #expect(try texts.map { try JSONParser.parse($0)["repeatMode"]?.stringValue } == texts.dropLast().map { _ in nil } + ["REPEAT_ALL"])
        #expect(try texts.compactMap { try JSONParser.parse($0)["currentItemId"]?.intValue } == [3])
    }

    @Test("requests that fit stay whole, and other requests are never split")
    func whole() throws {
        for action: MediaRequest.Action in [
            .queueInsert(.init(items: Self.items(3))), .queueRemove(itemIDs: [1], currentItemID: nil), .queueUpdate(.init(jump: 1)), .pause,
            .queueReorder(itemIDs: [1, 2], insertBefore: nil),
        ] { #expect(try MediaRequest(action, mediaSessionID: 1).split() == [MediaRequest(action, mediaSessionID: 1)]) }
    }

    @Test("an item that fits no frame is refused with its index")
    func tooBig() {
        var items = Self.items(3)
        items[2].customData = .string(String(repeating: "x", count: 70_000))
        for action: MediaRequest.Action in [.queueInsert(.init(items: items)), .queueUpdate(.init(items: items))] {
            let error = #expect(throws: CastError.self) { try MediaRequest(action, mediaSessionID: 1).split() }
            #expect(error?.code == .messageTooBig)
            #expect(error?.argument == "items[2]")
        }
        let error = #expect(throws: CastError.self) { try QueueLoadPlan(MediaRequest(.queueLoad(.init(items: items)))) }
        #expect(error?.argument == "items[2]")
    }

    @Test("a load begins with the first item to play, then the following ones, then the preceding ones", arguments: [0, 1, 50, 98, 99])
    func load(start: Int) throws {
        let items = Self.items(100)
        let limit = 3000
        for request in [
            MediaRequest(.queueLoad(.init(items: items, startIndex: start, repeatMode: .all, startTime: 4))),
            MediaRequest(.load(MediaLoadRequest(queueData: MediaQueueData(items: items, startIndex: start)), sessionID: "s")),
        ] {
            let plan = try QueueLoadPlan(request, limit: limit)
            #expect(plan.first.lowerBound == start)
            #expect(plan.startIndex == 0)
            #expect(([plan.first] + plan.following).flatMap { Array($0) } == Array(start..<100))
            #expect(plan.preceding.flatMap { Array($0) } == Array(0..<start))
            for range in plan.following + plan.preceding {
                let insertion = MediaRequest(.queueInsert(.init(items: Array(items[range]), insertBefore: 100)), mediaSessionID: 999)
                #expect(try insertion.text(requestID: 2_000_000_000).utf8.count <= limit)
            }
            var first = request
            switch request.action {
            case .queueLoad(var load):
                load.items = Array(items[plan.first])
                first.action = .queueLoad(load)
            case .load(_, let sessionID):
                let data = MediaQueueData(items: Array(items[plan.first]), startIndex: 0)
                first.action = .load(MediaLoadRequest(queueData: data), sessionID: sessionID)
            default: break
            }
            #expect(try first.text(requestID: 2_000_000_000).utf8.count <= limit)
        }
    }

    @Test("a load that fits is one request, whatever its start", arguments: [0, 7])
    func wholeLoad(start: Int) throws {
        let plan = try QueueLoadPlan(MediaRequest(.queueLoad(.init(items: Self.items(10), startIndex: start))))
        #expect(plan.first == 0..<10)
        #expect(plan.startIndex == start)
        #expect(plan.following.isEmpty)
        #expect(plan.preceding.isEmpty)
        let media = MediaRequest(.load(MediaLoadRequest(media: MediaInformation(contentID: "a")), sessionID: nil))
        #expect(try QueueLoadPlan(media).following.isEmpty)
    }
}
