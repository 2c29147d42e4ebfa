import Foundation
import TestSupport
import Testing

/// Requests to the bridge that are not about the lifetime of topics.
@Suite("Requests to the bridge", .serialized)
struct RequestTests {
    @Test("device/add takes in a device that multicast does not reach, for good")
    func add() async throws {
        let house = try await Household.onOneHost()
        try await house.broker.start()
        let watcher = try await house.watch()
        try await house.startDevices(1)
        let environment = ["CAST2MQTT_DISCOVERY_MDNS": "false"]
        try await house.startBridge(environment)
        try await watcher.current("cast2mqtt/bridge/state") { $0.text == "online" }
        let device = try #require(try await house.control.devices().first)
        let address = try #require(device["address"] as? String)
        let answer = try await house.request("device/add", #"{"ip":"\#(address)","id":"a"}"#, watcher)
        #expect(answer["code"] as? String == "done" && answer["id"] as? String == "a")
        #expect((answer["data"] as? [String: Any])?["id"] as? String == device["id"] as? String)
        try await house.allOnline(watcher)
        let unknown = try await house.request("device/add", "127.0.9.9", watcher)
        #expect(unknown["code"] as? String == "timeout" && unknown["status"] as? String == "error")
        try await house.bridge?.stop()
        try await house.startBridge(environment)
        try await eventually("it is known after a restart") {
            watcher.messages.count { $0.topic == "cast2mqtt/bridge/state" && $0.text == "online" } >= 2
        }
        try await house.allOnline(watcher)
    }

    @Test("home_assistant/mode announces only what a media player lacks, over a restart, and everything again; a person's choice stays")
    func companion() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 1)
        let id = try #require(try await house.control.devices().first?["id"] as? String)
        let topic = "homeassistant/device/cast2mqtt_\(id)/config"
        func ids(_ message: MessageWatcher.Message) -> Set<String> {
            let components = message.object["components"] as? [String: [String: Any]] ?? [:]
            return Set(components.values.compactMap { $0["unique_id"] as? String })
        }
        func mode(_ text: String) async throws -> [String: Any] { try await house.request("home_assistant/mode", text, watcher) }
        let whole = ids(try await watcher.current(topic) { $0.text.contains("_volume") })
        let answer = try await mode(#"{"mode":"companion","id":"a"}"#)
        #expect(answer["code"] as? String == "done" && answer["id"] as? String == "a", "\(answer)")
        #expect((answer["data"] as? [String: Any])?["source"] as? String == "settings")
        let few = ids(try await watcher.current(topic) { !$0.text.contains("volume") })
        #expect(few.isStrictSubset(of: whole) && few.contains("cast2mqtt_\(id)_last_error"))
        #expect(watcher.messages.contains { $0.topic == topic && $0.text.contains(#""volume":{"platform":"number"}"#) })
        try await house.bridge?.stop()
        try await house.startBridge()
        _ = try await watcher.current("cast2mqtt/bridge/info") { $0.text.contains(#""mode":"companion","source":"settings""#) }
        try await house.allOnline(watcher)
        #expect(try await mode("device")["code"] as? String == "done")
        #expect(ids(try await watcher.current(topic) { $0.text.contains("_volume") }) == whole)
        try await house.bridge?.stop()
        try await house.startBridge(["CAST2MQTT_HOME_ASSISTANT_MODE": "device"])
        _ = try await watcher.current("cast2mqtt/bridge/info") { $0.text.contains(#""source":"environment""#) }
        try await house.allOnline(watcher)
        let refused = try await mode("companion")
        #expect(refused["code"] as? String == "not_applied" && (refused["hint"] as? String)?.contains("there") == true, "\(refused)")
        #expect(try await mode("device")["code"] as? String == "done")
    }

    @Test("aliases of the configuration and of requests reach the device, and stay")
    func aliases() async throws {
        let house = try await Household.onOneHost()
        try await house.broker.start()
        let watcher = try await house.watch()
        try await house.startDevices(2)
        let id = try #require(try await house.control.devices().first { $0["device"] as? String == "sim-001" }?["id"] as? String)
        let file = house.folder + "/cast2mqtt.yaml"
        try "devices:\n  - {device: \(id), aliases: [lounge], area: Living room}\n".write(toFile: file, atomically: true, encoding: .utf8)
        let environment = ["CAST2MQTT_CONFIG": file]
        try await house.startBridge(environment)
        try await house.allOnline(watcher)
        let slugs = try await house.slugs(watcher)
        let (slug, other) = (try #require(slugs["sim-001"]), try #require(slugs["sim-002"]))
        let info = try await watcher.current("cast2mqtt/\(slug)/info") { $0.object["aliases"] as? [String] == ["lounge"] }
        #expect(info.object["area"] as? String == "Living room")
        try await house.sender.publish("31", to: "cast2mqtt/lounge/set/volume")
        try await watcher.current("cast2mqtt/\(slug)/status/volume") { $0.text == "31" }
        let answer = try await watcher.message(on: "cast2mqtt/\(slug)/response") { $0.object["cmd"] as? String == "set/volume" }
        #expect(answer.object["device"] as? String == slug)
        let taken = try await house.request("device/options", #"{"device":"\#(other)","aliases":["lounge"]}"#, watcher)
        #expect(taken["code"] as? String == "bad_payload")
        let changed = try await house.request("device/options", #"{"device":"lounge","aliases":["tv","den"],"id":1}"#, watcher)
        let options = (changed["data"] as? [String: Any])?["options"] as? [String: Any]
        #expect(options?["aliases"] as? [String] == ["tv", "den"] && options?["area"] as? String == "Living room")
        try await watcher.current("cast2mqtt/bridge/devices") { $0.text.contains(#""aliases":["tv","den"]"#) }
        try await house.bridge?.stop()
        try await house.startBridge(environment)
        try await eventually("it is online again") {
            watcher.messages.count { $0.topic == "cast2mqtt/bridge/state" && $0.text == "online" } >= 2
        }
        try await house.allOnline(watcher)
        try await house.sender.publish("32", to: "cast2mqtt/den/set/volume")
        try await watcher.current("cast2mqtt/\(slug)/status/volume") { $0.text == "32" }
        let unknown = try await house.request("device/options", #"{"device":"lounge"}"#, watcher)
        #expect(unknown["code"] as? String == "unknown_device")
    }

    @Test("restart is answered, and the same process restarts with the configuration read again")
    func restart() async throws {
        let house = try await Household.onOneHost()
        try await house.broker.start()
        let watcher = try await house.watch()
        try await house.startDevices(1)
        let file = house.folder + "/cast2mqtt.yaml"
        try "status: {split: basic}\n".write(toFile: file, atomically: true, encoding: .utf8)
        try await house.startBridge(["CAST2MQTT_CONFIG": file])
        try await house.allOnline(watcher)
        let before = try #require(house.bridge?.pid)
        try "status: {split: none}\n".write(toFile: file, atomically: true, encoding: .utf8)
        let answer = try await house.request("restart", "", watcher)
        #expect(answer["code"] as? String == "done")
        try await eventually("the bridge was offline and is online again") {
            watcher.messages.filter { $0.topic == "cast2mqtt/bridge/state" }.map(\.text).suffix(2) == ["offline", "online"]
        }
        try await watcher.current("cast2mqtt/bridge/info") {
            ($0.object["config"] as? [String: Any])?["split"] as? String == "none"
        }
        try await eventually("the plain values are removed") { !(try await house.retained()).keys.contains { $0.contains("/status/") } }
        #expect(kill(before, 0) == 0)
        // Under its own name, that of the file which was begun.
        #expect(try String(contentsOfFile: "/proc/\(before)/comm", encoding: .utf8) == "cast2mqtt\n")
        house.bridge?.signal(SIGTERM)
        #expect(try await house.bridge?.ended() == 0)
    }

    @Test("a device's proof is published in info, its key remembered, and another key noticed")
    func authentication() async throws {
        let house = try await Household.onOneHost()
        try await house.broker.start()
        let watcher = try await house.watch()
        let roots = house.folder + "/roots.pem"
        try await house.startDevices(1, arguments: ["--authentication-root", roots])
        try await house.startBridge(["CAST2MQTT_AUTHENTICATION_MODE": "require", "CAST2MQTT_AUTHENTICATION_ROOTS_FILE": roots])
        try await house.allOnline(watcher)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        try await watcher.current("cast2mqtt/\(slug)/info") { $0.object["authentication"] as? String == "genuine" }
        try await eventually("the key is on record") { try house.stateText().contains(#""key":""#) }
        try await house.bridge?.stop()
        // Without roots only the remembered key decides; here it was another one.
        try house.editState { lines in
            lines.map { $0.replacing(#/"key":"[0-9a-f]+"/#, with: #""key":"00ff""#) }
        }
        try await house.startBridge(["CAST2MQTT_AUTHENTICATION_MODE": "report"])
        try await watcher.current("cast2mqtt/\(slug)/info") { $0.object["authentication"] as? String == "key_changed" }
        try await watcher.current("cast2mqtt/\(slug)/availability") { $0.text == "online" }
    }

    @Test("a device that announces more than its certificate allows is not genuine")
    func certifiedForLess() async throws {
        let house = try await Household.onOneHost()
        try await house.broker.start()
        let watcher = try await house.watch()
        let roots = house.folder + "/roots.pem"
        try await house.startDevices(1, arguments: ["--authentication-root", roots, "--authentication", "audio-only"])
        try await house.startBridge(["CAST2MQTT_AUTHENTICATION_MODE": "report", "CAST2MQTT_AUTHENTICATION_ROOTS_FILE": roots])
        try await house.allOnline(watcher)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        try await watcher.current("cast2mqtt/\(slug)/info") { $0.object["authentication"] as? String == "failed" }
    }

    @Test("bridge/log has warnings, with what belongs to them, and another level on request")
    func log() async throws {
        let house = try await Household.onOneHost()
        try await house.broker.start()
        try await house.sender.publish("5", to: "cast2mqtt/nobody/set/volume", retain: true)
        try await house.sender.publish("5", to: "cast2mqtt/nobody/set/a?token=planted", retain: true)
        let watcher = try await house.watch()
        try await house.startDevices(1)
        try await house.startBridge()
        let line = try await watcher.message(on: "cast2mqtt/bridge/log") {
            $0.text.contains("retained command") && $0.text.contains("set/volume")
        }
        #expect(line.object["level"] as? String == "warning" && line.object["source"] as? String == "Bridge")
        #expect((line.object["data"] as? [String: Any])?["topic"] as? String == "cast2mqtt/nobody/set/volume")
        // No line shows a secret, neither here nor on standard error.
        try await watcher.message(on: "cast2mqtt/bridge/log") { $0.text.contains("set/a?token=…") }
        try await house.bridge?.line(containing: "set/a?token=…")
        #expect(!watcher.messages.contains { $0.topic == "cast2mqtt/bridge/log" && $0.text.contains("planted") })
        #expect(house.bridge?.text.contains("planted") == false)
        try await house.allOnline(watcher)
        #expect(!watcher.messages.contains { $0.topic == "cast2mqtt/bridge/log" && $0.object["level"] as? String == "info" })
        let answer = try await house.request("log_level", #"{"publish":"info"}"#, watcher)
        #expect((answer["data"] as? [String: Any])?["publish"] as? String == "info")
        try await watcher.message(on: "cast2mqtt/bridge/event") {
            let log = ($0.object["data"] as? [String: Any])?["log"] as? [String: Any]
            return $0.object["type"] as? String == "config_changed" && log?["publish"] as? String == "info"
        }
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        try await house.control.send(["device": "sim-001", "do": "stop", "goodbye": false])
        try await watcher.current("cast2mqtt/\(slug)/availability") { $0.text == "offline" }
        try await house.control.send(["device": "sim-001", "do": "start"])
        try await watcher.message(on: "cast2mqtt/bridge/log") { $0.object["message"] as? String == "device online" }
    }
}
