import Foundation
import TestSupport
import Testing

extension PairTests {
    private var preset: String { #"{"name":"Radio","url":"http://radio.example/one.mp3","content_type":"audio/mpeg"}"# }

    private func keepPreset() async throws {
        try await self.publish(self.preset, to: "bridge/request/preset/set")
        try await self.watcher.current("cast2mqtt/bridge/pair/settings") { $0.text.contains("Radio") }
    }

    private func playPreset() async throws {
        try await self.publish("Radio", to: "parlour/cmd/preset")
        try await self.watcher.current("cast2mqtt/parlour/state") { $0.text.contains(#""preset":"Radio""#) }
    }

    private func nameParlour() async throws {
        let slug = try #require(try await self.house.slugs(self.watcher)["sim-001"])
        try await self.publish(#"{"device":"\#(slug)","slug":"parlour"}"#, to: "bridge/request/device/rename")
        try await self.watcher.current("cast2mqtt/bridge/devices") { $0.text.contains(#""slug":"parlour""#) }
    }

    @Test("a standby whose disk is full uses what it takes over and hands it on, so that nothing is lost at the first")
    func fullDisk() async throws {
        let first = try await self.start("first", "5")
        try await self.house.allOnline(self.watcher)
        try await self.nameParlour()
        try await self.keepPreset()
        for name in ["settings.yaml.new", "devices.jsonl.new"] {
            try FileManager.default.createDirectory(
                atPath: self.house.folder + "/second/" + name, withIntermediateDirectories: true)
        }
        let second = try await self.start("second", "5")
        try await self.bothAreMembers()
        try await second.line(containing: "settings of the leader can't be kept on disk")
        first.signal(SIGKILL)
        _ = try? await first.ended()
        try await self.leads(2, volume: 21)
        let third = try await self.changeBack(from: second, volume: 22)
        #expect(self.settings("first").contains("Radio"))
        #expect(self.watcher.current["cast2mqtt/bridge/pair/settings"]?.text.contains("Radio") == true)
        try await third.stop()
    }

    /// The one that leads has the presets and says goodbye, and the first one, which has come back, leads again.
    private func changeBack(from leader: ChildProcess, volume: Int) async throws -> ChildProcess {
        try await self.playPreset()
        let first = try await self.start("first", "5")
        try await self.bothAreMembers()
        try await leader.stop()
        try await self.leads(3, volume: volume)
        return first
    }

    @Test("a standby that was away begins with what it missed, and refuses settings of the pair")
    func missedChanges() async throws {
        let first = try await self.start("first", "5")
        try await self.house.allOnline(self.watcher)
        let second = try await self.start("second", "5", ["CAST2MQTT_INSTANCE": "other"])
        try await first.line(containing: "another member of the pair has another instance")
        try await self.bothAreMembers()
        try await eventually("the standby keeps the record") {
            (try? String(contentsOfFile: self.house.folder + "/second/devices.jsonl", encoding: .utf8))?.contains("sim") == true
        }
        for (key, isTaken) in [("status.split", false), ("log.publish", true)] {
            let answer = try await ChildProcess(
                "curl",
                [
                    "-s", "--unix-socket", self.house.folder + "/second/control", "-H", "Content-Type: application/json", "-d",
                    #"{"\#(key)":\#(isTaken ? #""warning""# : #""none""#)}"#, "http://localhost/api/v1/settings",
                ], namespace: self.house.hosts.bridge)
            _ = try await answer.line(containing: isTaken ? #""applied""# : #""not_supported""#)
        }
        try await second.stop()
        try await self.nameParlour()
        try await self.keepPreset()
        try await eventually("the broker has the record") {
            self.watcher.current.contains { $0.key.hasPrefix("cast2mqtt/bridge/pair/record/") && $0.value.text.contains("parlour") }
        }
        first.signal(SIGKILL)
        _ = try? await first.ended()
        let third = try await self.start("second", "5")
        try await self.leads(2, volume: 23)
        let fourth = try await self.changeBack(from: third, volume: 24)
        #expect(self.settings("first").contains("Radio") && self.settings("second").contains("Radio"))
        try await fourth.stop()
    }
}
