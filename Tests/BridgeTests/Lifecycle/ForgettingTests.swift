import BridgeCore
import CastSender
import NIOCore
import Testing

@testable import Bridge
@testable import CastSender

@Suite("Devices that go for good", .timeLimit(.minutes(10)))
struct ForgettingTests {
    /// Everything of a device is removed: from the broker, from the record and from the bridge.
    private func isForgotten(_ id: String, slug: String, _ world: BridgeWorld) async -> Bool {
        let isKnown = await world.look { bridge in
            bridge.fleet.device(id) != nil || bridge.record[id] != nil || bridge.fleet.slug(of: id) != nil
                || bridge.fleet.groups.concerns(id) || bridge.publisher.holds("cast2mqtt/\(slug)/availability")
        }
        return !isKnown && !world.broker.tree.keys.contains { $0.hasPrefix("cast2mqtt/\(slug)/") }
    }

    @Test("forget_after removes devices that were absent for that many days, and no others")
    func forgetAfter() async throws {
        let world = try await BridgeWorld.settled(devices: 2) { $0.topicOptions.forgetAfterDays = 2 }
        let (away, id, slug) = (world.devices[0], world.devices[0].id, world.slug())
        try await world.act { away.set(.off) }
        await world.advance(.seconds(60), step: .seconds(1))
        #expect(world.held("availability") == "offline")
        await world.virtual.advance(.hours(47), step: .minutes(3))
        #expect(world.held("availability") == "offline", "not before its time")
        await world.virtual.advance(.hours(3), step: .minutes(3))
        await world.advance(.seconds(5))
        #expect(await self.isForgotten(id, slug: slug, world))
        #expect(world.bridgeEvents("device_removed").count == 1)
        #expect(world.held("availability", 1) == "online")
        // A device that is found again starts from scratch.
        try await world.act { away.set(.on) }
        await world.announce()
        await world.advance(.seconds(40))
        let slugAfter = try #require(await world.look { bridge in bridge.fleet.slug(of: id) })
        #expect(world.broker.text("cast2mqtt/\(slugAfter)/availability") == "online")
        #expect(await world.treeIsAsWanted())
        await world.end()
    }

    @Test(
        "a clock that is set late forgets no device: neither by the time of day before, nor by what was recorded then",
        arguments: [false, true])
    func clockSetLate(isRecordedWrongly: Bool) async throws {
        let away = KnownDevice(
            id: "cccc0000cccc0000", slug: "away", name: "Away", endpoints: [DeviceEndpoint(host: "10.0.8.9")],
            topics: ["cast2mqtt/away/availability"])
        var known = away
        known.lastSeen = Timestamp(milliseconds: isRecordedWrongly ? 60_000 : 1_799_990_000_000)
        let world = try BridgeWorld(devices: 1, others: [known]) { $0.topicOptions.forgetAfterDays = 1 }
        world.wallStart.value = 0
        try await world.start()
        await world.advance(.seconds(15))
        await world.virtual.advance(.hours(26), step: .minutes(3))
        #expect(await world.look { $0.record[away.id]?.lastSeen } == known.lastSeen, "by a clock that is not set nothing is recorded")
        #expect(await world.look { $0.record.knownDevices.filter { $0.id != away.id }.allSatisfy { $0.lastSeen == nil } })
        world.wallStart.value = 1_800_000_000_000 - 26 * 3_600_000
        await world.virtual.advance(.hours(20), step: .minutes(3))
        #expect(world.broker.text("cast2mqtt/away/availability") == "offline")
        await world.virtual.advance(.hours(6), step: .minutes(3))
        await world.advance(.seconds(5))
        #expect(await self.isForgotten(away.id, slug: "away", world))
        #expect(world.held("availability") == "online")
        await world.end()
    }

    private static let party = Device(
        id: "dddd0000dddd0000", friendlyName: "Party", modelName: "Google Cast Group", capabilities: [.audioOut, .dynamicGroup],
        endpoints: [DeviceEndpoint(host: "10.0.8.8", port: 32_187)])

