import BridgeCore
import CastReceiverSimulator
import CastTestSupport
import MQTTClient
import NIOCore
import Synchronization
import Testing

@testable import Bridge

@Suite("Announcements to Home Assistant", .timeLimit(.minutes(10)))
struct AnnouncementTests {
    private static let device = HomeAssistantOptions(mode: .device)
    private static let components = HomeAssistantOptions(mode: .components)
    private static let bridgeTopic = "homeassistant/device/cast2mqtt_bridge_test/config"

    private func topic(_ world: BridgeWorld, _ index: Int = 0) -> String {
        "homeassistant/device/cast2mqtt_\(world.devices[index].description.id)/config"
    }

    private func announcements(_ world: BridgeWorld) -> [ModelBroker.Entry] {
        world.broker.journal.filter { $0.topic.hasPrefix("homeassistant/") }
    }

    private func held(_ world: BridgeWorld) -> [String] {
        world.broker.set { $0.retained.keys.filter { $0.hasPrefix("homeassistant/") } }.sorted()
    }

    /// A world that has announced everything.
    private func settled(
        devices: Int = 1, _ options: HomeAssistantOptions, split: StatusOptions.Split = .basic, announced: [String: Set<String>] = [:],
        retained: [String: String] = [:]
    ) async throws -> BridgeWorld {
        let world = try BridgeWorld(devices: devices, split: split, homeAssistant: options, announced: announced)
        world.broker.set { state in
            for (topic, text) in retained { state.retained[topic] = MQTTMessage(topic: topic, text: text, retain: true) }
        }
        try await world.start()
        guard await world.advance(until: { world.broker.isOnline && world.areAllAvailable }, limit: .seconds(10)) != nil else {
            throw DidNotHappen()
        }
        await world.advance(.seconds(30))
        return world
    }

