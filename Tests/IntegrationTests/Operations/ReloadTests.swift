import Foundation
import TestSupport
import Testing

/// A running bridge takes another configuration; devices and broker notice nothing of it.
@Suite("Settings of a running bridge", .timeLimit(.minutes(5)))
struct ReloadTests {
    private static func write(_ text: String, _ house: Household) throws {
        try text.write(toFile: house.folder + "/cast2mqtt.yaml", atomically: true, encoding: .utf8)
    }

    /// The number of open connections of each device, as the simulator counts them.
    private static func links(_ house: Household, of devices: [String]) async throws -> [Int] {
        var sockets: [Int] = []
        for device in devices { sockets.append(try await house.control.state(device)["sockets"] as? Int ?? -1) }
        return sockets
    }

    private static func api(_ house: Household, _ path: String, _ arguments: [String] = []) async throws -> [String: Any] {
        let program = try await ChildProcess(
            "curl",
            ["-s", "--unix-socket", house.stateDirectory + "/control", "-H", "Content-Type: application/json"] + arguments + [
                "http://localhost/api/v1/\(path)"
            ], namespace: house.hosts.bridge)
        _ = try await program.ended()
        return try JSONSerialization.jsonObject(with: Data(program.lines.joined().utf8)) as? [String: Any] ?? [:]
    }

    @Test("options of devices, what is left out, and the log change at once while everything plays; a broken file changes nothing")
    func reload() async throws {
        let house = try await Household.onOneHost()
        try Self.write("log: {level: info}", house)
        let watcher = try await house.startEverything(
            devices: 3, environment: ["CAST2MQTT_CONFIG": house.folder + "/cast2mqtt.yaml", "CAST2MQTT_LOG_LEVEL": "info"])
        let devices = try await house.control.devices()
        let handles = devices.compactMap { $0["device"] as? String }
        let names = devices.compactMap { $0["name"] as? String }
        let slugs = try await house.slugs(watcher)
        let slug = try #require(slugs[handles[0]] ?? slugs.values.sorted().first)
        let other = try #require(slugs[handles[2]])
        for handle in handles { try await house.control.send(["device": handle, "do": "play", "title": "Film"]) }
        let before = try await Self.links(house, of: handles)

        try Self.write("devices: [{device: \"\(names[0])\", area: Attic, aliases: [attic-tv]}]", house)
        house.bridge?.signal(SIGHUP)
        _ = try await watcher.current("cast2mqtt/\(slug)/info") { $0.text.contains("\"area\":\"Attic\"") }

        try Self.write(
            "devices: [{device: \"\(names[0])\", area: Attic}]\ndiscovery: {exclude: [\"\(names[2])\"]}\nstatus: {split: none}", house)
        let answer = try await house.request("reload", "", watcher)
        let data = try #require(answer["data"] as? [String: Any])
        #expect((data["applied"] as? [String])?.contains("discovery.exclude") == true && data["restart"] as? [String] == ["status.split"])
        try await eventually("the topics of what is left out are cleared") { watcher.current["cast2mqtt/\(other)/state"]?.text ?? "" == "" }
        #expect(try await house.retained().keys.contains { $0.hasPrefix("cast2mqtt/\(other)/") } == false)
        try await eventually("the link of the device that is left out ends") {
            try await house.control.state(handles[2])["sockets"] as? Int == 0
        }

        try Self.write("discovery: {exclud: []}", house)
        let refused = try await house.request("reload", "", watcher)
        #expect(refused["code"] as? String == "not_applied" && (refused["message"] as? String)?.contains("discovery.exclud") == true)

        try Self.write("{}", house)
        _ = try await house.request("reload", "", watcher)
        _ = try await watcher.current("cast2mqtt/\(other)/availability") { $0.text == "online" }
        #expect(try await Self.links(house, of: handles) == before)
        for (handle, kept) in slugs where handle == handles[0] || handle == handles[1] {
            let words = watcher.messages.filter { $0.topic == "cast2mqtt/\(kept)/availability" }.map(\.text)
            #expect(words.last == "online" && words.count { $0 == "online" } == 1, "no link was lost: \(words)")
        }
        #expect(watcher.messages.count { $0.topic == "cast2mqtt/bridge/state" } == 1)
    }

