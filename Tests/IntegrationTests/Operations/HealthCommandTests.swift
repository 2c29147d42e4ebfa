import Foundation
import TestSupport
import Testing

/// `cast2mqtt health` beside the real bridge and a real broker with our access rules.
@Suite("The command health")
struct HealthCommandTests {
    private struct Run {
        var code: Int32
        var lines: [String]
    }

    /// Runs the command as a container does: with the bridge's own environment.
    private func health(_ house: Household, _ environment: [String: String]) async throws -> Run {
        let program = try await ChildProcess("cast2mqtt", ["health"], environment: environment, namespace: house.hosts.bridge)
        return Run(code: try await program.ended(), lines: program.lines)
    }

    private func expect(
        _ house: Household, _ environment: [String: String], code: Int32, saying part: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let run = try await self.health(house, environment)
        #expect(
            run.code == code && run.lines.count == 1 && run.lines.first?.contains(part) == true, "\(run)", sourceLocation: sourceLocation)
    }

    private func environment(_ house: Household) -> [String: String] {
        AccessRuleTests.login.merging([
            "CAST2MQTT_MQTT_HOST": house.hosts.brokerAddress, "CAST2MQTT_MQTT_PORT": "\(house.broker.port)",
            // Not the bridge's, where its control socket is: over the broker.
            "CAST2MQTT_STATE_DIRECTORY": house.stateDirectory + "-of-the-command",
        ]) { $1 }
    }

    @Test("ends with 0 while the bridge answers, with 1 and the reason when bridge or broker do not", arguments: ["5", "3.1.1"])
    func configuredBroker(version: String) async throws {
        let house = try await AccessRuleTests.house()
        let environment = self.environment(house).merging(["CAST2MQTT_MQTT_PROTOCOL": version]) { $1 }
        try await self.expect(
            house, environment, code: 1, saying: "unhealthy: no connection to the broker at 127.0.0.1:1883: cannot_connect")
        try await house.broker.start()
        try await self.expect(house, environment, code: 1, saying: "unhealthy: the bridge is not online")
        let watcher = try await house.watch(AccessRuleTests.Role.monitoring.arguments)
        try await house.startDevices(1)
        let bridge = try await house.startBridge(environment.merging(["CAST2MQTT_STATE_DIRECTORY": house.stateDirectory]) { $1 })
        try await house.allOnline(watcher)
        try await self.expect(house, environment, code: 0, saying: "healthy: instance home, version ")
        // The bridge's link does not suffer.
        #expect(watcher.messages.count { $0.topic == "cast2mqtt/bridge/state" } == 1)

        let password = environment.merging(["CAST2MQTT_MQTT_PASSWORD": "wrong"]) { $1 }
        try await self.expect(house, password, code: 1, saying: "refused_by_broker")
        let dashboard = AccessRuleTests.Role.dashboard
        let role = environment.merging(["CAST2MQTT_MQTT_USERNAME": dashboard.rawValue, "CAST2MQTT_MQTT_PASSWORD": dashboard.password]) {
            $1
        }
        try await self.expect(house, role, code: 1, saying: "did not answer")
        try await self.expect(house, environment.merging(["CAST2MQTT_INSTANCE": "garden"]) { $1 }, code: 1, saying: "is home, not garden")
        try await self.expect(house, environment.merging(["CAST2MQTT_MQTT_BASE": "a/+"]) { $1 }, code: 78, saying: "mqtt.base")

        bridge.signal(SIGSTOP)
        try await self.expect(house, environment, code: 1, saying: "the bridge is online and did not answer within 5 s")
        bridge.signal(SIGCONT)
        try await self.expect(house, environment, code: 0, saying: "healthy")
        try await bridge.stop()
        try await self.expect(house, environment, code: 1, saying: "the bridge is not online")
    }

    @Test("asks over the control socket, so that a broker that takes the user for the client notices nothing")
    func controlSocket() async throws {
        let house = try await Household.onOneHost(.init(lines: ["use_username_as_clientid true"]))
        let environment = [
            "CAST2MQTT_MQTT_HOST": house.hosts.brokerAddress, "CAST2MQTT_MQTT_USERNAME": "cast",
            "CAST2MQTT_STATE_DIRECTORY": house.stateDirectory,
        ]
        let bridgeOnly = environment.merging(["RUNTIME_DIRECTORY": house.folder + "/run:/nowhere"]) { $1 }
        try FileManager.default.createDirectory(atPath: house.folder + "/run", withIntermediateDirectories: true)
        for (ofBridge, ofCommand) in [(environment, environment), (bridgeOnly, bridgeOnly)] {
            try await house.broker.start()
            let watcher = try await house.watch(["-u", "watcher"])
            try await house.startDevices(1)
            try await house.startBridge(ofBridge)
            try await house.allOnline(watcher)
            for _ in 0..<3 { try await self.expect(house, ofCommand, code: 0, saying: "healthy: instance home, version ") }
            let states = watcher.messages.filter { $0.topic == "cast2mqtt/bridge/state" }.map(\.text)
            #expect(!states.contains("offline"))
            let path = ofBridge["RUNTIME_DIRECTORY"] == nil ? house.stateDirectory + "/control" : house.folder + "/run/control"
            #expect(
                try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                    == (ofBridge["RUNTIME_DIRECTORY"] == nil ? 0o600 : 0o660))
            let answer = try await house.hosts.bridge.run(
                "curl", "-s", "--unix-socket", path, "http://localhost/api/v1/commands/bridge/request/health_check", "-d", "")
            #expect(answer.contains(#""status":"ok""#), "\(answer)")

            house.bridge?.signal(SIGSTOP)
            try await self.expect(house, ofCommand, code: 1, saying: "did not answer within 5 s at \(path)")
            house.bridge?.signal(SIGCONT)
            await house.broker.kill()
            try await house.bridge?.line(containing: "broker connection lost")
            try await self.expect(house, ofCommand, code: 1, saying: "no link to the broker")
            try await house.bridge?.stop()
            try await house.simulator?.stop()
            try await watcher.stop()
        }
    }

    @Test("finds the private broker in the state directory")
    func privateBroker() async throws {
        let house = try await Household.onOneHost()
        let environment = ["CAST2MQTT_STATE_DIRECTORY": house.stateDirectory]
        try await self.expect(house, environment, code: 1, saying: "no private broker runs: \(house.stateDirectory)/broker.json is missing")
        let bridge = try await ChildProcess("cast2mqtt", ["run"], environment: environment, namespace: house.hosts.bridge)
        try await bridge.line(containing: "bridge online")
        try await self.expect(house, environment, code: 0, saying: "healthy: instance home")
        bridge.signal(SIGSTOP)
        try await self.expect(house, environment, code: 1, saying: "did not answer within 5 s at \(house.stateDirectory)/control")
        bridge.signal(SIGCONT)
        bridge.signal(SIGKILL)
        _ = try? await bridge.ended()
        try await self.expect(house, environment, code: 1, saying: "unhealthy: ")
    }
}