    @Test("the bridge is announced first and then each device, after the state and a tenth of a second apart")
    func order() async throws {
        let world = try await self.settled(devices: 4, Self.device)
        let entries = self.announcements(world)
        #expect(entries.map(\.topic) == [Self.bridgeTopic] + (0..<4).map { self.topic(world, $0) }.sorted())
        #expect(entries.allSatisfy { $0.isRetained && $0.qos == .atLeastOnce && $0.isAfterOnline })
        for (earlier, later) in zip(entries, entries.dropFirst()) { #expect(later.at - earlier.at >= .milliseconds(100)) }
        #expect(
            await world.look { bridge in bridge.record.knownDevices.allSatisfy { $0.discoveryTopics.count == 1 } }, "they are on record")
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test("a device is announced once, with the applications that it can run, and without a volume that is fixed")
    func device() async throws {
        let world = try await self.settled(Self.device)
        func text() -> String? { world.broker.text(self.topic(world)) }
        #expect(self.announcements(world).filter { $0.topic == self.topic(world) }.count == 1)
        #expect(text()?.contains(#""options":["Default Media Receiver"]"#) == true)
        #expect(text()?.contains(#""volume":{"#) == true)
        let device = world.devices[0]
        try await world.act { try device.perform(.volumeControl("fixed")) }
        await world.advance(.seconds(15))
        #expect(text()?.contains(#""volume":{"#) == false && text()?.contains(#""mute":{"#) == false)
        // Whatever plays, the announcement stays as it is.
        let count = self.announcements(world).count
        try await world.play("http://h/a", duration: 600)
        await world.advance(.seconds(15))
        #expect(self.announcements(world).count == count && text()?.contains(#""volume":{"#) == false)
        #expect(
            await world.look { bridge in bridge.record.knownDevices.map(\.announcedEntities) } == [
                [.screen, .plainValues, .artwork, .controls]
            ])
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test("nothing is announced when that is off, and what an earlier run announced is cleared")
    func off() async throws {
        let old = "homeassistant/device/cast2mqtt_x/config"
        let world = try await self.settled(HomeAssistantOptions(mode: .off), announced: ["sim-001": [old]], retained: [old: "{}"])
        #expect(self.held(world) == [])
        #expect(self.announcements(world).map(\.text) == [""])
        #expect(await world.look { bridge in bridge.record.knownDevices.allSatisfy { $0.discoveryTopics.isEmpty } })
        await world.end()
    }

    @Test("all is announced again when the broker lost everything")
    func brokerLostAll() async throws {
        let world = try await self.settled(devices: 2, Self.device)
        let before = self.held(world)
        try await world.act { world.broker.stop(losingStore: true) }
        await world.advance(.seconds(5))
        try await world.act { world.broker.start() }
        await world.advance(.seconds(30))
        #expect(before.count == 3 && self.held(world) == before)
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test("the page's address follows the network, also while the link to the broker stays", arguments: [true, false])
    func page(staysLinked: Bool) async throws {
        let address = Mutex("http://192.168.1.4:8099/")
        let world = try BridgeWorld(homeAssistant: Self.device, configure: { $0.page = { address.withLock { $0 } } })
        func shows(_ page: String) -> Bool {
            [Self.bridgeTopic, self.topic(world)].allSatisfy { world.broker.text($0)?.contains("\"configuration_url\":\"\(page)") == true }
        }
        try await world.start()
        #expect(await world.advance(until: { shows("http://192.168.1.4:8099/") }, limit: .seconds(10)) != nil)
        address.withLock { $0 = "http://10.0.0.7:8099/" }
        if staysLinked {
            await world.look { $0.fleet.handle(.networkChanged) }
        } else {
            try await world.act { world.broker.stop(losingStore: false) }
            try await world.act { world.broker.start() }
        }
        #expect(await world.advance(until: { shows("http://10.0.0.7:8099/") }, limit: .seconds(30)) != nil)
        #expect(world.broker.violations == [])
        await world.end()
    }

    /// Home Assistant dates a picture by the arrival of its message.
    @Test("the picture is not sent again while the broker holds it", arguments: [nil, "", "https://h/other.png"] as [String?])
    func artwork(found: String?) async throws {
        let picture = "https://h/idle.png"
        let world = try BridgeWorld(homeAssistant: Self.device, configure: { $0.status.artworkPlaceholder = picture })
        try await world.start()
        _ = await world.advance(until: { world.held("status/artwork") == picture }, limit: .seconds(10))
        await world.advance(.seconds(15))
        let topic = world.topic("status/artwork")
        world.broker.clearJournal()
        try await world.act {
            world.broker.stop(losingStore: false)
            if let found {
                world.broker.set { $0.retained[topic] = found.isEmpty ? nil : MQTTMessage(topic: topic, text: found, retain: true) }
            }
            world.broker.start()
        }
        await world.advance(.seconds(15))
        #expect(world.broker.isOnline && world.held("status/artwork") == picture)
        #expect(world.broker.entries(topic).map(\.text) == (found == nil ? [] : [picture]))
        #expect(!world.broker.entries(world.topic("status/player")).isEmpty, "other values are sent in each connection")
        #expect(world.broker.set { $0.filters.allSatisfy { !$0.filter.contains("artwork") } }, "the subscription ends with the question")
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test("all is announced again when Home Assistant starts, and then the state; once, however often that is repeated")
    func birth() async throws {
        let world = try await self.settled(devices: 2, Self.device)
        world.broker.clearJournal()
        world.broker.set { $0.isChecking = false }
        for _ in 0..<3 { try await world.act { world.broker.publish("homeassistant/status", "online") } }
        await world.advance(.milliseconds(900))
        #expect(world.broker.journal.filter { $0.isRetained && !$0.topic.hasSuffix("bridge/health") }.isEmpty, "not at once")
        await world.advance(.seconds(30))
        let retained = world.broker.journal.filter { $0.isRetained && !$0.topic.hasSuffix("bridge/health") }
        #expect(self.announcements(world).map(\.topic) == [Self.bridgeTopic] + (0..<2).map { self.topic(world, $0) }.sorted())
        #expect(retained.prefix(3).allSatisfy { $0.topic.hasPrefix("homeassistant/") })
        #expect(retained.contains { $0.topic == world.topic("state") } && retained.contains { $0.topic == world.topic("availability", 1) })
        #expect(retained.last?.topic == "cast2mqtt/bridge/state")
        await world.end()
    }

    @Test("nothing is announced for other messages, or just after our own connect", arguments: ["offline", "", "ONLINE"])
    func otherStatus(text: String) async throws {
        let world = try await self.settled(Self.device)
        world.broker.clearJournal()
        try await world.act { world.broker.publish("homeassistant/status", text) }
        try await world.act { world.broker.cut() }
        await world.advance(.seconds(2))
        try await world.act { world.broker.publish("homeassistant/status", "online") }
        await world.advance(.seconds(30))
        #expect(self.announcements(world).count == 2, "what follows every connect")
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test("the new form comes by way of a migration, and the old one is cleared at the end")
    func migration() async throws {
        let first = try await self.settled(Self.components)
        let parts = self.held(first)
        #expect(parts.count > 40 && parts.allSatisfy { $0.split(separator: "/").count == 5 })
        let old = Set(parts.filter { !$0.contains("bridge") })
        await first.end()

        let world = try await self.settled(
            Self.device, announced: ["sim-001": old], retained: .init(uniqueKeysWithValues: old.map { ($0, "{}") }))
        let entries = self.announcements(world)
        #expect(self.held(world) == [Self.bridgeTopic, self.topic(world)].sorted())
        for topic in old {
            let texts = entries.filter { $0.topic == topic }.map(\.text)
            #expect(texts == [#"{"migrate_discovery":true}"#, ""], "\(topic)")
        }
        let migrated = try #require(entries.filter { $0.text.contains("migrate") }.map(\.at).max())
        let announced = try #require(entries.first { $0.topic == self.topic(world) }).at
        let cleared = entries.filter { $0.text.isEmpty }.map(\.at)
        let (earliest, latest) = try (#require(cleared.min()), #require(cleared.max()))
        #expect(earliest - migrated >= .seconds(5) && announced - latest >= .seconds(5))
        await world.end()
    }

    @Test("what was removed since the previous run is named once, and then no more")
    func removed() async throws {
        let topic = try self.topic(BridgeWorld())
        let world = try await self.settled(Self.device, split: .none, announced: ["sim-001": [topic]], retained: [topic: "{}"])
        let entries = self.announcements(world).filter { $0.topic == topic }
        #expect(entries.map { $0.text.contains(#""position":{"platform":"sensor"}"#) } == [true, false])
        #expect(entries.map { $0.text.contains(#""seek":{"platform":"number"}"#) } == [true, false])
        #expect(try #require(entries.last).at - #require(entries.first).at >= .seconds(5))
        #expect(try !#require(entries.last).text.contains(#""position""#))
        let known = await world.look { bridge in bridge.record.knownDevices.map(\.announcedEntities) }
        #expect(known == [[.screen, .volume, .controls]], "the next run finds nothing removed")
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test("the companion form comes and goes while the bridge runs: entities are removed once, and come back as they were")
    func companion() async throws {
        let world = try await self.settled(devices: 2, Self.device)
        let topic = self.topic(world, 1)
        let before = try #require(world.broker.text(topic))
        func change(_ mode: HomeAssistantOptions.Mode) async {
            var options = HomeAssistantOptions(mode: mode)
            options.modeSource = .settings
            await world.bridge.apply(
                devices: [], discovery: .init(), presets: Presets(), announcements: AnnouncementOptions(), homeAssistant: options)
        }
        world.broker.clearJournal()
        await change(.companion)
        await world.advance(.seconds(30))
        let texts = self.announcements(world).filter { $0.topic == topic }.map(\.text)
        #expect(texts.map { $0.contains(#""volume":{"platform":"number"}"#) } == [true, false] && texts.last?.contains("volume") == false)
        #expect(texts.allSatisfy { $0.contains(#""last_error":{"platform":"sensor","#) })
        #expect(world.broker.text("cast2mqtt/bridge/info")?.contains(#""mode":"companion","source":"settings""#) == true)
        let kept = await world.look { bridge in bridge.record.knownDevices.compactMap(\.announcedEntities) }
        #expect(kept.count == 2 && kept.allSatisfy { !$0.contains(.controls) }, "the next run finds nothing removed")
        // What needs topics of another kind waits for a restart.
        await change(.components)
        await world.advance(.seconds(30))
        #expect(world.broker.text("cast2mqtt/bridge/info")?.contains(#""mode":"companion""#) == true)
        await change(.device)
        await world.advance(.seconds(30))
        #expect(world.broker.text(topic) == before && self.held(world).count == 3)
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test("all is announced below another prefix, and what was below the former one is cleared")
    func prefix() async throws {
        let id = try BridgeWorld().devices[0].description.id
        let old = "homeassistant/device/cast2mqtt_\(id)/config"
        var options = Self.device
        options.prefix = "ha"
        let world = try await self.settled(options, announced: ["sim-001": [old]], retained: [old: "{}"])
        #expect(self.held(world) == [])
        #expect(world.broker.text("ha/device/cast2mqtt_\(id)/config") != nil)
        await world.end()
    }

    @Test("devices that this instance forgot are announced no more, and the announcements of others are not touched")
    func forgotten() async throws {
        func announcement(_ origin: String, via: String) -> String {
            #"{"device":{"identifiers":["x"],"via_device":"\#(via)"},"origin":{"name":"\#(origin)"},"components":{}}"#
        }
        let retained = [
            "homeassistant/device/cast2mqtt_gone/config": announcement("cast2mqtt", via: "cast2mqtt_bridge_test"),
            "homeassistant/device/cast2mqtt_other/config": announcement("cast2mqtt", via: "cast2mqtt_bridge_attic"),
            "homeassistant/device/zigbee/config": announcement("Zigbee2MQTT", via: "cast2mqtt_bridge_test"),
            "homeassistant/device/broken/config": "{",
        ]
        let world = try await self.settled(Self.device, retained: retained)
        #expect(
            self.held(world)
                == [
                    "homeassistant/device/broken/config", Self.bridgeTopic, self.topic(world),
                    "homeassistant/device/cast2mqtt_other/config",
                    "homeassistant/device/zigbee/config",
                ].sorted())
        await world.end()
    }

    @Test("an application that Home Assistant does not know yet is announced once")
    func newApplication() async throws {
        let world = try await self.settled(Self.device)
        world.broker.clearJournal()
        let device = world.devices[0]
        try await world.act {
            try device.perform(.load(RemoteItem(url: "http://h/a", title: "a", durationSeconds: 100, applicationID: "5A1D0001")))
        }
        await world.advance(.seconds(20))
        let entries = self.announcements(world)
        #expect(entries.count == 1)
        #expect(try #require(entries.first).text.contains("Orchard Radio"))
        // The state that was published before its option is published again, so that the select shows it.
        let state = try #require(world.broker.entries(world.topic("state")).last)
        #expect(try state.at - #require(entries.first).at >= .seconds(2) && state.isRetained && state.text.contains("Orchard Radio"))
        // Every option of the select can be chosen.
        try await world.send("cmd/quit_app", #"{"id":"quit"}"#)
        await world.advance(.seconds(5))
        #expect(world.held("status/app") != "Orchard Radio")
        try await world.send("set/app", "Orchard Radio")
        await world.advance(.seconds(5))
        #expect(world.held("status/app") == "Orchard Radio")
        await world.end()
    }
}
