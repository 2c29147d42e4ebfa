import CastModels
import CastProtocol
import CastTestSupport
import NIOCore
import Testing

@testable import CastSender

@Suite struct ControllerTests {
    private static func world(
        _ change: @escaping @Sendable (inout FakeReceiver.State) -> Void = { _ in }
    ) async throws -> (FakeReceiver, SupervisorWorld, Task<Void, Never>, CastSession) {
        let receiver = FakeReceiver {
            $0.application = FakeReceiver.Application()
            $0.media = FakeReceiver.Media(sessionID: 4, time: 100)
            change(&$0)
        }
        // Time moves in small steps, because a request leaves the loop for a moment when it ends.
        let (world, task) = await SupervisorWorld.connected(to: receiver, in: VirtualLoop(step: .milliseconds(20)))
        return (receiver, world, task, try await world.session())
    }

    /// Starts a request and does not wait for its end; returns when `isShown` holds and the request has arrived, the virtual time standing still.
    private static func begin(
        _ world: SupervisorWorld, _ receiver: FakeReceiver, until isShown: () async -> Bool,
        _ body: @escaping @Sendable () async throws(CastError) -> Void
    ) async {
        let messages = receiver.set { $0.messages.count }
        _ = await world.virtual.start { _ = await result { () async throws(CastError) in try await body() } }
        var isBegun = false
        for _ in 0..<200_000 where !isBegun {
            await world.virtual.settle()
            isBegun = await isShown() && receiver.set { $0.messages.count } > messages
        }
    }

    @Test("all sliders of a session show the value asked for at once, until the device confirms it; a later change by others shows")
    func oneTruth() async throws {
        let (receiver, world, task, session) = try await Self.world { $0.delay = .milliseconds(300) }
        let (slider, other) = (session.deviceVolumeController, session.deviceVolumeController)
        #expect(await slider.state == DeviceVolumeController.State(receiver.volume, .connected))
        await Self.begin(world, receiver, until: { await other.state.level == 0.7 }) { () async throws(CastError) in
            try await slider.setLevel(0.7)
        }
        await world.virtual.advance(.milliseconds(10))
        #expect(await other.state.level == 0.7, "nothing was confirmed yet")
        receiver.set { $0.level = 0.5 }
        receiver.sendReceiverStatus()
        receiver.set { $0.level = 0.7 }
        await world.virtual.advance(.milliseconds(10))
        #expect(await other.state.level == 0.7, "a late status of the former level doesn't show")
        await world.virtual.advance(.seconds(1))
        #expect(receiver.set { $0.level } == 0.7)
        receiver.set { $0.level = 0.2 }
        receiver.sendReceiverStatus()
        await world.virtual.advance(.milliseconds(400))
        #expect(await other.state.level == 0.2)
        for level in [0.25, 0.3] {
            await Self.begin(world, receiver, until: { abs(await other.state.level - level) < 0.001 }) { () async throws(CastError) in
                try await slider.changeLevel(bySteps: 1)
            }
        }
        #expect(abs(await other.state.level - 0.3) < 0.001, "each press counts, whatever is confirmed")
        await Self.begin(world, receiver, until: { await slider.state.isMuted }) { () async throws(CastError) in
            try await other.setMuted(true)
        }
        #expect(await slider.state.isMuted)
        await world.virtual.advance(.seconds(3))
        #expect(await slider.state == DeviceVolumeController.State(DeviceVolume(level: 0.3, isMuted: true), .connected))
        _ = await world.end(task)
    }

    @Test("a step needs a level that the device has reported or a user has set")
    func stepNeedsLevel() async throws {
        let (_, world, task, session) = try await Self.world { $0.reportsLevel = false }
        let slider = session.deviceVolumeController
        let error = await #expect(throws: CastError.self) { try await slider.changeLevel(bySteps: 1) }
        #expect(error?.code == .invalidState)
        _ = await world.end(task)
    }

