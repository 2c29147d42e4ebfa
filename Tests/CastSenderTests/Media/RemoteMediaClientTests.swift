import CastModels
import CastTestSupport
import NIOCore
import Testing

@testable import CastSender

@Suite struct RemoteMediaClientTests {
    private static func playing(_ change: @Sendable (inout FakeReceiver.State) -> Void = { _ in }) -> FakeReceiver {
        FakeReceiver { state in
            state.application = FakeReceiver.Application()
            state.media = FakeReceiver.Media(time: 100)
            change(&state)
        }
    }

    private static func call(
        _ world: SupervisorWorld, _ body: nonisolated(nonsending) @escaping @Sendable (RemoteMediaClient) async throws(CastError) -> Void
    ) async throws -> VirtualLoop.Outcome<Result<Void, CastError>> {
        let client = try await world.session().remoteMediaClient
        let outcome = await world.virtual.call { await result { () async throws(CastError) in try await body(client) } }
        return try #require(outcome)
    }

    @Test("pause and play reach the media session and the status follows")
    func pausePlay() async throws {
        let receiver = Self.playing()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        _ = try await Self.call(world) { client async throws(CastError) in try await client.pause() }.value.get()
        #expect(world.log.lastMedia?.playerState == .paused)
        _ = try await Self.call(world) { client async throws(CastError) in try await client.play() }.value.get()
        #expect(world.log.lastMedia?.playerState == .playing)
        #expect(receiver.journal.last { $0.type == "PAUSE" }?.body["mediaSessionId"] == 1)
        _ = await world.end(task)
    }

