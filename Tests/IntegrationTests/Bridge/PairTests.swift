import Foundation
import TestSupport
import Testing

/// Two real bridges that lead in turn, on a broker with our access rules.
@Suite("A pair of bridges") struct PairTests {
    let house: Household
    let watcher: MessageWatcher

    init() async throws {
        self.house = try await AccessRuleTests.house()
        try await self.house.broker.start()
        self.watcher = try await self.house.watch(AccessRuleTests.Role.administrator.arguments)
        try await self.house.startDevices(3)
    }

    func settings(_ member: String) -> String {
        (try? String(contentsOfFile: self.house.folder + "/" + member + "/settings.yaml", encoding: .utf8)) ?? ""
    }

    func start(_ member: String, _ version: String, _ environment: [String: String] = [:]) async throws -> ChildProcess {
        try await self.house.startBridge(
            AccessRuleTests.login.merging([
                "CAST2MQTT_STANDBY": "true", "CAST2MQTT_MQTT_CLIENT_ID": "home-pair", "CAST2MQTT_MQTT_PROTOCOL": version,
                "CAST2MQTT_STATE_DIRECTORY": self.house.folder + "/" + member,
            ]) { $1 }.merging(environment) { $1 })
    }

    func publish(_ payload: String, to topic: String) async throws {
        try await self.house.sender.publish(payload, to: "cast2mqtt/\(topic)", arguments: AccessRuleTests.Role.administrator.arguments)
    }

    private func pair(_ isTrue: @escaping @Sendable ([String: Any]) -> Bool) async throws {
        try await self.watcher.current("cast2mqtt/bridge/info") { message in
            let info = try? JSONSerialization.jsonObject(with: Data(message.payload)) as? [String: Any]
            return (info?["pair"] as? [String: Any]).map(isTrue) ?? false
        }
    }

    func bothAreMembers() async throws { try await self.pair { ($0["members"] as? [Any])?.count == 2 } }

    /// Waits until a leader of this term commands devices.
    func leads(_ term: Int, volume: Int) async throws {
        try await self.pair { $0["term"] as? Int == term && $0["role"] as? String == "leader" }
        try await self.house.allOnline(self.watcher)
        try await self.publish("\(volume)", to: "parlour/set/volume")
        try await self.watcher.current("cast2mqtt/parlour/status/volume") { $0.text == "\(volume)" }
    }

    @Test(
        "leads in turn when the leader dies, hangs or says goodbye: same topics, names, presets and session, each command done once",
        arguments: ["5", "3.1.1"])
    func takesOver(version: String) async throws {
        // Both were bridges alone before, each with names and presets of its own.
        let alone = try await self.start("first", version, ["CAST2MQTT_STANDBY": "false"])
        try await self.house.allOnline(self.watcher)
        let slug = try #require(try await self.house.slugs(self.watcher)["sim-001"])
        try await self.publish(#"{"device":"\#(slug)","slug":"parlour"}"#, to: "bridge/request/device/rename")
        try await self.watcher.current("cast2mqtt/bridge/devices") { $0.text.contains(#""slug":"parlour""#) }
        try await self.publish(
            #"{"name":"Radio","url":"http://radio.example/one.mp3","content_type":"audio/mpeg"}"#, to: "bridge/request/preset/set")
        try await eventually("the preset is kept") { self.settings("first").contains("Radio") }
        try await alone.stop()
        let first = try await self.start("first", version)
        try await self.pair { $0["term"] as? Int == 1 && $0["role"] as? String == "leader" }
        try await self.house.allOnline(self.watcher)
        let folder = self.house.folder + "/second"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try #"presets: {"Old":{"url":"http://radio.example/old.mp3"}}"#.write(
            toFile: folder + "/settings.yaml", atomically: true, encoding: .utf8)
        let second = try await self.start("second", version)
        try await self.bothAreMembers()
        try await self.watcher.current("cast2mqtt/parlour/availability") { $0.text == "online" }
        try await self.publish(#"{"url":"http://radio.example/two.mp3","content_type":"audio/mpeg"}"#, to: "parlour/cmd/load")
        try await self.watcher.current("cast2mqtt/parlour/app") { $0.text.contains(#""ours":true"#) }
        try await self.leads(1, volume: 31)
        try await eventually("the standby has the presets of the leader, and keeps its own aside") {
            self.settings("second").contains("Radio") && !self.settings("second").contains("Old")
                && (try? String(contentsOfFile: folder + "/settings.yaml.before-pair", encoding: .utf8))?.contains("Old") == true
        }
        try await eventually("the standby keeps the record") {
            (try? String(contentsOfFile: folder + "/devices.jsonl", encoding: .utf8))?.contains("parlour") == true
        }

        first.signal(SIGKILL)
        _ = try? await first.ended()
        try await self.leads(2, volume: 32)
        #expect(self.watcher.current["cast2mqtt/parlour/app"]?.text.contains(#""ours":true"#) == true)
        try await second.line(containing: "this bridge leads its pair")

        let third = try await self.start("first", version)
        try await self.bothAreMembers()
        second.signal(SIGSTOP)
        try await self.leads(3, volume: 33)
        second.signal(SIGCONT)
        try await second.line(containing: "this one stands back")
        try await eventually("it is back as a member, the fourth that announced itself, and the leader knows it") {
            let messages = self.watcher.messages
            let announced = messages.indices.filter {
                messages[$0].topic.hasPrefix("cast2mqtt/bridge/pair/members/") && !messages[$0].payload.isEmpty
            }
            guard announced.count >= 4, let last = announced.last else { return false }
            return messages[last...].contains { $0.topic == "cast2mqtt/bridge/info" }
        }
        try await self.bothAreMembers()

        try await third.stop()
        try await self.leads(4, volume: 34)
        for level in 31...34 {
            let requests = try self.house.requests("SET_VOLUME", to: "sim-001").filter {
                (($0["volume"] as? [String: Any])?["level"] as? Double).map { Int(($0 * 100).rounded()) } == level
            }
            #expect(requests.count == 1, "\(level)")
        }
        let states = self.watcher.messages.filter { $0.topic == "cast2mqtt/bridge/state" }.map(\.text)
        // The bridge alone left once.
        #expect(version == "3.1.1" || states.count { $0 == "offline" } == 1)
        try await second.stop()
        try await self.watcher.current("cast2mqtt/bridge/state") { $0.text == "offline" }
    }
}
