import CastModels
import CastTestSupport
import NIOCore
import Testing

@testable import CastSender

@Suite struct DeviceSupervisorTests {
    @Test("the first attempt comes without delay; ready follows reading")
    func start() async throws {
        let receiver = FakeReceiver {
            $0.application = FakeReceiver.Application()
            $0.media = FakeReceiver.Media()
        }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        #expect(world.connector.attempts.first?.at == .seconds(0))
        guard case .ready(let status, let media)? = world.log.events.dropLast().last, case .application? = world.log.events.last else {
            Issue.record("the last events should be ready and application")
            return
        }
        #expect(status.application?.applicationID == "CC1AD845")
        #expect(media?.playerState == .playing)
        #expect(world.log.connections == [.invisible])
        let session = try await world.session()
        #expect(await session.mediaStatus == media)
        _ = await world.end(task)
    }

    @Test("the session is not ready before every answer has arrived, also when each takes 3 s")
    func slow() async throws {
        let world = SupervisorWorld()
        let receiver = FakeReceiver {
            $0.delay = .seconds(3)
            $0.application = FakeReceiver.Application()
            $0.media = FakeReceiver.Media()
        }
        world.connector.route("10.0.0.1", to: .receiver(receiver))
        let task = await world.run()
        await world.virtual.advance(.milliseconds(5900))
        #expect(world.log.readyTimes.isEmpty)
        #expect(await world.supervisor.session == nil)
        await world.virtual.advance(.milliseconds(200))
        guard case .ready(_, let media)? = world.log.events.dropLast().last else {
            Issue.record("the last events should be ready and application")
            return
        }
        #expect(media?.playerState == .playing)
        #expect(world.log.events.contains { if case .identified = $0 { true } else { false } }, "a late identity counts")
        _ = await world.end(task)
    }

    @Test("a link that breaks while its media status is read never becomes ready")
    func brokenWhileReading() async throws {
        let receiver = FakeReceiver {
            $0.application = FakeReceiver.Application()
            $0.answersMediaStatus = false
        }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        #expect(receiver.types("media") == ["GET_STATUS"])
        receiver.dropConnections()
        await world.virtual.advance(.milliseconds(10))
        #expect(world.log.readyTimes.isEmpty)
        #expect(world.log.lossTimes.isEmpty)
        guard case .attemptFailed? = world.log.events.last else {
            Issue.record("the last event should be attemptFailed")
            return
        }
        _ = await world.end(task)
    }

