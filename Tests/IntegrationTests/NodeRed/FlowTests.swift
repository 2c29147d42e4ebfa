import Foundation
import TestSupport
import Testing

/// The flows of `config/node-red`. Node-RED itself comes from a registry that a build machine need not reach: a stand-in runs the nodes of
/// the files, with Node.js for their functions, on a real broker with the running bridge.
@Suite("The Node-RED flows", .serialized)
struct FlowTests {
    // MARK: The files

    @Test("are well formed", arguments: ["cast2mqtt.json", "dashboard.json", "phone.json"])
    func shape(file: String) throws {
        let path = FlowRun.root.appendingPathComponent("config/node-red/\(file)").path
        #expect(try Self.findings(path).contains("no findings"))
    }

    @Test("have the same node of the broker, whose id the guide names")
    func brokerNode() throws {
        let files = ["cast2mqtt.json", "dashboard.json", "phone.json"]
        let nodes = try files.flatMap(Self.nodes).filter { $0["type"] as? String == "mqtt-broker" }
        try #require(nodes.count == files.count)
        for node in nodes { #expect(NSDictionary(dictionary: nodes[0]) == NSDictionary(dictionary: node)) }
        let id = try #require(nodes[0]["id"] as? String)
        #expect(try MonitoringTests.text("docs/NODE_RED.md").contains("`\(id)`"))
    }

    @Test(
        "that are not well formed are found out",
        arguments: [
            (#""id":"([0-9a-f]{16})","type":"mqtt-broker""#, #""id":"xyz","type":"mqtt-broker""#, "not 16 hexadecimal digits"),
            (#""wires":\[\["[0-9a-f]{16}"\]\]"#, #""wires":[["0000000000000000"]]"#, "a wire leads nowhere"),
            (#"("id":"[0-9a-f]{16}","type":"inject"),"#, #""id":"0000000000000001","type":"inject","#, "its id is there twice"),
            (#""retain":"false""#, #""retain":"true""#, "stay on the broker"),
            (#"return msg;"#, "return (msg;", "Unexpected token"),
            (#""autoConnect":true"#, #""autoConnect":true,"password":"secret""#, "credentials"),
            (#""topic":"cast2mqtt/"#, #""topic":"elsewhere/"#, "it reads elsewhere"),
            (#""outputs":3"#, #""outputs":2"#, "outputs and 3 wires"),
        ])
    func sabotage(pattern: String, replacement: String, finding: String) throws {
        let text = try String(contentsOf: FlowRun.root.appendingPathComponent("config/node-red/cast2mqtt.json"), encoding: .utf8)
        let spoilt = text.replacingOccurrences(of: pattern, with: replacement, options: .regularExpression)
        #expect(spoilt != text)
        let path = NSTemporaryDirectory() + "flow-\(UUID().uuidString).json"
        try spoilt.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try Self.findings(path).contains(finding))
    }

    private static func findings(_ path: String) throws -> String {
        try ShortProgram.run(["sh", "-c", "node '\(FlowRun.programs.appendingPathComponent("check.js").path)' '\(path)' || true"])
    }

    // MARK: Their functions, on messages as the bridge sends them

    @Test("functions return what they should for the documented messages")
    func functions() async throws {
        let flow = try await FlowRun("cast2mqtt.json")
        try await flow.deploy()
        let documents = try String(contentsOf: FlowRun.root.appendingPathComponent("docs/TOPICS.md"), encoding: .utf8)
        func example(_ name: String) throws -> Any {
            let parts = documents.components(separatedBy: "```json \(name)\n")
            let block = try #require(parts.dropFirst().first?.components(separatedBy: "```").first)
            return try JSONSerialization.jsonObject(with: Data(block.utf8))
        }
        try flow.order(["feed": "keep or pick", "msg": ["payload": try example("bridge/devices")]])
        try await flow.shown(by: "chosen device") { $0 as? String == "living-room" }
        try flow.order(["feed": "which device", "msg": ["topic": "cast2mqtt/living-room/state", "payload": try example("state")]])
        try await flow.shown(by: "plays") { $0 as? String == "Harbour Lights" }
        // Of the bridge's own events no line comes: the other one would be the second.
        for topic in ["cast2mqtt/bridge/event", "cast2mqtt/living-room/event"] {
            try flow.order(["feed": "of a device?", "msg": ["topic": topic, "payload": try example("event")]])
        }
        try await flow.shown(by: "played") {
            $0 as? String == "2026-11-21T14:03:39.900Z; living-room; Default Media Receiver; Harbour Lights; 18 s; finished"
        }
        // An answer to an unknown id is ignored; one with the right id is matched, and a failed one is put in words.
        var answer = try #require(try example("answer") as? [String: Any])
        try flow.order(["feed": "ask, and match the answer", "msg": ["topic": "cast2mqtt/living-room/response", "payload": answer]])
        try flow.order(["press": "a mistake, on purpose"])
        let request = try await flow.shown(by: "to the bridge").value as? [String: Any]
        let payload = try #require(
            try JSONSerialization.jsonObject(with: Data((request?["payload"] as? String ?? "").utf8)) as? [String: Any])
        #expect(request?["responseTopic"] as? String == "cast2mqtt/client/dashboard/answers")
        #expect(request?["correlationData"] as? String == payload["id"] as? String)
        #expect(request?["retain"] as? Bool == false)
        answer["id"] = payload["id"]
        answer["status"] = "error"
        answer["code"] = "bad_payload"
        answer["message"] = "No."
        try flow.order(["feed": "ask, and match the answer", "msg": ["topic": "cast2mqtt/living-room/response", "payload": answer]])
        answer["data"] = [
            "findings": [
                ["severity": "warning", "text": "Slow.", "remedy": "Wait."], ["severity": "error", "text": "Gone.", "remedy": "Look."],
            ]
        ]
        try flow.order(["feed": "say it in words", "msg": ["payload": answer]])
        try await flow.shown(by: "failed") { $0 as? String == "living-room: load failed, bad_payload: No." }
        try await flow.shown(by: "failed") { $0 as? String == "living-room: load failed, bad_payload: No. Gone. Look." }
        #expect(!flow.reported.contains { $0["node"] as? String == "done" })
        #expect(flow.reported.count { $0["node"] as? String == "played" } == 1)
        #expect(flow.mistakes.isEmpty)
    }

    @Test("a command times out after the bridge's own limit, which it sends along, and also one that began later")
    func patience() async throws {
        let flow = try await FlowRun("cast2mqtt.json") {
            $0.replacingOccurrences(of: "usual = 30, slow = 180", with: "usual = 5, slow = 5").replacingOccurrences(
                of: "patience = 5000", with: "patience = 100")
        }
        try flow.order(["edit": "choose living-room", "set": ["payload": "living-room"]])
        try await flow.deploy()
        try flow.order(["press": "choose living-room"])
        func asked(after mark: Int) async throws -> [String: Any] {
            let request = try await flow.shown(by: "to the bridge", after: mark).value as? [String: Any]
            let payload = try JSONSerialization.jsonObject(with: Data((request?["payload"] as? String ?? "").utf8))
            return try #require(payload as? [String: Any])
        }
        let transfer = try flow.pressing("move to the kitchen")
        let moving = try await asked(after: transfer)
        #expect(moving["timeout"] as? Int == 5)
        let pause = try flow.pressing("pause")
        #expect(try await asked(after: pause)["cmd"] as? String == "pause")
        let accepted: [String: Any] = [
            "id": moving["id"] ?? "", "device": "living-room", "cmd": "transfer", "status": "ok", "code": "accepted",
        ]
        try flow.order(["feed": "ask, and match the answer", "msg": ["topic": "cast2mqtt/living-room/response", "payload": accepted]])
        try await flow.shown(by: "done")
        // Asked for first, but it had begun.
        let failed = try await flow.shown(by: "failed", after: pause)
        #expect((failed.value as? String)?.contains("pause failed, no_answer") == true)
        try await flow.shown(by: "failed", after: pause) { ($0 as? String)?.contains("transfer failed, no_answer") == true }
        #expect(flow.mistakes.isEmpty)
    }

    @Test(
        "what may take minutes has minutes",
        arguments: ["load a film", "launch an app", "show a web page", "move to the kitchen", "load a queue", "preset Radio One"])
    func slow(button: String) async throws {
        let flow = try await FlowRun("cast2mqtt.json")
        try await flow.deploy()
        try flow.order(["press": "choose living-room"])
        for (button, seconds) in [(button, 180), ("pause", 30)] {
            let request = try await flow.shown(by: "to the bridge", after: try flow.pressing(button)).value as? [String: Any]
            let payload = try JSONSerialization.jsonObject(with: Data((request?["payload"] as? String ?? "").utf8)) as? [String: Any]
            #expect(payload?["timeout"] as? Int == seconds)
        }
    }

    // MARK: Against the running bridge

    /// The effect of a button: the debug node that shows its end, the device's state then, and the bridge's messages then.
    struct Press: Sendable {
        var button: String
        /// The simulated device that has to be chosen first.
        var chosen: String?
        var ends: [String] = ["done"]
        var text = ""
        var device = "sim-002"
        var holds: @Sendable ([String: Any]) -> Bool = { _ in true }
        var reported: @Sendable ([String: Any]) -> Bool = { _ in true }
        /// The expected `data` of the answer.
        var data: @Sendable ([String: Any]) -> Bool = { _ in true }
    }

    private static func queue(_ state: [String: Any]) -> [String: Any] { state["queue"] as? [String: Any] ?? [:] }
    private static func tracks(_ state: [String: Any]) -> [String: Any] { state["tracks"] as? [String: Any] ?? [:] }
    private static func media(_ state: [String: Any]) -> [String: Any] { state["media"] as? [String: Any] ?? [:] }

    static let presses: [Press] = [
        Press(button: "choose living-room", chosen: "sim-002", ends: ["chosen device"]),
        Press(button: "pause", ends: ["failed"], text: "no_session"),
        Press(
            button: "load a film", holds: { $0["player"] as? String == "PLAYING" && $0["title"] as? String == "Example Film" },
            // The next press may precede the published state, which then is the one after it.
            reported: { $0["player"] as? String == "playing" }),
        Press(button: "pause", holds: { $0["player"] as? String == "PAUSED" }),
        Press(button: "play", holds: { $0["player"] as? String == "PLAYING" }),
        Press(button: "play or pause", holds: { $0["player"] as? String == "PAUSED" }),
        Press(button: "to 1:00", holds: { CommandTests.near($0["position"], 60) }),
        Press(button: "30 s ahead", holds: { CommandTests.near($0["position"], 90) }),
        Press(button: "to the middle", holds: { CommandTests.near($0["position"], 300) }),
        Press(button: "from its beginning", holds: { ($0["position"] as? Double ?? 300) < 30 }),
        Press(button: "1.5 times as fast", reported: { Self.media($0)["rate"] as? Double == 1.5 }),
        // No ad plays.
        Press(button: "skip the ad", ends: ["failed"]),
        Press(button: "volume 30", holds: { CommandTests.near($0["volume"], 0.3) }),
        Press(button: "5 louder", holds: { CommandTests.near($0["volume"], 0.35) }),
        Press(button: "volume 20, answer by id", holds: { CommandTests.near($0["volume"], 0.2) }),
        Press(button: "one step up", holds: { ($0["volume"] as? Double ?? 0) > 0.2 }),
        Press(button: "one step down", holds: { CommandTests.near($0["volume"], 0.2) }),
        Press(button: "mute", holds: { $0["muted"] as? Bool == true }),
        Press(button: "mute or not", holds: { $0["muted"] as? Bool == false }),
        Press(button: "volume 25, not muted", holds: { CommandTests.near($0["volume"], 0.25) }),
        Press(button: "group volume 40", ends: ["failed"], text: "not_supported"),
        Press(button: "a mistake, on purpose", ends: ["failed"], text: "bad_payload"),
        Press(button: "read the state again"),
        Press(button: "load with tracks at 2:00", holds: { ($0["position"] as? Double ?? 0) >= 120 }),
        Press(button: "subtitles in English", reported: { Self.tracks($0)["text"] as? String == "English" }),
        Press(button: "sound in German", reported: { Self.tracks($0)["audio"] as? String == "Deutsch" }),
        Press(button: "larger subtitles"),
        Press(button: "no subtitles", reported: { Self.tracks($0)["text"] is NSNull }),
        Press(button: "move to the kitchen", device: "sim-001", holds: { $0["player"] as? String == "PLAYING" }),
        Press(button: "load a queue", holds: { $0["queue_length"] as? Int == 3 }),
        Press(button: "one more at the end", holds: { $0["queue_length"] as? Int == 4 }),
        Press(button: "one more as the next", holds: { $0["queue_length"] as? Int == 5 }),
        Press(button: "the whole queue", data: { ($0["items"] as? [Any])?.count == 5 && $0["length"] as? Int == 5 }),
        Press(button: "jump to the next", reported: { (Self.media($0)["content_id"] as? String)?.hasSuffix("5.mp3") == true }),
        Press(button: "this one from 0:10", holds: { (10..<60).contains($0["position"] as? Double ?? 0) }),
        Press(button: "this one to the end"),
        Press(button: "previous", reported: { (Self.media($0)["content_id"] as? String)?.hasSuffix("4.mp3") == true }),
        Press(button: "next", reported: { (Self.media($0)["content_id"] as? String)?.hasSuffix("5.mp3") == true }),
        Press(button: "repeat all", reported: { Self.queue($0)["repeat"] as? String == "all" }),
        Press(button: "shuffle", holds: { $0["shuffled"] as? Bool == true }),
        Press(button: "clear all but the current", holds: { $0["queue_length"] as? Int == 1 }),
        Press(button: "load a queue", holds: { $0["queue_length"] as? Int == 3 }),
        Press(button: "remove this one", holds: { $0["queue_length"] as? Int == 2 }),
        Press(button: "stop", holds: { ["IDLE", "NONE"].contains($0["player"] as? String) }),
        Press(button: "launch an app", holds: { $0["app_id"] as? String == "CC1AD845" }),
        Press(button: "take part"),
        Press(button: "leave it to others", holds: { $0["app_id"] as? String == "CC1AD845" }),
        Press(button: "quit the app", holds: { $0["app_id"] as? String != "CC1AD845" }),
        Press(button: "load a film", holds: { $0["player"] as? String == "PLAYING" }),
        Press(button: "check a film", data: { ($0["findings"] as? [[String: Any]])?.first?["remedy"] is String }),
        Press(button: "pause everywhere", holds: { $0["player"] as? String == "PAUSED" }),
        Press(button: "volume 15 everywhere", device: "sim-001", holds: { CommandTests.near($0["volume"], 0.15) }),
        Press(button: "quit by set/app", holds: { $0["app_id"] as? String != "CC1AD845" }),
        Press(
            button: "preset Radio One",
            holds: { ($0["content_id"] as? String)?.contains("one.mp3") == true && CommandTests.near($0["volume"], 0.2) }),
        Press(button: "next preset", holds: { ($0["content_id"] as? String)?.contains("two.mp3") == true }),
        Press(
            button: "ring the bell",
            holds: { ($0["content_id"] as? String)?.contains("two.mp3") == true && $0["player"] as? String == "PLAYING" }),
        Press(button: "save as evening"),
        Press(button: "a folder of songs", holds: { $0["queue_length"] as? Int == 2 }),
        Press(button: "recall evening", holds: { ($0["content_id"] as? String)?.contains("two.mp3") == true }),
        Press(button: "sleep in 30 minutes", reported: { $0["sleep_at"] is String }),
        Press(button: "quit the app", holds: { $0["app_id"] as? String != "CC1AD845" }),
        Press(button: "wake the screen", holds: { $0["app_id"] as? String == "CC1AD845" && $0["content_id"] == nil }),
        Press(button: "quit the app", holds: { $0["app_id"] as? String != "CC1AD845" }),
        // The other one has no screen.
        Press(button: "choose living-room", chosen: "sim-001", ends: ["chosen device"]),
        Press(button: "show a web page", device: "sim-001", holds: { $0["app_id"] as? String == "84912283" }),
        Press(button: "quit the app", device: "sim-001", holds: { $0["app_id"] as? String != "84912283" }),
        Press(button: "choose living-room", chosen: "group-001", ends: ["chosen device"]),
        Press(
            button: "group volume 40", device: "group-001", holds: { CommandTests.near($0["volume"], 0.4) },
            data: { ($0["members"] as? [Any] ?? []).count >= 2 }),
        Press(button: "is the bridge well?"),
        Press(button: "search for devices"),
        Press(button: "send everything again"),
    ]

    @Test("every button works on the running bridge, and its answer is matched")
    func buttons() async throws {
        let house = try await Household.onOneHost()
        let songs = house.folder + "/songs"
        try FileManager.default.createDirectory(atPath: songs, withIntermediateDirectories: true)
        for name in ["a.mp3", "b.mp3"] {
            try Data("ID3".utf8 + [UInt8](repeating: 0, count: 4096)).write(to: URL(fileURLWithPath: "\(songs)/\(name)"))
        }
        try """
        commands: {fan_out: true}
        media: {listen: ["0.0.0.0:8097"], folders: {songs: \(songs)}}
        presets:
          Radio One: {url: "http://192.168.1.5/one.mp3?duration=600", volume: 20}
          Radio Two: {url: "http://192.168.1.5/two.mp3?duration=600"}
        """.write(toFile: house.folder + "/cast2mqtt.yaml", atomically: true, encoding: .utf8)
        let watcher = try await house.startEverything(
            devices: 4, groups: 1, environment: ["CAST2MQTT_CONFIG": house.folder + "/cast2mqtt.yaml"])
        let slugs = try await house.slugs(watcher)
        let slug = try #require(slugs["sim-002"])
        let kitchen = try #require(slugs["sim-001"])
        let flow = try await FlowRun("cast2mqtt.json", in: house) {
            // The user's own film, songs and kitchen.
            $0.replacingOccurrences(of: "film.mp4", with: "film.mp4?duration=600").replacingOccurrences(
                of: "bell.mp3", with: "bell.mp3?duration=2"
            ).replacingOccurrences(
                of: #"\"to\":\"kitchen\""#, with: #"\"to\":\"\#(kitchen)\""#)
        }
        try await flow.deploy()
        // The flow as it is chooses one by itself.
        try await flow.shown(by: "chosen device")
        for press in Self.presses {
            let mark = flow.mark
            if let chosen = press.chosen { try flow.order(["edit": press.button, "set": ["payload": try #require(slugs[chosen])]]) }
            if press.button.contains("this one") {
                // The flow must have received which one that is.
                try await eventually("the flow knows the item") {
                    let item = try await house.control.state(press.device)["item_id"] as? Int
                    let statuses = flow.reported.filter {
                        $0["node"] as? String == "the item that plays" && $0["kind"] as? String == "status"
                    }
                    let texts = statuses.compactMap { ($0["value"] as? [String: Any])?["text"] as? String }.filter { $0.hasPrefix(slug) }
                    return item != nil && texts.last == "\(slug): item \(item ?? 0)"
                }
            }
            try flow.order(["press": press.button])
            let (node, value) = try await flow.shown(by: "done", "failed", "chosen device", after: mark) {
                (($0 as? [String: Any])?["payload"] as? [String: Any])?["code"] as? String != "accepted"
            }
            #expect(
                press.ends.contains(node) && (press.text.isEmpty || "\(value)".contains(press.text)), "\(press.button): \(node) \(value)")
            guard node != "chosen device" else { continue }
            let request = try await flow.shown(by: "to the bridge", after: mark).value
            #expect(try Self.violations(ofRequest: request).isEmpty == (press.text != "bad_payload"), "\(press.button): \(request)")
            let answer = ((value as? [String: Any])?["payload"] as? [String: Any])?["data"] as? [String: Any] ?? [:]
            #expect(press.data(answer), "\(press.button): \(answer)")
            for member in answer["members"] as? [[String: Any]] ?? [] {
                // The values that the answer has for a group's member hold at that device.
                let name = try #require(slugs.first { $0.value == member["slug"] as? String }?.key)
                let percent = try #require(member["percent"] as? Int)
                try await eventually("\(name) is at \(percent) %") {
                    CommandTests.near(try await house.control.state(name)["volume"], Double(percent) / 100)
                }
            }
            if node == "done" {
                let matched = (value as? [String: Any])?["matched"] as? String
                #expect(matched == (press.button.contains("by id") ? "id" : "correlation data"))
            }
            try await eventually("\(press.button) shows at the device") { press.holds(try await house.control.state(press.device)) }
            try await watcher.current("cast2mqtt/\(slug)/state") { press.reported($0.object) }
        }
        let names = try Self.nodes("cast2mqtt.json").filter { $0["type"] as? String == "inject" }.compactMap { $0["name"] as? String }
        #expect(Set(names) == Set(Self.presses.map(\.button)), "a button without a test, or the other way round")
        // The flow also shows: started and ended media, items that a queue went past, states of devices and not of the bridge.
        try await flow.shown(by: "something starts") { $0 as? String == "Example Film" }
        try await flow.shown(by: "plays") { $0 as? String == "Example Film" }
        try await flow.shown(by: "played") { ($0 as? String)?.contains("; \(slug); ") == true }
        try await flow.shown(by: "played") { ($0 as? String)?.hasSuffix("; next item") == true }
        try await flow.shown(by: "bridge") { $0 as? String == "online" }
        #expect(flow.mistakes.isEmpty)
        try await house.bridge?.stop()
        try await flow.shown(by: "bridge") { $0 as? String == "offline" }
    }

    @Test("the telephone pauses what plays, and after the call it plays again, unless a person had paused it")
    func phone() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 1)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        let flow = try await FlowRun("phone.json", in: house) { $0.replacingOccurrences(of: "living-room", with: slug) }
        try await flow.deploy()
        try await house.play("sim-001", watcher)
        func phone(_ state: String, leads command: String) async throws {
            let mark = flow.mark
            try await house.sender.publish(state, to: "phone/state")
            try await flow.shown(by: "sent", after: mark) { $0 as? String == "cast2mqtt/\(slug)/cmd/\(command)" }
            try await watcher.current("cast2mqtt/\(slug)/status/player") { $0.text == (command == "pause" ? "paused" : "playing") }
        }
        try await phone("ringing", leads: "pause")
        try await phone("idle", leads: "play")
        // What a person paused stays paused: nothing is sent until it plays and the telephone rings again. Messages reach the flow in order.
        try await house.sender.publish("", to: "cast2mqtt/\(slug)/cmd/pause")
        try await watcher.current("cast2mqtt/\(slug)/status/player") { $0.text == "paused" }
        let mark = flow.mark
        for state in ["ringing", "idle"] { try await house.sender.publish(state, to: "phone/state") }
        try await house.sender.publish("", to: "cast2mqtt/\(slug)/cmd/play")
        try await watcher.current("cast2mqtt/\(slug)/status/player") { $0.text == "playing" }
        try await house.sender.publish("ringing", to: "phone/state")
        let first = try await flow.shown(by: "sent", after: mark).value as? String
        #expect(first == "cast2mqtt/\(slug)/cmd/pause")
        // The buttons do what the telephone does.
        let nodes = try Self.nodes("phone.json")
        let wires = ["telephone", "ring", "hang up"].compactMap { name in
            nodes.first { $0["name"] as? String == name }?["wires"] as? [[String]]
        }
        #expect(wires.count == 3 && Set(wires).count == 1)
        let payloads = nodes.filter { $0["type"] as? String == "inject" }.compactMap { $0["payload"] as? String }
        #expect(payloads == ["ringing", "idle"])
        #expect(flow.mistakes.isEmpty)
    }

    @Test("a limit without a function node turns the volume down; without the bridge the error branch reports that no answer arrived")
    func limitAndSilence() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 1)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        let flow = try await FlowRun("cast2mqtt.json", in: house) {
            $0.replacingOccurrences(of: "usual = 30", with: "usual = 1").replacingOccurrences(of: "patience = 5000", with: "patience = 100")
        }
        try flow.order(["edit": "above 100? (lower it to your limit)", "set": ["rules": [["t": "gt", "v": "40", "vt": "num"]]]])
        let rules = try #require(
            try Self.nodes("cast2mqtt.json").first { $0["name"] as? String == "back to the limit" }?["rules"] as? [[String: Any]])
        let edited = rules.map { $0["p"] as? String == "payload" ? $0.merging(["to": "40"]) { _, new in new } : $0 }
        try flow.order(["edit": "back to the limit", "set": ["rules": edited]])
        try await flow.deploy()
        try await house.control.send(["device": "sim-001", "do": "volume", "level": 0.9])
        try await watcher.message(on: "cast2mqtt/\(slug)/status/volume") { $0.text == "90" }
        try await watcher.current("cast2mqtt/\(slug)/status/volume") { $0.text == "40" }
        #expect(CommandTests.near(try await house.control.state("sim-001")["volume"], 0.4))
        try await house.bridge?.stop()
        try flow.order(["press": "pause"])
        try await flow.shown(by: "failed") { ($0 as? String)?.contains("\(slug): pause failed, no_answer") == true }
        #expect(flow.mistakes.isEmpty)
    }

    @Test("the dashboard's widgets show the plain values and set them")
    func dashboard() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 1)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        let flow = try await FlowRun("dashboard.json", in: house) { $0.replacingOccurrences(of: "living-room", with: slug) }
        try await flow.deploy()
        try await house.play("sim-001", watcher)
        try await flow.shown(by: "Title") { $0 as? String == "Item of sim-001" }
        try await flow.shown(by: "Player") { $0 as? String == "playing" }
        try await flow.shown(by: "Position") { $0 is Double }
        try flow.order(["use": "Position", "value": 50])
        try await flow.shown(by: "Position") { ($0 as? Double ?? 0) >= 50 }
        try flow.order(["use": "Volume", "value": 37])
        try await flow.shown(by: "Volume") { $0 as? Int == 37 }
        try flow.order(["use": "Mute", "value": true])
        try await flow.shown(by: "Mute") { $0 as? String == "ON" }
        try flow.order(["use": "Play/Pause"])
        try await flow.shown(by: "Player") { $0 as? String == "paused" }
        try flow.order(["use": "Stop"])
        try await flow.shown(by: "Player") { $0 as? String == "idle" }
        // As after a restart of the bridge while the device can't be reached: nothing is known of it.
        for name in ["volume", "muted", "position_percent", "title", "artwork"] {
            try await house.sender.publish("", to: "cast2mqtt/\(slug)/status/\(name)")
        }
        try await house.sender.publish("41", to: "cast2mqtt/\(slug)/status/volume")
        try await flow.shown(by: "Volume") { $0 as? Int == 41 }
        // Messages of widgets go to topics that the bridge knows.
        let codes = watcher.messages.filter { $0.topic == "cast2mqtt/\(slug)/response" }.compactMap { $0.object["code"] as? String }
        #expect(!codes.isEmpty && Set(codes).isSubset(of: ["done", "superseded"]))
        #expect(flow.mistakes.isEmpty)
        try await house.bridge?.stop()
    }

    /// The faults of a request that the flow sent, by the schemas of its topic.
    private static func violations(ofRequest request: Any) throws -> [SchemaValidator.Violation] {
        let message = try #require(request as? [String: Any])
        let levels = try #require(message["topic"] as? String).components(separatedBy: "/")
        let name = levels[1] == "bridge" ? levels[1...].joined(separator: "/") : levels[2...].joined(separator: "/")
        let schemas = try TopicSchemas.shipped.get()
        let id = "\(TopicSchemas.root)commands/\(name).json"
        try #require(schemas.validator.ids.contains(id), "\(id)")
        let payload = try #require(message["payload"] as? String)
        return try schemas.validator.violations(of: try JSONTree(Data(payload.utf8)), schema: id)
    }

    private static func nodes(_ file: String) throws -> [[String: Any]] {
        let data = try Data(contentsOf: FlowRun.root.appendingPathComponent("config/node-red/\(file)"))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
    }
}
