import BridgeCore
import Testing

@testable import Dashboard

/// A bridge that answers with fixed numbers, or never.
private struct FixedBridge: BridgeMonitoring {
    let measured: BridgeMeasurements?

    func measurements() async -> BridgeMeasurements {
        if let measured { return measured }
        // Until the end of the process; the caller does not wait for it.
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        return BridgeMeasurements(health: HealthReport(), isOnline: false)
    }
}

/// A bridge that answers when the test says so.
private actor SlowBridge: BridgeMonitoring {
    private(set) var count = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var isAnswering = false
    private var asked: CheckedContinuation<Void, Never>?

    func measurements() async -> BridgeMeasurements {
        self.count += 1
        self.asked?.resume()
        self.asked = nil
        if !self.isAnswering { await withCheckedContinuation { self.waiting.append($0) } }
        return BridgeMeasurements(health: HealthReport(), isOnline: true)
    }

    /// Answers as soon as this many questions have come.
    func answer(after count: Int) async {
        while self.count < count { await withCheckedContinuation { self.asked = $0 } }
        self.isAnswering = true
        for continuation in self.waiting { continuation.resume() }
    }
}

@Suite("The routes of monitoring", .serialized) struct MetricsRoutesTests {
    private static func measured(isOnline: Bool) -> BridgeMeasurements {
        var health = HealthReport()
        health.mqttConnects = 3
        health.residentMegabytes = 12.5
        var tally = BridgeTally()
        tally.statuses = 41
        tally.commands.add(.done, elapsed: .milliseconds(7))
        return BridgeMeasurements(
            health: health, isOnline: isOnline, tally: tally, commandsWaiting: 2, commandsRunning: 1, cpuSeconds: 1.25)
    }

    @Test("a listener of its own shows the numbers without a login, and nothing else")
    func metrics() async throws {
        try await TestServer.run(forMetrics: FixedBridge(measured: Self.measured(isOnline: true))) { server in
            let answer = try await server.request("GET", "/metrics")
            #expect(answer.status == 200 && answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            let lines = Set(answer.body.split(separator: "\n").map(String.init))
            #expect(
                lines.isSuperset(of: [
                    "cast2mqtt_build_info{version=\"1.2.3\"} 1", "cast2mqtt_bridge_online 1", "cast2mqtt_mqtt_connects_total 3",
                    "cast2mqtt_cast_statuses_total 41", "cast2mqtt_commands_total{code=\"done\"} 1",
                    "cast2mqtt_commands_total{code=\"timeout\"} 0", "cast2mqtt_command_duration_seconds_count 1",
                    "cast2mqtt_commands_pending{state=\"waiting\"} 2", "process_resident_memory_bytes 12500000",
                    "process_cpu_seconds_total 1.25", "cast2mqtt_web_connections 1",
                ]))
            #expect(answer.body.hasSuffix("\n"))
            let open = try await server.request("GET", "/metrics", ["Accept": "application/openmetrics-text"])
            #expect(open.headers["content-type"]?.hasPrefix("application/openmetrics-text") == true && open.body.hasSuffix("# EOF\n"))
            #expect(open.body.contains("cast2mqtt_web_requests_total{status=\"200\"} 1\n"))
            for path in ["/", "/mini", "/api/v1/session", "/api/v1/state"] { #expect(try await server.request("GET", path).status == 404) }
            #expect(try await server.request("GET", "/metrics", ["Host": "evil.example"]).status == 421)
            #expect(try await server.request("GET", "/ready").status == 200)
        }
    }

    @Test("not ready is no reason to be restarted, a hang is")
    func probes() async throws {
        try await TestServer.run(forMetrics: FixedBridge(measured: Self.measured(isOnline: false))) { server in
            let (alive, ready) = (try await server.request("GET", "/health"), try await server.request("GET", "/ready"))
            #expect(alive.status == 200 && ready.status == 503)
        }
        let routes = MetricsRoutes(
            bridge: FixedBridge(measured: nil), measurements: WebMeasurements(), connections: [ConnectionTable(trusted: [])], version: "",
            patience: .milliseconds(10))
        // One more than may wait for an answer.
        await withTaskGroup(of: Void.self) { group in
            for _ in 0...OpenQuestions.maximumCount { group.addTask { #expect(await routes.measure() == nil) } }
        }
    }

    @Test("a crowd that asks at once gets one answer of the bridge, and nobody is refused")
    func crowd() async throws {
        let bridge = SlowBridge()
        let routes = MetricsRoutes(
            bridge: bridge, measurements: WebMeasurements(), connections: [], version: "", patience: .seconds(600))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { #expect(await routes.measure() != nil) } }
            await bridge.answer(after: 1)
        }
        #expect(await bridge.count < 100)
    }
}
