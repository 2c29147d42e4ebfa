import BridgeCore
import CastModels
import Foundation
import Testing
import Yams

@testable import HomeAssistantDiscovery

@Suite struct MediaPlayerBlockTests {
    private let block = MediaPlayerBlock(tree: Fixture.tree)

    private func mapping(_ yaml: String) throws -> [String: Any] { try #require(try Yams.load(yaml: yaml) as? [String: Any]) }

    /// The list items of the template media players.
    private func items(_ devices: [AnnouncedDevice]) throws -> [[String: Any]] {
        try #require(try Yams.load(yaml: self.block.yaml(.template, devices)) as? [[String: Any]])
    }

    private func players(_ kind: MediaPlayerBlock.Kind, _ devices: [AnnouncedDevice]) throws -> [[String: Any]] {
        switch kind {
        case .template: return try self.items(devices).compactMap { ($0["media_player"] as? [[String: Any]])?.first }
        case .universal: return try #require(try self.mapping(self.block.yaml(kind, devices))["media_player"] as? [[String: Any]])
        }
    }

    @Test("it is YAML whatever devices are called, with a name and an id for each", arguments: MediaPlayerBlock.Kind.allCases)
    func hostileNames(kind: MediaPlayerBlock.Kind) throws {
        let players = try self.players(kind, Fixture.devices)
        // The name of a template media player is a template.
        #expect(
            players.map { $0["name"] as? String } == Fixture.devices.map { kind == .template ? MediaPlayerBlock.plain($0.name) : $0.name })
        #expect(players.map { $0["unique_id"] as? String } == Fixture.devices.map { "cast2mqtt_\($0.id)_media_player" })
        #expect(self.block.yaml(kind, []).isEmpty)
    }

    static let names: [(name: String, template: String)] = [
        ("Living Room", "Living Room"), ("{{ 7*7 }}", "{{ '\\x7b\\x7b 7*7 \\x7d\\x7d' }}"), ("{% raw", "{{ '\\x7b\\x25 raw' }}"),
        ("a#'", "{{ 'a\\x23\\'' }}"),
    ]

