import CastModels
import CastProtocol
import CastTestSupport
import NIOCore
import Testing

@testable import CastSender

@Suite("The end of a request to an application")
struct RequestOutcomeTests {
    private typealias Outcome = VirtualLoop.Outcome<Result<Void, CastError>>

    private static let request = MediaLoadRequest(media: MediaInformation(contentID: "http://h/a.mp3"))

    private static func call(
        _ world: SupervisorWorld, _ body: nonisolated(nonsending) @escaping @Sendable (RemoteMediaClient) async throws(CastError) -> Void
    ) async throws -> Outcome {
        let client = try await world.session().remoteMediaClient
        return try #require(await world.virtual.call { await result { () async throws(CastError) in try await body(client) } })
    }

    private static func running(_ change: (inout FakeReceiver.State) -> Void = { _ in }) -> FakeReceiver {
        FakeReceiver {
            $0.application = FakeReceiver.Application()
            change(&$0)
        }
    }

    private static func answer(_ receiver: FakeReceiver, to type: String, _ status: String) {
        let id = receiver.journal.last { $0.type == type }?.body["requestId"]?.intValue ?? 0
        receiver.sendToAll(
            CastNamespace.media, from: "transport-1", to: "sender-0", #"{"type":"MEDIA_STATUS","requestId":\#(id),"status":[\#(status)]}"#)
    }

    private static func media(_ state: String) -> String {
        #"{"mediaSessionId":2,"playerState":"\#(state)","currentTime":0,"media":{"contentId":"http://h/a.mp3","contentType":"audio/mpeg"}}"#
    }

    private static let loading =
        #"{"mediaSessionId":2,"playerState":"IDLE","currentTime":0,"currentItemId":1,"media":{"contentId":"http://h/a.mp3"},"#
        + #""extendedStatus":{"playerState":"LOADING","mediaSessionId":2,"media":{"contentId":"http://h/a.mp3"}}}"#

    // MARK: - Limits

    @Test(
        "a load is done whenever it is answered within 180 s while it shows life, else within 40 s",
        arguments: [(50, true), (170, true), (35, false)])
    func slowLoad(seconds: Int64, showsLoading: Bool) async throws {
        let receiver = Self.running { $0.loadAnswer = .nothing }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        if showsLoading { world.virtual.loop.scheduleTask(in: .milliseconds(20)) { receiver.sendMediaStatus(Self.loading) } }
        world.virtual.loop.scheduleTask(in: .seconds(seconds)) { Self.answer(receiver, to: "LOAD", Self.media("PLAYING")) }
        let outcome = try await Self.call(world) { client async throws(CastError) in try await client.load(Self.request) }
        #expect(throws: Never.self) { try outcome.value.get() }
        #expect(outcome.duration >= .seconds(seconds - 1))
        #expect(world.log.lastMedia?.playerState == .playing)
        #expect(receiver.types("cast.media").filter { $0 == "LOAD" }.count == 1)
        _ = await world.end(task)
    }

    @Test("a load without an answer ends after 180 s, without any sign after 40 s", arguments: [true, false])
    func silentLoad(showsLoading: Bool) async throws {
        let receiver = Self.running { $0.loadAnswer = .nothing }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        if showsLoading { world.virtual.loop.scheduleTask(in: .milliseconds(20)) { receiver.sendMediaStatus(Self.loading) } }
        let outcome = try await Self.call(world) { client async throws(CastError) in try await client.load(Self.request) }
        #expect(LaunchTests.code(outcome.value) == .timeout)
        let limit: Int64 = showsLoading ? 180 : 40
        #expect(outcome.duration >= .seconds(limit - 1) && outcome.duration <= .seconds(limit + 1))
        _ = await world.end(task)
    }

    @Test("a command that is answered after 12 s is done; without an answer it ends after 15 s", arguments: [true, false])
    func slowCommand(isAnswered: Bool) async throws {
        let receiver = Self.running { $0.media = FakeReceiver.Media() }
        receiver.set { $0.script = { $0.type == "PAUSE" ? [] : nil } }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        if isAnswered { world.virtual.loop.scheduleTask(in: .seconds(12)) { Self.answer(receiver, to: "PAUSE", Self.media("PAUSED")) } }
        let outcome = try await Self.call(world) { client async throws(CastError) in try await client.pause() }
        #expect(LaunchTests.code(outcome.value) == (isAnswered ? nil : .timeout))
        #expect(outcome.duration <= .seconds(16))
        _ = await world.end(task)
    }

    // MARK: - Nothing to control

    enum Request: CaseIterable { case play, pause, seek, streamVolume, next, skipAd, load, queueLoad, stop }

    @Test("an answer without any media session is no success, except to stop", arguments: Request.allCases)
    func emptyStatus(request: Request) async throws {
        let receiver = Self.running { $0.media = FakeReceiver.Media() }
        receiver.set {
            $0.script = { entry in
                guard entry.namespace == CastNamespace.media, entry.type != "GET_STATUS" else { return nil }
                return [("", #"{"type":"MEDIA_STATUS","requestId":\#(entry.body["requestId"]?.intValue ?? 0),"status":[]}"#)]
            }
            $0.media?.statusFields = #","breakStatus":{"breakId":"b","breakClipId":"c","currentBreakClipTime":5,"whenSkippable":1}"#
            $0.media?.mediaFields =
                #","breaks":[{"id":"b","position":0,"breakClipIds":["c"]}],"breakClips":[{"id":"c","duration":30,"whenSkippable":1}]"#
            $0.media?.commands = 0xFFFFF
        }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let outcome = try await Self.call(world) { client async throws(CastError) in
            switch request {
            case .play: try await client.play()
            case .pause: try await client.pause()
            case .seek: try await client.seek(to: .position(9))
            case .streamVolume: try await client.setStreamVolume(0.5)
            case .next: try await client.queueNext()
            case .skipAd: try await client.skipAd()
            case .load: try await client.load(Self.request)
            case .queueLoad: try await client.queue.load([MediaQueueItem(media: MediaInformation(contentID: "x"))])
            case .stop: try await client.stop()
            }
        }
        let wanted: CastError.Code? =
            switch request {
            case .stop: nil
            case .load, .queueLoad: .mediaLoadFailed
            case .play, .pause, .seek, .streamVolume, .next, .skipAd: .noMediaSession
            }
        #expect(LaunchTests.code(outcome.value) == wanted)
        #expect(outcome.duration < .seconds(1))
        _ = await world.end(task)
    }

    @Test("a stop also ends what a cancelled load begins after it", arguments: [true, false])
    func stopBehindLoad(playsBefore: Bool) async throws {
        let receiver = Self.running {
            $0.loadAnswer = .nothing
            if playsBefore { $0.media = FakeReceiver.Media() }
        }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let client = try await world.session().remoteMediaClient
        let load = await world.virtual.start { _ = await result { () async throws(CastError) in try await client.load(Self.request) } }
        await world.virtual.advance(.milliseconds(300))
        load.cancel()
        await world.virtual.advance(.milliseconds(10))
        world.virtual.loop.scheduleTask(in: .seconds(1)) {
            receiver.set { $0.media = FakeReceiver.Media(sessionID: 7) }
            receiver.sendMediaStatus()
        }
        let outcome = try await Self.call(world) { client async throws(CastError) in try await client.stop() }
        #expect(throws: Never.self) { try outcome.value.get() }
        #expect(receiver.journal.last { $0.type == "STOP" }?.body["mediaSessionId"] == 7)
        _ = await world.end(task)
    }

    // MARK: - Launches

    @Test("a launch that is answered without any application is never a success, and leads to no load", arguments: [true, false])
    func launchWithoutApplication(isLoad: Bool) async throws {
        let receiver = FakeReceiver()
        receiver.set {
            $0.script = { entry in
                guard entry.type == "LAUNCH" else { return nil }
                let id = entry.body["requestId"]?.intValue ?? 0
                return [("", #"{"type":"RECEIVER_STATUS","requestId":\#(id),"status":{"volume":{"level":0.5,"muted":false}}}"#)]
            }
        }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let session = try await world.session()
        let outcome = try #require(
            await world.virtual.call {
                await result { () async throws(CastError) in
                    try await session.launch("CC1AD845")
                    if isLoad { try await session.remoteMediaClient.load(Self.request, in: "CC1AD845") }
                }
            })
        #expect(LaunchTests.code(outcome.value) == .applicationNotRunning)
        #expect(outcome.duration < .seconds(20))
        // It appears after all, and is the result of our launch.
        receiver.set { $0.application = FakeReceiver.Application() }
        receiver.sendReceiverStatus()
        await world.virtual.advance(.milliseconds(50))
        #expect(world.log.connections.last == .strong)
        _ = await world.end(task)
    }

    @Test("a stop of the application waits for one that a launch is starting")
    func quitDuringLaunch() async throws {
        let receiver = FakeReceiver { $0.launchAnswers = [.nothing] }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let session = try await world.session()
        let launch = await world.virtual.start { _ = await result { () async throws(CastError) in try await session.launch("CC1AD845") } }
        await world.virtual.advance(.milliseconds(300))
        launch.cancel()
        world.virtual.loop.scheduleTask(in: .seconds(2)) {
            receiver.set { $0.application = FakeReceiver.Application() }
            receiver.sendReceiverStatus()
        }
        let outcome = await world.virtual.call { await result { () async throws(CastError) in try await session.stopApplication() } }
        #expect(throws: Never.self) { try outcome?.value.get() }
        #expect(receiver.journal.last { $0.type == "STOP" }?.body["sessionId"] == "session-1")
        _ = await world.end(task)
    }
}
