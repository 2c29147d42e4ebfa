import BridgeCore
import CastModels
import Foundation
import Testing
import Yams

@testable import HomeAssistantDiscovery

/// The files of `config/home-assistant`: that they are YAML, and that they speak of entities and topics that exist.
@Suite struct ExampleTests {
    private static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("config/home-assistant")

    private static let blueprints = [
        "doorbell", "follow_me", "lights_follow_film", "pause_player_when_a_call_comes", "pause_when_a_call_comes", "quiet_night",
        "speak_when_done", "wake_with_radio",
    ].map { "blueprints/\($0).yaml" }
    private static let files = ["dashboard-card.yaml", "dashboard-page.yaml", "dashboard-players.yaml"] + Self.blueprints

    private static func text(_ file: String) throws -> String {
        try String(contentsOf: Self.folder.appendingPathComponent(file), encoding: .utf8)
    }

    /// Every text below a node, with inputs and the like taken as text.
    private static func texts(_ node: Node) -> [String] {
        switch node {
        case .scalar(let scalar): [scalar.string]
        case .sequence(let sequence): sequence.flatMap { self.texts($0) }
        case .mapping(let mapping): mapping.flatMap { self.texts($0.key) + self.texts($0.value) }
        default: []
        }
    }

    @Test("a file is a YAML mapping", arguments: Self.files)
    func parses(file: String) throws {
        let node = try #require(try Yams.compose(yaml: try Self.text(file)))
        #expect(node.mapping != nil && Self.texts(node).count > 20)
    }

    @Test("all files are known here")
    func knownFiles() throws {
        let found = try FileManager.default.subpathsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(".yaml") }
        #expect(Set(found) == Set(Self.files))
    }

    @Test("the card shows entities that are announced and not disabled")
    func card() throws {
        var device = Fixture.livingRoom
        device.kind = .audio
        let components = try JSONParser.parse(Fixture.mapper().messages(for: device)[0].payload)["components"]?.objectValue?.members
        let announced = try #require(components).map(\.value).filter { $0["enabled_by_default"]?.boolValue != false }.compactMap {
            $0["default_entity_id"]?.stringValue
        }
        let node = try #require(try Yams.compose(yaml: try Self.text("dashboard-card.yaml")))
        let pattern = try Regex("[a-z_]+\\.living_room[a-z_]*")
        let named = Self.texts(node).flatMap { text in text.matches(of: pattern).map { String(text[$0.range]) } }
        #expect(named.count > 5)
        for entity in named { #expect(announced.contains(entity), "\(entity)") }
    }

    @Test("attributes that blueprints read are members of the document that is announced as attributes")
    func attributes() throws {
        let text = try Self.text("blueprints/follow_me.yaml")
        let read = text.matches(of: try Regex("state_attr\\([^,]+, '([a-z_]+)'\\)")).compactMap { $0[1].substring.map(String.init) }
        let document = try JSONParser.parse(try #require(States.idle().documents["cast2mqtt/living-room/media"]))
        #expect(read == ["device"] && document["device"] == "living-room")
        let player = try JSONParser.parse(Fixture.mapper().messages(for: Fixture.livingRoom)[0].payload)["components"]?["player"]
        #expect(player?["json_attributes_topic"] == "cast2mqtt/living-room/media")
    }

    @Test("topics in blueprints are commands of the contract", arguments: Self.blueprints)
    func commands(file: String) throws {
        let node = try #require(try Yams.compose(yaml: try Self.text(file)))
        let blueprint = try #require(node.mapping?["blueprint"]?.mapping)
        let inputs = Set((blueprint["input"]?.mapping ?? [:]).keys.compactMap(\.string))
        #expect(blueprint["domain"]?.string == "automation")
        let text = try Self.text(file)
        let used = text.matches(of: try Regex("!input ([a-z_]+)")).compactMap { $0[1].substring.map(String.init) }
        #expect(Set(used) == inputs, "every input is used, and no other")
        for topic in Self.texts(node) where topic.hasPrefix("{{ base }}/") {
            let name = topic.split(separator: "/").dropFirst(2).joined(separator: "/")
            let message = IncomingMessage(topic: "cast2mqtt/living-room/\(name)", payload: Array(#"{"to":"kitchen"}"#.utf8))
            let now = Now(monotonic: .init(nanoseconds: 0), wall: Timestamp(milliseconds: 0))
            guard case .command = CommandParser(topics: Fixture.tree).parse(message, now: now) else {
                Issue.record("\(topic) is no command")
                continue
            }
        }
    }
}
