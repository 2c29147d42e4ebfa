import CastModels
import CastProtocol
import CastTestSupport
import NIOCore
import Testing

@testable import CastSender

/// Requests as they end by what the receiver shows.
@Suite struct WantedStateTests {
    typealias Call = @Sendable (CastSession) async throws(CastError) -> Void

    /// A request: its type on the wire, how a receiver obeys it, and the call.
    struct Request: Sendable, CustomTestStringConvertible {
        var name: String
        var type: String
        var obeys: @Sendable (inout FakeReceiver.Media) -> Void = { _ in }
        var call: Call

        var testDescription: String { self.name }
    }

    private static let fields =
        #","volume":{"level":1,"muted":false},"activeTrackIds":[],"repeatMode":"REPEAT_OFF","currentItemId":1"#
    private static let tracks = #","tracks":[{"trackId":1,"type":"TEXT","name":"a"},{"trackId":2,"type":"TEXT","name":"b"}]"#

    private static func becoming(_ old: String, _ new: String) -> @Sendable (inout FakeReceiver.Media) -> Void {
        { media in
            guard let range = media.statusFields.firstRange(of: old) else { return }
            media.statusFields.replaceSubrange(range, with: new)
        }
    }

    static let media: [Request] = [
        Request(name: "play", type: "PLAY") { session async throws(CastError) in try await session.remoteMediaClient.play() },
        Request(name: "pause", type: "PAUSE") { session async throws(CastError) in try await session.remoteMediaClient.pause() },
        Request(name: "seek", type: "SEEK") { session async throws(CastError) in
            try await session.remoteMediaClient.seek(to: .position(30))
        },
        Request(name: "relative seek", type: "SEEK") { session async throws(CastError) in
            try await session.remoteMediaClient.seek(to: .relative(60))
        },
        Request(name: "rate", type: "SET_PLAYBACK_RATE", obeys: { $0.rate = 2 }) { session async throws(CastError) in
            try await session.remoteMediaClient.setPlaybackRate(2)
        },
        Request(name: "stream level", type: "SET_VOLUME", obeys: becoming(#""level":1"#, #""level":0.3"#)) {
            session async throws(CastError) in
            try await session.remoteMediaClient.setStreamVolume(0.3)
        },
        Request(name: "stream mute", type: "SET_VOLUME", obeys: becoming(#""muted":false"#, #""muted":true"#)) {
            session async throws(CastError) in
            try await session.remoteMediaClient.setStreamMuted(true)
        },
        Request(name: "tracks", type: "EDIT_TRACKS_INFO", obeys: becoming(#""activeTrackIds":[]"#, #""activeTrackIds":[2]"#)) {
            session async throws(CastError) in
            try await session.remoteMediaClient.setActiveTrackIDs([2])
        },
        Request(name: "repeat", type: "QUEUE_UPDATE", obeys: becoming("REPEAT_OFF", "REPEAT_ALL")) { session async throws(CastError) in
            try await session.remoteMediaClient.queue.setRepeatMode(.all)
        },
        Request(name: "next", type: "QUEUE_UPDATE", obeys: becoming(#""currentItemId":1"#, #""currentItemId":2"#)) {
            session async throws(CastError) in
            try await session.remoteMediaClient.queueNext()
        },
    ]

    private static func receiver(of request: Request, _ change: (inout FakeReceiver.State) -> Void = { _ in }) -> FakeReceiver {
        FakeReceiver { state in
            state.application = FakeReceiver.Application()
            var media = FakeReceiver.Media(time: 100)
            media.statusFields = Self.fields
            media.mediaFields = Self.tracks
            media.state = request.type == "PLAY" ? "PAUSED" : "PLAYING"
            state.media = media
            let (type, obeys) = (request.type, request.obeys)
            state.obeys = { entry, media in if entry.type == type { obeys(&media) } }
            change(&state)
        }
    }

    private static func run(_ request: Request, _ world: SupervisorWorld) async throws -> VirtualLoop.Outcome<Result<Void, CastError>> {
        let (session, call) = (try await world.session(), request.call)
        return try #require(await world.virtual.call { await result { () async throws(CastError) in try await call(session) } })
    }

    @Test("an answer that shows the wanted state ends a request at once", arguments: media)
    func shown(request: Request) async throws {
        let (world, task) = await SupervisorWorld.connected(to: Self.receiver(of: request))
        let outcome = try await Self.run(request, world)
        try outcome.value.get()
        #expect(outcome.duration < .milliseconds(50))
        _ = await world.end(task)
    }

    @Test("a broadcast of the wanted state, without a request's id, ends a request at once", arguments: media)
    func broadcast(request: Request) async throws {
        let (world, task) = await SupervisorWorld.connected(to: Self.receiver(of: request) { $0.mediaAnswer = .broadcast })
        let outcome = try await Self.run(request, world)
        try outcome.value.get()
        #expect(outcome.duration < .milliseconds(700))
        _ = await world.end(task)
    }

    @Test("a receiver that answers and shows another state is asked once, and 2 s later the request is not applied", arguments: media)
    func ignored(request: Request) async throws {
        let receiver = Self.receiver(of: request) { $0.ignores = [request.type] }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let asked = receiver.types("cast.media").count { $0 == "GET_STATUS" }
        let outcome = try await Self.run(request, world)
        #expect(LaunchTests.code(outcome.value) == .notApplied)
        #expect(outcome.duration >= .seconds(2) && outcome.duration < .milliseconds(2100))
        #expect(receiver.types("cast.media").count { $0 == "GET_STATUS" } == asked + 1)
        _ = await world.end(task)
    }

    @Test("a receiver that does not report a fact is believed, at once", arguments: media.filter { !$0.testDescription.contains("seek") })
    func unreported(request: Request) async throws {
        guard request.type != "PLAY", request.type != "PAUSE", request.name != "rate" else { return }
        let receiver = Self.receiver(of: request) {
            $0.ignores = [request.type]
            $0.media?.statusFields = ""
        }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let outcome = try await Self.run(request, world)
        try outcome.value.get()
        #expect(outcome.duration < .milliseconds(50))
        _ = await world.end(task)
    }

    static let endings: [Request] = [
        Request(name: "stop", type: "STOP") { session async throws(CastError) in try await session.remoteMediaClient.stop() },
        Request(name: "quit", type: "STOP") { session async throws(CastError) in try await session.stopApplication() },
    ]

    @Test("a stop that is answered and ignored is not applied, that of the media and that of the application")
    func stops() async throws {
        for request in Self.endings {
            let receiver = FakeReceiver {
                $0.application = FakeReceiver.Application()
                $0.media = FakeReceiver.Media(time: 100)
                $0.ignores = ["STOP"]
            }
            let (world, task) = await SupervisorWorld.connected(to: receiver)
            let outcome = try await Self.run(request, world)
            #expect(LaunchTests.code(outcome.value) == .notApplied)
            #expect(outcome.duration < .milliseconds(2100))
            _ = await world.end(task)
        }
    }

    @Test("a seek waits while the player buffers, however long, and ends with what it then shows", arguments: [true, false])
    func buffering(arrives: Bool) async throws {
        let receiver = Self.receiver(of: Self.media[2]) {
            $0.ignores = ["SEEK"]
            $0.media?.state = "BUFFERING"
        }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let loop = world.virtual.loop
        let end = loop.scheduleTask(in: .seconds(12)) {
            receiver.set { state in
                state.media?.state = "PLAYING"
                if arrives { state.media?.time = 30 }
            }
            receiver.sendMediaStatus()
        }
        let outcome = try await Self.run(Self.media[2], world)
        #expect(LaunchTests.code(outcome.value) == (arrives ? nil : .notApplied))
        #expect(arrives ? outcome.duration < .milliseconds(12_100) : outcome.duration < .milliseconds(14_100))
        #expect(outcome.duration > .seconds(11))
        end.cancel()
        _ = await world.end(task)
    }

    // MARK: - The device's volume

    private static let quiet = Request(name: "level", type: "SET_VOLUME") { session async throws(CastError) in
        try await session.setDeviceVolume(level: 0.2)
    }
    private static let mute = Request(name: "mute", type: "SET_VOLUME") { session async throws(CastError) in
        try await session.setDeviceMuted(true)
    }
    private static let seekLive = Request(name: "live", type: "SEEK") { session async throws(CastError) in
        try await session.remoteMediaClient.seek(to: .live)
    }
    private static let loadSeven = Request(name: "load", type: "LOAD") { session async throws(CastError) in
        try await session.remoteMediaClient.load(MediaLoadRequest(media: MediaInformation(contentID: "http://h/7")))
    }

    @Test("a device that keeps its level or its sound is asked once, and the request is not applied")
    func volumeIgnored() async throws {
        for request in [Self.quiet, Self.mute] {
            let receiver = FakeReceiver { ($0.level, $0.ignores) = (1, ["SET_VOLUME"]) }
            let (world, task) = await SupervisorWorld.connected(to: receiver)
            let asked = receiver.types("cast.receiver").count { $0 == "GET_STATUS" }
            let outcome = try await Self.run(request, world)
            #expect(LaunchTests.code(outcome.value) == .notApplied)
            #expect(outcome.duration < .milliseconds(2100))
            #expect(receiver.types("cast.receiver").count { $0 == "GET_STATUS" } == asked + 1)
            _ = await world.end(task)
        }
    }

    /// The levels that a device reports from the answer on, one in each second, and how the request for 0.2 ends.
    static let courses: [([Double], CastError.Code?)] = [
        ([0.6, 0.2], nil), ([0.6, 0.5, 0.4, 0.3, 0.2], nil), ([0.6, 0.5, 0.4, 0.4, 0.4, 0.4], .notApplied), ([0.6, 0.8], .replaced),
        ([0.9, 0.9, 0.9], .notApplied),
    ]

    @Test(
        "a level that moves to the wanted one gets its time, one that stays does not, and one that moves away is another's",
        arguments: courses)
    func course(levels: [Double], code: Optional<CastError.Code>) async throws {
        let receiver = FakeReceiver {
            $0.ignores = ["SET_VOLUME"]
            $0.level = levels[0]
        }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let loop = world.virtual.loop
        for (second, level) in levels.enumerated().dropFirst() {
            loop.scheduleTask(in: .seconds(Int64(second))) {
                receiver.set { $0.level = level }
                receiver.sendReceiverStatus()
            }
        }
        let outcome = try await Self.run(Self.quiet, world)
        #expect(LaunchTests.code(outcome.value) == code)
        _ = await world.end(task)
    }

    @Test("a live edge that media do not have is unsupported, and nothing is sent")
    func noLiveEdge() async throws {
        let receiver = Self.receiver(of: Self.media[2])
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let outcome = try await Self.run(Self.seekLive, world)
        #expect(LaunchTests.code(outcome.value) == .unsupportedFeature)
        #expect(!receiver.types("cast.media").contains("SEEK"))
        _ = await world.end(task)
    }

    @Test("a load whose only outcome is a broadcast of its media succeeds")
    func load() async throws {
        let receiver = FakeReceiver {
            $0.application = FakeReceiver.Application()
            $0.loadAnswer = .nothing
        }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        world.virtual.loop.scheduleTask(in: .seconds(1)) {
            receiver.set { $0.media = FakeReceiver.Media(sessionID: 7) }
            receiver.sendMediaStatus()
        }
        let outcome = try await Self.run(Self.loadSeven, world)
        try outcome.value.get()
        #expect(outcome.duration < .seconds(2))
        _ = await world.end(task)
    }

    @Test("a load is not repeated when the device, and not the application, was silent for a while")
    func slowDevice() async throws {
        let receiver = FakeReceiver { $0.application = FakeReceiver.Application() }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        // Everything waits until 5.5 s after the load, and is answered in order then.
        receiver.set { $0.delay = .milliseconds(5500) }
        world.virtual.loop.scheduleTask(in: .milliseconds(4900)) { receiver.set { $0.delay = .milliseconds(600) } }
        let outcome = try await Self.run(Self.loadSeven, world)
        try outcome.value.get()
        #expect(receiver.journal.map(\.type).filter { $0 == "LOAD" || $0 == "LAUNCH" } == ["LOAD", "LAUNCH"])
        _ = await world.end(task)
    }
}
