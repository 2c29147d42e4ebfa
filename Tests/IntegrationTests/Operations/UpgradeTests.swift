import Foundation
import TestSupport
import Testing

/// An older version's state file and configuration, with the real programs.
///
/// `Fixtures/2026-11` was left by the version of 2026-11-22 (commit 7ced43a) on a host with two simulated devices, one of which was renamed
/// to `kitchen-tv`.
@Suite("An upgrade")
struct UpgradeTests {
    private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(
        path: "Fixtures/2026-11")

    @Test("takes over state file and configuration of November 2026, and leaves nothing stale on the broker")
    func november2026() async throws {
        let house = try await Household.onOneHost()
        try FileManager.default.createDirectory(atPath: house.stateDirectory, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: Self.fixtures.appending(path: "devices.jsonl"), to: URL(filePath: house.stateDirectory + "/devices.jsonl"))
        try await house.broker.start()
        // Recorded topics of that version that this one does not publish.
        try await house.sender.publish("2", to: "cast2mqtt/kitchen-tv/status/no_longer_published", retain: true)
        try house.editState { lines in
            lines.map { $0.replacing(#""status/album","#, with: #""status/album","status/no_longer_published","#) }
        }
        // The stale topic fits no schema.
        let watcher = try await house.watch(checksSchemas: false)
        try await house.startDevices(2)
        let bridge = try await house.startBridge(["CAST2MQTT_CONFIG": Self.fixtures.appending(path: "cast2mqtt.yaml").path])
        try await house.allOnline(watcher)
        let slugs = try await house.slugs(watcher)
        #expect(Set(slugs.values) == ["kitchen-tv", "terrace-simulated"])
        try await house.expectTruth(watcher)
        try await house.sender.publish("31", to: "cast2mqtt/lounge/set/volume")
        try await watcher.current("cast2mqtt/terrace-simulated/status/volume") { $0.text == "31" }
        try await eventually("the stale topic is cleared") { watcher.current["cast2mqtt/kitchen-tv/status/no_longer_published"] == nil }
        for word in ["set aside", "damaged", "unknown key", "unknown variable"] { #expect(!bridge.text.contains(word)) }
        let found = watcher.messages.filter { $0.topic == "cast2mqtt/bridge/event" && $0.text.contains("device_added") }
        #expect(found.isEmpty, "known devices are not new")
    }
}
