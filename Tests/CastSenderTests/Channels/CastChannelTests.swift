import CastModels
import CastProtocol
import CastTestSupport
import NIOCore
import Testing

@testable import CastSender

@Suite struct CastChannelTests {
    private static let namespace = "urn:x-cast:com.example.game"

    private static let namespaces: [(String, CastError.Code?)] = [
        ("urn:x-cast:a", nil), ("urn:x-cast:com.example.game", nil), ("urn:x-cast:com.google.cast.setup", nil),
        ("urn:x-cast:" + String(repeating: "n", count: 117), nil),
        ("urn:x-cast:" + String(repeating: "n", count: 118), .invalidRequest), ("", .invalidRequest), ("urn:x-cast:", .invalidRequest),
        ("x-cast:game", .invalidRequest), ("URN:X-CAST:game", .invalidRequest), (" urn:x-cast:game", .invalidRequest),
        (CastNamespace.connection, .notAllowed), (CastNamespace.heartbeat, .notAllowed), (CastNamespace.deviceAuthentication, .notAllowed),
    ]

    @Test("a namespace is checked as the SDK checks it", arguments: namespaces)
    func validation(namespace: String, code: Optional<CastError.Code>) {
        do throws(CastError) {
            try ChannelNamespace.validate(namespace)
            #expect(code == nil)
        } catch {
            #expect(error.code == code)
            #expect(error.argument == "namespace")
        }
    }

    private static func world(_ namespaces: [String] = [namespace]) async throws -> (
        FakeReceiver, SupervisorWorld, Task<Void, Never>, CastSession
    ) {
        let receiver = FakeReceiver { $0.application = FakeReceiver.Application(namespaces: namespaces) }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        return (receiver, world, task, try await world.session())
    }

    private static func open(_ session: CastSession, _ target: CastChannel.Target = .application) async throws -> CastChannel {
        try await session.openChannel(Self.namespace, to: target)
    }

