import CastModels
import CastProtocol
import CastTestSupport
import NIOCore
import Testing

@testable import CastSender

/// What an app holds of a session: the session itself, its client, its controllers, its sequences and channels.
@Suite("What an app holds of a session")
struct HandleTests {
    private static let namespace = "urn:x-cast:com.example.game"
    private static let (device, other) = (ManagerWorld.device(), ManagerWorld.device("bb22", host: "10.0.0.2"))

    private static func world(
        _ change: (inout CastOptions) -> Void = { _ in }
    ) async throws -> (world: ManagerWorld, task: Task<Void, Never>, receivers: [FakeReceiver], session: CastSession) {
        let receivers = [FakeReceiver(), FakeReceiver { $0.id = "bb22" }]
        let world = ManagerWorld(change)
        world.connector.route("10.0.0.1", to: .receiver(receivers[0]))
        world.connector.route("10.0.0.2", to: .receiver(receivers[1]))
        let task = await world.run()
        let manager = world.manager
        try? await world.virtual.onLoop { manager.assumeIsolated { $0.discovered(.found(Self.other)) } }
        let session = try #require(await world.call { manager throws(CastError) in try await manager.start(on: Self.device) }).get()
        receivers[0].set {
            $0.application?.namespaces = [CastNamespace.media, Self.namespace]
            $0.media = FakeReceiver.Media(sessionID: 1, time: 100)
        }
        receivers[0].sendReceiverStatus()
        receivers[0].sendMediaStatus()
        await world.virtual.advance(.milliseconds(20))
        return (world, task, receivers, session)
    }

    private static func pause(_ session: CastSession, in world: ManagerWorld) async -> CastError.Code? {
        let outcome = await world.call { _ throws(CastError) in try await session.remoteMediaClient.pause() }
        return Self.code(outcome)
    }

    private static func code(_ outcome: Result<Void, CastError>?) -> CastError.Code? {
        if case .failure(let error)? = outcome { error.code } else { nil }
    }

    @Test(
        "lasts over a broken link: the last state stays, requests fail at once, and all of it goes on", arguments: ["breaks", "suspended"])
    func overLinks(how: String) async throws {
        let (world, task, receivers, session) = try await Self.world()
        let (client, receiver) = (session.remoteMediaClient, receivers[0])
        let channel = try await session.openChannel(Self.namespace)
        await world.virtual.advance(.milliseconds(20))
        var statuses = await client.mediaStatuses.makeAsyncIterator()
        var events = channel.events.makeAsyncIterator()
        var states = await session.connectionStates.makeAsyncIterator()
        #expect(await statuses.next()??.mediaSessionID == 1)
        #expect(await states.next() == .connected)

        if how == "breaks" {
            receiver.dropConnections()
        } else {
            _ = await world.call { manager throws(CastError) in try await manager.suspend("aa11") }
        }
        await world.virtual.advance(.milliseconds(10))
        #expect(await states.next() == .suspended)
        #expect(await events.next() == .event(.disconnected))
        #expect(await world.manager.session(with: "aa11") === session)
        #expect(await world.manager.currentSession === session)
        #expect(await world.manager.hasConnectedSession == false)
        #expect(await session.mediaStatus?.mediaSessionID == 1)
        #expect(await session.receiverStatus?.application != nil)
        let before = receiver.set { $0.messages.count }
        #expect(await Self.pause(session, in: world) == .sessionSuspended)
        let sent = await world.call { _ throws(CastError) in try await channel.send("x") }
        #expect(Self.code(sent) == .sessionSuspended)
        #expect(receiver.set { $0.messages.count } == before, "nothing was sent")

        receiver.set { $0.media?.time = 200 }
        if how == "breaks" {
            await world.virtual.advance(.seconds(3))
        } else {
            _ = await world.call { manager throws(CastError) in try await manager.resume("aa11") }
            await world.virtual.advance(.milliseconds(100))
        }
        #expect(await states.next() == .connected)
        #expect(await events.next() == .event(.connected))
        #expect(await world.manager.hasConnectedSession)
        #expect(await statuses.next()??.currentTime == 200)
        #expect(await Self.pause(session, in: world) == nil)
        #expect(receiver.set { $0.media?.state } == "PAUSED")
        receiver.sendToAll(Self.namespace, from: "transport-l1", to: "*", "hello")
        await world.virtual.advance(.milliseconds(20))
        #expect(await events.next() == .event(.text("hello")))

        _ = await world.call { manager throws(CastError) in try await manager.end("aa11") }
        await world.virtual.advance(.milliseconds(20))
        #expect(await states.next() == .ended)
        #expect(await states.next() == nil)
        #expect(await events.next() == .event(.disconnected))
        #expect(await events.next() == nil)
        while await statuses.next() != nil {}
        #expect(await Self.pause(session, in: world) == .deviceNotConnected)
        #expect(await world.manager.currentSession == nil)
        await world.end(task)
    }