    @Test("a device that reports another id late is disconnected at once")
    func lateMismatch() async throws {
        let world = SupervisorWorld()
        let receiver = FakeReceiver {
            $0.answersDeviceInformation = false; $0.answersEureka = false
        }
        world.connector.route("10.0.0.1", to: .receiver(receiver))
        let task = await world.run()
        await world.virtual.advance(.seconds(5))
        #expect(world.log.readyTimes.count == 1)
        receiver.sendToAll(
            "urn:x-cast:com.google.cast.receiver.discovery", from: "receiver-0", to: "sender-0",
            #"{"type":"GET_DEVICE_INFO","requestId":77,"deviceId":"ffff"}"#)
        await world.virtual.advance(.milliseconds(1))
        #expect(world.log.lossTimes.count == 1)
        #expect(await world.supervisor.session == nil)
        #expect(world.log.events.contains { if case .identityMismatch = $0 { true } else { false } })
        _ = await world.end(task)
    }

    @Test("a device that reports neither its id nor its player's status still becomes ready")
    func silent() async throws {
        let world = SupervisorWorld()
        let receiver = FakeReceiver {
            $0.answersDeviceInformation = false
            $0.answersEureka = false
            $0.answersMediaStatus = false
            $0.application = FakeReceiver.Application()
        }
        world.connector.route("10.0.0.1", to: .receiver(receiver))
        let task = await world.run()
        await world.virtual.advance(.seconds(7))
        #expect(world.log.readyTimes.count == 1)
        #expect(!world.log.events.contains { if case .identified = $0 { true } else { false } })
        _ = await world.end(task)
    }

    @Test("eureka_info is asked for once, not with every link")
    func eurekaOnce() async throws {
        let receiver = FakeReceiver()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        for _ in 0..<5 {
            receiver.dropConnections()
            await world.virtual.advance(.seconds(30))
        }
        #expect(world.log.readyTimes.count == 6)
        #expect(receiver.types("setup") == ["eureka_info"])
        _ = await world.end(task)
    }

    @Test("a device that reports its id only with eureka_info is ready at once the second time, too")
    func eurekaOnly() async throws {
        let receiver = FakeReceiver { $0.answersDeviceInformation = false }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        await world.virtual.advance(.seconds(30))
        let dropped = world.virtual.now
        receiver.dropConnections()
        await world.virtual.advance(.seconds(2))
        #expect(world.log.readyTimes.count == 2)
        #expect(try #require(world.log.readyTimes.last) - dropped < .seconds(1))
        _ = await world.end(task)
    }

    @Test("an outage ends within 30 s of the device's return, however long it was", arguments: [1, 10, 600, 86_400] as [Int64])
    func outage(seconds: Int64) async throws {
        let receiver = FakeReceiver()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        await world.virtual.advance(.seconds(20))
        world.connector.route("10.0.0.1", to: .refuse)
        receiver.dropConnections()
        await world.virtual.advance(.seconds(seconds))
        let back = world.virtual.now
        world.connector.route("10.0.0.1", to: .receiver(receiver))
        await world.virtual.advance(.seconds(30))
        #expect(world.log.readyTimes.count == 2)
        #expect(try #require(world.log.readyTimes.last) - back < .seconds(30))
        _ = await world.end(task)
    }

    @Test("a sighting ends an outage within 2 s, also one without any answer", arguments: [MemoryConnector.Route.refuse, .blackHole])
    func sighting(route: MemoryConnector.Route) async throws {
        for random in [0.1, 0.999] {
            for wait in [600_000, 601_700, 604_100, 607_900] as [Int64] {
                let world = SupervisorWorld(random: { random })
                let receiver = FakeReceiver()
                world.connector.route("10.0.0.1", to: route)
                let task = await world.run()
                await world.virtual.advance(.milliseconds(wait))
                let back = world.virtual.now
                world.connector.route("10.0.0.1", to: .receiver(receiver))
                world.supervisor.wake()
                await world.virtual.advance(.seconds(2))
                #expect(world.log.readyTimes.count == 1, "random \(random), after \(wait) ms")
                if let ready = world.log.readyTimes.first { #expect(ready - back <= .seconds(2)) }
                _ = await world.end(task)
            }
        }
    }

    @Test("a device that moved is followed at once, also while its old address is tried")
    func moved() async throws {
        let world = SupervisorWorld()
        let receiver = FakeReceiver()
        world.connector.route("10.0.0.1", to: .blackHole)
        world.connector.route("10.0.0.2", to: .receiver(receiver))
        let task = await world.run()
        await world.virtual.advance(.milliseconds(500))
        world.supervisor.update(endpoints: [DeviceEndpoint(host: "10.0.0.2")])
        await world.virtual.advance(.milliseconds(100))
        #expect(world.log.readyTimes.count == 1)
        _ = await world.end(task)
    }

    @Test("a device without address waits for one")
    func homeless() async throws {
        let world = SupervisorWorld(endpoints: [])
        let receiver = FakeReceiver()
        world.connector.route("10.0.0.1", to: .receiver(receiver))
        let task = await world.run()
        await world.virtual.advance(.minutes(1))
        #expect(world.log.events.isEmpty)
        world.supervisor.update(endpoints: [DeviceEndpoint(host: "10.0.0.1")])
        await world.virtual.advance(.milliseconds(100))
        #expect(world.log.readyTimes.count == 1)
        _ = await world.end(task)
    }

    @Test("names are looked up for each attempt; one that fails doesn't hide another")
    func names() async throws {
        let world = SupervisorWorld(endpoints: [DeviceEndpoint(host: "gone.lan"), DeviceEndpoint(host: "tv.lan")])
        let receiver = FakeReceiver()
        world.connector.name("tv.lan", ["fd00::9", "10.0.0.9"])
        world.connector.route("10.0.0.9", to: .receiver(receiver))
        let task = await world.run()
        await world.virtual.advance(.milliseconds(400))
        #expect(world.log.readyTimes.count == 1)
        world.connector.name("tv.lan", ["10.0.0.10"])
        world.connector.route("10.0.0.10", to: .receiver(receiver))
        world.connector.route("10.0.0.9", to: .refuse)
        receiver.dropConnections()
        await world.virtual.advance(.seconds(2))
        #expect(world.log.readyTimes.count == 2)
        _ = await world.end(task)
    }

    @Test("a name without an address is an error of its own, and is tried again")
    func unresolvable() async throws {
        let world = SupervisorWorld(endpoints: [DeviceEndpoint(host: "gone.lan")])
        let task = await world.run()
        await world.virtual.advance(.seconds(1))
        guard case .attemptFailed(let error, let retry?, 1)? = world.log.events.dropFirst().first else {
            Issue.record("the attempt should have failed")
            return
        }
        #expect(error.code == .networkError)
        #expect(retry <= .seconds(1))
        _ = await world.end(task)
    }

    @Test("a dead IPv4 family costs at most 300 ms")
    func deadFamily() async throws {
        let world = SupervisorWorld(endpoints: [DeviceEndpoint(host: "10.0.0.1"), DeviceEndpoint(host: "fd00::1")])
        let receiver = FakeReceiver()
        world.connector.route("10.0.0.1", to: .blackHole)
        world.connector.route("fd00::1", to: .receiver(receiver))
        let task = await world.run()
        await world.virtual.advance(.milliseconds(300))
        #expect(world.log.readyTimes.count == 1)
        #expect(world.connector.attempts.map(\.address) == ["10.0.0.1", "fd00::1"])
        _ = await world.end(task)
    }

    @Test("fifty devices that return together don't connect in the same 100 ms")
    func fleet() async throws {
        let virtual = VirtualLoop()
        let connector = MemoryConnector(virtual)
        let gate = HandshakeGate()
        var worlds: [(SupervisorWorld, FakeReceiver, Task<Void, Never>)] = []
        for index in 0..<50 {
            let receiver = FakeReceiver { $0.id = "device\(index)" }
            connector.route("10.0.1.\(index)", to: .receiver(receiver))
            let chance = SeededRandom(seed: UInt64(index))
            let world = SupervisorWorld(
                virtual: virtual, connector: connector, device: "device\(index)", endpoints: [DeviceEndpoint(host: "10.0.1.\(index)")],
                gate: gate, random: { chance.next() })
            worlds.append((world, receiver, await world.run()))
        }
        await virtual.advance(.seconds(20))
        #expect(worlds.allSatisfy { $0.0.log.readyTimes.count == 1 })
        for index in 0..<50 { connector.route("10.0.1.\(index)", to: .refuse) }
        for (_, receiver, _) in worlds { receiver.dropConnections() }
        await virtual.advance(.minutes(5))
        for (index, (_, receiver, _)) in worlds.enumerated() { connector.route("10.0.1.\(index)", to: .receiver(receiver)) }
        let attemptsBefore = connector.attempts.count
        for (world, _, _) in worlds { world.supervisor.wake() }
        await virtual.advance(.seconds(2))
        #expect(worlds.allSatisfy { $0.0.log.readyTimes.count == 2 })
        var perTenth: [UInt64: Int] = [:]
        for attempt in connector.attempts[attemptsBefore...] { perTenth[attempt.at.uptimeNanoseconds / 100_000_000, default: 0] += 1 }
        #expect(perTenth.values.max() ?? 0 <= 15, "\(perTenth)")
        for (world, _, task) in worlds { _ = await world.end(task) }
    }

    @Test("at most 32 handshakes run at once, and dead addresses don't hold the others up")
    func gate() async throws {
        let virtual = VirtualLoop()
        let connector = MemoryConnector(virtual, latency: .milliseconds(50))
        let gate = HandshakeGate()
        var worlds: [(SupervisorWorld, Task<Void, Never>)] = []
        for index in 0..<100 {
            let address = "10.0.2.\(index)"
            connector.route(address, to: index < 50 ? .blackHole : .receiver(FakeReceiver { $0.id = "device\(index)" }))
            let world = SupervisorWorld(
                virtual: virtual, connector: connector, device: "device\(index)", endpoints: [DeviceEndpoint(host: address)], gate: gate)
            worlds.append((world, await world.run()))
        }
        #expect(connector.attempts.count <= 32)
        #expect(gate.occupancy.held == 32)
        await virtual.advance(.milliseconds(1500))
        #expect(worlds.dropFirst(50).allSatisfy { $0.0.log.readyTimes.count == 1 })
        for (world, task) in worlds { _ = await world.end(task) }
        #expect(gate.occupancy == (0, 0))
    }

    @Test("a device that was just seen goes before all others, unless it was never connected", arguments: [true, false])
    func preferred(isVerified: Bool) async throws {
        let virtual = VirtualLoop()
        let connector = MemoryConnector(virtual, latency: .milliseconds(50))
        let gate = HandshakeGate()
        var worlds: [(SupervisorWorld, Task<Void, Never>)] = []
        for index in 0...640 {
            let isReal = index == 640
            connector.route("10.0.\(index / 100).\(index % 100)", to: isReal ? .receiver(FakeReceiver { $0.id = "real" }) : .blackHole)
            let world = SupervisorWorld(
                virtual: virtual, connector: connector, device: isReal ? "real" : "device\(index)",
                endpoints: [DeviceEndpoint(host: "10.0.\(index / 100).\(index % 100)")], gate: gate, isVerified: isReal && isVerified)
            worlds.append((world, await world.run()))
        }
        for (world, _) in worlds { world.supervisor.wake() }
        await virtual.advance(.seconds(2))
        #expect(worlds[640].0.log.readyTimes.count == (isVerified ? 1 : 0))
        await virtual.advance(.seconds(12))
        #expect(worlds[640].0.log.readyTimes.count == 1)
        for (world, task) in worlds { _ = await world.end(task) }
        #expect(gate.occupancy == (0, 0))
    }

    @Test("another device at an address gets no command; the right one is found at the next address")
    func mismatch() async throws {
        let world = SupervisorWorld(endpoints: [DeviceEndpoint(host: "10.0.0.1"), DeviceEndpoint(host: "10.0.0.2")])
        let wrong = FakeReceiver { $0.id = "ffff" }
        let right = FakeReceiver()
        world.connector.route("10.0.0.1", to: .receiver(wrong))
        world.connector.route("10.0.0.2", to: .receiver(right))
        let task = await world.run()
        await world.virtual.advance(.milliseconds(100))
        #expect(world.log.readyTimes.count == 1)
        let found = world.log.events.compactMap { if case .identityMismatch(let found, let at) = $0 { (found.id, at.host) } else { nil } }
        #expect(found.map(\.0) == ["ffff"])
        #expect(found.map(\.1) == ["10.0.0.1"])
        #expect(Set(wrong.journal.map(\.type)) == ["CONNECT", "GET_DEVICE_INFO", "eureka_info", "GET_STATUS", "CLOSE"])
        #expect(wrong.openConnections == 0)
        _ = await world.end(task)
    }

    @Test("another device at every address is an error, tried again without end")
    func mismatchEverywhere() async throws {
        let world = SupervisorWorld()
        world.connector.route("10.0.0.1", to: .receiver(FakeReceiver { $0.id = "ffff" }))
        let task = await world.run()
        await world.virtual.advance(.seconds(5))
        let errors = world.log.events.compactMap { if case .attemptFailed(let error, _, _) = $0 { error.code } else { nil } }
        #expect(errors.count >= 2)
        #expect(Set(errors) == [.deviceIdentityMismatch])
        #expect(await world.supervisor.session == nil)
        _ = await world.end(task)
    }

    @Test("eureka_info behind a group's port doesn't make the group another device")
    func group() async throws {
        let world = SupervisorWorld(device: "aa11", endpoints: [DeviceEndpoint(host: "10.0.0.1", port: 32220)])
        let receiver = FakeReceiver {
            $0.id = "leader"
            $0.answersDeviceInformation = false
        }
        world.connector.route("10.0.0.1:32220", to: .receiver(receiver))
        let task = await world.run()
        await world.virtual.advance(.seconds(3))
        #expect(world.log.readyTimes.count == 1)
        _ = await world.end(task)
    }

    enum Phase: CaseIterable { case homeless, connecting, lookingUp, reading, ready, waiting, pending }

    @Test("cancelling ends quickly in every phase", arguments: Phase.allCases)
    func cancel(phase: Phase) async throws {
        let endpoints: [DeviceEndpoint] =
            switch phase {
            case .homeless: []
            case .lookingUp: [DeviceEndpoint(host: "tv.lan")]
            default: [DeviceEndpoint(host: "10.0.0.1")]
            }
        let world = SupervisorWorld(endpoints: endpoints)
        world.connector.name("tv.lan", ["10.0.0.1"])
        let receiver = FakeReceiver { $0.isFrozen = phase == .reading }
        world.connector.route("10.0.0.1", to: phase == .connecting ? .blackHole : phase == .waiting ? .refuse : .receiver(receiver))
        let task = await world.run()
        await world.virtual.advance(phase == .lookingUp ? .milliseconds(1) : .milliseconds(300))
        let duration = try #require(await world.end(task))
        #expect(duration < .milliseconds(300))
        let reported = world.log.events.count
        await world.virtual.advance(.minutes(10))
        #expect(world.log.events.count == reported, "nothing is reported afterwards")
        #expect(receiver.openConnections == 0)
        if phase == .ready {
            #expect(receiver.journal.last?.type == "CLOSE")
            #expect(world.log.lossTimes.isEmpty)
        }
    }

    @Test("a thousand reconnects leave nothing behind")
    func reconnects() async throws {
        let receiver = FakeReceiver()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        for _ in 0..<1000 {
            receiver.dropConnections()
            world.supervisor.wake()
            await world.virtual.advance(.seconds(2))
        }
        #expect(receiver.openConnections == 1)
        #expect(world.log.readyTimes.count == 1001)
        _ = await world.end(task)
    }
}

/// Chance that repeats.
final class SeededRandom: Sendable {
    private let state: Locked<UInt64>

    init(seed: UInt64) { self.state = Locked(seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678_9ABC_DEF1) }

    /// In `0..<1`.
    func next() -> Double {
        var value = self.state.value
        value ^= value << 13
        value ^= value >> 7
        value ^= value << 17
        self.state.value = value
        return Double(value >> 11) / Double(1 << 53)
    }
}
