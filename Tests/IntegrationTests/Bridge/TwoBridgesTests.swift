import Foundation
import TestSupport
import Testing

/// Two real bridges on one broker with our access rules.
@Suite("Two bridges with one base")
struct TwoBridgesTests {
    @Test("the second waits until the first has ended and logs which one runs, and each command is done once")
    func waits() async throws {
        try await concurrently([("home", "5"), ("other", "3.1.1")]) { instance, version in
            try await self.expectToWait(instance: instance, version: version)
        }
    }

    private func expectToWait(instance: String, version: String) async throws {
        let house = try await AccessRuleTests.house()
        try await house.broker.start()
        let watcher = try await house.watch(AccessRuleTests.Role.administrator.arguments)
        try await house.startDevices(1)
        let environment = AccessRuleTests.login.merging(["CAST2MQTT_MQTT_PROTOCOL": version]) { $1 }
        let first = try await house.startBridge(environment)
        try await house.allOnline(watcher)
        let second = try await house.startBridge(
            environment.merging(["CAST2MQTT_INSTANCE": instance, "CAST2MQTT_STATE_DIRECTORY": house.folder + "/second"]) { $1 })
        let line = try await second.line(containing: "another bridge uses the same base")
        for part in ["WARNING", "instance=home", "remedy="] {
            #expect(line.contains(part), "\(part) in \(line)")
        }

        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        func setVolume(_ percent: Int) async throws {
            try await house.sender.publish(
                "\(percent)", to: "cast2mqtt/\(slug)/set/volume", arguments: AccessRuleTests.Role.administrator.arguments)
            try await watcher.current("cast2mqtt/\(slug)/status/volume") { $0.text == "\(percent)" }
        }
        try await setVolume(31)
        #expect(try house.requests("SET_VOLUME", to: "sim-001").count == 1)
        #expect(watcher.messages.count { $0.topic == "cast2mqtt/bridge/state" } == 1)
        #expect(!first.text.contains("Lost the connection"))

        try await first.stop()
        try await watcher.current("cast2mqtt/bridge/state") { $0.text == "offline" }
        try await second.line(containing: "the other bridge has ended")
        try await watcher.current("cast2mqtt/bridge/state") { $0.text == "online" }
        try await house.allOnline(watcher)
        try await setVolume(47)
        #expect(try house.requests("SET_VOLUME", to: "sim-001").count == 2)
        #expect(!second.text.contains("access rules"))
        try await second.stop()
    }

    @Test("the late will of a bridge that hangs does not make its successor offline")
    func lateWill() async throws {
        let house = try await Household.onOneHost()
        try await house.broker.start()
        let watcher = try await house.watch()
        let first = try await house.startBridge(["CAST2MQTT_MQTT_KEEP_ALIVE": "5"])
        try await first.line(containing: "bridge online")
        first.signal(SIGSTOP)
        let second = try await house.startBridge([
            "CAST2MQTT_INSTANCE": "second", "CAST2MQTT_STATE_DIRECTORY": house.folder + "/second",
        ])
        try await second.line(containing: "bridge online")
        try await eventually("the will of the first came") { watcher.messages.contains { $0.text == "offline" } }
        try await watcher.current("cast2mqtt/bridge/state") { $0.text == "online" }
        try await Task.sleep(for: .seconds(2))
        #expect(watcher.current["cast2mqtt/bridge/state"]?.text == "online")
        first.signal(SIGKILL)
        first.signal(SIGCONT)
        try await second.stop()
    }

    @Test("a bridge that was killed does not keep its successor waiting")
    func killed() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 1)
        house.bridge?.signal(SIGKILL)
        _ = try? await house.bridge?.ended()
        try await watcher.current("cast2mqtt/bridge/state") { $0.text == "offline" }
        // As if the broker had not noticed yet.
        try await house.sender.publish("online", to: "cast2mqtt/bridge/state", retain: true)
        let began = ContinuousClock.now
        let bridge = try await house.startBridge()
        try await bridge.line(containing: "bridge online")
        #expect(.now - began < .seconds(10))
        #expect(!bridge.text.contains("another bridge"))
    }

    @Test("with bases of their own that see one device, both name it in the log and say what to do")
    func sharedDevice() async throws {
        let house = try await Household.onOneHost()
        try await house.broker.start()
        let watcher = try await house.watch(["-t", "+/+/availability"])
        try await house.startDevices(1)
        let first = try await house.startBridge()
        let second = try await house.startBridge([
            "CAST2MQTT_INSTANCE": "attic", "CAST2MQTT_MQTT_BASE": "attic", "CAST2MQTT_STATE_DIRECTORY": house.folder + "/attic",
        ])
        try await eventually("both are connected to it") {
            watcher.current.values.count { $0.topic.hasSuffix("/availability") && $0.text == "online" } == 2
        }
        // Both look ten seconds after they connected, and then not for ten minutes.
        await house.broker.kill()
        try await house.broker.start()
        let slug = try #require(
            watcher.current.keys.first { $0.hasPrefix("cast2mqtt/") && $0.hasSuffix("/availability") }?.split(separator: "/")[1])
        for (bridge, base) in [(first, "attic"), (second, "cast2mqtt")] {
            let line = try await bridge.line(containing: "another bridge publishes the same device", within: .seconds(60))
            for part in ["WARNING", "base=\(base)", "device=\(slug)", "remedy=", "discovery.exclude"] {
                #expect(line.contains(part), "\(part) in \(line)")
            }
            #expect(bridge.lines.count { $0.contains("another bridge publishes") } == 1)
        }
        try await first.stop()
        try await second.stop()
    }
}