    @Test("a name that Jinja would carry out is written as a text of it", arguments: names)
    func jinja(name: String, template: String) { #expect(MediaPlayerBlock.plain(name) == template) }

    @Test(
        "characters that YAML takes only escaped are escaped",
        arguments: ["\u{FFFE}", "\u{FFFF}", "\u{7F}", "\u{9B}", "\u{85}", "\u{2028}", "\u{FEFF}"])
    func escapes(character: String) throws {
        let text = MediaPlayerBlock.quoted("a\(character)b")
        #expect(!text.contains(character))
        #expect(try Yams.load(yaml: text) as? String == "a\(character)b")
    }

    @Test("a template media player has options that Home Assistant knows, and no other")
    func template() throws {
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

    @Test("every action is a command of the contract, and its payload is taken", arguments: MediaPlayerBlock.actions.map(\.1))
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
        "its templates give what a media player may be, in every state of the player and with every text",
        .enabled("needs python3 with jinja2; in CI it must run") { TemplateTests.isUsableOrRequired })
    func templates() throws {
        var cases: [TemplateTests.Case] = []
        for (name, states) in States.all {
            let payload = try #require(states.documents["cast2mqtt/living-room/state"])
            let document = try JSONParser.parse(payload)
            for (key, template) in self.block.values("sensor.cast2mqtt_living_room") {
                var asked = TemplateTests.Case(name: "\(name): \(key)", platform: "media_player.\(key)", template: template, payload: "")
                asked.attributes = .object(["bridge": "online", "device": "online", "document": document])
                cases.append(asked)
                // Before anything came.
                asked.attributes = .object([:])
                asked.result = key == "availability" ? "False" : "None"
                if key != "source_list" { cases.append(asked) }
            }
        }
        try self.expect(cases, count: 800)
    }

    private func expect(_ cases: [TemplateTests.Case], count: Int) throws {
        let problems = try TemplateTests.problems(cases).joined(separator: "\n")
        #expect(cases.count >= count)
        #expect(problems.isEmpty, "\(problems)")
    }

    @Test("it is available while the bridge and the device are", .enabled { TemplateTests.isUsableOrRequired })
    func availability() throws {
        let template = try #require(self.block.values("sensor.a").first { $0.key == "availability" }?.template)
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

    /// Renders a value of the player.
    /// - Parameter document: the `state` document.
    private func expect(
        _ key: String, of document: String, is result: String, updated: String? = nil, now: String? = nil,
        _ block: MediaPlayerBlock = MediaPlayerBlock(tree: Fixture.tree)
    ) throws {
        let template = try #require(block.values("sensor.a").first { $0.key == key }?.template)
        var asked = TemplateTests.Case(name: "\(key) of \(document)", platform: "", template: template, payload: "")
        asked.attributes = .object(["bridge": "online", "device": "online", "document": try JSONParser.parse(document)])
        (asked.updated, asked.now, asked.result) = (updated, now, result)
        try self.expect([asked], count: 1)
    }

    @Test(
        "the position is of the sensor's last change, so that no row of history is written each minute",
        .enabled { TemplateTests.isUsableOrRequired },
        arguments: [
            (#""playing","media":{"position":63.2,"position_at":"2026-11-21T14:03:22.000Z","rate":1}"#, "74"),
            (#""playing","media":{"position":63,"position_at":"2026-11-21T14:03:32.000Z","rate":1}"#, "63"),
            (#""playing","media":{"position":0,"position_at":"2026-11-21T14:03:39.000Z","rate":null}"#, "0"),
            (#""paused","media":{"position":63.9,"position_at":"2026-11-21T14:03:22.000Z","rate":1}"#, "63"),
            (#""playing","media":{"position":63.9,"position_at":null,"rate":1}"#, "63"),
            (#""playing","media":{"position":null,"position_at":"2026-11-21T14:03:22.000Z","rate":1}"#, "None"),
        ])
    func position(document: String, result: String) throws {
        try self.expect("media_position", of: #"{"player":\#(document)}"#, is: result, updated: "2026-11-21T14:03:32.000Z")
    }

    @Test("at another speed the position follows the clock", .enabled { TemplateTests.isUsableOrRequired })
    func positionAtAnotherSpeed() throws {
        try self.expect(
            "media_position", of: #"{"player":"playing","media":{"position":60,"position_at":"2026-11-21T14:03:22.000Z","rate":2}}"#,
            is: "80", updated: "2026-11-21T14:03:22.000Z", now: "2026-11-21T14:03:32.000Z")
    }

    @Test(
        "what plays has a type in Home Assistant's words", .enabled { TemplateTests.isUsableOrRequired },
        arguments: [
            (#""movie","content_type":"audio/mp4""#, "movie"), (#""tv_show","content_type":"video/mp4""#, "tvshow"),
            (#""music","content_type":null"#, "music"), (#""photo","content_type":null"#, "image"),
            (#""audiobook_chapter","content_type":"audio/mp4""#, "music"), (#""generic","content_type":"audio/mpeg""#, "music"),
            (#""generic","content_type":"image/png""#, "image"), (#""generic","content_type":"application/x-mpegURL""#, "video"),
            (#""unknown","content_type":null"#, "video"), (#"null,"content_type":null"#, "None"),
        ])
    func contentType(media: String, result: String) throws {
        try self.expect("media_content_type", of: #"{"player":"playing","media":{"kind":\#(media)}}"#, is: result)
    }

    @Test(
        "the running application is its source if it is in the list, which never changes", .enabled { TemplateTests.isUsableOrRequired },
        arguments: [("null", "None"), (#""A""#, "A"), (#""Orchard {{ Radio }}""#, "None")])
    func sources(source: String, result: String) throws {
        let block = MediaPlayerBlock(tree: Fixture.tree, applications: ["YouTube", "A"])
        try self.expect("source", of: #"{"app":{"source":\#(source)}}"#, is: result, block)
        try self.expect("source_list", of: "{}", is: "['YouTube', 'A']", block)
    }

    @Test("a title that is the word for unknown is shown", .enabled { TemplateTests.isUsableOrRequired })
    func noneAsTitle() throws {
        try self.expect("media_title", of: #"{"media":{"title":"None"}}"#, is: "None\u{200b}")
        try self.expect("media_title", of: #"{"media":{"title":null}}"#, is: "None")
    }

    @Test("neither file has a key twice, and each explains how to include it")
    func keys() throws {
        let devices = [Fixture.livingRoom, AnnouncedDevice(id: "a1", slug: "kitchen", name: "Kitchen", kind: .audio)]
        #expect(try self.items(devices).count == 4)
        let list = self.block.yaml(.template, devices)
        #expect(list.hasPrefix("# Save this as cast2mqtt.yaml") && list.contains("#   template: !include cast2mqtt.yaml\n"))
        #expect(!list.contains("\ntemplate:"))
        let package = self.block.yaml(.universal, devices)
        #expect(Set(try self.mapping(package).keys) == ["media_player", "template"])
        #expect(package.hasPrefix("# Save this as cast2mqtt_universal.yaml") && package.contains("!include cast2mqtt_universal.yaml\n"))
    }

    /// Home Assistant offers these controls of a universal media player only when the attribute is configured, and never a seek.
    @Test("the universal media player has the attribute of each control")
    func universal() throws {
        let player = try #require(try self.players(.universal, [Fixture.livingRoom]).first)
        let attributes = try #require(player["attributes"] as? [String: String])
        let commands = try #require(player["commands"] as? [String: Any])
        for (command, attribute) in [
            ("volume_mute", "is_volume_muted"), ("select_source", "source_list"), ("shuffle_set", "shuffle"), ("repeat_set", "repeat"),
        ] {
            #expect(commands[command] != nil && attributes[attribute] != nil, "\(command)")
        }
        #expect(commands["media_seek"] == nil && commands.count == MediaPlayerBlock.actions.count - 1)
        let root = try self.mapping(self.block.yaml(.universal, [Fixture.livingRoom]))
        let sensor = try #require(((root["template"] as? [[String: Any]])?.first?["sensor"] as? [[String: Any]])?.first)
        #expect(sensor["name"] as? String == "living_room_volume_level")
        #expect(Set(try #require(sensor["attributes"] as? [String: String]).keys) == ["shuffle", "repeat"])
    }

    @Test("the sensor beside it keeps the values of other messages", .enabled { TemplateTests.isUsableOrRequired })
    func memory() throws {
        let block = try self.items([Fixture.livingRoom])
        #expect(block.count == 2)
        let triggers = try #require(block[0]["triggers"] as? [[String: String]])
        #expect(triggers.map { $0["id"] } == ["bridge", "device", "document"])
        #expect(
            triggers.map { $0["topic"] } == ["cast2mqtt/bridge/state", "cast2mqtt/living-room/availability", "cast2mqtt/living-room/state"])
        let sensor = try #require((block[0]["sensor"] as? [[String: Any]])?.first)
        #expect(sensor["name"] as? String == "cast2mqtt living-room")
        let templates = try #require(sensor["attributes"] as? [String: String])
        let kept: JSONValue = .object(["state": "idle", "bridge": "offline", "device": "offline", "document": .object(["player": "idle"])])
        var cases: [TemplateTests.Case] = []
        for (trigger, payload) in [
            ("bridge", "online"), ("device", "online"), ("document", #"{"player":"paused"}"#),
            // A cleared topic, and what another client may write there, must not make the sensor unavailable.
            ("bridge", ""), ("device", ""), ("document", ""), ("document", "5"), ("document", "{"),
        ] {
            for (name, template) in templates.sorted(by: { $0.key < $1.key }) + [("state", try #require(sensor["state"] as? String))] {
                let result =
                    switch (name, trigger) {
                    case ("state", "document"): payload.count > 1 ? "paused" : "None"
                    case ("document", "document"): payload.count > 1 ? "{'player': 'paused'}" : "None"
                    case (trigger, _): payload
                    case ("state", _): "idle"
                    case ("document", _): "{'player': 'idle'}"
                    default: "offline"
                    }
                var asked = TemplateTests.Case(name: "\(name) when \(trigger) comes", platform: "", template: template, payload: payload)
                (asked.trigger, asked.attributes, asked.result) = (trigger, kept, result)
                cases.append(asked)
            }
        }
        try self.expect(cases, count: 32)
    }

    @Test(
        "what Home Assistant plays arrives with all its properties", .enabled { TemplateTests.isUsableOrRequired },
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
