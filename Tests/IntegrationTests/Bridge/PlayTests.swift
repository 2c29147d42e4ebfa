import Foundation
import TestSupport
import Testing

/// Presets, recents, what is saved, sleeping and waking, by the devices' own state.
@Suite("What is played again", .timeLimit(.minutes(5)))
struct PlayTests {
    private struct Room {
        let house: Household
        let watcher: MessageWatcher
        let slugs: [String: String]

        /// Sends a command and returns its answer.
        @discardableResult
        func command(_ device: String, _ verb: String, _ payload: String = "") async throws -> [String: Any] {
            let answers = "cast2mqtt/client/test/\(UUID().uuidString)"
            try await self.house.sender.publish(
                payload, to: "cast2mqtt/\(self.slugs[device] ?? device)/cmd/\(verb)",
                arguments: ["-D", "publish", "response-topic", answers])
            return try await self.watcher.message(on: answers) { $0.object["code"] as? String != "accepted" }.object
        }

        func state(_ device: String) async throws -> [String: Any] { try await self.house.control.state(device) }

        /// Waits until the device plays what its address ends with.
        func plays(_ device: String, _ end: String) async throws {
            try await eventually("\(device) plays \(end)") {
                let state = try await self.state(device)
                return state["player"] as? String == "PLAYING" && (state["content_id"] as? String)?.hasSuffix(end) == true
            }
        }

        /// Waits until the published state of the device has these members.
        func shows(_ device: String, _ text: String) async throws {
            _ = try await self.watcher.current("cast2mqtt/\(self.slugs[device] ?? "")/state") { $0.text.contains(text) }
        }
    }

    private static let song = "?duration=600&load_time=0"

    private static func environment(_ house: Household) throws -> [String: String] {
        let films = house.folder + "/films"
        try FileManager.default.createDirectory(atPath: films, withIntermediateDirectories: true)
        try Data([UInt8]("ID3".utf8) + [UInt8](repeating: 0, count: 4096)).write(to: URL(fileURLWithPath: films + "/ferry.mp3"))
        let presets = """
            presets:
              Radio One: {url: "http://media/one.mp3\(Self.song)", volume: 30, image: "http://media/one.png"}
              Radio Two: {url: "http://media/two.mp3\(Self.song)"}
            """
        try presets.write(toFile: house.folder + "/cast2mqtt.yaml", atomically: true, encoding: .utf8)
        return [
            "CAST2MQTT_CONFIG": house.folder + "/cast2mqtt.yaml", "CAST2MQTT_MEDIA_LISTEN": "0.0.0.0:8097",
            "CAST2MQTT_MEDIA_FOLDERS": "films=\(films)", "CAST2MQTT_HOME_ASSISTANT_MODE": "device",
        ]
    }