    @Test("shows nothing of another device that took the address, and keeps its part in the application")
    func otherDevice() async throws {
        let (world, task, receivers, session) = try await Self.world()
        var statuses = await session.remoteMediaClient.mediaStatuses.makeAsyncIterator()
        #expect(await statuses.next()??.mediaSessionID == 1)
        var events = await session.events.makeAsyncIterator()
        // It reports everything before it says who it is.
        receivers[1].set {
            $0.application = FakeReceiver.Application(sessionID: "x", transportID: "transport-2")
            $0.application?.namespaces = [CastNamespace.media, Self.namespace]
            $0.media = FakeReceiver.Media(sessionID: 9, time: 5)
        }
        let channel = try await session.openChannel(Self.namespace)
        let before = await session.receiverStatus
        world.connector.route("10.0.0.1", to: .receiver(receivers[1]))
        receivers[0].dropConnections()
        await world.virtual.advance(.seconds(3))
        #expect(receivers[1].connectionKind(to: "transport-2") != 0, "it doesn't count us as a sender")
        #expect(await session.mediaStatus?.mediaSessionID == 1)
        #expect(await session.receiverStatus == before)
        #expect(await session.mediaController.state.status?.mediaSessionID == 1)
        world.connector.route("10.0.0.1", to: .receiver(receivers[0]))
        await world.virtual.advance(.seconds(60))
        #expect(await session.connectionState == .connected)
        #expect(await session.applicationSession.isLaunched)
        #expect(receivers[0].connectionKind(to: "transport-l1") == 0)
        var disconnections = 0
        while let event = events.nextIfAny() { if case .event(.disconnected) = event { disconnections += 1 } }
        #expect(disconnections == 1)
        await channel.close()
        await world.end(task)
    }

    @Test("is given up by a supervisor that ended")
    func released() async throws {
        weak var held: CastSession?
        let (world, task) = await SupervisorWorld.connected(to: FakeReceiver())
        do {
            let session = try await world.session()
            held = session
        }
        _ = await world.end(task)
        await world.virtual.advance(.seconds(1))
        #expect(held == nil)
    }

    @Test("follows a stream that moves to another device")
    func movedStream() async throws {
        let (world, task, receivers, session) = try await Self.world()
        var devices = await session.devices.makeAsyncIterator()
        #expect(await devices.next()??.id == "aa11")
        let registered = try await world.manager.registerChannel(Self.namespace)
        await world.virtual.advance(.milliseconds(20))
        #expect(registered.connectedNow == ["aa11"])
        receivers[0].set { ($0.application, $0.media) = (nil, nil) }
        receivers[0].sendReceiverStatus()
        await world.virtual.advance(.seconds(1))
        #expect(await Self.pause(session, in: world) == .sessionSuspended)
        receivers[1].set {
            $0.application = FakeReceiver.Application(sessionID: "l1", transportID: "transport-2")
            $0.application?.namespaces = [CastNamespace.media, Self.namespace]
            $0.media = FakeReceiver.Media(sessionID: 1, time: 101)
        }
        receivers[1].sendReceiverStatus()
        receivers[1].sendMediaStatus()
        await world.advance(until: { registered.connectedNow == ["bb22"] }, limit: .seconds(20))
        #expect(registered.connectedNow == ["bb22"])
        #expect(await devices.next()??.id == "bb22")
        #expect(await world.manager.session(with: "bb22") === session)
        #expect(await Self.pause(session, in: world) == nil)
        #expect(receivers[1].set { $0.media?.state } == "PAUSED")
        await world.end(task)
    }

    @Test("is of one device at a time, where the app wants it so", arguments: [false, true])
    func oneAtATime(isOnlyOne: Bool) async throws {
        let (world, task, receivers, session) = try await Self.world { $0.allowsSeveralSessions = !isOnlyOne }
        let second = try #require(await world.call { manager throws(CastError) in try await manager.start(on: Self.other) }).get()
        await world.virtual.advance(.seconds(1))
        #expect(await world.manager.currentSession === second)
        #expect(await world.manager.session(with: "aa11") === (isOnlyOne ? nil : session))
        #expect(await session.connectionState == (isOnlyOne ? .ended : .connected))
        #expect(receivers[0].openConnections == (isOnlyOne ? 0 : 1))
        #expect(receivers[0].set { $0.application } != nil, "its application keeps running")
        await world.end(task)
    }
}
