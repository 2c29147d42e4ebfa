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
            return blocks.compactMap { ($0["media_player"] as? [[String: Any]])?.first }
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
            let document = try JSONParser.parse(payload)
            for (key, template) in MediaPlayerBlock.values("sensor.cast2mqtt_living_room") {
                var asked = TemplateTests.Case(name: "\(name): \(key)", platform: "media_player.\(key)", template: template, payload: "")
                asked.attributes = .object(["bridge": "online", "device": "online", "document": document])
                cases.append(asked)
                // Before anything came.
                asked.attributes = .object([:])
                asked.result = key == "availability" ? "False" : "None"
                cases.append(asked)
            }
        }
        try self.expect(cases, count: 800)
    }

    private func expect(_ cases: [TemplateTests.Case], count: Int) throws {
        let problems = try TemplateTests.problems(cases).joined(separator: "\n")
        #expect(cases.count >= count)
        #expect(problems.isEmpty, "\(problems)")
    }

    @Test("It is available while the bridge and the device are", .enabled { TemplateTests.isUsableOrRequired })
    func availability() throws {
        let template = try #require(MediaPlayerBlock.values("sensor.a").first { $0.key == "availability" }?.template)
        var cases: [TemplateTests.Case] = []
        for bridge: JSONValue in ["online", "offline", .null] {
            for device: JSONValue in ["online", "offline", .null] {
                for document: JSONValue in [.object(["player": "unknown"]), .null] {
                    var asked = TemplateTests.Case(name: "\(bridge) \(device) \(document)", platform: "", template: template, payload: "")
                    asked.attributes = .object(["bridge": bridge, "device": device, "document": document])
                    asked.result = bridge == "online" && device == "online" && !document.isNull ? "True" : "False"
                    cases.append(asked)
                }
            }
        }
        try self.expect(cases, count: 18)
    }

    @Test("The sensor beside it keeps what other messages told", .enabled { TemplateTests.isUsableOrRequired })
    func memory() throws {
        let block = try #require(try self.mapping(self.block.yaml(.template, [Fixture.livingRoom]))["template"] as? [[String: Any]])
        #expect(block.count == 2)
        let triggers = try #require(block[0]["triggers"] as? [[String: String]])
        #expect(
            triggers.map { $0["topic"] } == ["cast2mqtt/bridge/state", "cast2mqtt/living-room/availability", "cast2mqtt/living-room/state"])
        let sensor = try #require((block[0]["sensor"] as? [[String: Any]])?.first)
        #expect(sensor["name"] as? String == "cast2mqtt living-room")
        let templates = try #require(sensor["attributes"] as? [String: String])
        let kept: JSONValue = .object(["state": "idle", "bridge": "offline", "device": "offline", "document": .object(["player": "idle"])])
        var cases: [TemplateTests.Case] = []
        for trigger in triggers.compactMap({ $0["id"] }) {
            let payload = trigger == "document" ? #"{"player":"paused"}"# : "online"
            for (name, template) in templates.sorted(by: { $0.key < $1.key }) + [("state", try #require(sensor["state"] as? String))] {
                let result =
                    switch (name, trigger) {
                    case ("state", "document"): "paused"
                    case ("document", "document"): "{'player': 'paused'}"
                    case (trigger, _): "online"
                    case ("state", _): "idle"
                    case ("document", _): "{'player': 'idle'}"
                    default: "offline"
                    }
                var asked = TemplateTests.Case(name: "\(name) when \(trigger) comes", platform: "", template: template, payload: payload)
                (asked.trigger, asked.attributes, asked.result) = (trigger, kept, result)
                cases.append(asked)
            }
        }
        try self.expect(cases, count: 12)
    }

    @Test(
        "What Home Assistant is told to play arrives with everything that it was told of it", .enabled { TemplateTests.isUsableOrRequired },
        arguments: [
            ("{}", "{}"), (#"{"enqueue":null,"extra":{}}"#, "{}"), (#"{"enqueue":"add"}"#, #"{"enqueue": "add"}"#),
            (
                #"{"enqueue":"next","announce":true,"extra":{"title":"A \"B\"","autoplay":false}}"#,
                #"{"enqueue": "next", "extra": {"title": "A \"B\"", "autoplay": false}}"#
            ),
        ])
    func playMedia(given: String, passedOn: String) throws {
        let url = "http://192.168.1.5/a.mp3"
        let template = try #require(MediaPlayerBlock.actions.first { $0.0 == "play_media" }?.2)
        var variables = try #require(try JSONParser.parse(given).objectValue)
        variables.append("media_content_id", .string(url))
        variables.append("media_content_type", "music")
        var asked = TemplateTests.Case(name: given, platform: "", template: template, payload: "")
        asked.variables = .object(variables)
        let rest = passedOn == "{}" ? "}" : ", " + passedOn.dropFirst()
        let result = #"{"url": "\#(url)", "content_type": "music""# + rest
        asked.result = result
        try self.expect([asked], count: 1)
        let message = IncomingMessage(topic: "cast2mqtt/living-room/cmd/load", payload: Array(result.utf8))
        let now = Now(monotonic: MonotonicTime(nanoseconds: 0), wall: Timestamp(milliseconds: 0))
        guard case .command = CommandParser(topics: Fixture.tree).parse(message, now: now) else {
            Issue.record("refused: \(result)")
            return
        }
    }
}