    @Test("a person chooses settings over the API; they are kept over a restart, and what opens something is refused")
    func choosing() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 1)
        let list = try #require(try await Self.api(house, "settings")["settings"] as? [[String: Any]])
        func row(_ key: String, _ list: [[String: Any]]) throws -> [String: Any] {
            try #require(list.first { $0["key"] as? String == key })
        }
        #expect(try row("mqtt.host", list)["place"] as? String == "environment")
        #expect(try row("web.listen", list)["choosable"] as? Bool == false)
        let changed = try await Self.api(house, "settings", ["-d", #"{"log.publish":"debug","home_assistant.mode":"off"}"#])
        #expect(changed["applied"] as? [String] == ["log.publish"] && changed["restart"] as? [String] == ["home_assistant.mode"])
        for body in [
            #"{"web.listen":["0.0.0.0:80"]}"#, #"{"state_directory":"/tmp"}"#, #"{"mqtt.host":"x"}"#, #"{"mqtt.keepalive":-1}"#, "[]",
        ] {
            let refusal = try await Self.api(house, "settings", ["-d", body])
            #expect(((refusal["error"] as? [String: Any])?["code"] as? String) == "bad_payload", "\(body): \(refusal)")
        }
        try await house.bridge?.stop()
        try await house.startBridge()
        _ = try await watcher.current("cast2mqtt/bridge/state") { $0.text == "online" }
        let kept = try #require(try await Self.api(house, "settings")["settings"] as? [[String: Any]])
        #expect(try row("log.publish", kept)["value"] as? String == "debug" && row("log.publish", kept)["place"] as? String == "settings")
        let reset = try await Self.api(house, "settings/log.publish", ["-X", "DELETE"])
        #expect(reset["applied"] as? [String] == ["log.publish"])
        let text = try String(contentsOfFile: house.stateDirectory + "/settings.yaml", encoding: .utf8)
        #expect(text.contains("home_assistant") && !text.contains("log"))
    }

    private static func run(_ house: Household, _ arguments: [String], environment: [String: String] = [:]) async throws -> (
        code: Int32, text: String
    ) {
        let program = try await ChildProcess(
            "cast2mqtt", arguments,
            environment: [
                "CAST2MQTT_STATE_DIRECTORY": house.stateDirectory, "CAST2MQTT_MQTT_HOST": house.hosts.brokerAddress,
                "CAST2MQTT_MQTT_PORT": "\(house.broker.port)",
            ].merging(environment) { $1 },
            namespace: house.hosts.bridge)
        let code = try await program.ended()
        return (code, program.lines.joined(separator: "\n"))
    }

    @Test("a backup has what was chosen, secrets only when asked, and is put back into an empty state directory")
    func backup() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 1)
        let slug = try #require(try await house.slugs(watcher).values.first)
        _ = try await house.request("device/options", "{\"device\":\"\(slug)\",\"area\":\"Attic\"}", watcher)
        _ = try await Self.api(house, "settings", ["-d", #"{"log.publish":"debug","mqtt.username":"u","mqtt.password":"hidden-one"}"#])
        let (plain, whole) = (house.folder + "/plain.json", house.folder + "/whole.json")
        #expect(try await Self.run(house, ["backup", plain]).code == 0)
        #expect(try await Self.run(house, ["backup", "--secrets", whole]).code == 0)
        #expect(try await Self.run(house, ["backup", whole]).code == 64, "nothing is overwritten")
        #expect(try !String(contentsOfFile: plain, encoding: .utf8).contains("hidden-one"))
        #expect(try String(contentsOfFile: whole, encoding: .utf8).contains("hidden-one"))
        #expect(try await Self.run(house, ["restore", plain]).code == 1, "the bridge runs")
        try await house.bridge?.stop()

        let empty = ["CAST2MQTT_STATE_DIRECTORY": house.stateDirectory + "-new"]
        #expect(try await Self.run(house, ["restore", plain], environment: empty).code == 0)
        try await house.startBridge(empty)
        // What is retained of the device may be of the former bridge.
        _ = try await watcher.current("cast2mqtt/bridge/state") { $0.text == "online" }
        _ = try await watcher.current("cast2mqtt/\(slug)/info") { $0.text.contains("\"area\":\"Attic\"") }
        let diff = try await Self.run(
            house, ["check-config", "--diff"], environment: empty.merging(["CAST2MQTT_TOPICS_RENAME": "follow"]) { $1 })
        #expect(diff.code == 0 && diff.text.contains(#"topics.rename: "keep" → "follow", after a restart"#), "\(diff)")
        try await house.bridge?.stop()

        let opening = house.folder + "/opening.json"
        try #"{"format":"cast2mqtt backup 1","files":{"settings.yaml":"web: {listen: [\"0.0.0.0:80\"]}"}}"#
            .write(toFile: opening, atomically: true, encoding: .utf8)
        let refused = try await Self.run(house, ["restore", opening], environment: empty)
        #expect(refused.code == 1 && refused.text.contains("web.listen"), "\(refused)")
    }
}
