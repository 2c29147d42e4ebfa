import Foundation
import TestSupport
import Testing

/// A real broker that ends the link because of what it is sent, or sends back what it should not.
@Suite("With an unkind mosquitto", .serialized)
struct UnkindMosquittoTests {
    @Test("a packet limit that the broker does not tell: online without the documents above it, which are named")
    func packetLimit() async throws {
        let house = try await Household.onOneHost(.init(lines: ["max_packet_size 2048"]))
        try await house.broker.start()
        let watcher = try await house.watch(["-V", "311"])
        try await house.startDevices(3)
        let bridge = try await house.startBridge(["CAST2MQTT_MQTT_PROTOCOL": "3.1.1", "CAST2MQTT_HOME_ASSISTANT_MODE": "device"])
        try await bridge.line(containing: "it is held back")
        try await Task.sleep(for: .seconds(45))
        let links = bridge.lines.count { $0.contains("broker connected") }
        #expect(links <= 16, "\(links)")
        #expect(!bridge.text.contains("the same client id"))
        #expect(bridge.lines.contains { $0.contains("it is held back") && $0.contains("homeassistant/") })
        try await watcher.current("cast2mqtt/bridge/state") { $0.text == "online" }
        let slugs = Set(watcher.current.keys.filter { $0.hasSuffix("/availability") })
        #expect(slugs.count == 3)
        // It stays online, and what fits arrives.
        try await house.control.send(["device": "sim-001", "do": "volume", "level": 0.33])
        try await eventually("the volume arrives") {
            watcher.current.contains { $0.key.hasSuffix("status/volume") && $0.value.text == "33" }
        }
        #expect(bridge.lines.count { $0.contains("broker connected") } == links)
        try await bridge.stop()
    }

    @Test("the bridge clears a retained command and does not carry it out, in both versions", arguments: ["5", "3.1.1"])
    func ownClearing(version: String) async throws {
        let house = try await Household.onOneHost()
        try await house.broker.start()
        let watcher = try await house.watch()
        try await house.startDevices(1)
        let bridge = try await house.startBridge(["CAST2MQTT_MQTT_PROTOCOL": version])
        try await house.allOnline(watcher)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        try await house.play("sim-001", watcher)
        let topics = ["cast2mqtt/\(slug)/cmd/quit_app", "cast2mqtt/bridge/request/discover"]
        for topic in topics { try await house.sender.publish("PRESS", to: topic, retain: true, arguments: ["-V", "311"]) }
        try await house.play("sim-001", watcher)
        let before = watcher.messages.count
        try await house.sender.publish(#"{"apply":true}"#, to: "cast2mqtt/bridge/request/topics/clean")
        let answer = try await watcher.message(on: "cast2mqtt/bridge/response/topics/clean")
        #expect(answer.text.contains(#""found":2"#), "\(answer.text)")
        try await Task.sleep(for: .seconds(2))
        let later = watcher.messages.dropFirst(before)
        #expect(!later.contains { $0.topic == "cast2mqtt/\(slug)/response" && !$0.text.contains("retained_rejected") })
        #expect(watcher.current["cast2mqtt/\(slug)/state"]?.object["player"] as? String == "playing")
        try await bridge.stop()
    }
}
