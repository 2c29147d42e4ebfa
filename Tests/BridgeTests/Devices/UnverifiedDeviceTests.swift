import BridgeCore
import CastSender
import NIOCore
import Testing

@testable import Bridge

@Suite("Devices that were never connected to", .timeLimit(.minutes(10)))
struct UnverifiedDeviceTests {
    private static func fake(_ index: Int, host: String = "10.3") -> Device {
        Device(
            id: "f\(100_000 + index)", friendlyName: "Fake \(index)", modelName: "Chromecast",
            endpoints: [DeviceEndpoint(host: "\(host).\(index / 250).\(1 + index % 250)")])
    }

    /// Announces devices, as many as a packet carries in a turn of the loop.
    private func announce(_ devices: [Device], in world: BridgeWorld) async {
        for start in stride(from: 0, to: devices.count, by: 40) {
            let some = devices[start..<min(start + 40, devices.count)]
            await world.look { bridge in bridge.context.loop.turn { for device in some { bridge.fleet.handle(.found(device)) } } }
        }
    }

    /// How many devices `bridge/health` counts as unverified.
    private func unverified(_ world: BridgeWorld) -> Int? {
        world.broker.text("cast2mqtt/bridge/health").flatMap { text in
            text.range(of: #""unverified":"#).flatMap { Int(String(text[$0.upperBound...].prefix { $0.isNumber })) }
        }
    }

    @Test("a device that is announced and not reachable has no topic, no announcement and no line on disk, and is counted")
    func announcedOnly() async throws {
        let world = try BridgeWorld(devices: 1, homeAssistant: HomeAssistantOptions(mode: .device), isKnown: false)
        let device = world.devices[0]
        device.set(.off)
        try await world.start()
        await world.find()
        await world.advance(.seconds(70))
        #expect(self.unverified(world) == 1)
        #expect(world.broker.text("cast2mqtt/bridge/health")?.contains(#""known":0,"online":0"#) == true)
        #expect(world.broker.text("cast2mqtt/bridge/devices") == "[]")
        let (id, slug) = (device.id, Slug.make(name: device.description.friendlyName, id: device.id))
        #expect(!world.broker.tree.keys.contains { $0.contains(slug) || $0.contains(id) })
        #expect(StateFile.read(world.stateFile).file.devices.isEmpty)
        #expect(world.bridgeEvents("device_added").isEmpty)
        try await world.act { [broker = world.broker] in broker.publish("cast2mqtt/\(id)/cmd", #"{"cmd":"play","id":"a"}"#) }
        await world.advance(.seconds(1))
        #expect(world.answers("a").allSatisfy { $0.contains("unknown_device") })
        // It comes up, announced by then.
        try await world.act { device.set(.on) }
        await world.announce()
        await world.advance(.seconds(4))
        #expect(world.broker.text("cast2mqtt/\(slug)/availability") == "online")
        #expect(world.bridgeEvents("device_added").count == 1 && world.bridgeEvents("device_online").count == 1)
        let events = world.broker.entries("cast2mqtt/bridge/event").map(\.text).filter { $0.contains("\"device_") }
        #expect(events.first?.contains("device_added") == true && events.last?.contains("device_online") == true)
        await world.advance(.seconds(60))
        #expect(self.unverified(world) == 0)
        #expect(StateFile.read(world.stateFile).file.devices.map(\.id) == [id])
        #expect(world.broker.tree.keys.contains { $0.hasPrefix("homeassistant/") && $0.contains(id) })
        await world.end()
    }

    @Test("one whose announcements end is forgotten, and one that was connected to is not")
    func goodbye() async throws {
        let world = try await BridgeWorld.settled()
        let fake = Self.fake(1)
        await self.announce([fake], in: world)
        await world.advance(.seconds(5))
        #expect(await world.look { $0.fleet.unverifiedCount } == 1)
        let id = world.devices[0].id
        await world.look { bridge in
            for id in [fake.id, id] { bridge.context.loop.turn { bridge.fleet.handle(.lost(id)) } }
        }
        await world.advance(.seconds(5))
        #expect(await world.look { $0.fleet.unverifiedCount } == 0)
        #expect(world.held("availability") == "online")
        let attempts = world.connector.attempts.count
        await world.advance(.seconds(60))
        #expect(world.connector.attempts.count == attempts)
        await world.end()
    }

    @Test("a device of the state file that is not reachable keeps its topics and is offline")
    func remembered() async throws {
        let world = try BridgeWorld(devices: 1)
        world.devices[0].set(.off)
        try await world.start()
        await world.advance(.seconds(31))
        #expect(world.held("availability") == "offline" && world.held("info") != nil)
        #expect(await world.look { $0.fleet.unverifiedCount } == 0)
        await world.end()
    }

    /// How many lines warn of devices that are left out.
    private func warnings(_ text: String, in world: BridgeWorld) -> Int { world.log.lines.count { $0 == "warning " + text } }

    @Test("the log names 16 unreachable devices, each once, however often they are tried")
    func unreachable() async throws {
        let text = "announced device not reachable; it has no topics until it was connected"
        let world = try BridgeWorld(devices: 1, isKnown: false)
        try await world.start()
        await self.announce([Self.fake(1)], in: world)
        await world.advance(.seconds(300))
        #expect(self.warnings(text, in: world) == 1)
        await self.announce((2..<40).map { Self.fake($0) }, in: world)
        await world.advance(.seconds(300))
        #expect(self.warnings(text, in: world) == 16)
        let named = world.log.all.filter { $0.message == text }.compactMap { $0.metadata["device"] }
        #expect(Set(named).count == 16)
        await world.end()
    }

    @Test("a device whose proof fails is not added by hand, and the answer says so")
    func notGenuine() async throws {
        let world = try BridgeWorld(devices: 1, isKnown: false) { $0.cast.authentication = DeviceAuthentication(mode: .require) }
        try await world.start()
        await world.advance(.seconds(5))
        try await world.request("device/add", #"{"ip":"\#(world.devices[0].description.address)"}"#)
        await world.advance(.seconds(16))
        let answer = try #require(world.answers(to: "device/add").last)
        #expect(answer.contains(#""code":"device_offline""#) && answer.contains("authentication timeout"), "\(answer)")
        await world.end()
    }

    @Test("of more than 4 096 devices further ones are left out, though they answer, with one warning")
    func deviceLimit() async throws {
        let others = (1..<DeviceFleet.maximumDevices).map { KnownDevice(id: "other\($0)", slug: "other-\($0)", name: "Other \($0)") }
        let world = try BridgeWorld(devices: 1, split: .none, others: others)
        try await world.start()
        let newcomers = (8...9).map {
            Device(id: "eeee0000eeee000\($0)", friendlyName: "Newcomer \($0)", endpoints: [DeviceEndpoint(host: "10.0.8.\($0)")])
        }
        for newcomer in newcomers { _ = try world.add(newcomer) }
        #expect(self.warnings("too many devices; further ones are left out", in: world) == 0)
        await self.announce(newcomers, in: world)
        await world.advance(.seconds(4))
        let tried = Set(world.connector.attempts.map(\.address))
        #expect(newcomers.allSatisfy { newcomer in tried.contains { $0.hasPrefix(newcomer.endpoints[0].host) } }, "each was tried")
        #expect(await world.look { $0.fleet.devices.count } == DeviceFleet.maximumDevices)
        #expect(self.warnings("too many devices; further ones are left out", in: world) == 1)
        #expect(world.bridgeEvents("device_added").isEmpty)
        await world.end()
    }

    @Test("of more than 4 096 announced devices further ones are left out, with one warning")
    func announcedLimit() async throws {
        let text = "too many announced devices that were never connected; further ones are left out"
        let world = try BridgeWorld(devices: 1)
        try await world.start()
        await self.announce((0..<VerificationQueue.deviceLimit).map { Self.fake($0) }, in: world)
        #expect(self.warnings(text, in: world) == 0)
        await self.announce((0..<2).map { Self.fake(5000 + $0) }, in: world)
        #expect(self.warnings(text, in: world) == 1)
        #expect(await world.look { $0.fleet.unverifiedCount } == VerificationQueue.deviceLimit)
        await world.end()
    }

    /// Four thousand ids, of which 1 200 lead to addresses that never answer.
    private static let flood = (0..<4000).map { Self.fake($0, host: $0 % 10 < 3 ? "10.4" : "10.3") }

    @Test("a flood of announcements leaves nothing behind, and devices that restart are back 2 s after they announce themselves")
    func flood() async throws {
        let world = try BridgeWorld(devices: 20)
        for device in Self.flood where device.endpoints[0].host.hasPrefix("10.4") {
            world.connector.route(device.endpoints[0].host, to: .blackHole)
        }
        try await world.start()
        await world.advance(.seconds(10))
        #expect(world.areAllAvailable)
        let known = world.devices.indices
        let (topics, lines) = (Set(world.broker.tree.keys), StateFile.read(world.stateFile).file.devices.count)
        // A new device waits for its turn behind the others.
        let newcomer = Device(id: "eeee0000eeee0000", friendlyName: "Newcomer", endpoints: [DeviceEndpoint(host: "10.0.8.8")])
        _ = try world.add(newcomer)
        for pause in [TimeAmount.zero, .seconds(20), .seconds(60)] {
            try await world.act { for index in known { world.devices[index].set(.off) } }
            await world.advance(.seconds(17) + pause, step: .milliseconds(100))
            #expect(known.allSatisfy { world.held("availability", $0) == "offline" })
            if pause == .zero {
                // The devices return at the worst moment: every place is taken, and hundreds wait for a handshake.
                await self.announce(Self.flood + [newcomer], in: world)
                #expect(await world.look { $0.fleet.unverifiedCount } == 4001)
            }
            try await world.act { for index in known { world.devices[index].set(.on) } }
            for index in known { await world.announce(nil, index) }
            let duration = await world.advance(
                until: { known.allSatisfy { world.held("availability", $0) == "online" } }, limit: .seconds(10))
            #expect(duration.map { $0 <= .seconds(2) } == true, "\(String(describing: duration))")
        }
        #expect(world.connector.attempts.count > 4000, "each was tried")
        #expect(world.broker.text("cast2mqtt/newcomer/availability") == "online")
        #expect(world.bridgeEvents("device_added").count == 1)
        await world.advance(.seconds(31), step: .milliseconds(100))
        #expect(world.broker.tree.keys.allSatisfy { topics.contains($0) || $0.hasPrefix("cast2mqtt/newcomer/") })
        #expect(StateFile.read(world.stateFile).file.devices.count == lines + 1)
        #expect(world.broker.violations.isEmpty)
        await world.end()
    }
}
