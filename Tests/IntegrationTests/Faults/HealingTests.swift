import Foundation
import TestSupport
import Testing

/// Both links heal from everything that happens to them, and afterwards the broker holds what a fresh start would have put there.
@Suite("Healing", .serialized)
struct HealingTests {
    @Test("a broker that is killed and restarted gets the full state again", arguments: [true, false])
    func brokerRestart(keepsItsStore: Bool) async throws {
        let house = try await Household.onOneHost(.init(isPersistent: keepsItsStore))
        let before = try await house.startEverything(devices: 3)
        try await house.play("sim-001", before)
        await house.broker.kill()
        // Changes during the fault must be right afterwards, too.
        try await house.control.send(["device": "sim-002", "do": "volume", "level": 0.77])
        try await house.broker.start()
        let after = try await house.watch()
        try await house.allOnline(after)
        try await house.expectTruth(after)
        try await house.expectFreshStart(like: after)
    }

    @Test("a broker that stops answering is left and found again")
    func brokerSuspended() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 1)
        house.broker.suspend()
        try await house.bridge?.line(containing: "half_open", within: .seconds(60))
        house.broker.resume()
        try await eventually("the bridge is online again") {
            watcher.messages.count { $0.topic == "cast2mqtt/bridge/state" && $0.text == "online" } >= 2
        }
        try await house.expectTruth(watcher)
    }

    @Test("a killed bridge is offline by its will, and a restarted one publishes the same as before")
    func bridgeKilled() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 2, groups: 1)
        try await house.play("sim-001", watcher)
        house.bridge?.signal(SIGKILL)
        try await watcher.current("cast2mqtt/bridge/state") { $0.text == "offline" }
        try await house.startBridge()
        try await house.allOnline(watcher)
        try await house.expectTruth(watcher)
        try await house.expectFreshStart(like: watcher)
    }

    @Test("a clean end publishes offline and takes under two seconds of its own")
    func cleanEnd() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 1)
        try await house.play("sim-001", watcher)
        house.bridge?.signal(SIGTERM)
        #expect(try await house.bridge?.ended() == 0)
        try await watcher.current("cast2mqtt/bridge/state") { $0.text == "offline" }
        // Ours to watch, not to stop: what played goes on.
        #expect(try await house.control.state("sim-001")["player"] as? String == "PLAYING")
    }

    /// A fault of a device, and the request that causes it.
    static let faults: [(name: String, request: [String: any Sendable], mend: [String: any Sendable]?)] = [
        ("reset", ["do": "reset"], nil),
        ("half-open in idle", ["do": "freeze"], ["do": "thaw"]),
        ("half-open in mid-frame", ["do": "freeze", "mid_frame": true], ["do": "thaw"]),
        ("power cut", ["do": "stop", "goodbye": false], ["do": "start"]),
        ("reboot", ["do": "reboot", "seconds": 4], nil),
    ]

    @Test("a device is online again after it was out of reach, whatever the reason")
    func device() async throws {
        try await concurrently(Array(Self.faults.indices)) { try await self.expectOnline(afterFault: $0) }
    }

    private func expectOnline(afterFault index: Int) async throws {
        let fault = Self.faults[index]
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 2)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        try await house.play("sim-002", watcher)
        try await house.control.send(fault.request.merging(["device": "sim-001"]) { first, _ in first })
        if fault.mend != nil {
            try await watcher.current("cast2mqtt/\(slug)/availability") { $0.text == "offline" }
            #expect(watcher.current["cast2mqtt/\(slug)/state"]?.object["player"] as? String == "unknown")
        }
        try await house.control.send(["device": "sim-002", "do": "volume", "level": 0.11])
        if let mend = fault.mend { try await house.control.send(mend.merging(["device": "sim-001"]) { first, _ in first }) }
        try await house.allOnline(watcher)
        try await house.expectTruth(watcher)
        try await house.expectFreshStart(like: watcher)
        // One device's fault never reaches another.
        let other = try #require(try await house.slugs(watcher)["sim-002"])
        #expect(
            !watcher.messages.contains { $0.topic == "cast2mqtt/\(other)/availability" && $0.text == "offline" && !$0.isLeftOver }
                || watcher.messages.last { $0.topic == "cast2mqtt/\(other)/availability" }?.text == "online")
    }

    @Test("a device that moves to another address keeps its topics")
    func move() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 2)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        try await house.control.send(["device": "sim-001", "do": "move", "address": "127.0.9.9", "port": 8009])
        try await watcher.current("cast2mqtt/\(slug)/info") { $0.object["ip"] as? String == "127.0.9.9" }
        try await house.allOnline(watcher)
        try await house.expectTruth(watcher)
    }

    @Test(
        "programs may start in any order",
        arguments: [["bridge", "broker", "devices"], ["devices", "bridge", "broker"], ["bridge", "devices", "broker"]])
    func startOrder(order: [String]) async throws {
        let house = try await Household.onOneHost()
        for program in order {
            switch program {
            case "bridge": try await house.startBridge()
            case "broker": try await house.broker.start()
            default: try await house.startDevices(2)
            }
        }
        let watcher = try await house.watch()
        try await house.allOnline(watcher)
        try await house.expectTruth(watcher)
    }

    @Test("a damaged state directory does not prevent the start")
    func damagedState() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 1)
        try await house.bridge?.stop()
        try "{\"format\":\"cast2mqtt-state\",\"schema\":1,\"protocol\":null}\nrubbish\n{}\n".write(
            toFile: house.stateDirectory + "/devices.jsonl", atomically: true, encoding: .utf8)
        try await house.startBridge()
        try await house.bridge?.line(containing: "state file is damaged")
        try await eventually("the bridge is online again") {
            watcher.messages.count { $0.topic == "cast2mqtt/bridge/state" && $0.text == "online" } >= 2
        }
        try await house.allOnline(watcher)
        try await house.expectTruth(watcher)
    }

    @Test("stale topics of an earlier run for missing devices are cleared")
    func sweep() async throws {
        let house = try await Household.onOneHost()
        try await house.broker.start()
        let left = #"{"schema":1,"slug":"gone","instance":"home"}"#
        for (topic, payload) in [("info", left), ("availability", "online"), ("state", #"{"schema":1}"#), ("status/player", "playing")] {
            try await house.sender.publish(payload, to: "cast2mqtt/gone/\(topic)", retain: true)
        }
        try await house.sender.publish(#"{"schema":1,"slug":"theirs","instance":"other"}"#, to: "cast2mqtt/theirs/info", retain: true)
        let watcher = try await house.watch()
        try await house.startDevices(1)
        try await house.startBridge()
        try await eventually("the stale topics are cleared") { !watcher.current.keys.contains { $0.hasPrefix("cast2mqtt/gone/") } }
        #expect(watcher.current["cast2mqtt/theirs/info"] != nil)
    }
}
