import CastModels
import Testing

@testable import BridgeCore

@Suite("What is played again") struct PlayTests {
    @Test("is named by its preset, its number or its name, and sleeping by its minutes")
    func arguments() {
        let cases: [(String, String, DeviceCommand?)] = [
            ("cmd/preset", "Radio One", .preset(.named("Radio One"))),
            ("cmd/preset", #"{"name":"Radio One"}"#, .preset(.named("Radio One"))),
            ("cmd/preset", "", nil), ("cmd/preset", #"{"title":"Radio One"}"#, nil), ("cmd/preset_next", "PRESS", .preset(.step(1))),
            ("cmd/preset_previous", "", .preset(.step(-1))), ("cmd/preset_next", "2", nil),
            ("cmd/save", "evening", .save("evening", forgets: false)),
            ("cmd/save", #"{"name":"evening","forget":true}"#, .save("evening", forgets: true)), ("cmd/save", "", nil),
            ("cmd/recall", #""evening""#, .recall("evening")), ("cmd/recall", #"{"name":"evening","forget":true}"#, nil),
            ("cmd/sleep", "30", .sleep(.seconds(1800))), ("cmd/sleep", #"{"minutes":0.5}"#, .sleep(.seconds(30))),
            ("cmd/sleep", "off", .sleep(nil)),
            ("cmd/sleep", "0", .sleep(nil)), ("cmd/sleep", "", nil), ("cmd/sleep", "-1", nil), ("cmd/sleep", "1441", nil),
            ("cmd/sleep", #"{"hours":1}"#, nil), ("cmd/wake", "", .wake), ("cmd/load", #"{"recent":2}"#, .recent(2)),
            ("cmd/load", #"{"recent":51}"#, nil), ("cmd/load", #"{"recent":1,"url":"http://h/a.mp3"}"#, nil),
        ]
        for (topic, payload, expected) in cases {
            let outcome = device(topic, payload)
            #expect(outcome.device == expected && (expected != nil || outcome.code == .badPayload), "\(topic) \(payload): \(outcome)")
        }
        #expect(parse("cast2mqtt/all/cmd/save", "evening").code != nil)
    }

    private static func presets(_ members: [(String, JSONObject)]) throws -> Presets {
        var presets = Presets()
        for (name, object) in members { #expect(presets.set(try Preset(name, object))) }
        return presets
    }

    @Test("as a preset is a load, a queue or an application, found in any spelling and one after the other")
    func presets() throws {
        let presets = try Self.presets([
            ("Radio One", ["url": "http://h/one.mp3", "image": "http://h/one.png", "volume": 30]),
            ("Films", ["file": "films", "image": "http://h/f.png"]),
            ("Mix", ["items": ["http://h/a.mp3", "http://h/b.mp3"], "shuffle": true, "image": "http://h/m.png"]),
            ("Telly", ["app": "YouTube", "image": "http://h/y.png"]),
        ])
        #expect(presets.mistake(CommandOptions()) == nil)
        func command(_ name: String) throws -> DeviceCommand {
            try CommandParser(topics: topics).command(of: presets.preset(.named(name), playing: nil).playable, recent: RecentApplications())
        }
        guard case .load(let radio) = try command("radio-one"), case .queue(.load(let mix)) = try command("MIX"),
            case .load(let films) = try command("films"), case .launch(let application, _) = try command("telly")
        else { Issue.record("of other kinds"); return }
        #expect(
            radio.request.media?.metadata?.title == "Radio One" && radio.request.media?.metadata?.images.first?.url == "http://h/one.png")
        #expect(try presets.preset(.named("Radio One"), playing: nil).volume == 0.3)
        #expect(films.request.media?.metadata?.title == nil && MediaReference(films.request.media) != nil)
        #expect(mix.items.count == 2 && mix.isShuffled == true && application == "233637DE")
        for (playing, step, expected) in [
            (nil, 1, "Radio One"), (nil, -1, "Telly"), ("Radio One", 1, "Films"), ("Radio One", -1, "Telly"), ("Telly", 1, "Radio One"),
            ("Gone", 1, "Radio One"),
        ] as [(String?, Int, String)] {
            #expect(try presets.preset(.step(step), playing: playing).name == expected, "\(playing ?? "-") \(step)")
        }
        let refusal = #expect(throws: CommandRejection.self) { try presets.preset(.named("Radio Won"), playing: nil) }
        #expect(refusal?.message.contains("Radio One") == true)
        #expect(throws: CommandRejection.self) { try Presets().preset(.step(1), playing: nil) }
    }

    @Test("is no preset without a name, with a wrong picture or volume, and says what is wrong with its content")
    func mistakes() throws {
        for (name, object) in [
            ("", ["url": "http://h/a.mp3"]), ("!", ["url": "http://h/a.mp3"]), ("a\nb", ["url": "http://h/a.mp3"]),
            ("a", ["url": "http://h/a.mp3", "volume": "+5"]), ("a", ["url": "http://h/a.mp3", "volume": 300]),
            ("a", ["url": "http://h/a.mp3", "image": "x"]),
        ] as [(String, JSONObject)] { #expect(throws: CommandRejection.self, "\(name)") { try Preset(name, object) } }
        for object in [[:], ["url": "ftp://h/a"], ["url": "http://h/a.mp3", "colour": 1], ["app": "No such"]] as [JSONObject] {
            let mistake = try Self.presets([("A", object)]).mistake(CommandOptions())
            #expect(object.members.isEmpty || mistake?.message.hasPrefix("A: ") == true, "\(object)")
        }
        var full = Presets()
        for number in 0..<Presets.maximumCount { #expect(full.set(try Preset("\(number)", ["url": "http://h/a.mp3"]))) }
        #expect(try !full.set(Preset("more", ["url": "http://h/a.mp3"])) && full.set(Preset("7", ["url": "http://h/b.mp3"])))
    }

    @Test("as a recent comes once, the last first, bounded, and as before from its file")
    func recents() throws {
        var recents = Recents()
        for (payload, title) in [
            ("http://h/songs/a.mp3?x=1", "a.mp3"), (#"["http://h/b.mp3","music"]"#, "b.mp3"),
            (#"{"url":"http://h/c.mp3","title":"Plum"}"#, "Plum"),
            (#"{"file":"films/ferry.mp4"}"#, "ferry.mp4"), ("http://h/songs/a.mp3?x=1", "a.mp3"),
        ] {
            let playable = try #require(device("cmd/load", payload).envelope?.playable)
            recents.add(playable, title: nil, on: "id", at: Timestamp(milliseconds: 5))
            #expect(recents.entries.first?.title == title, "\(payload)")
        }
        let queue = try #require(
            device("cmd", #"{"cmd":"queue_load","args":{"items":[{"url":"http://h/d.mp3"},"http://h/e.mp3"]}}"#).envelope?.playable)
        recents.add(queue, title: nil, on: "id", at: Timestamp(milliseconds: 6))
        #expect(recents.entries.map(\.title) == ["d.mp3", "a.mp3", "ferry.mp4", "Plum", "b.mp3"])
        #expect(Recents(json: recents.json) == recents && Recents(json: [["play": 1]]).entries.isEmpty)
        #expect(try recents.entry(3).playable.file == "films/ferry.mp4")
        #expect(throws: CommandRejection.self) { try recents.entry(6) }
        guard case .queue(.load) = try CommandParser(topics: topics).command(of: queue, recent: RecentApplications()) else {
            Issue.record("no queue")
            return
        }
        for number in 0..<60 {
            recents.add(
                try #require(device("cmd/load", "http://h/\(number).mp3").envelope?.playable), title: nil, on: "id", at: parserNow.wall)
        }
        #expect(recents.entries.count == Recents.maximumCount && recents.entries[0].title == "59.mp3")
        #expect(device("cmd/play", "").envelope?.playable == nil)
    }

    @Test("fades to silence in even steps, and knows its own level from a person's")
    func sleep() {
        let levels = (1...Sleep.steps).map { Sleep.level(from: 0.6, after: $0) }
        #expect(zip(levels, levels.dropFirst()).allSatisfy { $0 > $1 } && levels[0] < 0.6 && (levels.last ?? 1) < 0.05)
        #expect(Sleep.fade(of: .seconds(1800)) == .seconds(60) && Sleep.fade(of: .seconds(20)) == .seconds(20))
        #expect(Sleep.isSame(0.5, DeviceVolume(level: 0.505)) && !Sleep.isSame(0.5, DeviceVolume(level: 0.55)))
        let sleep = Sleep(end: Timestamp(milliseconds: 1_000_000), level: 0.4)
        #expect(Sleep(json: sleep.json) == sleep && Sleep(json: [:]) == nil)
        #expect(!sleep.isOver(at: Timestamp(milliseconds: 1_500_000)) && sleep.isOver(at: Timestamp(milliseconds: 1_700_000)))
    }
}
