import CastModels
import CastProtocol
import CastTestSupport
import NIOCore
import Testing

@testable import CastSender

/// Links that look alive and aren't.
@Suite struct HalfOpenLinkTests {
    private static let limit = TimeAmount.seconds(15)

    @Test("a silent idle device is pinged after 6 s and given up after 10")
    func idle() async throws {
        let receiver = FakeReceiver()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let silentSince = world.virtual.now
        receiver.set { $0.isFrozen = true }
        world.connector.route("10.0.0.1", to: .blackHole)
        await world.virtual.advance(.seconds(20))
        let lost = try #require(world.log.lossTimes.first)
        #expect(lost - silentSince >= .seconds(9) && lost - silentSince <= .seconds(11))
        let ping = try #require(receiver.journal.last { $0.type == "PING" })
        #expect(ping.at - silentSince >= .seconds(5) && ping.at - silentSince <= .milliseconds(6500))
        _ = await world.end(task)
    }

    @Test("silence in the middle of a frame is silence", arguments: [1, 3, 4, 50])
    func midFrame(bytes: Int) async throws {
        let receiver = FakeReceiver()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let frame = try CastFrameEncoder.frame(
            CastMessage(sourceID: "receiver-0", destinationID: "*", namespace: CastNamespace.receiver, payload: .text("{}")))
        let silentSince = world.virtual.now
        receiver.set { $0.isFrozen = true }
        receiver.sendBytes(Array(frame.readableBytesView.prefix(bytes)))
        await world.virtual.advance(Self.limit)
        #expect(world.log.lossTimes.count == 1)
        #expect(try #require(world.log.lossTimes.first) - silentSince <= .seconds(11))
        _ = await world.end(task)
    }

    @Test("single bytes that trickle into one frame are no sign of life")
    func trickle() async throws {
        let receiver = FakeReceiver()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        receiver.set { $0.isFrozen = true }
        receiver.sendBytes([0, 0, 0x40, 0])
        for _ in 0..<15 {
            receiver.sendBytes([8])
            await world.virtual.advance(.seconds(1))
        }
        #expect(world.log.lossTimes.count == 1)
        _ = await world.end(task)
    }

    @Test("a device that freezes while it is read is tried again in time")
    func whileReading() async throws {
        let world = SupervisorWorld()
        let receiver = FakeReceiver { $0.isFrozen = true }
        world.connector.route("10.0.0.1", to: .receiver(receiver))
        let task = await world.run()
        await world.virtual.advance(Self.limit)
        #expect(world.log.readyTimes.isEmpty)
        #expect(world.connector.attempts.count >= 2)
        receiver.set { $0.isFrozen = false }
        await world.virtual.advance(Self.limit)
        #expect(world.log.readyTimes.count == 1)
        _ = await world.end(task)
    }

    @Test("a handshake that never ends is given up in time")
    func whileConnecting() async throws {
        let world = SupervisorWorld()
        world.connector.route("10.0.0.1", to: .blackHole)
        let task = await world.run()
        await world.virtual.advance(Self.limit)
        let failures = world.log.times { if case .attemptFailed = $0 { true } else { false } }
        #expect(try #require(failures.first) <= .seconds(8.001))
        _ = await world.end(task)
    }

    @Test("a quiet device that answers pings stays connected, with one ping every 6 s")
    func quiet() async throws {
        let receiver = FakeReceiver()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        await world.virtual.advance(.minutes(10))
        #expect(world.log.lossTimes.isEmpty)
        let pings = receiver.types("heartbeat").filter { $0 == "PING" }.count
        #expect((90...101).contains(pings))
        _ = await world.end(task)
    }

    @Test("a device that pings every 5 s is answered at once and never pinged")
    func pinging() async throws {
        let receiver = FakeReceiver()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        for _ in 0..<30 {
            receiver.sendToAll(CastNamespace.heartbeat, from: "receiver-0", to: "sender-0", #"{"type":"PING"}"#)
            await world.virtual.loop.run()
            #expect(receiver.types("heartbeat").last == "PONG")
            await world.virtual.advance(.seconds(5))
        }
        #expect(receiver.types("heartbeat").filter { $0 == "PONG" }.count == 30)
        #expect(!receiver.types("heartbeat").contains("PING"))
        _ = await world.end(task)
    }

    @Test("waking a connected device finds a dead link in half the time")
    func probe() async throws {
        let receiver = FakeReceiver()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        await world.virtual.advance(.milliseconds(2500))
        receiver.set { $0.isFrozen = true }
        let woken = world.virtual.now
        world.supervisor.wake()
        await world.virtual.advance(.seconds(7))
        #expect(try #require(world.log.lossTimes.first) - woken <= .milliseconds(5300))
        _ = await world.end(task)
    }

    @Test(
        "garbage ends its own link and no other",
        arguments: [[UInt8](repeating: 0xFF, count: 64), [0, 0, 0, 0], [0, 0, 0, 3, 0xFF, 0xFF, 0xFF], Array("HTTP/1.1 400 Bad".utf8)])
    func garbage(bytes: [UInt8]) async throws {
        let virtual = VirtualLoop()
        let connector = MemoryConnector(virtual)
        let good = FakeReceiver { $0.id = "bb22" }
        let bad = FakeReceiver()
        connector.route("10.0.0.1", to: .receiver(bad))
        connector.route("10.0.0.2", to: .receiver(good))
        let badWorld = SupervisorWorld(virtual: virtual, connector: connector)
        let goodWorld = SupervisorWorld(
            virtual: virtual, connector: connector, device: "bb22", endpoints: [DeviceEndpoint(host: "10.0.0.2")])
        let tasks = (await badWorld.run(), await goodWorld.run())
        await virtual.advance(.seconds(1))
        bad.sendBytes(bytes)
        await virtual.advance(.milliseconds(10))
        guard case .disconnected(let error)? = badWorld.log.events.last(where: { if case .disconnected = $0 { true } else { false } })
        else {
            Issue.record("the link should have ended")
            return
        }
        #expect(error.code == .protocolError)
        await virtual.advance(.seconds(3))
        #expect(badWorld.log.readyTimes.count == 2, "and is made again")
        #expect(goodWorld.log.readyTimes.count == 1)
        #expect(goodWorld.log.lossTimes.isEmpty)
        _ = await badWorld.end(tasks.0)
        _ = await goodWorld.end(tasks.1)
    }

    @Test(
        "a payload that can't be read costs neither the link nor the next message",
        arguments: [
            "", "{", "[]", "null", #"{"type":5}"#, #"{"type":"RECEIVER_STATUS","status":7}"#, #"{"type":"NEW_THING","requestId":-1}"#,
        ])
    func badPayload(text: String) async throws {
        let receiver = FakeReceiver()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        for namespace in [CastNamespace.receiver, CastNamespace.media, CastNamespace.connection, CastNamespace.heartbeat, "urn:x-cast:x"] {
            receiver.sendToAll(namespace, from: "receiver-0", to: "*", text)
        }
        receiver.set { $0.level = 0.9 }
        receiver.sendReceiverStatus()
        await world.virtual.advance(.milliseconds(10))
        #expect(world.log.lossTimes.isEmpty)
        guard case .receiverStatus(let status)? = world.log.events.last else {
            Issue.record("the status should have arrived")
            return
        }
        #expect(status.volume?.level == 0.9)
        _ = await world.end(task)
    }
}