    @Test("a value that the device does not confirm is shown for 2 s, a refused one not at all")
    func unconfirmed() async throws {
        let (receiver, world, task, session) = try await Self.world { $0.volumeAnswer = .nothing }
        let slider = session.deviceVolumeController
        receiver.set { $0.script = { $0.type == "SET_VOLUME" ? [] : nil } }
        await Self.begin(world, receiver, until: { await slider.state.level == 0.9 }) { () async throws(CastError) in
            try await slider.setLevel(0.9)
        }
        await world.virtual.advance(.milliseconds(1900))
        #expect(await slider.state.level == 0.9)
        await world.virtual.advance(.milliseconds(200))
        #expect(await slider.state.level == 0.5)
        await world.virtual.advance(.seconds(10))
        receiver.set {
            $0.script = nil
            $0.volumeAnswer = .error(type: "INVALID_REQUEST", reason: "INVALID_PARAMS")
        }
        let refused = await world.virtual.call { await result { () async throws(CastError) in try await slider.setLevel(0.8) } }
        #expect(await slider.state.level == 0.5)
        #expect(throws: CastError.self) { try refused?.value.get() }
        #expect(try #require(refused).duration < .seconds(1))
        await #expect(throws: CastError.self) { try await slider.setLevel(1.5) }
        _ = await world.end(task)
    }

    @Test("states come as they change, keep what they show without a link, not enabled, and end with the session")
    func states() async throws {
        let (receiver, world, task, session) = try await Self.world()
        var volumes = await session.deviceVolumeController.states.makeAsyncIterator()
        var media = await session.mediaController.states.makeAsyncIterator()
        #expect(await volumes.next()?.level == 0.5)
        #expect(await media.next()?.mainButton == .pause)
        receiver.set { $0.media?.state = "PAUSED" }
        receiver.sendMediaStatus()
        await world.virtual.advance(.milliseconds(50))
        #expect(await media.next()?.mainButton == .play)
        receiver.dropConnections()
        await world.virtual.advance(.milliseconds(50))
        #expect(await volumes.next().map { !$0.isEnabled && $0.connection == .suspended && $0.level == 0.5 } == true)
        let suspended = try #require(await media.next())
        #expect(!suspended.isEnabled && !suspended.canSeek && suspended.mainButton == .play && suspended.connection == .suspended)
        #expect(await session.playbackRateController.state.isEnabled == false)
        await world.virtual.advance(.seconds(3))
        #expect(await volumes.next()?.isEnabled == true)
        #expect(await media.next()?.isEnabled == true)
        _ = await world.end(task)
        var last: (DeviceVolumeController.State?, MediaController.State?)
        while let state = await volumes.next() { last.0 = state }
        while let state = await media.next() { last.1 = state }
        #expect(last.0?.connection == .ended && last.1?.connection == .ended && last.1?.isEnabled == false)
    }

    /// A call, the request it makes, and members of that.
    static let calls: [(call: @Sendable (MediaController) async throws(CastError) -> Void, type: String, members: [String: JSONValue])] = [
        ({ controller async throws(CastError) in try await controller.skipToNext() }, "QUEUE_UPDATE", ["jump": 1]),
        ({ controller async throws(CastError) in try await controller.skipToPrevious() }, "QUEUE_UPDATE", ["jump": -1]),
        (
            { controller async throws(CastError) in try await controller.setActiveTrackIDs([3, 1]) }, "EDIT_TRACKS_INFO",
            ["activeTrackIds": [3, 1]]
        ),
        ({ controller async throws(CastError) in try await controller.seek(to: 20) }, "SEEK", ["currentTime": 20]),
        ({ controller async throws(CastError) in try await controller.pause() }, "PAUSE", [:]),
        ({ controller async throws(CastError) in try await controller.play() }, "PLAY", [:]),
        ({ controller async throws(CastError) in try await controller.setStreamVolume(0.5) }, "SET_VOLUME", [:]),
        ({ controller async throws(CastError) in try await controller.cycleRepeatMode() }, "QUEUE_UPDATE", ["repeatMode": "REPEAT_ALL"]),
        ({ controller async throws(CastError) in try await controller.pressMainButton() }, "PAUSE", [:]),
    ]

