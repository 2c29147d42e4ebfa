import CastModels
import CastProtocol
import CastTestSupport
import NIOCore
import Testing

@testable import CastSender

@Suite struct RegisteredChannelTests {
    private static let namespace = "urn:x-cast:com.example.game"
    private static let device = ManagerWorld.device()

    private static func application(_ number: Int) -> FakeReceiver.Application {
        FakeReceiver.Application(
            sessionID: "session-\(number)", transportID: "transport-\(number)", namespaces: [Self.namespace, CastNamespace.media])
    }

    private static func world(_ change: (inout CastOptions) -> Void = { _ in }) async -> (FakeReceiver, ManagerWorld, Task<Void, Never>) {
        let receiver = FakeReceiver { $0.application = Self.application(1) }
        let world = ManagerWorld(change)
        world.connector.route("10.0.0.1", to: .receiver(receiver))
        return (receiver, world, await world.run())
    }

    /// The events received since the last call, `<device> <event>` each.
    private static func take(_ events: inout EventSequence<RegisteredChannel.Event>.Iterator) -> [String] {
        var taken: [String] = []
        while let element = events.nextIfAny() {
            switch element {
            case .event(let event): taken.append("\(event.device) \(event.event)")
            case .missed(let count): taken.append("missed \(count)")
            }
        }
        return taken
    }

    @Test("a channel registered before a session connects with each session, and over each of its links, until it is unregistered")
    func everySession() async throws {
        let (receiver, world, task) = await Self.world()
        let channel = try await world.manager.registerChannel(Self.namespace)
        var events = channel.events.makeAsyncIterator()
        #expect(
            await result { () async throws(CastError) in try await channel.send("x", to: "aa11") }.failure?.code == .channelNotConnected)

        _ = await world.call { manager throws(CastError) in try await manager.join(Self.device) }
        await world.virtual.advance(.milliseconds(50))
        #expect(Self.take(&events) == ["aa11 connected"])
        #expect(channel.connectedNow == ["aa11"])
        receiver.sendToAll(Self.namespace, from: "transport-1", to: "*", "hello")
        await world.virtual.advance(.milliseconds(50))
        #expect(Self.take(&events) == [#"aa11 text("hello")"#])
        let sent = await world.call { _ throws(CastError) in
            try await channel.send("hi", to: "aa11")
            try await channel.send([7], to: "aa11")
        }
        #expect(throws: Never.self) { try sent?.get() }
        #expect(
            receiver.set { $0.messages }.filter { $0.namespace == Self.namespace }.map(\.payload) == [.text("hi"), .binary([7])])

        // The link breaks, and the session resumes over a new one.
        receiver.dropConnections()
        await world.advance(until: { channel.connectedNow.isEmpty }, limit: .seconds(30))
        #expect(Self.take(&events) == ["aa11 disconnected"])
        await world.advance(until: { channel.connectedNow == ["aa11"] }, limit: .seconds(60))
        #expect(Self.take(&events) == ["aa11 connected"])
        receiver.sendToAll(Self.namespace, from: "transport-1", to: "*", "again")
        await world.virtual.advance(.milliseconds(50))
        #expect(Self.take(&events) == [#"aa11 text("again")"#], "once, although there were two channels")

        // The next session.
        _ = await world.call { manager throws(CastError) in try await manager.end("aa11") }
        await world.advance(until: { channel.connectedNow.isEmpty }, limit: .seconds(10))
        #expect(Self.take(&events) == ["aa11 disconnected"])
        _ = await world.call { manager throws(CastError) in try await manager.join(Self.device) }
        await world.virtual.advance(.milliseconds(50))
        #expect(Self.take(&events) == ["aa11 connected"])

        await channel.unregister()
        #expect(Self.take(&events) == ["aa11 disconnected"])
        #expect(await events.next() == nil)
        receiver.sendToAll(Self.namespace, from: "transport-1", to: "*", "late")
        await world.virtual.advance(.milliseconds(50))
        #expect(
            await result { () async throws(CastError) in try await channel.send("x", to: "aa11") }.failure?.code == .channelNotConnected)
        _ = await world.call { manager throws(CastError) in try await manager.end("aa11") }
        _ = await world.call { manager throws(CastError) in try await manager.join(Self.device) }
        #expect(channel.connectedNow.isEmpty)
        await world.end(task)
    }

    @Test("it follows the application, which may come to speak the namespace later, and joins sessions that have started")
    func application() async throws {
        let (receiver, world, task) = await Self.world()
        receiver.set { $0.application?.namespaces = [CastNamespace.media] }
        _ = await world.call { manager throws(CastError) in try await manager.join(Self.device) }
        let (channel, device) = (
            try await world.manager.registerChannel(Self.namespace), try await world.manager.registerChannel(Self.namespace, to: .device)
        )
        await world.virtual.advance(.milliseconds(50))
        #expect(channel.connectedNow.isEmpty && device.connectedNow == ["aa11"])
        receiver.set { $0.application?.namespaces = [Self.namespace, CastNamespace.media] }
        receiver.sendReceiverStatus()
        await world.virtual.advance(.milliseconds(50))
        #expect(channel.connectedNow == ["aa11"])
        receiver.set { $0.application?.namespaces = [CastNamespace.media] }
        receiver.sendReceiverStatus()
        await world.virtual.advance(.milliseconds(50))
        #expect(channel.connectedNow.isEmpty && device.connectedNow == ["aa11"])
        var events = device.events.makeAsyncIterator()
        await world.end(task)
        #expect(Self.take(&events) == ["aa11 disconnected"], "the context's end is the channel's")
        #expect(await events.next() == nil)
        await #expect(throws: CastError.self) { try await world.manager.registerChannel(Self.namespace) }
    }

    @Test("32 channels may be registered, of valid namespaces")
    func limit() async throws {
        let (_, world, task) = await Self.world()
        await #expect(throws: CastError.self) { try await world.manager.registerChannel("game") }
        await #expect(throws: CastError.self) { try await world.manager.registerChannel(CastNamespace.connection) }
        var channels: [RegisteredChannel] = []
        for _ in 0..<RegisteredChannelTable.limit { channels.append(try await world.manager.registerChannel(Self.namespace)) }
        await #expect(throws: CastError.self) { try await world.manager.registerChannel(Self.namespace) }
        await channels[0].unregister()
        _ = try await world.manager.registerChannel(Self.namespace)
        await world.end(task)
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
