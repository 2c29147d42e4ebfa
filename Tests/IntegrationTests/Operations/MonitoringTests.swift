import Foundation
import TestSupport
import Testing

/// The results of `config/telegraf` and `config/prometheus` with the messages of a running bridge.
@Suite("Monitoring")
struct MonitoringTests {
    @Test("Telegraf's configuration takes every number of bridge/health, the play history and the plain values")
    func telegraf() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 1)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        try await house.play("sim-001", watcher)
        try await house.control.send(["device": "sim-001", "do": "volume", "level": 0.29])
        try await watcher.current("cast2mqtt/\(slug)/status/volume") { $0.text == "29" }
        try await house.sender.publish("", to: "cast2mqtt/\(slug)/cmd/stop")
        try await watcher.message(on: "cast2mqtt/\(slug)/event") { $0.object["event_type"] as? String == "media_ended" }
        try await watcher.current("cast2mqtt/\(slug)/status/player") { $0.text == "idle" }
        let health = try await watcher.current("cast2mqtt/bridge/health") { !$0.object.isEmpty }.object
        let lines = try watcher.messages.filter { !$0.payload.isEmpty }.map { message in
            String(decoding: try JSONSerialization.data(withJSONObject: ["topic": message.topic, "payload": message.text]), as: UTF8.self)
        }
        let recorded = house.folder + "/messages"
        try lines.joined(separator: "\n").write(toFile: recorded, atomically: true, encoding: .utf8)
        let metrics = try await Self.metrics(of: recorded)

        let report = try #require(metrics.last { $0["measurement"] as? String == "cast2mqtt" })
        let fields = try #require(report["fields"] as? [String: Double])
        var wanted: [String: Double] = [:]
        for (path, value) in Self.numbers(of: health) { wanted[path.replacingOccurrences(of: ".", with: "_")] = value }
        #expect(fields == wanted)

        let end = try #require(metrics.last { ($0["tags"] as? [String: String])?["event_type"] == "media_ended" })
        #expect((end["tags"] as? [String: String])?["device"] == slug)
        let facts = end["fields"] as? [String: Any]
        #expect(facts?["title"] as? String == "Item of sim-001")
        #expect(facts?["reason"] as? String == "cancelled")
        #expect(facts?["played_s"] is Double)
        let ofBridge = metrics.filter {
            $0["measurement"] as? String == "cast_event" && ($0["tags"] as? [String: String])?["device"] == "bridge"
        }
        #expect(ofBridge.contains { ($0["tags"] as? [String: String])?["event_type"] == "device_online" }, "\(ofBridge)")
        let volumes = metrics.filter { $0["measurement"] as? String == "cast_volume" }.compactMap {
            ($0["fields"] as? [String: Any])?["value"] as? Int
        }
        #expect(volumes.last == 29)
        let players = metrics.filter { $0["measurement"] as? String == "cast_player" }.compactMap {
            ($0["fields"] as? [String: Any])?["value"] as? String
        }
        #expect(players.contains("playing") && players.last == "idle")
        try await house.bridge?.stop()
    }

    @Test("the exporter's configuration has every number of bridge/health, and the alerts use no other metrics")
    func exporter() throws {
        let topics = try Self.text("docs/TOPICS.md")
        let block = try #require(
            topics.components(separatedBy: "```json bridge/health\n").dropFirst().first?.components(separatedBy: "```").first)
        let example = try #require(try JSONSerialization.jsonObject(with: Data(block.utf8)) as? [String: Any])
        let mapped = Set(try Self.text("config/prometheus/mqtt-exporter-health.yaml").matches(of: /mqtt_name: (\S+)/).map { String($0.1) })
        // Why the link was lost last is a name in the form of a number, nothing to draw a curve of.
        #expect(mapped == Set(Self.numbers(of: example).keys).subtracting(["mqtt.last_disconnect_code"]))
        let names = try ["health", "devices", "state"].flatMap { name in
            try Self.text("config/prometheus/mqtt-exporter-\(name).yaml").matches(of: /prom_name: (\S+)/).map { String($0.1) }
        }
        let alerts = try Self.text("config/prometheus/cast2mqtt-alerts.yml")
        #expect(alerts.matches(of: /- alert:/).count == alerts.matches(of: /severity: (critical|warning|info)}/).count)
        let used = Set(alerts.matches(of: /cast2mqtt_\w+/).map { String($0.0) })
        #expect(!used.isEmpty && used.isSubset(of: names))
        #expect(Set(names).count == names.count)
    }

    @Test("Grafana's dashboard asks only for metrics that the bridge has, and the guide names its file")
    func grafana() async throws {
        let house = try await Household.onOneHost()
        _ = try await house.startEverything(devices: 1, environment: ["CAST2MQTT_METRICS_LISTEN": "127.0.0.1:9099"])
        let program = "import urllib.request; print(urllib.request.urlopen('http://127.0.0.1:9099/metrics').read().decode(), end='')"
        let metrics = try await house.hosts.bridge.run("python3", "-c", program)
        let names = Set(metrics.matches(of: /(?m)^(\w+)/).map { String($0.1) })
        let text = try Self.text("config/grafana/cast2mqtt.json")
        let dashboard = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let panels = try #require(dashboard["panels"] as? [[String: Any]])
        let targets = panels.flatMap { $0["targets"] as? [[String: Any]] ?? [] }.compactMap { $0["expr"] as? String }
        let used = Set(targets.flatMap { $0.matches(of: /(?:cast2mqtt|process)_\w+/).map { String($0.0) } })
        #expect(used.count > 20 && used.isSubset(of: names), "\(used.subtracting(names))")
        #expect(Set(panels.compactMap { $0["id"] as? Int }).count == panels.count)
        #expect(try Self.text("docs/MONITORING.md").contains("(../config/grafana/cast2mqtt.json)"))
        try await house.bridge?.stop()
    }

    // MARK: Tools

    static func text(_ path: String) throws -> String {
        try String(contentsOf: FlowRun.root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The numbers of a document by their paths; members that are `null` have none.
    static func numbers(of document: [String: Any]) -> [String: Double] {
        var found: [String: Double] = [:]
        // Whether there is a link is no number, and true for everyone who reads it over that link.
        for (key, value) in document where !["schema", "connected"].contains(key) {
            if let inner = value as? [String: Any] {
                for (path, number) in Self.numbers(of: inner) { found["\(key).\(path)"] = number }
            } else if let number = value as? Double {
                found[key] = number
            } else if key == "last_disconnect_code" {
                continue
            }
        }
        return found
    }

    private static func metrics(of file: String) async throws -> [[String: Any]] {
        let process = try await ChildProcess(
            "python3",
            [
                FlowRun.root.appendingPathComponent("Tests/Interop/telegraf.py").path,
                FlowRun.root.appendingPathComponent("config/telegraf/cast2mqtt.conf").path, file,
            ])
        guard try await process.ended() == 0 else { throw ConditionNotMet(description: process.text) }
        return process.lines.compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
    }
}