    @Test("a device that plays for a group unknown to us has no media session, and nobody waits for one", arguments: [6, 12])
    func follower(secondsAfterConnecting: Int64) async throws {
        let receiver = FakeReceiver { state in
            state.application = FakeReceiver.Application(id: "705D30C6")
            state.answersMediaStatus = false
        }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        await world.virtual.advance(.seconds(secondsAfterConnecting))
        let outcome = try await Self.call(world) { client async throws(CastError) in try await client.pause() }
        #expect(throws: CastError.self) { try outcome.value.get() }
        if case .failure(let error) = outcome.value { #expect([.noMediaSession, .applicationNotRunning].contains(error.code)) }
        #expect(outcome.duration < .milliseconds(100))
        #expect(!receiver.journal.contains { $0.type == "PAUSE" })
        _ = await world.end(task)
    }

    @Test("a command makes the connection strong and 5 s later it is invisible again")
    func strength() async throws {
        let receiver = Self.playing()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        #expect(receiver.connectionKind(to: "transport-1") == 2)
        _ = try await Self.call(world) { client async throws(CastError) in try await client.pause() }.value.get()
        #expect(receiver.connectionKind(to: "transport-1") == 0)
        let types = receiver.journal.filter { $0.destination == "transport-1" }.map(\.type)
        #expect(types.suffix(3) == ["CLOSE", "CONNECT", "PAUSE"])
        await world.virtual.advance(.seconds(3))
        _ = try await Self.call(world) { client async throws(CastError) in try await client.play() }.value.get()
        await world.virtual.advance(.milliseconds(4900))
        #expect(receiver.connectionKind(to: "transport-1") == 0, "every command holds it again")
        await world.virtual.advance(.milliseconds(200))
        #expect(receiver.connectionKind(to: "transport-1") == 2)
        #expect(world.log.connections == [.invisible, .strong, .invisible])
        _ = await world.end(task)
    }

    @Test("paused media stays paused after a seek; playing media continues", arguments: [("PAUSED", "PLAYBACK_PAUSE"), ("PLAYING", nil)])
    func seek(state: String, resume: String?) async throws {
        let receiver = Self.playing { $0.media?.state = state }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        _ = try await Self.call(world) { client async throws(CastError) in try await client.seek(to: .position(42)) }.value.get()
        let seek = try #require(receiver.journal.last { $0.type == "SEEK" })
        #expect(seek.body["currentTime"] == 42)
        #expect(seek.body["relativeTime"] == nil)
        #expect(seek.body["resumeState"]?.stringValue == resume)
        #expect(world.log.lastMedia?.playerState == PlayerState(wireValue: state))
        #expect(world.log.lastMedia?.currentTime == 42)
        _ = await world.end(task)
    }

    @Test("a relative seek is computed from where the player is")
    func relativeSeek() async throws {
        let receiver = Self.playing()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        await world.virtual.advance(.seconds(9))
        let read = try #require(world.log.readyTimes.first)
        let elapsed = Double((world.virtual.now - read).nanoseconds) / 1e9
        _ = try await Self.call(world) { client async throws(CastError) in try await client.seek(to: .relative(-30)) }.value.get()
        let position = try #require(receiver.journal.last { $0.type == "SEEK" }?.body["currentTime"]?.doubleValue)
        #expect(abs(position - (100 + elapsed - 30)) < 0.05)
        _ = await world.end(task)
    }

    @Test("next and previous are jumps in the queue")
    func queue() async throws {
        let receiver = Self.playing()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        _ = try await Self.call(world) { client async throws(CastError) in try await client.queueNext() }.value.get()
        _ = try await Self.call(world) { client async throws(CastError) in try await client.queuePrevious() }.value.get()
        #expect(receiver.journal.filter { $0.type == "QUEUE_UPDATE" }.map { $0.body["jump"] } == [1, -1])
        _ = await world.end(task)
    }

    @Test("load waits for the application that was launched")
    func load() async throws {
        let receiver = FakeReceiver()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let session = try await world.session()
        let outcome = await world.virtual.call {
            await result { () async throws(CastError) in
                try await session.launch("CC1AD845")
                try await session.remoteMediaClient.load(
                    MediaLoadRequest(media: MediaInformation(contentID: "http://h/a.mp4", contentType: "video/mp4")), in: "CC1AD845")
            }
        }
        _ = try #require(outcome).value.get()
        let load = try #require(receiver.journal.last { $0.type == "LOAD" })
        #expect(load.destination == "transport-l1")
        #expect(load.body["sessionId"] == "launched-1")
        #expect(load.body["media"]?["contentId"] == "http://h/a.mp4")
        #expect(world.log.lastMedia?.mediaSessionID == 1)
        _ = await world.end(task)
    }

    @Test(
        "a failed load reports the reason and is not repeated",
        arguments: [
            (FakeReceiver.Answer.error(type: "LOAD_FAILED", reason: ""), CastError.Code.mediaLoadFailed),
            (.error(type: "LOAD_CANCELLED", reason: ""), .replaced),
            (.error(type: "INVALID_PLAYER_STATE", reason: ""), .invalidMediaPlayerState),
            (.nothing, .timeout),
        ])
    func loadFails(answer: FakeReceiver.Answer, code: CastError.Code) async throws {
        let receiver = Self.playing { $0.loadAnswer = answer }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let outcome = try await Self.call(world) { client async throws(CastError) in
            try await client.load(MediaLoadRequest(media: MediaInformation(contentID: "x")))
        }
        #expect(LaunchTests.code(outcome.value) == code)
        #expect(receiver.types("cast.media").filter { $0 == "LOAD" }.count == 1)
        _ = await world.end(task)
    }

    @Test("a request is done when a status shows it, if no answer comes")
    func broadcastOnly() async throws {
        let receiver = Self.playing { $0.mediaAnswer = .broadcast }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let outcome = try await Self.call(world) { client async throws(CastError) in try await client.pause() }
        #expect(throws: Never.self) { try outcome.value.get() }
        #expect(outcome.duration <= .seconds(1))
        _ = await world.end(task)
    }

    @Test("when every answer is lost the status is asked for")
    func lostAnswers() async throws {
        let receiver = Self.playing { $0.mediaAnswer = .nothing }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let pause = try await Self.call(world) { client async throws(CastError) in try await client.pause() }
        #expect(throws: Never.self, "it is paused, as the status reports") { try pause.value.get() }
        let rate = try await Self.call(world) { client async throws(CastError) in try await client.setPlaybackRate(2) }
        #expect(LaunchTests.code(rate.value) == .timeout)
        let stop = try await Self.call(world) { client async throws(CastError) in try await client.stop() }
        #expect(throws: Never.self, "there is no media session any more, as the status reports") { try stop.value.get() }
        _ = await world.end(task)
    }

    @Test("a load that the application ignored makes the next one wait 2 s, until one is answered or the application is another")
    func ignoredLoad() async throws {
        let receiver = Self.playing { $0.loadAnswer = .nothing }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        func load() async throws -> VirtualLoop.Outcome<Result<Void, CastError>> {
            try await Self.call(world) { client async throws(CastError) in
                try await client.load(MediaLoadRequest(media: MediaInformation(contentID: "x")))
            }
        }
        let first = try await load()
        #expect(LaunchTests.code(first.value) == .timeout)
        #expect(first.duration >= .seconds(40))
        let second = try await load()
        #expect(LaunchTests.code(second.value) == .requestIgnored)
        #expect(second.duration < .milliseconds(2500))
        let play = try await Self.call(world) { client async throws(CastError) in try await client.play() }
        #expect(throws: Never.self, "another type") { try play.value.get() }
        receiver.set { $0.loadAnswer = .reply }
        let third = try await load()
        #expect(throws: Never.self) { try third.value.get() }
        _ = await world.end(task)
    }

    @Test("a media session that was replaced unseen is asked for once and the request repeated once", arguments: [1, 2])
    func staleSession(refusals: Int) async throws {
        let receiver = Self.playing { $0.mediaSessionRefusals = refusals }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let outcome = try await Self.call(world) { client async throws(CastError) in try await client.pause() }
        #expect(receiver.types("cast.media").filter { $0 == "PAUSE" }.count == 2)
        #expect(LaunchTests.code(outcome.value) == (refusals == 1 ? nil : .noMediaSession))
        _ = await world.end(task)
    }

    @Test("without media, or without an application, a request fails with its own error", arguments: [true, false])
    func nothing(hasApplication: Bool) async throws {
        let receiver = FakeReceiver { if hasApplication { $0.application = FakeReceiver.Application() } }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let outcome = try await Self.call(world) { client async throws(CastError) in try await client.pause() }
        #expect(LaunchTests.code(outcome.value) == (hasApplication ? .noMediaSession : .applicationNotRunning))
        #expect(!receiver.types("cast.media").contains("PAUSE"))
        _ = await world.end(task)
    }

    @Test("the end of an application ends its requests; a stop then succeeds")
    func applicationEnds() async throws {
        for (type, code) in [("pause", CastError.Code.applicationNotRunning), ("stop", nil)] {
            let receiver = Self.playing { $0.mediaAnswer = .nothing }
            let (world, task) = await SupervisorWorld.connected(to: receiver)
            world.virtual.loop.scheduleTask(in: .milliseconds(50)) {
                receiver.set { $0.application = nil }
                receiver.sendReceiverStatus()
            }
            let outcome = try await Self.call(world) { client async throws(CastError) in
                if type == "pause" { try await client.pause() } else { try await client.stop() }
            }
            #expect(LaunchTests.code(outcome.value) == code)
            #expect(outcome.duration < .seconds(1))
            _ = await world.end(task)
        }
    }

    @Test("partial statuses are merged, old sessions and other transports ignored")
    func partial() async throws {
        let receiver = Self.playing()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        receiver.sendMediaStatus(#"{"mediaSessionId":1,"playerState":"PAUSED","currentTime":7}"#)
        await world.virtual.advance(.milliseconds(1))
        #expect(world.log.lastMedia?.playerState == .paused)
        #expect(world.log.lastMedia?.media?.contentID == "http://h/1")
        receiver.sendToAll(
            "urn:x-cast:com.google.cast.media", from: "old-transport", to: "*",
            #"{"type":"MEDIA_STATUS","requestId":0,"status":[{"mediaSessionId":9,"playerState":"PLAYING"}]}"#)
        await world.virtual.advance(.milliseconds(1))
        #expect(world.log.lastMedia?.mediaSessionID == 1)
        receiver.sendMediaStatus("")
        await world.virtual.advance(.milliseconds(1))
        #expect(world.log.lastMedia == nil)
        _ = await world.end(task)
    }

    @Test("another session of the same application gets a new connection and its media is read")
    func newSession() async throws {
        let receiver = Self.playing()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        receiver.set {
            $0.application = FakeReceiver.Application(sessionID: "session-2", transportID: "transport-2")
            $0.media = FakeReceiver.Media(sessionID: 5)
        }
        receiver.sendReceiverStatus()
        await world.virtual.advance(.milliseconds(1020))
        #expect(receiver.connectionKind(to: "transport-2") == 2)
        #expect(world.log.lastMedia?.mediaSessionID == 5)
        #expect(world.log.connections == [.invisible, .none, .invisible])
        _ = await world.end(task)
    }

    @Test("an application that throws us out is tried twice, then left alone; late closes are ignored")
    func thrownOut() async throws {
        let receiver = Self.playing()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        for _ in 0..<5 {
            receiver.sendToAll("urn:x-cast:com.google.cast.tp.connection", from: "transport-1", to: "sender-0", #"{"type":"CLOSE"}"#)
            receiver.sendToAll("urn:x-cast:com.google.cast.tp.connection", from: "transport-0", to: "sender-0", #"{"type":"CLOSE"}"#)
            await world.virtual.advance(.milliseconds(50))
        }
        let connects = receiver.journal.filter { $0.destination == "transport-1" && $0.type == "CONNECT" }.count
        #expect(connects == 2)
        #expect(world.log.lossTimes.isEmpty)
        #expect(world.log.connections.last == ApplicationSession.Connection.none)
        _ = await world.end(task)
    }

    @Test("a receiver that answers only the asker is asked when its own status changes, never by a timer")
    func answersOnlyTheAsker() async throws {
        let receiver = Self.playing { $0.broadcastsMedia = false }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        #expect(receiver.types("cast.media") == ["GET_STATUS"])
        await world.virtual.advance(.minutes(5))
        #expect(receiver.types("cast.media") == ["GET_STATUS"])
        receiver.set {
            $0.application?.statusText = "Another title"
            $0.media?.sessionID = 2
        }
        receiver.sendReceiverStatus()
        await world.virtual.advance(.seconds(1))
        #expect(receiver.types("cast.media") == ["GET_STATUS", "GET_STATUS"])
        #expect(world.log.lastMedia?.mediaSessionID == 2)
        _ = try await Self.call(world) { client async throws(CastError) in try await client.pause() }.value.get()
        await world.virtual.advance(.seconds(1))
        #expect(receiver.types("cast.media") == ["GET_STATUS", "GET_STATUS", "PAUSE", "GET_STATUS"])

        // Once its broadcasts are seen, it is not asked any more.
        receiver.sendMediaStatus()
        await world.virtual.advance(.seconds(1))
        receiver.set { $0.application?.statusText = "A third title" }
        receiver.sendReceiverStatus()
        await world.virtual.advance(.seconds(1))
        #expect(receiver.types("cast.media").count == 4)
        _ = await world.end(task)
    }

    @Test("a request to an application that just started waits for its first status")
    func starting() async throws {
        let receiver = Self.playing {
            $0.application?.namespaces = []
        }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        world.virtual.loop.scheduleTask(in: .seconds(2)) {
            receiver.set { $0.application?.namespaces = ["urn:x-cast:com.google.cast.media"] }
            receiver.sendReceiverStatus()
        }
        let outcome = try await Self.call(world) { client async throws(CastError) in try await client.pause() }
        #expect(throws: Never.self) { try outcome.value.get() }
        #expect(outcome.duration >= .seconds(2) && outcome.duration <= .seconds(3))
        _ = await world.end(task)
    }
}
