import Foundation
import TestSupport
import Testing

/// Prometheus and its exporter for MQTT, as Debian has them: `make test-brokers`.
@Suite("Monitoring programs of others", .serialized, .enabled(if: OtherBroker.isUnpacked))
struct OtherMonitorTests {
    @Test("the exporters show the bridge's numbers, what the devices do, and whether there is a bridge")
    func exporters() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 2)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        try await house.play("sim-001", watcher)
        try await house.control.send(["device": "sim-002", "do": "stop", "goodbye": false])
        let health = try await watcher.current("cast2mqtt/bridge/health") { !$0.object.isEmpty }.object
        let reports = try await Self.exporter("health", port: 9641, in: house)
        let devices = try await Self.exporter("devices", port: 9642, in: house)
        let names = try MonitoringTests.text("config/prometheus/mqtt-exporter-health.yaml")
            .matches(of: /prom_name: (\S+)\s+mqtt_name: (\S+)/).map { (metric: String($0.1), path: String($0.2)) }
        let numbers = MonitoringTests.numbers(of: health)
        try await eventually("the exporter shows all numbers of the report") {
            let shown = try await Self.metrics(port: 9641, in: house)
            return names.allSatisfy { numbers[$0.path] == nil || shown["\($0.metric) bridge"] == numbers[$0.path] }
        }
        let removed = try #require(try await house.slugs(watcher)["sim-002"])
        try await eventually("the exporter shows what the devices do") {
            let shown = try await Self.metrics(port: 9642, in: house)
            return shown["cast2mqtt_device_player \(slug)"] == 6 && shown["cast2mqtt_device_player \(removed)"] == -1
                && shown["cast2mqtt_device_volume_percent \(slug)"] != nil && shown["cast2mqtt_device_muted \(slug)"] == 0
        }
        try await reports.stop()
        try await devices.stop()
        let state = try await Self.exporter("state", port: 9643, in: house)
        try await eventually("the exporter shows that the bridge is online") {
            try await Self.metrics(port: 9643, in: house)["cast2mqtt_bridge_online bridge"] == 1
        }
        try await house.bridge?.stop()
        try await eventually("the exporter shows that the bridge has ended") {
            try await Self.metrics(port: 9643, in: house)["cast2mqtt_bridge_online bridge"] == 0
        }
        try await state.stop()
    }

    @Test("Prometheus's own check finds nothing wrong with /metrics")
    func metricsText() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 1, environment: ["CAST2MQTT_METRICS_LISTEN": "127.0.0.1:9099"])
        try await house.play("sim-001", watcher)
        let program = "import urllib.request; print(urllib.request.urlopen('http://127.0.0.1:9099/metrics').read().decode(), end='')"
        let file = NSTemporaryDirectory() + "metrics-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        // Twice, since the first answer has nothing of the web server itself.
        _ = try await house.hosts.bridge.run("python3", "-c", program)
        try await house.hosts.bridge.run("python3", "-c", program).write(toFile: file, atomically: true, encoding: .utf8)
        try ShortProgram.run(["sh", "-c", "\(OtherBroker.root)/usr/bin/promtool check metrics < \(file)"])
        let scrape = FlowRun.root.appendingPathComponent("config/prometheus/cast2mqtt-scrape.yml").path
        try ShortProgram.run([OtherBroker.root + "/usr/bin/promtool", "check", "config", scrape])
        try await house.bridge?.stop()
    }

    @Test("the alerts are raised when they should, and only then")
    func alerts() throws {
        let rules = FlowRun.root.appendingPathComponent("config/prometheus/cast2mqtt-alerts.yml").path
        let file = NSTemporaryDirectory() + "alerts-\(UUID().uuidString).yml"
        defer { try? FileManager.default.removeItem(atPath: file) }
        try MonitoringTests.text("Tests/Interop/alerts.yml").replacingOccurrences(of: "RULES", with: rules)
            .write(toFile: file, atomically: true, encoding: .utf8)
        try ShortProgram.run([OtherBroker.root + "/usr/bin/promtool", "check", "rules", rules])
        try ShortProgram.run([OtherBroker.root + "/usr/bin/promtool", "test", "rules", file])
    }

    private static func exporter(_ name: String, port: Int, in house: Household) async throws -> ChildProcess {
        let process = try await ChildProcess(
            OtherBroker.root + "/usr/bin/prometheus-mqtt-exporter",
            [
                "-config", FlowRun.root.appendingPathComponent("config/prometheus/mqtt-exporter-\(name).yaml").path, "-listen-address",
                "127.0.0.1", "-listen-port", "\(port)",
            ], namespace: house.hosts.broker)
        try await process.line(containing: "Will subscribe to topic")
        return process
    }

    /// The newest value of each metric, by its name and the label `sensor`.
    private static func metrics(port: Int, in house: Household) async throws -> [String: Double] {
        let program = "import urllib.request; print(urllib.request.urlopen('http://127.0.0.1:\(port)/metrics').read().decode())"
        let text = try await house.hosts.broker.run("python3", "-c", program)
        var found: [String: Double] = [:]
        for match in text.matches(of: /(?m)^(cast2mqtt_\w+)\{sensor="([^"]*)".*\} (\S+)/) {
            found["\(match.1) \(match.2)"] = Double(match.3)
        }
        return found
    }
}