    @Test("an expired dynamic group is removed with its topics where such groups have topics")
    func dynamicGroup() async throws {
        let world = try await BridgeWorld.settled { $0.status.includesDynamicGroups = true }
        let party = try world.add(Self.party)
        await world.look { $0.fleet.handle(.found(Self.party)) }
        await world.advance(.seconds(10))
        #expect(world.broker.text("cast2mqtt/party/availability") == "online")
        try await world.act { party.set(.off) }
        await world.advance(.seconds(20))
        #expect(world.broker.text("cast2mqtt/party/availability") == "offline")
        #expect(await world.look { $0.record[Self.party.id] } != nil)
        await world.virtual.advance(.minutes(20), step: .seconds(10))
        await world.advance(.seconds(5))
        #expect(await self.isForgotten(Self.party.id, slug: "party", world))
        #expect(world.bridgeEvents("device_removed").count == 1)
        #expect(await world.treeIsAsWanted())
        await world.end()
    }

    @Test("one that an earlier run published goes with its topics, too, when such groups have none any more")
    func formerDynamicGroup() async throws {
        let topics: Set<String> = ["cast2mqtt/party/availability", "cast2mqtt/party/info"]
        let known = KnownDevice(
            id: Self.party.id, slug: "party", name: Self.party.friendlyName, model: Self.party.modelName, endpoints: Self.party.endpoints,
            capabilities: Self.party.capabilities, topics: topics)
        let world = try BridgeWorld(others: [known])
        world.broker.set { state in
            for topic in topics { state.retained[topic] = .init(topic: topic, text: "{}", qos: .atLeastOnce, retain: true) }
        }
        try await world.start()
        await world.advance(.seconds(15))
        await world.virtual.advance(.minutes(20), step: .seconds(10))
        await world.advance(.seconds(5))
        #expect(await self.isForgotten(Self.party.id, slug: "party", world))
        await world.end()
    }

    @Test("a removed device that is still announced is found again without a sorted list of all devices", arguments: [false, true])
    func announcedAfterRemoval(forgets: Bool) async throws {
        let world = try BridgeWorld(isKnown: false) {
            $0.cast.discovery.knownHosts = [KnownHost(endpoint: DeviceEndpoint(host: "10.0.0.1"))]
        }
        let id = world.devices[0].id
        try await world.start()
        await world.advance(.seconds(5))
        let slug = try #require(await world.look { $0.fleet.slug(of: id) })
        #expect(world.broker.text("cast2mqtt/\(slug)/availability") == "online")
        try await world.request("device/remove", #"{"device":"\#(id)","forget":\#(forgets)}"#)
        await world.look { for _ in 0..<100 { $0.fleet.handle(.sighted(id)) } }
        await world.advance(.seconds(5))
        #expect(await world.look { $0.fleet.device(id) == nil })
        #expect(world.answers(to: "device/remove").count == 1)
        await world.look { for _ in 0..<100 { $0.fleet.handle(.sighted(id)) } }
        await world.advance(.seconds(5))
        #expect(world.broker.text("cast2mqtt/\(slug)/availability") == "online")
        #expect(await world.look { $0.fleet.discovery?.assumeIsolated { $0.listing.observed == nil } } == true)
        await world.end()
    }

    @Test("what a command of a removed device comes to is not its successor's")
    func successor() async throws {
        let world = try await BridgeWorld.settled()
        let device = world.devices[0]
        try await world.act { device.set(.frozen) }
        try await world.send("cmd", #"{"cmd":"load","id":"c1","args":{"url":"http://h/a","content_type":"audio/mpeg"}}"#)
        try await world.virtual.wait { device.received("LAUNCH") == 1 }
        let id = device.id
        await world.look { bridge in
            guard let agent = bridge.fleet.device(id) else { return }
            let device = agent.state.device
            bridge.fleet.drop(agent)
            bridge.fleet.handle(.found(device))
        }
        await world.advance(.seconds(1))
        #expect(world.answers("c1").count == 1)
        #expect(!world.broker.entries(world.topic("event")).contains { $0.text.contains("load_failed") })
        await world.end()
    }
}
