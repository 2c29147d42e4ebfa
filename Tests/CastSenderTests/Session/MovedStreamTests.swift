import CastModels
import CastTestSupport
import NIOCore
import Testing

@testable import CastSender

/// Another sender moves what plays to another device: Google Home, a voice, another app.
@Suite struct MovedStreamTests {
    private static let (source, target) = (ManagerWorld.device(), ManagerWorld.device("bb22", host: "10.0.0.2"))

    /// The application of the other device once the stream has moved.
    struct Landing: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// The run of its application.
        var session: String
        /// The number in its content id, and its position in seconds; the source ended at 100.
        var media: Int?
        var position = 100.0
        var state = "PLAYING"
        /// Seconds from the end at the source.
        var after: Int64 = 0
        var isFound = true
    }

    private static let landings = [
        Landing(testDescription: "the same run, whatever it plays", session: "launched-1"),
        Landing(testDescription: "another run, the same content where it was", session: "new", media: 1),
        Landing(testDescription: "a little behind", session: "new", media: 1, position: 98.5),
        Landing(testDescription: "paused where it was", session: "new", media: 1, state: "PAUSED"),
        Landing(testDescription: "late, where it had come to", session: "new", media: 1, position: 106, after: 6),
        Landing(testDescription: "late, from where it was", session: "new", media: 1, after: 6),
        Landing(testDescription: "another position", session: "new", media: 1, position: 90, isFound: false),
        Landing(testDescription: "further than it can be", session: "new", media: 1, position: 104, isFound: false),
        Landing(testDescription: "other content", session: "new", media: 2, isFound: false),
        Landing(testDescription: "still loading", session: "new", media: 1, state: "BUFFERING", isFound: false),
        Landing(testDescription: "too late", session: "launched-1", after: 11, isFound: false),
    ]

    private static func world(
        _ change: (inout CastOptions) -> Void = { _ in }
    ) async -> (ManagerWorld, Task<Void, Never>, FakeReceiver, FakeReceiver) {
        let (from, to) = (FakeReceiver(), FakeReceiver { $0.id = "bb22" })
        let world = ManagerWorld(change)
        world.connector.route("10.0.0.1", to: .receiver(from))
        world.connector.route("10.0.0.2", to: .receiver(to))
        let task = await world.run()
        let manager = world.manager
        try? await world.virtual.onLoop { manager.assumeIsolated { $0.discovered(.found(Self.target)) } }
        _ = await world.call { manager throws(CastError) in try await manager.start(on: Self.source) }
        from.set { $0.media = FakeReceiver.Media(sessionID: 1, time: 100) }
        from.sendMediaStatus()
        await world.virtual.advance(.milliseconds(20))
        _ = await world.reported.take()
        return (world, task, from, to)
    }

    private static func vanish(_ receiver: FakeReceiver) {
        receiver.set { ($0.application, $0.media) = (nil, nil) }
        receiver.sendReceiverStatus()
    }

    @Test("the session continues on the device with the stream, and ends when there is none", arguments: Self.landings)
    func landing(_ landing: Landing) async throws {
        let (world, task, from, to) = await Self.world()
        Self.vanish(from)
        #expect(await world.reported(within: .seconds(20)) { $0.count >= 1 } == ["aa11 suspended: streamLost"])
        await world.virtual.advance(.seconds(landing.after))
        to.set { state in
            state.application = FakeReceiver.Application(sessionID: landing.session, transportID: "transport-2")
            state.media = landing.media.map { FakeReceiver.Media(sessionID: $0, time: landing.position) }
            state.media?.state = landing.state
        }
        to.sendReceiverStatus()
        if landing.media != nil { to.sendMediaStatus() }
        let found = ["aa11 stream moved to bb22", "bb22 will resume", "bb22 did resume"]
        let expected = landing.isFound ? found : ["aa11 ended: application not running"]
        #expect(await world.reported(within: .seconds(20)) { $0.count >= expected.count } == expected)
        let session = await world.manager.session(with: "bb22")
        let device = await session?.device?.id
        #expect((device == "bb22") == landing.isFound)
        #expect(await world.manager.state(of: "aa11") == nil)
        guard landing.isFound else {
            await world.end(task)
            return
        }
        #expect(to.connectionKind(to: "transport-2") == 0, "its application counts us as a sender")
        let record = try #require(await world.manager.record(of: "bb22"))
        #expect(record.isOwned && record.sessionID == landing.session && record.applicationID == "CC1AD845")
        await world.virtual.advance(.seconds(20))
        #expect(to.openConnections == 1 && from.openConnections == 0)
        await world.end(task)
    }

    @Test("nothing is looked for when nothing can have moved", arguments: ["off", "ours", "finished", "idle for long"])
    func notMoved(why: String) async {
        let (world, task, from, to) = await Self.world { if why == "off" { $0.followsMovedStreams = false } }
        switch why {
        case "ours":
            let session = await world.manager.session(with: "aa11")
            _ = await world.call { _ throws(CastError) in try await session?.stopApplication() }
        case "finished", "idle for long":
            let reason = why == "finished" ? "FINISHED" : "CANCELLED"
            from.sendMediaStatus(#"{"mediaSessionId":1,"playerState":"IDLE","idleReason":"\#(reason)"}"#)
            await world.virtual.advance(why == "finished" ? .milliseconds(100) : .seconds(3))
            Self.vanish(from)
        default: Self.vanish(from)
        }
        #expect(await world.reported(within: .seconds(20)) { $0.count >= 1 } == ["aa11 ended: application not running"])
        #expect(to.journal.isEmpty)
        await world.end(task)
    }

    @Test("the player may end just before its application")
    func playerFirst() async {
        let (world, task, from, to) = await Self.world()
        from.sendMediaStatus(#"{"mediaSessionId":1,"playerState":"IDLE","idleReason":"CANCELLED"}"#)
        await world.virtual.advance(.milliseconds(300))
        to.set { $0.application = FakeReceiver.Application(sessionID: "launched-1", transportID: "transport-2") }
        Self.vanish(from)
        #expect(await world.reported(within: .seconds(20)) { $0.count >= 4 }.last == "bb22 did resume")
        await world.end(task)
    }

    @Test("a device that is found during the search is checked, a member of the group that lost the stream is not")
    func candidates() async {
        let (world, task, from, to) = await Self.world()
        let (manager, member) = (world.manager, ManagerWorld.device("cc33", host: "10.0.0.3"))
        let other = FakeReceiver {
            $0.id = "cc33"
            $0.application = FakeReceiver.Application(sessionID: "launched-1")
        }
        world.connector.route("10.0.0.3", to: .receiver(other))
        from.sendToAll(
            "urn:x-cast:com.google.cast.multizone", from: "receiver-0", to: "*",
            #"{"type":"DEVICE_ADDED","requestId":0,"device":{"deviceId":"bb22","name":"b","capabilities":4,"volume":{"level":1}}}"#)
        to.set { $0.application = FakeReceiver.Application(sessionID: "launched-1", transportID: "transport-2") }
        await world.virtual.advance(.milliseconds(50))
        Self.vanish(from)
        #expect(await world.reported(within: .seconds(20)) { $0.count >= 1 } == ["aa11 suspended: streamLost"])
        try? await world.virtual.onLoop { manager.assumeIsolated { $0.discovered(.found(member)) } }
        #expect(await world.reported(within: .seconds(20)) { $0.count >= 3 }.first == "aa11 stream moved to cc33")
        #expect(to.journal.isEmpty)
        await world.end(task)
    }

    @Test("one search checks no more than 256 devices, and never at those that lost the stream")
    func bound() async {
        let search = StreamSearch(excluded: ["aa11", "d7"])
        var iterator = search.devices.makeAsyncIterator()
        var devices: [Device.ID] = []
        for number in 0..<300 {
            // A device that changes is reported again.
            for _ in 0..<2 { search.consider(ManagerWorld.device("d\(number)")) }
            if number % 100 == 0, let device = await iterator.next() { devices.append(device.id) }
        }
        search.consider(Self.source)
        search.end()
        while let device = await iterator.next() { devices.append(device.id) }
        #expect(devices.count == StreamSearch.limit && Set(devices).count == devices.count)
        #expect(!devices.contains("d7") && !devices.contains("aa11"))
    }

    @Test("a device that goes offline before the session starts ends it within the connect timeout", arguments: [true, false])
    func vanished(isBounded: Bool) async {
        let (world, task, from, to) = await Self.world { if !isBounded { $0.resumePolicy = .always } }
        Self.vanish(from)
        #expect(await world.reported(within: .seconds(20)) { $0.count >= 1 } == ["aa11 suspended: streamLost"])
        #expect(await world.advance(until: { to.openConnections == 1 }) != nil)
        await world.advance(.milliseconds(100))
        // The look has its link; the session's own does not come about.
        world.connector.route("10.0.0.2", to: .blackHole)
        to.set { $0.application = FakeReceiver.Application(sessionID: "launched-1", transportID: "transport-2") }
        to.sendReceiverStatus()
        let reported = await world.reported(within: .seconds(60)) { $0.count >= 3 }
        #expect(reported == ["aa11 stream moved to bb22", "bb22 will resume", "bb22 failed to resume: timeout"])
        #expect(await world.manager.state(of: "bb22") == nil)
        await world.end(task)
    }

    @Test("ending the session ends the search")
    func ended() async {
        let (world, task, from, to) = await Self.world()
        Self.vanish(from)
        _ = await world.reported(within: .seconds(20)) { $0.count >= 1 }
        let end = await world.call { manager throws(CastError) in try await manager.end("aa11", stopsApplication: true) }
        #expect(throws: Never.self) { try end?.get() }
        #expect(await world.reported(within: .seconds(20)) { $0.count >= 2 } == ["aa11 will end", "aa11 ended"])
        await world.virtual.advance(.seconds(1))
        for _ in 0..<200 { await Task.yield() }
        await world.virtual.advance(.seconds(1))
        #expect(to.openConnections == 0)
        await world.end(task)
    }
}
