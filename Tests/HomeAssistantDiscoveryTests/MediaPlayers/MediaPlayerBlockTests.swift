import BridgeCore
import CastModels
import Foundation
import Testing
import Yams

@testable import HomeAssistantDiscovery

@Suite struct MediaPlayerBlockTests {
    private let block = MediaPlayerBlock(tree: Fixture.tree)

    private func mapping(_ yaml: String) throws -> [String: Any] { try #require(try Yams.load(yaml: yaml) as? [String: Any]) }

    private func players(_ kind: MediaPlayerBlock.Kind, _ devices: [AnnouncedDevice]) throws -> [[String: Any]] {
        let root = try self.mapping(self.block.yaml(kind, devices))
        switch kind {
        case .template:
            let blocks = try #require(root["template"] as? [[String: Any]])
            return try blocks.map { try #require(($0["media_player"] as? [[String: Any]])?.first) }
        case .universal: return try #require(root["media_player"] as? [[String: Any]])
        }
    }

    @Test("It is YAML whatever devices are called, with a name and an id for each", arguments: MediaPlayerBlock.Kind.allCases)
    func hostileNames(kind: MediaPlayerBlock.Kind) throws {
        let players = try self.players(kind, Fixture.devices)
        #expect(players.map { $0["name"] as? String } == Fixture.devices.map(\.name))
        #expect(players.map { $0["unique_id"] as? String } == Fixture.devices.map { "cast2mqtt_\($0.id)_media_player" })
        #expect(self.block.yaml(kind, []).isEmpty)
    }

    @Test func `A template media player has options that Home Assistant knows, and no other`() throws {
        let known: Set<String> = [
            "name", "unique_id", "device_class", "availability", "state", "volume_level", "is_volume_muted", "media_title", "media_artist",
            "media_album_name", "media_series_title", "media_season", "media_episode", "media_content_id", "media_content_type",
            "media_duration", "media_position", "media_image_url", "app_id", "app_name", "source", "source_list", "shuffle", "repeat",
            "turn_off", "media_play", "media_pause", "media_stop", "media_next_track", "media_previous_track", "media_seek", "volume_set",
            "volume_mute", "volume_up", "volume_down", "shuffle_set", "repeat_set", "select_source", "play_media",
        ]
        let player = try #require(try self.players(.template, [Fixture.livingRoom]).first)
        #expect(Set(player.keys) == known)
        #expect(player["device_class"] as? String == "tv")
        let speaker = AnnouncedDevice(id: "a1", slug: "kitchen", name: "Kitchen", kind: .audio)
        #expect(try self.players(.template, [speaker]).first?["device_class"] as? String == "speaker")
    }

    @Test("Every action is a command of the contract, and its payload is taken", arguments: MediaPlayerBlock.actions.map(\.1))
    func commands(name: String) throws {
        let payloads = [
            "set/position": "63", "set/volume_level": "0.34", "set/muted": "True", "set/shuffle": "False", "set/repeat": "all",
            "set/app": "YouTube", "cmd/load": #"{"url": "http://192.168.1.5/a", "content_type": "music"}"#,
        ]
        let message = IncomingMessage(topic: "cast2mqtt/living-room/\(name)", payload: Array((payloads[name] ?? "").utf8))
        let now = Now(monotonic: MonotonicTime(nanoseconds: 0), wall: Timestamp(milliseconds: 0))
        let parsed = CommandParser(topics: Fixture.tree).parse(message, now: now)
        guard case .command = parsed else {
            Issue.record("\(name): \(parsed)")
            return
        }
    }

    @Test(
        "Its templates give what a media player may be, in every state of the player and with every text",
        .enabled("needs python3 with jinja2; in CI it must run") { TemplateTests.isUsableOrRequired })
    func templates() throws {
        var cases: [TemplateTests.Case] = []
        for (name, states) in States.all {
            let payload = try #require(states.documents["cast2mqtt/living-room/state"])
            for (key, template) in MediaPlayerBlock.values {
                cases.append(.init(name: "\(name): \(key)", platform: "media_player.\(key)", template: template, payload: payload))
            }
        }
        let problems = try TemplateTests.problems(cases).joined(separator: "\n")
        #expect(cases.count > 400)
        #expect(problems.isEmpty, "\(problems)")
    }
}