    private static func room(_ devices: Int) async throws -> Room {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: devices, environment: try Self.environment(house))
        return Room(house: house, watcher: watcher, slugs: try await house.slugs(watcher))
    }

    @Test("presets play by name and one after the other, set the volume, are shown and offered, and are added and removed at run time")
    func presets() async throws {
        let room = try await Self.room(1)
        let announcement = try await eventually("the device is announced") {
            room.watcher.current.keys.first { $0.hasPrefix("homeassistant/device/cast2mqtt_") && !$0.contains("bridge") }
        }
        #expect(room.watcher.current[announcement]?.text.contains(#""options":["Radio One","Radio Two"]"#) == true)
        #expect(try await room.command("sim-001", "preset", "radio one")["code"] as? String == "done")
        try await room.plays("sim-001", "one.mp3" + Self.song)
        let first = try await room.state("sim-001")
        #expect(abs((first["volume"] as? Double ?? 0) - 0.3) < 0.01 && first["title"] as? String == "Radio One", "\(first)")
        try await room.shows("sim-001", #""preset":"Radio One""#)
        // After an announcement it is still the preset that plays.
        #expect(try await room.command("sim-001", "announce", "http://media/bell.mp3?duration=1&load_time=0")["code"] as? String == "done")
        try await room.plays("sim-001", "one.mp3" + Self.song)
        try await room.shows("sim-001", #""preset":"Radio One""#)
        #expect(try await room.command("sim-001", "preset", "Radio Won")["code"] as? String == "bad_payload")

        // At run time, beside those of the file; all apply at once, and Home Assistant offers them.
        let three = #"{"name":"Harbour","url":"http://media/three.mp3?duration=600&load_time=0"}"#
        #expect(try await room.house.request("preset/set", three, room.watcher)["code"] as? String == "done")
        try await room.watcher.message(on: "cast2mqtt/bridge/event") {
            (($0.object["data"] as? [String: Any])?["presets"] as? [String]).map(Set.init) == ["Radio One", "Radio Two", "Harbour"]
        }
        #expect(
            try await room.house.request("preset/set", #"{"name":"Radio Two","url":"http://media/x.mp3"}"#, room.watcher)["code"] as? String
                == "not_applied")
        #expect(
            try await room.house.request("preset/set", #"{"name":"Bad","url":"nowhere"}"#, room.watcher)["code"] as? String == "bad_payload"
        )
        _ = try await room.watcher.current(announcement) { $0.text.contains("\"Harbour\"") && $0.text.contains("\"Radio Two\"") }
        let listed = try await room.house.request("media/browse", #"{"list":"presets"}"#, room.watcher)
        let names = ((listed["data"] as? [String: Any])?["entries"] as? [[String: Any]])?.compactMap { $0["name"] as? String }
        #expect(Set(names ?? []) == ["Radio One", "Radio Two", "Harbour"], "\(listed)")
        // As many presses as there are presets come round, each once.
        var played: Set<String> = []
        for _ in 0..<3 {
            #expect(try await room.command("sim-001", "preset_next")["code"] as? String == "done")
            played.insert(try await room.state("sim-001")["title"] as? String ?? "-")
        }
        #expect(played == ["Radio One", "Radio Two", "Harbour"])
        try await room.shows("sim-001", #""preset":"Radio One""#)
        #expect(try await room.command("sim-001", "preset_previous")["code"] as? String == "done")
        #expect(try await room.state("sim-001")["title"] as? String != "Radio One")
        // A restart forgets neither what plays nor the place among them.
        let last = try #require(try await room.state("sim-001")["title"] as? String)
        try await room.shows("sim-001", #""preset":"\#(last)""#)
        room.house.bridge?.signal(SIGKILL)
        _ = try await room.house.bridge?.ended()
        try await room.house.startBridge(try Self.environment(room.house))
        try await room.house.allOnline(room.watcher)
        try await room.shows("sim-001", #""preset":"\#(last)""#)
        #expect(try await room.command("sim-001", "preset_next")["code"] as? String == "done")
        try await room.shows("sim-001", #""preset":"Radio One""#)
        #expect(try await room.house.request("preset/remove", "harbour", room.watcher)["code"] as? String == "done")
        #expect(try await room.house.request("preset/remove", "Radio One", room.watcher)["code"] as? String == "not_applied")
        #expect(try await room.command("sim-001", "preset", "Harbour")["code"] as? String == "bad_payload")
        // Another sender's media are no preset.
        try await room.house.control.send(["device": "sim-001", "do": "play", "title": "Film"])
        try await room.shows("sim-001", #""preset":null"#)
        try await room.house.bridge?.stop()
    }

    @Test("recents and what was saved play again after a kill, on another device, with their volume, also files of media folders")
    func again() async throws {
        let room = try await Self.room(2)
        #expect(try await room.command("sim-001", "load", "http://media/one.mp3\(Self.song)")["code"] as? String == "done")
        #expect(
            try await room.command("sim-001", "queue_load", #"["http://media/q1.mp3?duration=600","http://media/q2.mp3?duration=600"]"#)[
                "code"] as? String == "done")
        #expect(try await room.command("sim-001", "load", #"{"file":"films/ferry.mp3"}"#)["code"] as? String == "done")
        try await room.plays("sim-001", "/ferry.mp3")
        try await room.house.control.send(["device": "sim-001", "do": "volume", "level": 0.35])
        try await room.shows("sim-001", #""percent":35"#)
        let saved = try await room.command("sim-001", "save", "evening")
        #expect(saved["code"] as? String == "done" && (saved["data"] as? [String: Any])?["remembered"] == nil, "\(saved)")
        #expect(try await room.command("sim-002", "save", "nothing")["code"] as? String == "no_session")
        let address = try await room.state("sim-001")["content_id"] as? String ?? ""
        let text = try String(contentsOfFile: room.house.stateDirectory + "/plays.json", encoding: .utf8)
        #expect(!text.contains(address) && text.contains("films/ferry.mp3"), "an offer ends with the run")

        room.house.bridge?.signal(SIGKILL)
        _ = try await room.house.bridge?.ended()
        try await room.house.startBridge(try Self.environment(room.house))
        try await room.house.allOnline(room.watcher)
        let fetched = try await ChildProcess(
            "curl", ["-s", "-o", "/dev/null", "-w", "%{http_code}", address], namespace: room.house.hosts.devices
        )
        #expect(try await fetched.ended() == 0 && fetched.lines == ["200"], "what plays goes on")
        let recalled = try await room.command("sim-002", "recall", "evening")
        #expect(recalled["code"] as? String == "done", "\(recalled)")
        try await room.plays("sim-002", "/ferry.mp3")
        let state = try await room.state("sim-002")
        #expect(abs((state["volume"] as? Double ?? 0) - 0.35) < 0.01 && state["content_id"] as? String != address, "\(state)")

        let listed = try await room.house.request("media/browse", #"{"list":"recents"}"#, room.watcher)
        let names = ((listed["data"] as? [String: Any])?["entries"] as? [[String: Any]])?.compactMap { $0["name"] as? String }
        #expect(names == ["ferry.mp3", "q1.mp3", "one.mp3"], "\(listed)")
        let found = try await room.house.request("media/search", #"{"query":"radio"}"#, room.watcher)
        #expect((found["data"] as? [String: Any])?["total"] as? Int == 2, "\(found)")
        for (number, end, length) in [(2, "q1.mp3?duration=600", 2), (3, "one.mp3" + Self.song, 1)] {
            #expect(try await room.command("sim-002", "load", #"{"recent":\#(number)}"#)["code"] as? String == "done")
            try await room.plays("sim-002", end)
            #expect(try await room.state("sim-002")["queue_length"] as? Int == length)
        }
        #expect(try await room.command("sim-002", "load", #"{"recent":9}"#)["code"] as? String == "bad_payload")
        #expect(try await room.command("sim-002", "save", #"{"name":"evening","forget":true}"#)["code"] as? String == "done")
        #expect(try await room.command("sim-002", "recall", "evening")["code"] as? String == "bad_payload")
        try await room.house.bridge?.stop()
    }

    @Test("a web page stays: it comes back when the device ended it, also after a kill of the bridge, until it is ended by a command")
    func page() async throws {
        let room = try await Self.room(1)
        func isShown() async throws -> Bool {
            (try await room.state("sim-001")["page"] as? [String: Any])?["url"] as? String == "http://media/board"
        }
        #expect(try await room.command("sim-001", "show", #"{"url":"http://media/board","keep":true}"#)["code"] as? String == "done")
        try await eventually("it is shown") { try await isShown() }
        try await room.house.control.send(["device": "sim-001", "do": "quit"])
        try await eventually("it is shown again") { try await isShown() }
        room.house.bridge?.signal(SIGKILL)
        _ = try await room.house.bridge?.ended()
        try await room.house.control.send(["device": "sim-001", "do": "quit"])
        try await room.house.startBridge(try Self.environment(room.house))
        try await eventually("it is shown by the next run") { try await isShown() }
        #expect(try await room.command("sim-001", "quit_app")["code"] as? String == "done")
        let text = try String(contentsOfFile: room.house.stateDirectory + "/plays.json", encoding: .utf8)
        #expect(text.contains(#""pages":{}"#), "\(text)")
        try await room.house.bridge?.stop()
    }

    @Test(
        "a device falls asleep: quieter, stopped, and as loud as before; a person keeps the volume, a command ends it, a restart does not")
    func sleep() async throws {
        let room = try await Self.room(4)
        for number in 1...4 {
            try await room.house.control.send(["device": "sim-00\(number)", "do": "volume", "level": 0.6])
            #expect(
                try await room.command("sim-00\(number)", "load", "http://media/\(number).mp3\(Self.song)")["code"] as? String == "done")
            try await room.plays("sim-00\(number)", "\(number).mp3" + Self.song)
        }
        for (device, minutes) in [("sim-003", "30"), ("sim-001", "0.2"), ("sim-004", "0.4"), ("sim-002", "0.5")] {
            #expect(try await room.command(device, "sleep", minutes)["code"] as? String == "done")
            try await room.shows(device, #""sleep_at":"2"#)
        }
        #expect(try await room.command("sim-003", "sleep", "off")["code"] as? String == "done")
        try await room.shows("sim-003", #""sleep_at":null"#)
        // A person makes the second one louder in the middle of its way.
        try await eventually("it becomes quieter") { try await (room.state("sim-002")["volume"] as? Double ?? 1) < 0.5 }
        try await room.house.control.send(["device": "sim-002", "do": "volume", "level": 0.8])
        room.house.bridge?.signal(SIGKILL)
        _ = try await room.house.bridge?.ended()
        try await room.house.startBridge(try Self.environment(room.house))
        for (device, level) in [("sim-001", 0.6), ("sim-002", 0.8), ("sim-004", 0.6)] {
            try await eventually("\(device) sleeps as loud as before") {
                let state = try await room.state(device)
                return state["player"] as? String != "PLAYING" && abs((state["volume"] as? Double ?? 0) - level) < 0.01
            }
            try await room.shows(device, #""sleep_at":null"#)
        }
        let awake = try await room.state("sim-003")
        #expect(awake["player"] as? String == "PLAYING" && abs((awake["volume"] as? Double ?? 0) - 0.6) < 0.01)
        // It ends while an announcement is heard, which has a volume of its own and gives back what it found.
        #expect(try await room.command("sim-003", "sleep", "0.2")["code"] as? String == "done")
        let announced = try await room.command("sim-003", "announce", #"{"url":"http://media/bell.mp3?duration=14","volume":90}"#)
        #expect("\(announced)".contains("restored"), "\(announced)")
        try await eventually("it sleeps as loud as before") {
            let state = try await room.state("sim-003")
            return state["player"] as? String != "PLAYING" && abs((state["volume"] as? Double ?? 0) - 0.6) < 0.01
        }
        try await room.house.bridge?.stop()
    }

    @Test("waking turns on what is off or idle, and leaves alone what runs")
    func wake() async throws {
        let room = try await Self.room(3)
        var screens: [String] = []
        for device in ["sim-001", "sim-002", "sim-003"] where try await room.state(device)["stand_by"] != nil { screens.append(device) }
        let device = try #require(screens.first)
        try await room.house.control.send(["device": device, "do": "screen", "stand_by": true, "active_input": false])
        try await room.shows(device, #""player":"off""#)
        #expect(try await room.command(device, "wake")["code"] as? String == "done")
        let state = try await room.state(device)
        #expect(
            state["stand_by"] as? Bool == false && state["active_input"] as? Bool == true && state["app_id"] as? String == "CC1AD845",
            "\(state)")
        #expect(state["content_id"] == nil)
        try await room.house.control.send(["device": device, "do": "play", "title": "Film", "app": "5A1D0001"])
        try await room.shows(device, #""player":"playing""#)
        let session = try await room.state(device)["session_id"] as? String
        #expect(try await room.command(device, "wake")["code"] as? String == "done")
        #expect(try await room.state(device)["session_id"] as? String == session)
        try await room.house.bridge?.stop()
    }

    @Test("the recipes of the guide do what they say, with the configuration that the guide shows")
    func recipes() async throws {
        let guide = try String(contentsOf: PythonEnvironment.root.appendingPathComponent("docs/RECIPES.md"), encoding: .utf8)
        func blocks(_ kind: String) -> [String] {
            guide.components(separatedBy: "\n```\(kind)").dropFirst().map { $0.components(separatedBy: "\n```")[0] }
        }
        let house = try await Household.onOneHost()
        let films = house.folder + "/films"
        try FileManager.default.createDirectory(atPath: films, withIntermediateDirectories: true)
        try Data([0, 0, 0, 24] + Array("ftypisom".utf8) + [UInt8](repeating: 0, count: 4096)).write(
            to: URL(fileURLWithPath: films + "/night-ferry.mp4"))
        try "1\n00:00:01,000 --> 00:00:02,000\nHello\n".write(toFile: films + "/night-ferry.en.srt", atomically: true, encoding: .utf8)
        try await house.broker.start()
        let watcher = try await house.watch()
        try await house.startDevices(2)
        let names = try await house.control.devices().compactMap { $0["name"] as? String }
        let configuration =
            try #require(blocks("yaml").first).replacingOccurrences(of: "/srv/films", with: films)
            // Nothing is at these addresses that could say its type.
            .replacingOccurrences(of: ":8000/one", with: ":8000/one.mp3").replacingOccurrences(of: ":8000/two", with: ":8000/two.mp3")
            + "\ndevices: [{device: \"\(names[0])\", aliases: [living-room]}, {device: \"\(names[1])\", aliases: [kitchen]}]\n"
        try configuration.write(toFile: house.folder + "/cast2mqtt.yaml", atomically: true, encoding: .utf8)
        try await house.startBridge(["CAST2MQTT_CONFIG": house.folder + "/cast2mqtt.yaml"])
        try await house.allOnline(watcher)
        let room = Room(house: house, watcher: watcher, slugs: try await house.slugs(watcher))
        let device = try #require(try await house.control.devices().first { $0["name"] as? String == names[0] }?["device"] as? String)
        func loaded(_ end: String, on device: String) throws -> Bool {
            try house.requests("LOAD", to: device).contains {
                (($0["media"] as? [String: Any])?["contentId"] as? String)?.contains(end) == true
            }
        }
        var seen: [String] = []
        for block in blocks("json command cmd/") {
            let parts = block.split(separator: "\n", maxSplits: 1).map(String.init)
            // A doorbell and a voice of three seconds.
            let payload =
                parts[0] == "announce" ? parts[1].replacingOccurrences(of: "{\"", with: "{\"timeout\":3,\"", options: .anchored) : parts[1]
            let answer = try await room.command("living-room", parts[0], payload)
            #expect(answer["code"] as? String == "done", "\(block): \(answer)")
            let state = try await room.state(device)
            seen.append(parts[0])
            switch parts[0] {
            case "announce" where payload.contains("bell.mp3"):
                let devices = try await house.control.devices().compactMap { $0["device"] as? String }
                for device in devices { #expect(try loaded("bell.mp3", on: device), "both ring") }
            case "announce": #expect(try loaded("speech.wav", on: device))
            case "preset":
                #expect(
                    (state["content_id"] as? String)?.hasSuffix(":8000/one.mp3") == true
                        && abs((state["volume"] as? Double ?? 0) - 0.3) < 0.01)
            case "sleep": try await room.shows(device, #""sleep_at":"2"#)
            default:
                #expect((state["content_id"] as? String)?.hasSuffix("/night-ferry.mp4") == true && state["active_tracks"] as? [Int] == [1])
            }
        }
        #expect(seen == ["announce", "announce", "preset", "sleep", "load"])
        for verb in ["preset_next", "preset_previous", "stop", "wake", "sleep"] {
            #expect(try await room.command("living-room", verb, verb == "sleep" ? "off" : "")["code"] as? String == "done", "\(verb)")
            #expect(guide.contains("/cmd/\(verb) "))
        }
        try await house.bridge?.stop()
    }
}
