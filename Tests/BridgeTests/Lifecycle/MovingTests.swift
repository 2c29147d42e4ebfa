import BridgeCore
import CastSender
import MQTTClient
import NIOCore
import Testing

@testable import Bridge

/// Devices whose topics move, and others that come to where those were.
@Suite("Topics that change their owner", .timeLimit(.minutes(10)))
struct MovingTests {
    /// Two devices whose topics follow their names, and have done so.
    private func house() async throws -> (BridgeWorld, [String]) {
        let world = try await BridgeWorld.settled(devices: 2) { $0.topicOptions.rename = .follow }
        for index in 0..<2 { await world.announce(nil, index) }
        await world.advance(.seconds(5))
        return (world, world.devices.map(\.description.friendlyName))
    }

    private func expectWhatIsWanted(_ world: BridgeWorld) async {
        #expect(await world.treeIsAsWanted())
        #expect(await world.recordIsOfPresentSlugs())
        // A plain value that is empty clears its topic, and is cleared again when the topic is removed.
        #expect(world.broker.violations.filter { !$0.hasSuffix("content: ") } == [])
    }

    @Test("two devices exchange their names: each keeps what it published", arguments: [0, 1, 3, 5, 8, 12, 20, 1000] as [Int64])
    func exchange(pause: Int64) async throws {
        let (world, names) = try await self.house()
        await world.announce(names[1], 0)
        await world.advance(.milliseconds(pause), step: .milliseconds(1))
        await world.announce(names[0], 1)
        // In small steps, so that the record is written while the broker answers.
        await world.advance(.milliseconds(200), step: .milliseconds(1))
        await world.advance(.seconds(5))
        let slugs = await world.look { bridge in Set(bridge.fleet.devices.map(\.state.slug)) }
        #expect(slugs.contains(Slug.make(name: names[0], id: "")), "the second took what the first left")
        await self.expectWhatIsWanted(world)
        await world.end()
    }

    @Test("a slug that was just freed by request is taken by the next, in a ring", arguments: [true, false])
    func ring(isBrokerSlow: Bool) async throws {
        let world = try await BridgeWorld.settled(devices: 3)
        if isBrokerSlow { world.broker.set { $0.acknowledges = false } }
        for (device, slug) in [("sim-001", "x"), ("sim-002", "sim-001"), ("sim-003", "sim-002"), ("x", "sim-003")] {
            try await world.request("device/rename", #"{"device":"\#(device)","slug":"\#(slug)"}"#)
        }
        await world.advance(.seconds(1))
        if isBrokerSlow { try await world.act { world.broker.acknowledgeAll() } }
        await world.advance(.seconds(5))
        let codes = world.answers(to: "device/rename").map { $0.contains(#""code":"done""#) ? "done" : "superseded" }.sorted()
        #expect(codes == ["done", "done", "done", "superseded"], "\(world.answers(to: "device/rename"))")
        await self.expectWhatIsWanted(world)
        await world.end()
    }

    @Test("a device that is found takes the slug that another is just leaving")
    func newcomer() async throws {
        let world = try await BridgeWorld.settled(devices: 1)
        try await world.request("device/rename", #"{"device":"sim-001","slug":"den"}"#)
        let device = Device(
            id: "ffff0000ffff0000", friendlyName: "sim 001", modelName: "Speaker", capabilities: [.audioOut],
            endpoints: [DeviceEndpoint(host: "10.0.8.8")])
        _ = try world.add(device)
        await world.look { $0.fleet.handle(.found(device)) }
        await world.advance(.seconds(20))
        #expect(world.broker.text("cast2mqtt/sim-001/availability") == "online")
        #expect(world.broker.text("cast2mqtt/sim-001/info")?.contains("ffff0000ffff0000") == true)
        await self.expectWhatIsWanted(world)
        await world.end()
    }

    @Test("a record that names another device's topics, as a kill amid an exchange left it, costs that device nothing", arguments: [0, 1])
    func strayRecord(stray: Int) async throws {
        let names = ["availability", "info", "state", "media", "app", "queue", "tracks", "group", "status/volume", "status/player"]
        func topics(_ slug: String) -> Set<String> { Set(names.map { "cast2mqtt/\(slug)/\($0)" }) }
        let (slug, other) = (["sim-001", "sim-002"][stray], ["sim-002", "sim-001"][stray])
        let both = topics(slug).union(topics(other)).union(topics("before"))
        let world = try BridgeWorld(devices: 2, remembered: [slug: both, other: topics(other)])
        world.broker.set { state in
            for topic in both { state.retained[topic] = MQTTMessage(topic: topic, text: "{}", qos: .atLeastOnce, retain: true) }
        }
        let device = world.devices[stray]
        try await world.act { device.set(.off) }
        try await world.start()
        await world.advance(.seconds(10))
        #expect(world.held("availability", 1 - stray) == "online")
        #expect(world.held("state", 1 - stray)?.contains("\"schema\":1") == true)
        try await world.act { device.set(.on) }
        await world.advance(.seconds(40))
        #expect(world.areAllAvailable)
        await self.expectWhatIsWanted(world)
        await world.end()
    }

    @Test("a rename that is asked for twice is answered twice, each when the topics have moved")
    func repeated() async throws {
        let world = try await BridgeWorld.settled(devices: 1)
        world.broker.set { $0.acknowledges = false }
        for device in ["sim-001", "den"] { try await world.request("device/rename", #"{"device":"\#(device)","slug":"den"}"#) }
        await world.advance(.seconds(1))
        #expect(world.answers(to: "device/rename").isEmpty)
        try await world.act { world.broker.acknowledgeAll() }
        await world.advance(.seconds(5))
        let answers = world.answers(to: "device/rename")
        #expect(answers.count == 2 && answers.allSatisfy { $0.contains(#""code":"done""#) && $0.contains(#""slug":"den""#) }, "\(answers)")
        await self.expectWhatIsWanted(world)
        await world.end()
    }

    @Test("a rename that a removal overtakes is not answered as done, and the removal is")
    func overtaken() async throws {
        let world = try await BridgeWorld.settled(devices: 1)
        world.broker.set { $0.acknowledges = false }
        try await world.request("device/rename", #"{"device":"sim-001","slug":"den","id":"r"}"#)
        try await world.request("device/remove", #"{"device":"den","id":"x"}"#)
        try await world.act { world.broker.acknowledgeAll() }
        await world.advance(.seconds(5))
        let (renamed, removed) = (world.answers(to: "device/rename"), world.answers(to: "device/remove"))
        #expect(renamed.count == 1 && renamed.first?.contains(#""code":"unknown_device""#) == true, "\(renamed)")
        #expect(removed.count == 1 && removed.first?.contains(#""code":"done""#) == true, "\(removed)")
        #expect(world.broker.tree.keys.allSatisfy { $0.hasPrefix("cast2mqtt/bridge/") })
        await world.end()
    }
}
