import CastModels
import CastTestSupport
import NIOCore
import Testing

@testable import CastSender

@Suite struct PlatformRequestTests {
    private static func call(
        _ world: SupervisorWorld, _ body: nonisolated(nonsending) @escaping @Sendable (CastSession) async throws(CastError) -> Void
    ) async throws -> VirtualLoop.Outcome<Result<Void, CastError>> {
        let session = try await world.session()
        let outcome = await world.virtual.call { await result { () async throws(CastError) in try await body(session) } }
        return try #require(outcome)
    }

    @Test("stop succeeds when the application has ended, however that is reported", arguments: [FakeReceiver.Answer.reply, .broadcast])
    func stop(answer: FakeReceiver.Answer) async throws {
        let receiver = FakeReceiver {
            $0.application = FakeReceiver.Application()
            $0.stopAnswer = answer
        }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let outcome = try await Self.call(world) { session async throws(CastError) in try await session.stopApplication() }
        #expect(throws: Never.self) { try outcome.value.get() }
        #expect(outcome.duration <= .seconds(1))
        #expect(receiver.journal.last { $0.type == "STOP" }?.body["sessionId"] == "session-1")
        #expect(world.log.connections.last == ApplicationSession.Connection.none)
        _ = await world.end(task)
    }

    @Test("there is nothing to stop on an idle device", arguments: [true, false])
    func nothingToStop(hasIdleScreen: Bool) async throws {
        let receiver = FakeReceiver {
            if hasIdleScreen { $0.application = FakeReceiver.Application(id: "E8C28D3C", namespaces: [], isIdleScreen: true) }
        }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let outcome = try await Self.call(world) { session async throws(CastError) in try await session.stopApplication() }
        #expect(LaunchTests.code(outcome.value) == .applicationNotRunning)
        #expect(!receiver.types("cast.receiver").contains("STOP"))
        _ = await world.end(task)
    }

    @Test("volume and mute succeed by answer or by observed state", arguments: [FakeReceiver.Answer.reply, .broadcast, .nothing])
    func volume(answer: FakeReceiver.Answer) async throws {
        let receiver = FakeReceiver { $0.volumeAnswer = answer }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let level = try await Self.call(world) { session async throws(CastError) in try await session.setDeviceVolume(level: 0.35) }
        let mute = try await Self.call(world) { session async throws(CastError) in try await session.setDeviceMuted(true) }
        if answer == .nothing {
            #expect(LaunchTests.code(level.value) == .timeout)
            #expect(LaunchTests.code(mute.value) == .timeout)
        } else {
            #expect(throws: Never.self) { try level.value.get() }
            #expect(throws: Never.self) { try mute.value.get() }
            #expect(level.duration <= .seconds(1))
        }
        let volumes = receiver.journal.filter { $0.type == "SET_VOLUME" }.map { JSONWriter.string(of: $0.body["volume"] ?? .null) }
        #expect(volumes == [#"{"level":0.35}"#, #"{"muted":true}"#], "one key at a time")
        _ = await world.end(task)
    }

    @Test("a volume out of range is never sent", arguments: [-0.01, 1.01, .nan, .infinity])
    func badVolume(level: Double) async throws {
        let receiver = FakeReceiver()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let outcome = try await Self.call(world) { session async throws(CastError) in try await session.setDeviceVolume(level: level) }
        #expect(LaunchTests.code(outcome.value) == .invalidRequest)
        #expect(!receiver.types("cast.receiver").contains("SET_VOLUME"))
        _ = await world.end(task)
    }

    @Test("another sender's request with the id of ours doesn't complete ours")
    func foreignIDs() async throws {
        let receiver = FakeReceiver { $0.volumeAnswer = .nothing }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let session = try await world.session()
        world.virtual.loop.scheduleTask(in: .milliseconds(100)) {
            let id = receiver.journal.last { $0.type == "SET_VOLUME" }?.body["requestId"]?.intValue ?? 0
            receiver.sendToAll(
                "urn:x-cast:com.google.cast.media", from: "transport-9", to: "*", #"{"type":"MEDIA_STATUS","requestId":\#(id),"status":[]}"#
            )
        }
        let outcome = await world.virtual.call {
            await result { () async throws(CastError) in try await session.setDeviceVolume(level: 0.9) }
        }
        #expect(LaunchTests.code(try #require(outcome).value) == .timeout)
        _ = await world.end(task)
    }

    @Test("cancelling the caller ends its request at once")
    func cancel() async throws {
        let receiver = FakeReceiver { $0.volumeAnswer = .nothing }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let session = try await world.session()
        let code = Locked<CastError.Code?>(nil)
        let request = await world.virtual.start {
            let outcome = await result { () async throws(CastError) in try await session.setDeviceVolume(level: 0.9) }
            code.value = LaunchTests.code(outcome)
        }
        #expect(code.value == nil)
        request.cancel()
        await request.value
        #expect(code.value == .cancelled)
        _ = await world.end(task)
    }

    @Test("a platform that closes its virtual connection is connected to again, but not for ever")
    func platformCloses() async throws {
        let receiver = FakeReceiver()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        for round in 1...3 {
            receiver.sendToAll("urn:x-cast:com.google.cast.tp.connection", from: "receiver-0", to: "sender-0", #"{"type":"CLOSE"}"#)
            await world.virtual.advance(.milliseconds(20))
            #expect(world.log.lossTimes.count == (round < 3 ? 0 : 1))
        }
        _ = await world.end(task)
    }
}
