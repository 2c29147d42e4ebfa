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
        #expect(parse("cast2mqtt/all/cmd/save", "evening").code != nil && parse("cast2mqtt/all/cmd/preset_next", "").code != nil)
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
            ("a", ["url": "http://h/a.mp3", "image": "x"]), ("a", [:]), ("a", ["volume": 30, "image": "http://h/a.png"]),
        ] as [(String, JSONObject)] { #expect(throws: CommandRejection.self, "\(name)") { try Preset(name, object) } }
        for object in [["url": "ftp://h/a"], ["url": "http://h/a.mp3", "colour": 1], ["app": "No such"]] as [JSONObject] {
            let mistake = try Self.presets([("A", object)]).mistake(CommandOptions())
            #expect(mistake?.message.hasPrefix("A: ") == true, "\(object)")
        }
        var full = Presets()
        for number in 0..<Presets.maximumCount { #expect(full.set(try Preset("\(number)", ["url": "http://h/a.mp3"]))) }
        #expect(try !full.set(Preset("more", ["url": "http://h/a.mp3"])) && full.set(Preset("7", ["url": "http://h/b.mp3"])))
    }

    @Test("has the picture that it was loaded with, of a queue that of its first item")
    func pictures() throws {
        for (payload, image) in [
            ("http://h/a.mp3", nil), (#"{"url":"http://h/a.mp3","image":"http://h/a.jpg"}"#, "http://h/a.jpg"),
            (#"{"url":"http://h/a.mp3","metadata":{"type":"music","images":["http://h/b.jpg"]}}"#, "http://h/b.jpg"),
            (#"{"url":"http://h/a.mp3","metadata":{"type":"music","images":[{"url":"http://h/c.jpg","width":9}]}}"#, "http://h/c.jpg"),
        ] as [(String, String?)] {
            #expect(device("cmd/load", payload).envelope?.content.playable?.image == image, "\(payload)")
        }
        let queue = #"{"items":[{"url":"http://h/d.mp3","image":"http://h/d.jpg"},"http://h/e.mp3"]}"#
        #expect(device("cmd/queue_load", queue).envelope?.content.playable?.image == "http://h/d.jpg")
    }

    @Test("as a recent comes once, the last first, bounded, and as before from its file")
    func recents() throws {
        var recents = Recents()
        for (payload, title) in [
            ("http://h/songs/a.mp3?x=1", "a.mp3"), (#"["http://h/b.mp3","music"]"#, "b.mp3"),
            (#"{"url":"http://h/c.mp3","title":"Plum"}"#, "Plum"),
            (#"{"file":"films/ferry.mp4"}"#, "ferry.mp4"), ("http://h/songs/a.mp3?x=1", "a.mp3"),
        ] {
            let playable = try #require(device("cmd/load", payload).envelope?.content.playable)
            recents.add(playable, title: nil, on: "id", at: Timestamp(milliseconds: 5))
            #expect(recents.entries.first?.title == title, "\(payload)")
        }
        let queue = try #require(
            device("cmd", #"{"cmd":"queue_load","args":{"items":[{"url":"http://h/d.mp3"},"http://h/e.mp3"]}}"#).envelope?.content.playable)
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
            let playable = try #require(device("cmd/load", "http://h/\(number).mp3").envelope?.content.playable)
            recents.add(playable, title: nil, on: "id", at: parserNow.wall)
        }
        #expect(recents.entries.count == Recents.maximumCount && recents.entries[0].title == "59.mp3")
        #expect(device("cmd/play", "").envelope?.content.playable == nil)
    }

    @Test("fades to silence in even steps, keeps the volume that a person chose, and goes on after a restart without getting louder")
    func sleep() throws {
        func volume(_ level: Double) -> DeviceVolume { DeviceVolume(level: level) }
        var sleep = Sleep(end: Timestamp(milliseconds: 1_000_000))
        sleep.begin(at: volume(0.6), isPlaying: true)
        var levels = [0.6]
        for step in 1...Sleep.steps {
            let next = sleep.next(after: step, at: volume(levels[step - 1]))
            levels.append(try #require(next))
        }
        #expect(zip(levels, levels.dropFirst()).allSatisfy { $0 > $1 } && levels[Sleep.steps] < 0.05)
        #expect(sleep.former(at: volume(levels[Sleep.steps])) == 0.6 && sleep.former(at: volume(0.5)) == nil)

        // A group that is on its way is no person; what is louder or quieter is.
        for (present, isOurs) in [(0.6, true), (0.58, true), (0.554, true), (0.65, false), (0.4, false)] {
            var sleep = Sleep(end: Timestamp(milliseconds: 1_000_000))
            sleep.begin(at: volume(0.6), isPlaying: true)
            _ = sleep.next(after: 1, at: volume(0.6))
            let second = sleep.next(after: 2, at: volume(present))
            #expect((second != nil) == isOurs && (sleep.former(at: volume(0.5)) != nil) == isOurs, "\(present)")
        }

        // Killed on its way, it goes on from where it is, and gives back what was.
        var first = Sleep(end: Timestamp(milliseconds: 1_000_000))
        first.begin(at: volume(0.6), isPlaying: true)
        for (step, present) in [(1, 0.6), (2, 0.55), (3, 0.5)] { _ = first.next(after: step, at: volume(present)) }
        var again = try #require(Sleep(json: first.json))
        again.begin(at: volume(0.48), isPlaying: true)
        let next = again.next(after: 1, at: volume(0.48))
        #expect(try #require(next) < 0.48 && again.former(at: volume(0.45)) == 0.6)
        var louder = try #require(Sleep(json: first.json))
        louder.begin(at: volume(0.8), isPlaying: true)
        #expect(louder.former(at: volume(0.8)) == 0.8)

        // A damaged file has no range that ends before it begins, and no year beyond all.
        let damaged = try #require(Sleep(json: ["end": 5, "level": 0.5, "upper": -3, "lower": 7]))
        #expect(damaged.former(at: volume(0.5)) == nil && Sleep(json: ["end": .integer(.max)]) == nil)

        var silent = Sleep(end: Timestamp(milliseconds: 1_000_000))
        silent.begin(at: volume(0.6), isPlaying: false)
        let none = silent.next(after: 1, at: volume(0.6))
        #expect(none == nil && silent.former(at: volume(0.6)) == nil && Sleep(json: [:]) == nil)
        #expect(Sleep.fade(of: .seconds(1800)) == .seconds(60) && Sleep.fade(of: .seconds(20)) == .seconds(20))
        #expect(!sleep.isOver(at: Timestamp(milliseconds: 1_500_000)) && sleep.isOver(at: Timestamp(milliseconds: 1_700_000)))
    }

    @Test("has a name without what its address may hide")
    func titles() throws {
        for (url, title) in [
            ("http://user:planted@h:8000/", "h:8000"), ("http://user:planted@h:8000", "h:8000"),
            ("http://u:planted@h/songs/a.mp3?token=planted", "a.mp3"),
        ] {
            let playable = try #require(device("cmd/load", #"{"url":"\#(url)","content_type":"audio/mpeg"}"#).envelope?.content.playable)
            #expect(playable.title == title, "\(url)")
        }
        #expect(try Preset("1984", ["url": "http://h/a.mp3", "title": 1984]).playable.title == "1984")
    }
}