    @Test("text and bytes go both ways, to every channel of the namespace and to no other")
    func messages() async throws {
        let (receiver, world, task, session) = try await Self.world()
        let (first, second) = (try await Self.open(session), try await Self.open(session))
        let other = try await session.openChannel("urn:x-cast:com.example.other")
        let device = try await Self.open(session, .device)
        var events = [first, second, other, device].map { $0.events.makeAsyncIterator() }
        await world.virtual.advance(.milliseconds(10))
        #expect(receiver.connectionKind(to: "transport-1") == 0, "the application knows of us")

        let sent = await world.virtual.call { () async -> Result<Void, CastError> in
            await result { () async throws(CastError) in
                try await first.send(#"{"move":"e4"}"#)
                try await first.send([1, 2, 3])
                try await device.send("to the device")
            }
        }
        #expect(throws: Never.self) { try sent?.value.get() }
        let custom = receiver.set { $0.messages }.filter { $0.namespace == Self.namespace }
        #expect(custom.map(\.destinationID) == ["transport-1", "transport-1", "receiver-0"])
        #expect(custom.map(\.payload) == [.text(#"{"move":"e4"}"#), .binary([1, 2, 3]), .text("to the device")])

        receiver.sendToAll(Self.namespace, from: "transport-1", to: "sender-0", "hello")
        receiver.sendBinary(Self.namespace, from: "transport-1", to: "*", [9])
        receiver.sendToAll(Self.namespace, from: "transport-old", to: "*", "from a former application")
        receiver.sendToAll(Self.namespace, from: "transport-1", to: "sender-7", "for another sender")
        receiver.sendToAll(Self.namespace, from: "receiver-0", to: "*", "from the device")
        await world.virtual.advance(.milliseconds(10))
        _ = await world.end(task)
        for index in 0..<2 {
            #expect(await events[index].next() == .event(.text("hello")))
            #expect(await events[index].next() == .event(.binary([9])))
            #expect(await events[index].next() == .event(.disconnected))
            #expect(await events[index].next() == nil)
        }
        #expect(await events[2].next() == nil)
        #expect(await events[3].next() == .event(.text("from the device")))
        #expect(await events[3].next() == .event(.disconnected))
        #expect(await events[3].next() == nil)
    }

    @Test("the connection follows the application, and sending without one fails with channelNotConnected")
    func connection() async throws {
        let (receiver, world, task, session) = try await Self.world([])
        let channel = try await Self.open(session)
        var events = channel.events.makeAsyncIterator()
        var state = channel.isConnected.makeAsyncIterator()
        #expect(await state.next() == false)
        let refused = await world.virtual.call { await result { () async throws(CastError) in try await channel.send("x") } }
        #expect(LaunchTests.code(try #require(refused).value) == .channelNotConnected)

        receiver.set { $0.application?.namespaces = [Self.namespace] }
        receiver.sendReceiverStatus()
        await world.virtual.advance(.milliseconds(10))
        #expect(await state.next() == true)
        #expect(await events.next() == .event(.connected))
        receiver.set { $0.application = nil }
        receiver.sendReceiverStatus()
        await world.virtual.advance(.milliseconds(10))
        #expect(await state.next() == false)
        #expect(await events.next() == .event(.disconnected))
        _ = await world.end(task)
        #expect(await events.next() == nil)
    }

    @Test("a message that cannot be framed fails alone, and after the end nothing is sent")
    func failures() async throws {
        let (receiver, world, task, session) = try await Self.world()
        let channel = try await Self.open(session)
        await world.virtual.advance(.milliseconds(10))
        let long = String(repeating: "x", count: 65_536)
        let tooLong = await world.virtual.call { await result { () async throws(CastError) in try await channel.send(long) } }
        #expect(LaunchTests.code(try #require(tooLong).value) == .messageTooBig)
        let short = await world.virtual.call { await result { () async throws(CastError) in try await channel.send("x") } }
        #expect(throws: Never.self) { try short?.value.get() }
        await channel.close()
        let closed = await world.virtual.call { await result { () async throws(CastError) in try await channel.send("x") } }
        #expect(LaunchTests.code(try #require(closed).value) == .channelNotConnected)
        receiver.dropConnections()
        await world.virtual.advance(.milliseconds(10))
        let dead = await world.virtual.call { await result { () async throws(CastError) in try await channel.send("x") } }
        #expect(LaunchTests.code(try #require(dead).value) == .sessionSuspended)
        await #expect(throws: CastError.self) { try await session.openChannel(Self.namespace) }
        _ = await world.end(task)
    }

    @Test("a session has 64 channels at most")
    func limit() async throws {
        let (_, world, task, session) = try await Self.world()
        var channels: [CastChannel] = []
        for _ in 0..<ChannelTable.limit { channels.append(try await Self.open(session)) }
        await #expect(throws: CastError.self) { try await session.openChannel(Self.namespace) }
        await channels[0].close()
        _ = try await session.openChannel(Self.namespace)
        _ = await world.end(task)
    }

    @Test("the last channel's end leaves the application to itself again")
    func leaves() async throws {
        let (receiver, world, task, session) = try await Self.world([Self.namespace, CastNamespace.media])
        let channel = try await Self.open(session)
        await world.virtual.advance(.seconds(30))
        #expect(receiver.connectionKind(to: "transport-1") == 0)
        await channel.close()
        await world.virtual.advance(.seconds(6))
        #expect(receiver.connectionKind(to: "transport-1") == 2)
        _ = await world.end(task)
    }

    private static let pages: [(WebPage, String?)] = [
        (WebPage(url: "http://h/a"), #"{"url":"http://h/a","force":false,"reload":false,"reload_time":0}"#),
        (WebPage(url: "http://h/a", reloadInterval: 2.5), #"{"url":"http://h/a","force":false,"reload":true,"reload_time":2500}"#),
        (WebPage(url: "http://h/a", isForced: true), #"{"url":"http://h/a","force":true,"reload":false,"reload_time":0}"#),
        (WebPage(url: "http://h/a", isForced: true, reloadInterval: 5), nil), (WebPage(url: "http://h/a", reloadInterval: 0.5), nil),
    ]

    @Test("a web page is sent to DashCast in its format; unsupported options are refused", arguments: pages)
    func show(page: WebPage, message: String?) async throws {
        let receiver = FakeReceiver {
            $0.application = FakeReceiver.Application(id: WebPage.applicationID, namespaces: [WebPage.namespace])
        }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let session = try await world.session()
        let outcome = await world.virtual.call { await result { () async throws(CastError) in _ = try await session.show(page) } }
        _ = await world.end(task)
        let sent = receiver.set { $0.messages }.filter { $0.namespace == WebPage.namespace }.map(\.payload)
        #expect(sent == (message.map { [.text($0)] } ?? []))
        do throws(CastError) {
            try outcome?.value.get()
            #expect(message != nil)
        } catch {
            #expect(message == nil && error.code == .invalidRequest && error.argument == "reloadInterval")
        }
    }
}
