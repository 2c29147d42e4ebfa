import Foundation
import TestSupport
import Testing

/// Brokers as people set them up: with TLS, passwords, access rules, old versions, and rivals for our client id.
@Suite("Kinds of brokers", .serialized)
struct BrokerKindTests {
    @Test("a broker with TLS that demands client certificates gets one")
    func clientCertificate() async throws {
        let certificates = try TestCertificates.make()
        let house = try await Household.onOneHost(.init(lines: certificates.brokerLines + ["require_certificate true"]))
        try await house.broker.start()
        let watcher = try await house.watch([
            "--cafile", certificates.ca, "--cert", certificates.client, "--key", certificates.clientKey,
        ])
        try await house.startDevices(1)
        let settings = [
            "CAST2MQTT_MQTT_PORT": "1883", "CAST2MQTT_MQTT_TLS_ENABLED": "true", "CAST2MQTT_MQTT_TLS_CA_FILE": certificates.ca,
        ]
        // First without the certificate: the log contains the remedy.
        let unwelcome = try await house.startBridge(settings)
        try await unwelcome.line(containing: "Check the client certificate")
        try await unwelcome.stop()
        #expect(watcher.messages.isEmpty)
        try await house.startBridge(
            settings.merging([
                "CAST2MQTT_MQTT_TLS_CERTIFICATE_FILE": certificates.client, "CAST2MQTT_MQTT_TLS_KEY_FILE": certificates.clientKey,
            ]) { _, new in new })
        try await house.allOnline(watcher)
        try await house.expectTruth(watcher)
        let information = try await watcher.current("cast2mqtt/bridge/info") { !$0.object.isEmpty }
        #expect((information.object["mqtt"] as? [String: Any])?["tls"] as? Bool == true)
        try await house.bridge?.stop()
    }

    @Test("a broker with users: the password comes from a file and is never shown")
    func password() async throws {
        let house = try await Household.onOneHost(.init(lines: ["password_file %DIR%/passwords"], allowsAnonymous: false))
        let secret = "correct horse \(UInt32.random(in: 0 ... .max))"
        try ShortProgram.run(["mosquitto_passwd", "-b", "-c", house.broker.directory + "/passwords", "bridge", secret])
        try await house.broker.start()
        let watcher = try await house.watch(["-u", "bridge", "-P", secret])
        try await house.startDevices(1)
        let file = house.folder + "/password"
        let settings = ["CAST2MQTT_MQTT_USERNAME": "bridge", "CAST2MQTT_MQTT_PASSWORD_FILE": file]
        try "wrong\n".write(toFile: file, atomically: true, encoding: .utf8)
        let unwelcome = try await house.startBridge(settings)
        try await unwelcome.line(containing: "Check user name and password")
        try await unwelcome.stop()
        try (secret + "\n").write(toFile: file, atomically: true, encoding: .utf8)
        let bridge = try await house.startBridge(settings)
        try await house.allOnline(watcher)
        try await house.expectTruth(watcher)
        #expect(!bridge.text.contains(secret))
        #expect(!watcher.messages.contains { $0.text.contains(secret) })
        try await bridge.stop()
    }

