import Foundation
import TestSupport
import Testing

/// After any change of a device's name, of the configuration or of the program the broker keeps exactly what a fresh start would publish.
@Suite("The lifetime of retained topics", .serialized)
struct RetainedTopicLifetimeTests {
    private func slugs(of tree: [String: String], base: String = "cast2mqtt") -> Set<String> {
        Set(tree.keys.filter { $0.hasPrefix(base + "/") }.map { String($0.split(separator: "/")[base.split(separator: "/").count]) })
            .subtracting(["bridge"])
    }

    @Test("a device that is renamed by request takes all its topics along")
    func renameByRequest() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 2)
        try await house.play("sim-001", watcher)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        let other = try #require(try await house.slugs(watcher)["sim-002"])
        let taken = try await house.request("device/rename", #"{"device":"\#(slug)","slug":"\#(other)","id":"t"}"#, watcher)
        #expect(taken["code"] as? String == "bad_payload")
        let answer = try await house.request("device/rename", #"{"device":"\#(slug)","slug":"den","id":"r"}"#, watcher)
        #expect(answer["code"] as? String == "done" && answer["id"] as? String == "r")
        let data = answer["data"] as? [String: Any]
        #expect(data?["previous"] as? String == slug && data?["slug"] as? String == "den")
        // The answer is sent when the old topics are cleared.
        #expect(self.slugs(of: try await house.retained()) == ["den", other])
        try await watcher.message(on: "cast2mqtt/bridge/event") {
            $0.object["type"] as? String == "device_renamed"
                && ($0.object["data"] as? [String: Any])?["previous_slug"] as? String == slug
        }
        // New topics were published before old ones were cleared.
        let messages = watcher.messages
        let firstNew = try #require(messages.firstIndex { $0.topic == "cast2mqtt/den/state" })
        let cleared = messages.indices.filter { messages[$0].topic.hasPrefix("cast2mqtt/\(slug)/") && messages[$0].payload.isEmpty }
        let retainedClears = cleared.filter { messages[$0].topic == "cast2mqtt/\(slug)/state" }
        #expect(retainedClears.allSatisfy { $0 > firstNew })
        #expect(cleared.last.map { messages[$0].topic } == "cast2mqtt/\(slug)/availability")
        try await house.sender.publish("55", to: "cast2mqtt/den/set/volume")
        try await watcher.current("cast2mqtt/den/status/volume") { $0.text == "55" }
        try await house.expectOnlyWhatAFreshStartPublishes()
    }

    @Test("with rename: follow a device's topics follow its name, also over a restart")
    func follow() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 1)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        _ = try await house.request("device/rename", #"{"device":"\#(slug)","slug":"former-name"}"#, watcher)
        try await house.bridge?.stop()
        // As if the device had been found under another name.
        try house.editState { $0.map { $0.replacingOccurrences(of: #","slug_chosen":true"#, with: "") } }
        let environment = ["CAST2MQTT_TOPICS_RENAME": "follow"]
        try await house.startBridge(environment)
        try await eventually("the topics have moved") { self.slugs(of: try await house.retained()) == [slug] }
        try await eventually("the list of devices names it") { try await house.slugs(watcher)["sim-001"] == slug }
        try await house.allOnline(watcher)
        try await house.expectOnlyWhatAFreshStartPublishes(environment)
    }

    @Test("another identity or another base leaves nothing of the former one behind")
    func configuration() async throws {
        let cases = [
            (["CAST2MQTT_TOPICS_IDENTITY": "id"], "cast2mqtt"), (["CAST2MQTT_MQTT_BASE": "home/cast"], "home/cast"),
            (["CAST2MQTT_STATUS_SPLIT": "none"], "cast2mqtt"), (["CAST2MQTT_HOME_ASSISTANT_PREFIX": "ha"], "cast2mqtt"),
        ]
        try await concurrently(cases) { try await self.expectNothingLeft(by: $0, base: $1) }
    }

    private func expectNothingLeft(by environment: [String: String], base: String) async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 2)
        try await house.play("sim-002", watcher)
        let before = try await house.retained()
        try await house.bridge?.stop()
        try await house.startBridge(environment)
        try await eventually("the bridge is online under \(base)") {
            let now = try await house.retained()
            return now["\(base)/bridge/state"] == "online" && now != before
        }
        if base != "cast2mqtt" {
            try await eventually("nothing of the former base is left") {
                !(try await house.retained()).keys.contains { $0.hasPrefix("cast2mqtt/") }
            }
        }
        let prefix = environment["CAST2MQTT_HOME_ASSISTANT_PREFIX"] ?? "homeassistant"
        try await eventually("everything is announced below \(prefix), and nothing elsewhere") {
            let announced = try await house.retained().keys.filter { $0.hasSuffix("/config") }
            return announced.count == 3 && announced.allSatisfy { $0.hasPrefix(prefix + "/device/") }
        }
        if environment["CAST2MQTT_TOPICS_IDENTITY"] != nil {
            let ids = Set(try await house.control.devices().compactMap { $0["id"] as? String })
            try await eventually("ids are the slugs") { self.slugs(of: try await house.retained()) == ids }
        }
        try await house.expectOnlyWhatAFreshStartPublishes(environment, base: base)
    }

    /// Home Assistant dates a picture by the arrival of its message.
    @Test("a picture that did not change is not sent again when the bridge restarts")
    func artwork() async throws {
        try await concurrently(["5", "3.1.1"]) { version in
            let house = try await Household.onOneHost()
            let environment = [
                "CAST2MQTT_MQTT_PROTOCOL": version, "CAST2MQTT_HOME_ASSISTANT_PLACEHOLDER_IMAGE": "http://pictures/idle.png",
            ]
            let watcher = try await house.startEverything(devices: 2, environment: environment)
            try await house.play("sim-001", watcher)
            let slugs = try await house.slugs(watcher)
            let topics = Set(slugs.values.map { "cast2mqtt/\($0)/status/artwork" })
            let playing = try #require(slugs["sim-001"])
            let load = #"{"url":"http://media/a.mp4","metadata":{"type":"movie","title":"A","images":["http://pictures/a.jpg"]}}"#
            try await house.sender.publish(load, to: "cast2mqtt/\(playing)/cmd/load")
            try await watcher.current("cast2mqtt/\(playing)/status/artwork") { $0.text == "http://pictures/a.jpg" }
            try await house.expectTruth(watcher)
            let before = watcher.messages.count
            try await house.bridge?.stop()
            try await house.startBridge(environment)
            try await house.allOnline(watcher)
            try await house.expectTruth(watcher)
            let messages = watcher.messages[before...]
            #expect(messages.contains { $0.topic.hasSuffix("/status/player") })
            #expect(messages.filter { topics.contains($0.topic) }.map(\.text) == [], "MQTT \(version)")
            #expect(try await topics.isSubset(of: house.retained().keys))
        }
    }

    @Test("the picture of what plays is on its topic, over a restart without being sent again")
    func artworkImage() async throws {
        let house = try await Household.onOneHost()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pictures-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let jpeg = Data([0xff, 0xd8, 0xff, 0xe0] + Array("X-Plex-Token=planted&a=b@c%20".utf8) + (0..<9_000).map { UInt8($0 & 255) })
        try jpeg.write(to: folder.appendingPathComponent("a.jpg"))
        try jpeg.dropLast().write(to: folder.appendingPathComponent("c.jpg"))
        try Data("<svg/>".utf8).write(to: folder.appendingPathComponent("b.svg"))
        let port = try FreePort.tcp()
        let server = try await ChildProcess(
            "python3", ["-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", folder.path, "\(port)"],
            namespace: house.hosts.bridge)
        _ = try await server.line(containing: "Serving HTTP")
        let environment = ["CAST2MQTT_ARTWORK_IMAGE": "true", "CAST2MQTT_ARTWORK_ALLOW_LOCAL": "true"]
        let watcher = try await house.startEverything(devices: 1, environment: environment)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        let topic = "cast2mqtt/\(slug)/artwork/image"
        func load(_ picture: String) async throws {
            let load =
                #"{"url":"http://media/a.mp4","metadata":{"type":"movie","title":"A","images":["http://127.0.0.1:\#(port)/\#(picture)"]}}"#
            try await house.sender.publish(load, to: "cast2mqtt/\(slug)/cmd/load")
        }
        let address = "cast2mqtt/\(slug)/status/artwork"
        try await load("c.jpg")
        try await watcher.current(topic) { $0.payload == Array(jpeg.dropLast()) }
        try await watcher.current(address) { $0.text.hasSuffix("/c.jpg") }
        // No other client could fetch it, but every client may see it.
        try await load("a.jpg?token=planted")
        try await watcher.current(topic) { $0.payload == Array(jpeg) }
        try await eventually("its address is gone") { watcher.current[address] == nil }
        #expect(!watcher.messages.contains { $0.text.contains("planted") && $0.topic != topic && !$0.topic.contains("/cmd/") })
        try await house.expectTruth(watcher)
        let before = watcher.messages.count
        try await house.bridge?.stop()
        try await house.startBridge(environment)
        try await house.allOnline(watcher)
        try await house.expectTruth(watcher)
        #expect(watcher.messages[before...].filter { $0.topic == topic }.isEmpty)
        #expect(try await house.retained().keys.contains(topic))
        // Bytes that are no picture are not published.
        try await load("b.svg")
        try await eventually("no picture is left") { watcher.current[topic] == nil }
        // Switched off, the topic goes.
        try await load("a.jpg")
        try await watcher.current(topic) { !$0.payload.isEmpty }
        try await house.bridge?.stop()
        try await house.startBridge()
        try await eventually("the topic is cleared") { try await !house.retained().keys.contains(topic) }
    }

    @Test("what the bridge launched stays its own over a restart, and what it did not launch does not become it")
    func ownedOverRestart() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 2)
        let slugs = try await house.slugs(watcher)
        let (own, other) = (try #require(slugs["sim-001"]), try #require(slugs["sim-002"]))
        try await house.sender.publish(#"{"url":"http://media/a.mp4"}"#, to: "cast2mqtt/\(own)/cmd/load")
        try await house.play("sim-002", watcher)
        func ours(_ slug: String, is expected: Bool) async throws {
            try await watcher.current("cast2mqtt/\(slug)/app") {
                $0.object["ours"] as? Bool == expected
            }
        }
        try await ours(own, is: true)
        try await ours(other, is: false)
        try await house.bridge?.stop()
        try await house.startBridge()
        try await house.allOnline(watcher)
        try await house.expectTruth(watcher)
        try await ours(own, is: true)
        try await watcher.current("cast2mqtt/\(own)/app") {
            $0.object["connection"] as? String == "strong" && ($0.object["session"] as? [String: Any])?["phase"] as? String == "connected"
        }
        try await ours(other, is: false)
        try await house.sender.publish("", to: "cast2mqtt/\(own)/cmd/quit_app")
        try await eventually("the note is cleared with the application") {
            try await house.bridge?.stop()
            let state = try String(contentsOfFile: house.stateDirectory + "/devices.jsonl", encoding: .utf8)
            if !state.contains("owned_session") { return true }
            try await house.startBridge()
            try await house.allOnline(watcher)
            return false
        }
    }

    @Test("a kill at the moment of the answer takes away nothing that the bridge launched")
    func killedAfterLaunch() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 2)
        let slugs = try await house.slugs(watcher)
        let (kept, left) = (try #require(slugs["sim-001"]), try #require(slugs["sim-002"]))
        func answer(to verb: String, _ slug: String, _ payload: String = "") async throws -> String? {
            let before = watcher.messages.count
            try await house.sender.publish(payload, to: "cast2mqtt/\(slug)/cmd/\(verb)")
            return try await eventually("\(verb) is answered") {
                watcher.messages[before...].first { $0.topic == "cast2mqtt/\(slug)/response" }?.object["code"] as? String
            }
        }
        #expect(try await answer(to: "launch", left, "CC1AD845") == "done")
        #expect(try await answer(to: "leave", left) == "done")
        #expect(try await answer(to: "launch", kept, "CC1AD845") == "done")
        house.bridge?.signal(SIGKILL)
        _ = try? await house.bridge?.ended()
        try await house.startBridge()
        try await house.expectTruth(watcher)
        // A device counts the senders that keep an application open.
        try await eventually("the bridge is a sender of what it launched again") {
            let state = try await house.control.state("sim-001")
            let connections = state["connections"] as? [[String: Any]] ?? []
            return connections.contains {
                $0["destination"] as? String == state["transport_id"] as? String && $0["type"] as? String == "strong"
            }
        }
        for slug in [kept, left] { try await watcher.current("cast2mqtt/\(slug)/app") { $0.object["ours"] as? Bool == true } }
        #expect(try await answer(to: "leave", left) == "no_session")
        #expect(try await answer(to: "leave", kept) == "done")
    }

    @Test("devices exchange their slugs, each request sent before the one before it is done")
    func exchange() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 2)
        try await house.play("sim-001", watcher)
        let slugs = try await house.slugs(watcher)
        let (first, second) = (try #require(slugs["sim-001"]), try #require(slugs["sim-002"]))
        for (device, slug) in [(first, "between"), (second, first), ("between", second)] {
            try await house.sender.publish(#"{"device":"\#(device)","slug":"\#(slug)"}"#, to: "cast2mqtt/bridge/request/device/rename")
        }
        try await eventually("every request is answered") {
            watcher.messages.count { $0.topic == "cast2mqtt/bridge/response/device/rename" } == 3
        }
        try await watcher.current("cast2mqtt/\(second)/state") { $0.object["player"] as? String == "playing" }
        // The list follows a second after its causes.
        try await eventually("the list has them exchanged") {
            try await house.slugs(watcher) == ["sim-001": second, "sim-002": first]
        }
        try await house.expectTruth(watcher)
        #expect(self.slugs(of: try await house.retained()) == [first, second])
        try await house.expectOnlyWhatAFreshStartPublishes()
    }

    @Test(
        "a move that a kill interrupts leaves nothing of the former slug",
        arguments: ["new/availability", "new/state", "old/app", "old/info"])
    func interruptedMove(moment: String) async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 2)
        let slugs = try await house.slugs(watcher)
        let (slug, other) = (try #require(slugs["sim-001"]), try #require(slugs["sim-002"]))
        let sign = "cast2mqtt/" + moment.replacing("new", with: "den").replacing("old", with: slug)
        let isOld = moment.hasPrefix("old")
        try await house.sender.publish(#"{"device":"\#(slug)","slug":"den"}"#, to: "cast2mqtt/bridge/request/device/rename")
        try await watcher.message(on: sign) { $0.payload.isEmpty == isOld }
        house.bridge?.signal(SIGKILL)
        _ = try? await house.bridge?.ended()
        try await house.startBridge()
        try await eventually("nothing of the former slug is left") { self.slugs(of: try await house.retained()) == ["den", other] }
        try await house.expectOnlyWhatAFreshStartPublishes()
    }

    @Test("the state directory of the version before is taken over")
    func upgrade() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 2)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        _ = try await house.request("device/rename", #"{"device":"\#(slug)","slug":"kept"}"#, watcher)
        try await house.bridge?.stop()
        try house.editState { lines in
            let old: Set<String> = ["id", "slug", "name", "model", "endpoints", "capabilities", "identity", "topics"]
            let devices = try? lines.dropFirst().map { line in
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
                let kept = try JSONSerialization.data(withJSONObject: object.filter { old.contains($0.key) })
                return String(decoding: kept, as: UTF8.self)
            }
            return [#"{"format":"cast2mqtt-state","schema":1,"protocol":null}"#] + (devices ?? [])
        }
        try await house.startBridge()
        try await house.allOnline(watcher)
        #expect(try await house.slugs(watcher)["sim-001"] == "kept")
        try await house.expectOnlyWhatAFreshStartPublishes()
    }

    @Test("a removed device leaves nothing, and one that returns starts from scratch or keeps its slug", arguments: [true, false])
    func removal(forgets: Bool) async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 2)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        let id = try #require(try await house.control.devices().first { $0["device"] as? String == "sim-001" }?["id"] as? String)
        let renamed = try await house.request("device/rename", #"{"device":"\#(slug)","slug":"den"}"#, watcher)
        #expect(renamed["code"] as? String == "done")
        try await house.control.send(["device": "sim-001", "do": "stop", "goodbye": true])
        try await watcher.current("cast2mqtt/den/availability") { $0.text == "offline" }
        let answer = try await house.request("device/remove", #"{"id":"\#(id)","forget":\#(forgets)}"#, watcher)
        #expect(answer["code"] as? String == "done" && answer["id"] as? String == id)
        #expect((answer["data"] as? [String: Any])?["kept"] as? Int == 0)
        #expect(!(try await house.retained()).keys.contains { $0.hasPrefix("cast2mqtt/den/") })
        try await eventually("it is on record or not") { try house.stateText().contains(id) == !forgets }
        try await eventually("the list is without it") { !(watcher.current["cast2mqtt/bridge/devices"]?.text ?? id).contains(id) }
        let again = try await house.request("device/remove", #"{"id":"\#(id)","forget":\#(forgets)}"#, watcher)
        #expect(again["code"] as? String == (forgets ? "unknown_device" : "done"))
        try await house.control.send(["device": "sim-001", "do": "start"])
        try await house.allOnline(watcher)
        #expect(try await house.slugs(watcher)["sim-001"] == (forgets ? slug : "den"))
        try await house.expectOnlyWhatAFreshStartPublishes()
    }

    @Test("a removal that a kill interrupts continues with the next start")
    func interruptedRemoval() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 2)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        try await house.control.send(["device": "sim-001", "do": "stop", "goodbye": true])
        try await watcher.current("cast2mqtt/\(slug)/availability") { $0.text == "offline" }
        try await house.bridge?.stop()
        // As if the bridge had been killed right after it had noted the removal.
        try house.editState { $0.map { $0.contains("\"slug\":\"\(slug)\"") ? $0.dropLast() + #","removed":"forget"}"# : $0 } }
        try await house.startBridge()
        try await eventually("its topics are cleared") {
            !(try await house.retained()).keys.contains { $0.hasPrefix("cast2mqtt/\(slug)/") }
        }
        try await eventually("its record is removed") { !(try house.stateText()).contains("\"slug\":\"\(slug)\"") }
        try await house.expectOnlyWhatAFreshStartPublishes()
    }

    @Test("clear_on_exit leaves an empty broker")
    func clearOnExit() async throws {
        let house = try await Household.onOneHost()
        _ = try await house.startEverything(devices: 3, environment: ["CAST2MQTT_TOPICS_CLEAR_ON_EXIT": "true"])
        #expect(try await house.retained().count > 20)
        house.bridge?.signal(SIGTERM)
        #expect(try await house.bridge?.ended() == 0)
        #expect(try await house.retained() == [:])
    }

    @Test("topics/clean names stale topics, and clears them only on request")
    func cleaning() async throws {
        let house = try await Household.onOneHost()
        _ = try await house.startEverything(devices: 2, environment: ["CAST2MQTT_TOPICS_CLEAN_ON_START": "false"])
        let watcher = try await house.watch(checksSchemas: false)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        let left = [
            "cast2mqtt/\(slug)/cmd/stop": "", "cast2mqtt/\(slug)/set/volume": "99", "cast2mqtt/\(slug)/status/player": nil,
            "cast2mqtt/gone/info": #"{"schema":1,"slug":"gone","instance":"home"}"#, "cast2mqtt/gone/availability": "online",
            "cast2mqtt/gone/status/volume": "7", "cast2mqtt/theirs/info": #"{"schema":1,"slug":"theirs","instance":"other"}"#,
            "cast2mqtt/client/me/x": "mine",
        ]
        for (topic, payload) in left {
            if let payload { try await house.sender.publish(payload.isEmpty ? " " : payload, to: topic, retain: true) }
        }
        // A command with the retain flag is done when it comes.
        try await watcher.current("cast2mqtt/\(slug)/status/volume") { $0.text == "99" }
        try await house.sender.publish("20", to: "cast2mqtt/\(slug)/set/volume")
        try await watcher.current("cast2mqtt/\(slug)/status/volume") { $0.text == "20" }
        let wanted: Set<String> = [
            "cast2mqtt/\(slug)/cmd/stop", "cast2mqtt/\(slug)/set/volume", "cast2mqtt/gone/info", "cast2mqtt/gone/availability",
            "cast2mqtt/gone/status/volume",
        ]
        let dry = try await house.request("topics/clean", "", watcher)
        let found = ((dry["data"] as? [String: Any])?["topics"] as? [[String: Any]] ?? []).compactMap { $0["topic"] as? String }
        #expect(Set(found) == wanted && found.count == wanted.count)
        #expect((dry["data"] as? [String: Any])?["cleared"] as? Bool == false)
        #expect(wanted.isSubset(of: (try await house.retained(checksSchemas: false)).keys))
        #expect(watcher.current["cast2mqtt/\(slug)/status/volume"]?.text == "20", "what was found is not done")
        let applied = try await house.request("topics/clean", #"{"apply":true,"id":5}"#, watcher)
        #expect((applied["data"] as? [String: Any])?["cleared"] as? Bool == true && applied["id"] as? Int == 5)
        let after = try await house.retained(checksSchemas: false)
        #expect(wanted.isDisjoint(with: after.keys))
        #expect(after["cast2mqtt/theirs/info"] != nil && after["cast2mqtt/client/me/x"] == "mine")
        #expect(after["cast2mqtt/\(slug)/status/player"] != nil)
    }
}
