import CastModels
import CastProtocol
import CastTestSupport
import NIOCore
import Testing

@testable import CastSender

@Suite("An application that another sender has just launched")
struct ForeignLaunchTests {
    private static let custom = "urn:x-cast:example"

    private static func application(_ session: String = "f", namespaces: [String] = [CastNamespace.media, custom])
        -> FakeReceiver.Application
    {
        FakeReceiver.Application(id: "25456794", sessionID: session, transportID: "t-\(session)", namespaces: namespaces)
    }

    /// Another sender launches an application.
    private static func launch(_ receiver: FakeReceiver, _ world: SupervisorWorld, _ application: FakeReceiver.Application = application())
        async
    {
        receiver.set {
            $0.application = application
            $0.media = FakeReceiver.Media()
        }
        receiver.sendReceiverStatus()
        await world.virtual.advance(.milliseconds(10))
    }

    /// When and what was sent to an application.
    private static func sent(_ receiver: FakeReceiver, to transport: String = "t-f") -> [FakeReceiver.Entry] {
        receiver.journal.filter { $0.destination == transport }
    }

    @Test("gets nothing in its first second, then is watched")
    func leftAlone() async throws {
        let receiver = FakeReceiver()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let start = world.virtual.now
        await Self.launch(receiver, world)
        // Further statuses of the same session don't restart the second.
        await world.virtual.advance(.milliseconds(700))
        receiver.sendReceiverStatus()
        await world.virtual.advance(.milliseconds(280))
        #expect(Self.sent(receiver).isEmpty)
        await world.virtual.advance(.milliseconds(50))
        #expect(Self.sent(receiver).map(\.type) == ["CONNECT", "GET_STATUS"])
        #expect(Self.sent(receiver).allSatisfy { $0.at - start >= .seconds(1) })
        #expect(receiver.connectionKind(to: "t-f") == 2)
        #expect(world.log.lastMedia?.mediaSessionID == 1)
        _ = await world.end(task)
    }

    enum Request: CaseIterable { case pause, raw, channel, join, status, transfer }

    @Test("gets a command of that second after it", arguments: Request.allCases)
    func command(request: Request) async throws {
        let receiver = FakeReceiver()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let start = world.virtual.now
        await Self.launch(receiver, world)
        await world.virtual.advance(.milliseconds(300))
        let session = try await world.session()
        let outcome = await world.virtual.call {
            await result { () async throws(CastError) in
                switch request {
                case .pause: try await session.remoteMediaClient.pause()
                case .raw: _ = try await session.sendMediaMessage(["type": "PAUSE"])
                case .channel: try await session.openChannel(Self.custom).send("{}")
                case .join: try await session.join()
                case .status: try await session.remoteMediaClient.requestStatus()
                case .transfer: _ = try await session.transferredMedia()
                }
            }
        }
        #expect(throws: Never.self) { try outcome?.value.get() }
        #expect(Self.sent(receiver).allSatisfy { $0.at - start >= .seconds(1) })
        #expect(try #require(outcome).duration < .seconds(2))
        let sent = Self.sent(receiver)
        switch request {
        case .pause, .raw: #expect(sent.contains { $0.type == "PAUSE" })
        case .channel: #expect(sent.contains { $0.namespace == Self.custom })
        case .join: #expect(receiver.connectionKind(to: "t-f") == 0)
        case .status, .transfer: #expect(sent.contains { $0.type == "GET_STATUS" })
        }
        _ = await world.end(task)
    }

    @Test("ends a command that waits when it ends within that second")
    func ends() async throws {
        let receiver = FakeReceiver()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        await Self.launch(receiver, world)
        let session = try await world.session()
        world.virtual.loop.scheduleTask(in: .milliseconds(300)) {
            receiver.set { $0.application = nil }
            receiver.sendReceiverStatus()
        }
        let outcome = await world.virtual.call {
            await result { () async throws(CastError) in try await session.remoteMediaClient.pause() }
        }
        #expect(LaunchTests.code(try #require(outcome).value) == .applicationNotRunning)
        #expect(try #require(outcome).duration < .milliseconds(500))
        await world.virtual.advance(.seconds(3))
        #expect(Self.sent(receiver).isEmpty)
        _ = await world.end(task)
    }

    @Test("counts from its first status, also when its namespaces come later, and anew in each run")
    func pieces() async throws {
        let receiver = FakeReceiver()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        await Self.launch(receiver, world, Self.application(namespaces: []))
        await world.virtual.advance(.seconds(2))
        #expect(Self.sent(receiver).isEmpty)
        await Self.launch(receiver, world)
        #expect(Self.sent(receiver).map(\.type) == ["CONNECT", "GET_STATUS"])
        await Self.launch(receiver, world, Self.application("g"))
        #expect(Self.sent(receiver, to: "t-g").isEmpty)
        await world.virtual.advance(.seconds(1))
        #expect(Self.sent(receiver, to: "t-g").map(\.type) == ["CONNECT", "GET_STATUS"])
        _ = await world.end(task)
    }

    @Test("is left alone over a new link, too; one that ran before the link is asked at once")
    func reconnection() async throws {
        let receiver = FakeReceiver { $0.application = Self.application("old") }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let read = try #require(world.log.readyTimes.first)
        #expect(Self.sent(receiver, to: "t-old").allSatisfy { $0.at <= read })
        let start = world.virtual.now
        await Self.launch(receiver, world)
        receiver.dropConnections()
        await world.virtual.advance(.milliseconds(10))
        let supervisor = world.supervisor
        try await world.virtual.onLoop { supervisor.assumeIsolated { $0.wake() } }
        await world.virtual.advance(.seconds(2))
        #expect(world.log.readyTimes.count == 2)
        #expect(Self.sent(receiver).allSatisfy { $0.at - start >= .seconds(1) })
        #expect(Self.sent(receiver).map(\.type) == ["CONNECT", "GET_STATUS"])
        _ = await world.end(task)
    }

    @Test("by us is connected to at once")
    func ours() async throws {
        let receiver = FakeReceiver()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let session = try await world.session()
        let outcome = await world.virtual.call { await result { () async throws(CastError) in try await session.launch("25456794") } }
        #expect(throws: Never.self) { try outcome?.value.get() }
        await world.virtual.advance(.milliseconds(10))
        #expect(receiver.connectionKind(to: "transport-l1") == 0)
        _ = await world.end(task)
    }
}