    @Test("a broker that is spoken to in MQTT 3.1.1: commands are answered where the device answers")
    func version311() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 1, environment: ["CAST2MQTT_MQTT_PROTOCOL": "3.1.1"])
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        let information = try await watcher.current("cast2mqtt/bridge/info") { !$0.object.isEmpty }
        #expect((information.object["mqtt"] as? [String: Any])?["protocol"] as? Int == 4)
        // Version 3.1.1 has no response topics.
        try await house.sender.publish(
            #"{"volume":36,"id":"old"}"#, to: "cast2mqtt/\(slug)/set",
            arguments: ["-D", "publish", "response-topic", "cast2mqtt/client/test/old"])
        let answer = try await watcher.message(on: "cast2mqtt/\(slug)/response") { $0.object["id"] as? String == "old" }
        #expect(answer.object["code"] as? String == "done")
        #expect(!watcher.messages.contains { $0.topic == "cast2mqtt/client/test/old" })
        try await house.expectTruth(watcher)
        // Retained commands are distinguished from live ones in this version, too.
        try await house.bridge?.stop()
        try await house.sender.publish("88", to: "cast2mqtt/\(slug)/set/volume", retain: true)
        try await house.startBridge(["CAST2MQTT_MQTT_PROTOCOL": "3.1.1"])
        try await watcher.message(on: "cast2mqtt/\(slug)/response") { $0.object["code"] as? String == "retained_rejected" }
        try await house.allOnline(watcher)
        try await house.expectTruth(watcher)
        #expect(try await house.control.state("sim-001")["volume"] as? Double != 0.88)
        try await house.bridge?.stop()
    }

    @Test(
        "a broker that knows nothing of MQTT 5: 3.1.1 is found out, and remembered over a restart",
        arguments: ["refuse", "close", "ignore"])
    func fallback(manner: String) async throws {
        let house = try await Household.onOneHost()
        try await house.broker.start()
        let old = try await ChildProcess(
            "python3",
            [FlowRun.root.appendingPathComponent("Tests/Interop/old_broker.py").path, manner, "1885", "\(house.broker.port)"],
            namespace: house.hosts.broker)
        try await old.line(containing: "ready")
        let watcher = try await house.watch()
        try await house.startDevices(1)
        let bridge = try await house.startBridge(["CAST2MQTT_MQTT_PORT": "1885"])
        try await house.allOnline(watcher)
        try await house.expectTruth(watcher)
        let information = try await watcher.current("cast2mqtt/bridge/info") { !$0.object.isEmpty }
        #expect((information.object["mqtt"] as? [String: Any])?["protocol"] as? Int == 4)
        let attempts = old.lines.filter { $0.hasPrefix("version") }
        #expect(
            attempts
                == (manner == "refuse" ? ["version 5", "version 4", "version 4"] : ["version 5", "version 5", "version 4", "version 4"]))
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        try await house.sender.publish(#"{"volume":36,"id":"old"}"#, to: "cast2mqtt/\(slug)/set")
        try await watcher.message(on: "cast2mqtt/\(slug)/response") {
            $0.object["id"] as? String == "old" && $0.object["code"] as? String == "done"
        }
        try await bridge.stop()
        try await watcher.current("cast2mqtt/bridge/state") { $0.text == "offline" }
        try await house.startBridge(["CAST2MQTT_MQTT_PORT": "1885"])
        try await house.allOnline(watcher)
        #expect(old.lines.filter { $0.hasPrefix("version") } == attempts + ["version 4", "version 4"])
        try await house.bridge?.stop()
    }

    @Test("a second program with our client id: the log names the remedy, and the bridge reconnects when the other program has ended")
    func takeover() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 1, environment: ["CAST2MQTT_MQTT_CLIENT_ID": "cast2mqtt-home"])
        let rival = try await house.watch(["-i", "cast2mqtt-home"])
        // This mosquitto ends the older connection without a word; a rival that reconnects each time is noticed.
        let warning = try await #require(house.bridge).line(containing: "the same client id")
        #expect(warning.contains("WARNING") && warning.contains("give each its own `instance`"))
        try await rival.stop()
        // Only a connected bridge can publish this.
        try await house.control.send(["device": "sim-001", "do": "volume", "level": 0.77])
        try await house.allOnline(watcher)
        try await house.expectTruth(watcher)
        try await house.bridge?.stop()
    }

    @Test("a broker that acknowledges our subscriptions and serves none: the self-test warns")
    func accessRules() async throws {
        let rules = """
            user bridge
            topic write #
            user watcher
            topic readwrite #

            """
        let house = try await Household.onOneHost(.init(lines: ["acl_file %DIR%/rules"], files: ["rules": rules]))
        try await house.broker.start()
        let watcher = try await house.watch(["-u", "watcher"])
        try await house.startDevices(1)
        let bridge = try await house.startBridge(["CAST2MQTT_MQTT_USERNAME": "bridge"])
        try await house.allOnline(watcher)
        let warning = try await bridge.line(containing: "the broker did not deliver our own message")
        #expect(warning.contains("check its access rules"))
        // It still does everything that its rights allow.
        try await house.expectTruth(watcher)
        try await bridge.stop()
    }
}