    @Test("each call makes its request, of the media session that plays", arguments: Self.calls.indices)
    func requests(index: Int) async throws {
        let (call, type, members) = Self.calls[index]
        let (receiver, world, task, session) = try await Self.world {
            $0.media?.mediaFields = #","tracks":[{"trackId":1,"type":"AUDIO"},{"trackId":3,"type":"TEXT"}]"#
        }
        let controller = session.mediaController
        let outcome = await world.virtual.call { await result { () async throws(CastError) in try await call(controller) } }
        try #require(outcome).value.get()
        let request = try #require(receiver.journal.last { $0.type == type && $0.namespace == CastNamespace.media })
        #expect(request.body["mediaSessionId"] == 4)
        for (key, value) in members { #expect(request.body[key] == value, "\(key)") }
        _ = await world.end(task)
    }

    @Test("the main button stops a live stream that can't be paused")
    func stopsLive() async throws {
        let (receiver, world, task, session) = try await Self.world {
            $0.media?.commands = 14
            $0.media?.mediaFields = #","streamType":"LIVE""#
        }
        let controller = session.mediaController
        #expect(await controller.state.mainButton == .stop)
        let pressed = await world.virtual.call { await result { () async throws(CastError) in try await controller.pressMainButton() } }
        try #require(pressed).value.get()
        #expect(receiver.types("media").last == "STOP")
        #expect(await controller.state.mainButton == .none)
        _ = await world.end(task)
    }

    @Test("the stream's volume shows what was asked for until the receiver confirms it, or has not done so in time")
    func streamVolume() async throws {
        let (receiver, world, task, session) = try await Self.world {
            $0.media?.mediaFields = #","x":1},"volume":{"level":1,"muted":false},"y":{"z":1"#
            $0.delay = .milliseconds(200)
        }
        let controller = session.mediaController
        #expect(await controller.state.streamVolume?.level == 1)
        await Self.begin(world, receiver, until: { await controller.state.streamVolume?.level == 0.5 }) { () async throws(CastError) in
            try await controller.setStreamVolume(0.5)
        }
        await Self.begin(world, receiver, until: { await controller.state.streamVolume?.isMuted == true }) { () async throws(CastError) in
            try await controller.setStreamMuted(true)
        }
        #expect(await controller.state.streamVolume == DeviceVolume(level: 0.5, isMuted: true))
        await world.virtual.advance(.seconds(5))
        #expect(await controller.state.streamVolume == DeviceVolume(level: 1, isMuted: false), "the receiver still says so")
        _ = await world.end(task)
    }

    @Test("the buttons of a player perform the shown action")
    func buttons() async throws {
        let (receiver, world, task, session) = try await Self.world { $0.media?.commands = 15 | 8192 }
        let controller = session.mediaController
        #expect(await controller.state.mainButton == .pause)
        let pressed = await world.virtual.call { await result { () async throws(CastError) in try await controller.pressMainButton() } }
        #expect(throws: Never.self) { try pressed?.value.get() }
        #expect(receiver.types("media").last == "PAUSE")
        #expect(await controller.state.mainButton == .play)
        receiver.set { $0.delay = .milliseconds(200) }
        await Self.begin(world, receiver, until: { await controller.state.pendingPosition != nil }) { () async throws(CastError) in
            try await controller.seek(by: -MediaController.seekInterval)
        }
        let pending = try #require(await controller.state.pendingPosition)
        #expect(abs(pending - 71) < 2)
        await Self.begin(world, receiver, until: { await controller.state.pendingPosition != pending }) { () async throws(CastError) in
            try await controller.seek(by: -MediaController.seekInterval)
        }
        #expect(abs(try #require(await controller.state.pendingPosition) - (pending - 30)) < 0.001)
        await world.virtual.advance(.seconds(3))
        #expect(await controller.state.pendingPosition == nil)
        #expect(abs((receiver.set { $0.media?.time } ?? 0) - (pending - 30)) < 0.001)
        let rates = session.playbackRateController
        await Self.begin(world, receiver, until: { await rates.state.rate == 1.5 }) { () async throws(CastError) in
            try await rates.setRate(1.5)
        }
        #expect(await rates.state.rate == 1.5)
        await world.virtual.advance(.seconds(5))
        #expect(receiver.types("media").contains("SET_PLAYBACK_RATE"))
        receiver.set { $0.media = nil }
        receiver.sendMediaStatus("")
        await world.virtual.advance(.seconds(5))
        _ = await world.end(task)
    }
}

extension FakeReceiver {
    fileprivate var volume: DeviceVolume { self.set { DeviceVolume(level: $0.level, isMuted: $0.isMuted) } }
}
