import BridgeCore
import CastModels
import Testing

@testable import HomeAssistantDiscovery

/// Home Assistant knows entities by these for ever: history, names, dashboards and automations of users hang on them.
@Suite struct ReleasedEntityTests {
    /// Every key of a Cast device's entities that was ever released, with its platform. Add, never change; what is no longer announced stays here.
    static let device = [
        "active_input": "binary_sensor", "ad": "binary_sensor", "album": "sensor", "app": "sensor", "artist": "sensor", "artwork": "image",
        "connection": "binary_sensor", "duration": "sensor", "ends_at": "sensor", "event": "event", "last_error": "sensor",
        "members": "sensor", "mute": "switch", "next": "button", "pause": "button", "play": "button", "play_pause": "button",
        "play_url": "text",
        "preset": "select",
        "player": "sensor", "playing": "binary_sensor", "position": "sensor", "previous": "button", "quit_app": "button",
        "repeat": "select", "seek": "number", "seek_position": "number", "shuffle": "switch", "skip_ad": "button", "sleep": "select",
        "sleep_at": "sensor", "source": "select",
        "stop": "button",
        "text_track": "select", "title": "sensor", "trigger_ad_ended": "device_automation", "trigger_ad_started": "device_automation",
        "trigger_load_failed": "device_automation", "trigger_media_ended": "device_automation",
        "trigger_media_started": "device_automation", "trigger_paused": "device_automation", "trigger_resumed": "device_automation",
        "trigger_stopped": "device_automation", "volume": "number",
    ]

    /// The same of the bridge's own device.
    static let bridge = [
        "connection": "binary_sensor", "devices_online": "sensor", "discover": "button", "log_level": "select",
        "messages_dropped": "sensor", "republish": "button", "restart": "button", "started_at": "sensor", "version": "sensor",
    ]

    private func announced(_ messages: [OutgoingMessage]) throws -> (keys: [String: String], ids: [String: String]) {
        let components = try #require(try JSONParser.parse(messages[0].payload)["components"]?.objectValue)
        var keys: [String: String] = [:], ids: [String: String] = [:]
        for member in components.members {
            keys[member.key] = member.value["platform"]?.stringValue
            ids[member.key] = member.value["unique_id"]?.stringValue
        }
        return (keys, ids)
    }

    @Test("every entity of a device is on the list, under its platform, with an id made of the device's id and its key")
    func deviceEntities() throws {
        var all: Set<String> = []
        for device in Fixture.devices {
            let (keys, ids) = try self.announced(Fixture.mapper().messages(for: device))
            for (key, platform) in keys { #expect(Self.device[key] == platform, "\(key) is new or has another platform") }
            for (key, id) in ids { #expect(id == "cast2mqtt_\(device.id)_\(key)") }
            all.formUnion(keys.keys)
        }
        #expect(all == Set(Self.device.keys), "what is announced no more must stay on the list by hand")
    }

    @Test("every entity of the bridge is on the list")
    func bridgeEntities() throws {
        let (keys, ids) = try self.announced(Fixture.mapper().bridgeMessages())
        #expect(keys == Self.bridge)
        for (key, id) in ids { #expect(id == "cast2mqtt_bridge_home_\(key)") }
    }

    /// Cards, blueprints and printed media players name entities, and Home Assistant before 2025.10 knows one of the two only.
    @Test("first names of entities are asked for in both words and both forms", arguments: [HomeAssistantOptions.Mode.device, .components])
    func firstNames(mode: HomeAssistantOptions.Mode) throws {
        let mapper = Fixture.mapper(mode)
        for message in Fixture.devices.flatMap({ mapper.messages(for: $0) }) + mapper.bridgeMessages() {
            let document = try JSONParser.parse(message.payload)
            let components = document["components"]?.objectValue?.members.map(\.value) ?? [document]
            for component in components where component["unique_id"] != nil {
                let id = try #require(component["object_id"]?.stringValue)
                let platform = component["platform"]?.stringValue ?? String(message.topic.split(separator: "/")[1])
                #expect(component["default_entity_id"]?.stringValue == "\(platform).\(id)")
                #expect(id.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "_") }, "\(id)")
            }
        }
    }

    @Test("ids depend on nothing but the device's id and the instance")
    func ids() throws {
        var renamed = Fixture.livingRoom
        (renamed.name, renamed.slug) = ("Salon", "salon")
        let moved = DiscoveryMapper(tree: TopicTree(base: "a/b"), options: Fixture.mapper().options)
        #expect(
            try self.announced(moved.messages(for: renamed)).ids == self.announced(Fixture.mapper().messages(for: Fixture.livingRoom)).ids)
        #expect(moved.messages(for: renamed)[0].topic == Fixture.mapper().messages(for: Fixture.livingRoom)[0].topic)
    }
}
