import Foundation
import TestSupport
import Testing

/// The flows of `config/node-red`. Node-RED itself comes from a registry that a build machine need not reach: a stand-in runs the nodes of
/// the files, with Node.js for their functions, on a real broker with the running bridge.
@Suite("The Node-RED flows", .serialized)
struct FlowTests {
    // MARK: The files

    @Test("are well formed", arguments: ["cast2mqtt.json", "dashboard.json"])
    func shape(file: String) throws {
        let path = FlowRun.root.appendingPathComponent("config/node-red/\(file)").path
        #expect(try Self.findings(path).contains("no findings"))
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

    @Test("functions say what they should of the documented messages")
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
        try flow.order(["feed": "a line of history", "msg": ["topic": "cast2mqtt/living-room/event", "payload": try example("event")]])
        try await flow.shown(by: "played") {
            $0 as? String == "2026-11-21T14:03:39.900Z; living-room; Default Media Receiver; Harbour Lights; 18 s; finished"
        }
        // An answer to nobody's question goes nowhere; with the right id it is told apart from it, and a failed one is put in words.
        var answer = try #require(try example("answer") as? [String: Any])
        try flow.order(["feed": "ask, and match the answer", "msg": ["topic": "cast2mqtt/living-room/response", "payload": answer]])
        try flow.order(["press": "a mistake, on purpose"])
        let request = try await flow.shown(by: "to the bridge").value as? [String: Any]
        let payload = try #require(
            try JSONSerialization.jsonObject(with: Data((request?["payload"] as? String ?? "").utf8)) as? [String: Any])
        #expect(request?["responseTopic"] as? String == "cast2mqtt/client/nodered/answers")
        #expect(request?["correlationData"] as? String == payload["id"] as? String)
        #expect(request?["retain"] as? Bool == false)
        answer["id"] = payload["id"]
        answer["status"] = "error"
        answer["code"] = "bad_payload"
        answer["message"] = "No."
        try flow.order(["feed": "ask, and match the answer", "msg": ["topic": "cast2mqtt/living-room/response", "payload": answer]])
        try await flow.shown(by: "failed") { $0 as? String == "living-room: load failed, bad_payload: No." }
        #expect(!flow.told.contains { $0["node"] as? String == "done" })
        #expect(flow.mistakes.isEmpty)
    }

    // MARK: Against the running bridge

    /// What a button is to do: the debug node that shows its end, and what then holds at the device.
    struct Press: Sendable {
        var button: String
        var ends: [String] = ["done"]
        var text = ""
        var holds: @Sendable ([String: Any]) -> Bool = { _ in true }
    }

    static let presses: [Press] = [
        Press(button: "pause", ends: ["failed"], text: "no_session"),
        Press(button: "load a film") { $0["player"] as? String == "PLAYING" && $0["title"] as? String == "Example Film" },
        Press(button: "pause") { $0["player"] as? String == "PAUSED" },
        Press(button: "play") { $0["player"] as? String == "PLAYING" },
        Press(button: "play or pause") { $0["player"] as? String == "PAUSED" },
        Press(button: "to 1:00") { CommandTests.near($0["position"], 60) },
        Press(button: "30 s ahead") { CommandTests.near($0["position"], 90) },
        Press(button: "next", ends: ["done", "failed"]),
        Press(button: "previous", ends: ["done", "failed"]),
        Press(button: "volume 30") { CommandTests.near($0["volume"], 0.3) },
        Press(button: "5 louder") { CommandTests.near($0["volume"], 0.35) },
        Press(button: "volume 20, answer by id") { CommandTests.near($0["volume"], 0.2) },
        Press(button: "one step up") { ($0["volume"] as? Double ?? 0) > 0.2 },
        Press(button: "one step down") { CommandTests.near($0["volume"], 0.2) },
        Press(button: "mute") { $0["muted"] as? Bool == true },
        Press(button: "mute or not") { $0["muted"] as? Bool == false },
        Press(button: "volume 25, not muted") { CommandTests.near($0["volume"], 0.25) },
        Press(button: "a mistake, on purpose", ends: ["failed"], text: "bad_payload"),
        Press(button: "read the state anew"),
        Press(button: "load with subtitles at 2:00") { ($0["position"] as? Double ?? 0) >= 120 },
        Press(button: "stop") { ["IDLE", "NONE"].contains($0["player"] as? String) },
        Press(button: "launch an app") { $0["app_id"] as? String == "CC1AD845" },
        Press(button: "quit the app") { $0["app_id"] as? String != "CC1AD845" },
    ]

    @Test("every button works on the running bridge, and its answer is matched")
    func buttons() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 2)
        let slug = try #require(try await house.slugs(watcher)["sim-002"])
        let flow = try await FlowRun("cast2mqtt.json", in: house) { $0.replacingOccurrences(of: "film.mp4", with: "film.mp4?duration=600") }
        // The flow as it is chooses one; its user names another in the button.
        try flow.order(["edit": "choose living-room", "set": ["payload": slug]])
        try await flow.deploy()
        try await flow.shown(by: "chosen device")
        try flow.order(["press": "choose living-room"])
        try await flow.shown(by: "chosen device") { $0 as? String == slug }
        for press in Self.presses {
            let mark = flow.mark
            try flow.order(["press": press.button])
            let (node, value) = try await flow.shown(by: "done", "failed", after: mark)
            #expect(
                press.ends.contains(node) && (press.text.isEmpty || "\(value)".contains(press.text)), "\(press.button): \(node) \(value)")
            if node == "done" {
                let matched = (value as? [String: Any])?["matched"] as? String
                #expect(matched == (press.button.contains("by id") ? "id" : "correlation data"))
            }
            try await eventually("\(press.button) shows at the device") { press.holds(try await house.control.state("sim-002")) }
        }
        let names = try Self.nodes("cast2mqtt.json").filter { $0["type"] as? String == "inject" }.compactMap { $0["name"] as? String }
        #expect(
            Set(names) == Set(Self.presses.map(\.button)).union(["choose living-room"]), "a button without a test, or the other way round")
        // What else the flow shows of all this: started and ended media, states of both devices and not of the bridge.
        try await flow.shown(by: "something starts") { $0 as? String == "Example Film" }
        try await flow.shown(by: "plays") { $0 as? String == "Example Film" }
        try await flow.shown(by: "played") { ($0 as? String)?.contains("; \(slug); ") == true }
        try await flow.shown(by: "bridge") { $0 as? String == "online" }
        #expect(flow.mistakes.isEmpty)
        try await house.bridge?.stop()
        try await flow.shown(by: "bridge") { $0 as? String == "offline" }
    }

    @Test("a limit without a function node turns the volume down; without the bridge the error branch says that no answer came")
    func limitAndSilence() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 1)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        let flow = try await FlowRun("cast2mqtt.json", in: house) {
            $0.replacingOccurrences(of: "const patience = 20000", with: "const patience = 1000")
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
        try flow.order(["use": "Volume", "value": 37])
        try await flow.shown(by: "Volume") { $0 as? Int == 37 }
        try flow.order(["use": "Mute", "value": true])
        try await flow.shown(by: "Mute") { $0 as? String == "ON" }
        try flow.order(["use": "Play/Pause"])
        try await flow.shown(by: "Player") { $0 as? String == "paused" }
        try flow.order(["use": "Stop"])
        try await flow.shown(by: "Player") { $0 as? String == "idle" }
        // What a widget sends goes to topics that the bridge knows.
        let codes = watcher.messages.filter { $0.topic == "cast2mqtt/\(slug)/response" }.compactMap { $0.object["code"] as? String }
        #expect(!codes.isEmpty && Set(codes).isSubset(of: ["done", "superseded"]))
        #expect(flow.mistakes.isEmpty)
        try await house.bridge?.stop()
    }

    private static func nodes(_ file: String) throws -> [[String: Any]] {
        let data = try Data(contentsOf: FlowRun.root.appendingPathComponent("config/node-red/\(file)"))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
    }
}
