import Foundation
import TestSupport
import Testing

/// The bridge with brokers that are not mosquitto: `make test-brokers`. What they do otherwise is in docs/BROKERS.md.
@Suite("Brokers of others", .serialized, .enabled(if: OtherBroker.isUnpacked))
struct OtherBrokerTests {
    @Test("state, commands, answers, a killed broker and a killed bridge", arguments: OtherBroker.Kind.allCases)
    func everything(kind: OtherBroker.Kind) async throws {
        let house = try await Household.onOneHost()
        let broker = try OtherBroker(kind, namespace: house.hosts.broker)
        try await broker.start()
        let watcher = try await house.watch(kind.arguments)
        try await house.startDevices(2, groups: 1)
        let bridge = try await house.startBridge(kind.environment)
        try await house.allOnline(watcher)
        try await house.expectTruth(watcher)
        let information = try await watcher.current("cast2mqtt/bridge/info") { !$0.object.isEmpty }
        #expect((information.object["mqtt"] as? [String: Any])?["protocol"] as? Int == (kind == .ejabberd ? 5 : 4))
        let slug = try #require(try await house.slugs(watcher)["sim-001"])

        try await house.sender.publish(#"{"volume":33,"id":"by id"}"#, to: "cast2mqtt/\(slug)/set", arguments: kind.arguments)
        let answer = try await watcher.message(on: "cast2mqtt/\(slug)/response") { $0.object["id"] as? String == "by id" }
        #expect(answer.object["code"] as? String == "done")
        if kind == .ejabberd {
            try await house.sender.publish(
                "34", to: "cast2mqtt/\(slug)/set/volume",
                arguments: kind.arguments + [
                    "-D", "publish", "response-topic", "cast2mqtt/client/test/a", "-D", "publish", "correlation-data", "b",
                ])
            try await watcher.message(on: "cast2mqtt/client/test/a") { $0.object["code"] as? String == "done" }
        }
        try await house.play("sim-001", watcher)
        try await house.expectTruth(watcher)

        // Who comes later: RabbitMQ gives retained messages for plain topics only.
        let late = try await house.watch(kind.arguments + ["-t", "cast2mqtt/\(slug)/state"])
        try await late.current("cast2mqtt/\(slug)/state") { $0.isLeftOver && $0.object["player"] as? String == "playing" }
        if kind == .ejabberd { try await late.current("cast2mqtt/\(slug)/status/volume") { $0.isLeftOver } }

        try await broker.kill()
        try await bridge.line(containing: "broker connection lost")
        try await house.control.send(["device": "sim-001", "do": "volume", "level": 0.44])
        try await broker.start()
        let healed = try await house.watch(kind.arguments)
        // Whether or not the bridge was faster than the watcher: this sends everything again.
        try await eventually("the bridge obeys again") {
            try await house.sender.publish("", to: "cast2mqtt/bridge/request/republish", arguments: kind.arguments)
            return healed.messages.contains { $0.topic == "cast2mqtt/bridge/response/republish" }
        }
        try await house.allOnline(healed)
        try await house.expectTruth(healed)

        bridge.signal(SIGKILL)
        try await healed.current("cast2mqtt/bridge/state") { $0.text == "offline" }
        // A command that stays on the broker must not run at the next start, whether the broker hands it over or keeps it.
        try await house.sender.publish("99", to: "cast2mqtt/\(slug)/set/volume", retain: true, arguments: kind.arguments)
        let next = try await house.startBridge(kind.environment)
        try await house.allOnline(healed)
        if kind == .ejabberd {
            try await healed.message(on: "cast2mqtt/\(slug)/response") { $0.object["code"] as? String == "retained_rejected" }
        }
        try await house.expectTruth(healed)
        #expect(CommandTests.near(try await house.control.state("sim-001")["volume"], 0.44), "the earlier command ran")
        try await next.stop()
        try await healed.current("cast2mqtt/bridge/state") { $0.text == "offline" }
        for log in [bridge.text, next.text] { #expect(!log.contains("self-test failed") && !log.contains("broker refused topic")) }
    }

    @Test("rights that ejabberd does not give are logged, each once, and all else continues")
    func rights() async throws {
        let house = try await Household.onOneHost()
        let broker = try OtherBroker(
            .ejabberd, namespace: house.hosts.broker,
            rules: (
                publish: [
                    "cast2mqtt/bridge/#", "cast2mqtt/+/availability", "cast2mqtt/+/info", "cast2mqtt/+/state", "cast2mqtt/+/app",
                    "cast2mqtt/+/status/#", "cast2mqtt/+/response",
                ],
                subscribe: ["cast2mqtt/+/set/#", "cast2mqtt/bridge/request/#", "cast2mqtt/+/info", "cast2mqtt/+/state"]
            ))
        try await broker.start()
        let watcher = try await house.watch(OtherBroker.Kind.ejabberd.arguments)
        try await house.startDevices(1)
        let bridge = try await house.startBridge(OtherBroker.Kind.ejabberd.environment)
        try await house.allOnline(watcher)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        // ejabberd's codes are those for topics that are not valid, where mosquitto answers that they are not allowed.
        try await bridge.line(containing: "broker refused subscription")
        let warning = try await bridge.line(containing: "broker refused topic")
        #expect(warning.contains("144"))
        try await house.sender.publish("21", to: "cast2mqtt/\(slug)/set/volume", arguments: OtherBroker.Kind.ejabberd.arguments)
        try await watcher.current("cast2mqtt/\(slug)/status/volume") { $0.text == "21" }
        try await house.play("sim-001", watcher)
        #expect(watcher.current["cast2mqtt/\(slug)/media"] == nil)
        try await bridge.stop()
        #expect(bridge.lines.count { $0.contains("broker refused topic") && $0.contains("cast2mqtt/\(slug)/media") } == 1)
    }
}
