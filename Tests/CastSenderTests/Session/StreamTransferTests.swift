import CastModels
import CastProtocol
import CastTestSupport
import NIOCore
import Testing

@testable import CastSender

@Suite struct StreamTransferTests {
    private static let (source, target) = (ManagerWorld.device(), ManagerWorld.device("bb22", host: "10.0.0.2"))

    private static func status(
        id: Int = 0, session: Int = 1, state: String = "PLAYING", time: Double = 100, commands: Int = 15, more: String = ""
    ) -> String {
        #"{"type":"MEDIA_STATUS","requestId":\#(id),"status":[\#(Self.element(session: session, state: state, time: time, commands: commands, more: more))]}"#
    }

    private static func element(session: Int = 1, state: String = "PLAYING", time: Double = 100, commands: Int = 15, more: String = "")
        -> String
    {
        #"{"mediaSessionId":\#(session),"playerState":"\#(state)","currentTime":\#(time),"playbackRate":1,"supportedMediaCommands":\#(commands),"#
            + #""media":{"contentId":"http://h/film","contentType":"video/mp4","duration":5000}\#(more)}"#
    }

    /// A source that plays and a target that answers by `answers`, which has an answer for each type of request.
    private static func world(
        source answers: @escaping @Sendable (FakeReceiver.Entry, Int) -> String? = { _, _ in nil }, playing element: String,
        target targetAnswers: @escaping @Sendable (FakeReceiver.Entry, Int) -> String?
    ) async -> (ManagerWorld, Task<Void, Never>, FakeReceiver, FakeReceiver) {
        func script(_ answers: @escaping @Sendable (FakeReceiver.Entry, Int) -> String?)
            -> @Sendable (FakeReceiver.Entry) -> [(
                to: String, text: String
            )]?
        {
            { entry in answers(entry, entry.body["requestId"]?.intValue ?? 0).map { [("", $0)] } }
        }
        let (from, to) = (FakeReceiver { $0.script = script(answers) }, FakeReceiver { $0.script = script(targetAnswers) })
        to.set { $0.id = "bb22" }
        let world = ManagerWorld()
        world.connector.route("10.0.0.1", to: .receiver(from))
        world.connector.route("10.0.0.2", to: .receiver(to))
        let task = await world.run()
        _ = await world.call { manager throws(CastError) in try await manager.start(on: Self.source) }
        from.sendMediaStatus(element)
        await world.virtual.advance(.milliseconds(20))
        _ = await world.reported.take()
        return (world, task, from, to)
    }

    private static func transfer(_ world: ManagerWorld) async -> Result<StreamTransfer, CastError>? {
        await world.call { manager throws(CastError) in try await manager.transfer(from: "aa11", to: Self.target) }
    }

    private static let moved = [
        "aa11 will transfer to bb22", "bb22 will start", "bb22 did start", "aa11 did transfer to bb22", "aa11 will end", "aa11 ended",
    ]

