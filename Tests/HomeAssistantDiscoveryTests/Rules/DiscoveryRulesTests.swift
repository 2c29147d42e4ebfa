import BridgeCore
import CastModels
import Testing

@testable import HomeAssistantDiscovery

/// The rules themselves: what Home Assistant 2026.11 made of these documents.
@Suite struct DiscoveryRulesTests {
    /// How a probe ended there.
    enum Verdict { case accepted, componentDropped, keyDropped, deviceRefused }

    struct Probe: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var verdict: Verdict
        var change: @Sendable (inout JSONObject) -> Void

        init(_ name: String, _ verdict: Verdict, _ change: @escaping @Sendable (inout JSONObject) -> Void) {
            (self.testDescription, self.verdict, self.change) = (name, verdict, change)
        }

        /// Changes a member of the component of this key.
        static func component(_ name: String, _ verdict: Verdict, _ key: String, _ member: String, _ value: JSONValue?) -> Self {
            Self(name, verdict) { root in
                var components = root["components"]?.objectValue ?? [:]
                var component = components[key]?.objectValue ?? [:]
                component[member] = value
                components[key] = .object(component)
                root["components"] = .object(components)
            }
        }

        static func part(_ name: String, _ verdict: Verdict, _ part: String, _ member: String, _ value: JSONValue) -> Self {
            Self(name, verdict) { root in
                var object = root[part]?.objectValue ?? [:]
                object[member] = value
                root[part] = .object(object)
            }
        }
    }

    static let probes: [Probe] = [
        Probe("an unknown key at the root", .deviceRefused) { $0["foo"] = 1 },
        .part("a serial number that is null", .deviceRefused, "device", "serial_number", nil),
        .part("origin.support_url", .accepted, "origin", "support_url", "https://example.org/cast2mqtt"),
        .part("origin.url, its short form", .accepted, "origin", "url", "https://example.org/cast2mqtt"),
        .component("a component without unique_id", .deviceRefused, "volume", "unique_id", nil),
        .component("an unknown key in a component", .keyDropped, "volume", "foo", 1),
        .component("options without enum", .componentDropped, "title", "options", ["a"]),
        .component("an empty state class", .componentDropped, "title", "state_class", ""),
        .component("a device class that buttons don't have", .componentDropped, "play", "device_class", "play"),
        .component("a wildcard in a command topic", .componentDropped, "play", "command_topic", "cast2mqtt/+/cmd/play"),
        .component("a wildcard in a state topic", .accepted, "title", "state_topic", "cast2mqtt/+/state"),
        .component("a text of 256 characters", .componentDropped, "play_url", "max", 256),
        .component("a media player", .deviceRefused, "player", "platform", "media_player"),
        .component("a category of null", .componentDropped, "player", "entity_category", nil as JSONValue? ?? .null),
        .component("a sensor for configuration", .componentDropped, "player", "entity_category", "config"),
        .component("an option called none", .componentDropped, "source", "options", ["None"]),
        .component("an icon without a colon", .componentDropped, "play", "icon", "play"),
        .component("an entity id of another domain", .keyDropped, "play", "default_entity_id", "sensor.living_room_play"),
        Probe("a device that is connected through itself", .deviceRefused) { root in
            var device = root["device"]?.objectValue ?? [:]
            device["via_device"] = device["identifiers"]?.arrayValue?.first
            root["device"] = .object(device)
        },
        Probe("no origin", .deviceRefused) { $0["origin"] = nil },
        Probe("no components", .deviceRefused) { $0["components"] = nil },
        Probe("retain at the root", .deviceRefused) { $0["retain"] = true },
    ]

    @Test("what Home Assistant refused is refused, and what it took is taken", arguments: Self.probes)
    func probe(_ probe: Probe) throws {
        let message = try #require(Fixture.mapper().messages(for: Fixture.livingRoom).first)
        var root = try #require(try JSONParser.parse(message.payload).objectValue)
        #expect(DiscoveryRules.problems(ofDevice: .object(root)).isEmpty)
        probe.change(&root)
        let problems = DiscoveryRules.problems(ofDevice: .object(root))
        switch probe.verdict {
        case .accepted: #expect(problems.isEmpty)
        case .componentDropped, .keyDropped: #expect(!problems.isEmpty && problems.allSatisfy { !$0.isFatal })
        case .deviceRefused: #expect(problems.contains { $0.isFatal })
        }
    }
}