    @Test("the receivers' own messages take a session along, and the source is stopped once the target plays")
    func stored() async throws {
        let (world, task, from, to) = await Self.world(
            source: { entry, id in
                entry.type == "STORE_SESSION"
                    ? #"{"type":"SESSION_STATE","requestId":\#(id),"sessionState":{"loadRequestData":{"currentTime":101},"customData":{"k":1}}}"#
                    : nil
            }, playing: Self.element(commands: 262_159),
            target: { entry, id in entry.type == "RESUME_SESSION" ? Self.status(id: id) : nil })
        let outcome = try #require(await Self.transfer(world)).get()
        #expect(outcome.method == .storedSession)
        #expect(outcome.queue == nil)
        #expect(outcome.sourceError == nil)
        #expect(from.journal.first { $0.type == "STORE_SESSION" }?.body["mediaSessionId"] == 1)
        #expect(
            to.journal.first { $0.type == "RESUME_SESSION" }?.body["sessionState"]
                == ["loadRequestData": ["currentTime": 101], "customData": ["k": 1]])
        #expect(to.set { $0.application }?.id == "CC1AD845")
        #expect(from.set { $0.application } == nil)
        #expect(await world.reported.take() == Self.moved)
        await world.end(task)
    }

    @Test("without them it is loaded at the estimated position, with tracks, rate, repeat mode and queue", arguments: [false, true])
    func loaded(claims: Bool) async throws {
        let items = (1...3).map { #"{"itemId":\#($0),"media":{"contentId":"http://h/\#($0)","contentType":"video/mp4"}}"# }.joined(
            separator: ",")
        let more =
            #","activeTrackIds":[2],"repeatMode":"REPEAT_ALL","currentItemId":2,"items":[\#(items)]"#
        let (world, task, _, to) = await Self.world(
            source: { entry, id in
                switch entry.type {
                case "STORE_SESSION": #"{"type":"INVALID_REQUEST","requestId":\#(id),"reason":"NOT_SUPPORTED"}"#
                case "QUEUE_GET_ITEM_IDS": #"{"type":"QUEUE_ITEM_IDS","requestId":\#(id),"itemIds":[1,2,3]}"#
                default: nil
                }
            },
            playing: Self.element(time: 100, commands: claims ? 262_159 : 15, more: more).replacing(
                #""playbackRate":1"#, #""playbackRate":1.5"#),
            target: { entry, id in entry.type == "LOAD" ? Self.status(id: id) : nil })
        await world.virtual.advance(.seconds(10))
        let outcome = try #require(await Self.transfer(world)).get()
        #expect(outcome.method == .loadedAgain)
        #expect(outcome.queue == .init(takenItemCount: 3, itemCount: 3))
        let load = try #require(to.journal.first { $0.type == "LOAD" }?.body)
        let time = try #require(load["currentTime"]?.doubleValue)
        #expect(abs(time - 115) < 1, "10 s at one and a half times the speed")
        #expect(load["playbackRate"] == 1.5)
        #expect(load["activeTrackIds"] == [2])
        #expect(load["queueData"]?["repeatMode"] == "REPEAT_ALL")
        #expect(load["queueData"]?["startIndex"] == 1)
        #expect(
            load["queueData"]?["items"]?.arrayValue?.compactMap { $0["media"]?["contentId"]?.stringValue } == [
                "http://h/1", "http://h/2", "http://h/3",
            ])
        #expect(load["queueData"]?["items"]?.arrayValue?.allSatisfy { $0["itemId"] == nil } == true)
        #expect(await world.reported.take() == Self.moved)
        await world.end(task)
    }

    @Test(
        "a target that can't resume what the source stored gets it loaded; one that fails to play it doesn't",
        arguments: [
            (#"{"type":"INVALID_REQUEST","requestId":#,"reason":"INVALID_COMMAND"}"#, true),
            (#"{"type":"INVALID_REQUEST","requestId":#,"reason":"NOT_SUPPORTED"}"#, true),
            (#"{"type":"LOAD_FAILED","requestId":#,"detailedErrorCode":104}"#, false),
        ])
    func targetCannotResume(refusal: String, isLoaded: Bool) async throws {
        let (world, task, _, to) = await Self.world(
            source: { entry, id in
                entry.type == "STORE_SESSION"
                    ? #"{"type":"SESSION_STATE","requestId":\#(id),"sessionState":{"loadRequestData":{"currentTime":101}}}"# : nil
            }, playing: Self.element(commands: 262_159),
            target: { entry, id in
                switch entry.type {
                case "RESUME_SESSION": refusal.replacing("#", "\(id)")
                case "LOAD": Self.status(id: id)
                default: nil
                }
            })
        let outcome = try #require(await Self.transfer(world))
        #expect((try? outcome.get().method) == (isLoaded ? .loadedAgain : nil))
        #expect(to.journal.contains { $0.type == "LOAD" } == isLoaded)
        if isLoaded { #expect(to.journal.first { $0.type == "LOAD" }?.body["media"]?["contentId"] == "http://h/film") }
        await world.end(task)
    }

    @Test(
        "of a queue of more than 10 000 items those from the current one on are taken along",
        arguments: [(10_000, 30, 1...10_000), (10_040, 30, 30...10_029), (10_040, 10_000, 10_000...10_040), (10_040, nil, 1...10_000)]
            as [(Int, Int?, ClosedRange<Int>)])
    func itemLimit(count: Int, current: Int?, taken: ClosedRange<Int>) {
        #expect(CastSession.taken(of: Array(1...count), current: current) == Array(taken)[...])
    }

    @Test(
        "a queue that the status shows a window of is fetched whole and loaded in as many messages as it needs",
        arguments: [(50, [Int]()), (700, []), (50, [7])])
    func wholeQueue(count: Int, lost: [Int]) async throws {
        @Sendable func path(_ id: Int) -> String { "http://h/\(id)/" + String(repeating: "ü", count: 100) }
        let window = #"{"itemId":30,"media":{"contentId":"\#(path(30))","contentType":"video/mp4"}}"#
        let allIDs = (1...count).map(String.init).joined(separator: ",")
        let (world, task, from, to) = await Self.world(
            source: { entry, id in
                switch entry.type {
                case "QUEUE_GET_ITEM_IDS":
                    return #"{"type":"QUEUE_ITEM_IDS","requestId":\#(id),"itemIds":[\#(allIDs)]}"#
                case "QUEUE_GET_ITEMS":
                    let ids = entry.body["itemIds"]?.arrayValue?.compactMap(\.intValue) ?? []
                    let items = ids.filter { !lost.contains($0) }.map {
                        #"{"itemId":\#($0),"media":{"contentId":"\#(path($0))","contentType":"video/mp4"}}"#
                    }
                    return #"{"type":"QUEUE_ITEMS","requestId":\#(id),"items":[\#(items.joined(separator: ","))]}"#
                default: return nil
                }
            }, playing: Self.element(more: #","currentItemId":30,"items":[\#(window)]"#),
            target: { entry, id in
                entry.type == "LOAD" || entry.type == "QUEUE_INSERT" ? Self.status(id: id, more: #","currentItemId":1"#) : nil
            })
        let outcome = try #require(await Self.transfer(world)).get()
        #expect(outcome.queue == .init(takenItemCount: count - lost.count, itemCount: count))
        func contents(_ items: JSONValue?) -> [String] {
            items?.arrayValue?.compactMap { $0["media"]?["contentId"]?.stringValue } ?? []
        }
        let load = try #require(to.journal.first { $0.type == "LOAD" }?.body["queueData"])
        let first = contents(load["items"])
        #expect(first[try #require(load["startIndex"]?.intValue)] == path(30))
        let inserted = to.journal.filter { $0.type == "QUEUE_INSERT" }.map(\.body)
        #expect(inserted.isEmpty == (count == 50))
        let after = inserted.filter { $0["insertBefore"] == nil }.flatMap { contents($0["items"]) }
        let before = inserted.filter { $0["insertBefore"] != nil }.flatMap { contents($0["items"]) }
        #expect(before + first + after == (1...count).filter { !lost.contains($0) }.map(path))
        #expect(from.types("cast.media").filter { $0 == "QUEUE_GET_ITEMS" }.count == (count + 19) / 20)
        await world.end(task)
    }

    @Test(
        "when the target doesn't play, the source goes on and what was started there is stopped",
        arguments: [
            (#"{"type":"LOAD_FAILED","requestId":#,"detailedErrorCode":104}"#, CastError.Code.mediaLoadFailed),
            (#"{"type":"INVALID_REQUEST","requestId":#,"reason":"NOT_SUPPORTED"}"#, .unsupportedFeature),
            (
                #"{"type":"MEDIA_STATUS","requestId":#,"status":[{"mediaSessionId":1,"playerState":"IDLE","idleReason":"ERROR"}]}"#,
                .mediaLoadFailed
            ),
        ])
    func fails(answer: String, code: CastError.Code) async throws {
        let (world, task, from, to) = await Self.world(
            playing: Self.element(), target: { entry, id in entry.type == "LOAD" ? answer.replacing("#", "\(id)") : nil })
        guard case .failure(let error)? = await Self.transfer(world) else {
            Issue.record("the transfer should fail")
            return
        }
        #expect(error.code == code)
        #expect(!from.types("cast.receiver").contains("STOP") && !from.types("cast.media").contains("STOP"))
        #expect(await world.manager.state(of: "aa11") == .started)
        #expect(await world.manager.state(of: "bb22") == nil)
        #expect(to.set { $0.application } == nil)
        let reported = await world.reported.take()
        #expect(reported.last == "aa11 failed to transfer to bb22: \(code)")
        await world.end(task)
    }

    @Test("a target that can't be reached leaves everything as it is")
    func unreachable() async throws {
        let (world, task, from, _) = await Self.world(playing: Self.element(), target: { _, _ in nil })
        world.connector.route("10.0.0.2", to: .refuse)
        guard case .failure(let error)? = await Self.transfer(world) else {
            Issue.record("the transfer should fail")
            return
        }
        #expect(error.code == .networkError)
        #expect(await world.manager.state(of: "aa11") == .started)
        #expect(from.set { $0.application } != nil)
        await world.end(task)
    }

    @Test("nothing to move is an error, and so is no session")
    func nothing() async throws {
        let (world, task, from, _) = await Self.world(playing: Self.element(), target: { _, _ in nil })
        from.sendMediaStatus("")
        await world.virtual.advance(.milliseconds(20))
        let idle = await Self.transfer(world)
        if case .failure(let error)? = idle { #expect(error.code == .noMediaSession) } else { Issue.record("it should fail") }
        let none = await world.call { manager throws(CastError) in try await manager.transfer(from: "nobody", to: Self.target) }
        if case .failure(let error)? = none { #expect(error.code == .sessionIsNotActive) } else { Issue.record("it should fail") }
        await world.end(task)
    }

    @Test("a source that cannot be stopped is reported; the target still plays")
    func sourceGoesOn() async throws {
        let (world, task, _, _) = await Self.world(
            source: { entry, id in
                entry.type == "STOP" ? #"{"type":"INVALID_REQUEST","requestId":\#(id),"reason":"INVALID_COMMAND"}"# : nil
            }, playing: Self.element(), target: { entry, id in entry.type == "LOAD" ? Self.status(id: id) : nil })
        let outcome = try #require(await Self.transfer(world)).get()
        #expect(outcome.sourceError?.code == .unsupportedFeature)
        #expect(await world.manager.state(of: "bb22") == .started)
        await world.end(task)
    }

    @Test("a transfer by another sender is noticed")
    func byOthers() async throws {
        let (world, task, from, _) = await Self.world(playing: Self.element(), target: { _, _ in nil })
        from.sendToAll(CastNamespace.multizone, from: "receiver-0", to: "*", #"{"type":"PLAYBACK_SESSION_UPDATED","requestId":0}"#)
        await world.virtual.advance(.milliseconds(20))
        from.set { $0.application = nil }
        from.sendReceiverStatus()
        await world.virtual.advance(.milliseconds(20))
        #expect(await world.reported.take() == ["aa11 playback moved", "aa11 suspended: streamLost"])
        await world.end(task)
    }

    // MARK: - What a load takes along

    private static func mediaStatus(_ change: (inout MediaStatus) -> Void) -> MediaStatus {
        var status = MediaStatus(mediaSessionID: 1, playerState: .playing, receivedAt: MonotonicTime(nanoseconds: 0))
        status.media = MediaInformation(contentID: "x")
        status.media?.duration = 1000
        status.currentTime = 10
        change(&status)
        return status
    }

    private static let later = MonotonicTime(nanoseconds: 20_000_000_000)

    @Test("paused media stays paused at its position, live media moves to its edge, odd rates are left out")
    func states() throws {
        let paused = try TransferredMedia.load(continuing: Self.mediaStatus { $0.playerState = .paused }, at: Self.later)
        #expect(paused.autoplay == false && paused.startTime == 10)
        let playing = try TransferredMedia.load(continuing: Self.mediaStatus { $0.playbackRate = 5 }, at: Self.later)
        #expect(playing.autoplay == true && playing.startTime == 110 && playing.playbackRate == nil)
        let live = try TransferredMedia.load(continuing: Self.mediaStatus { $0.media?.streamType = .live }, at: Self.later)
        #expect(live.startTime == nil)
        #expect(throws: CastError.self) { try TransferredMedia.load(continuing: Self.mediaStatus { $0.media = nil }, at: Self.later) }
    }

    @Test("large media are not sent twice, in the load and in the queue", arguments: [100, 40_000])
    func largeMedia(length: Int) throws {
        let media = MediaInformation(contentID: "http://h/" + String(repeating: "x", count: length))
        let queue = (1...3).map { MediaQueueItem(itemID: $0, media: media) }
        let request = try TransferredMedia.load(
            continuing: Self.mediaStatus {
                $0.media = media
                $0.currentItemID = 2
            }, queue: queue, at: Self.later)
        #expect((request.media == nil) == (length > 1000))
        #expect(request.queueData?.items.map(\.itemID) == [nil, nil, nil])
        #expect(request.queueData?.startIndex == 1)
        let plan = try QueueLoadPlan(MediaRequest(.load(request, sessionID: "s")))
        #expect(plan.first.count + plan.following.joined().count + plan.preceding.joined().count == 3)
    }
}

extension String {
    fileprivate func replacing(_ old: String, _ new: String) -> String {
        self.split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
    }
}
