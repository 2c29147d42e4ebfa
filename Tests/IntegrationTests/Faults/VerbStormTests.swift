import Foundation
import TestSupport
import Testing

/// Every property and every verb, from two clients at once, many times.
@Suite("A storm of all verbs", .serialized)
struct VerbStormTests {
    static let rounds = 720
    /// Most commands of one device that wait for an answer: the limit of 32 is not what this is about.
    static let outstandingLimit = 10

    @Test("is answered once each, done what is done once, and leaves the state that the devices have", arguments: ["5", "3.1.1"])
    func storm(version: String) async throws {
        let house = try await Household.onOneHost(.init(lines: [PacketSender.brokerLine]))
        try await house.broker.start()
        try await house.startDevices(6, groups: 1)
        let answers = try await MessageLog(house, filters: ["cast2mqtt/+/response", "cast2mqtt/client/#"])
        let states = try await MessageLog(house, filters: ["cast2mqtt/bridge/devices", "cast2mqtt/+/availability", "cast2mqtt/+/state"])
        try await house.startBridge([
            "CAST2MQTT_MQTT_PROTOCOL": version, "CAST2MQTT_COMMANDS_ALLOW_RAW": "true",
            "CAST2MQTT_COMMANDS_CUSTOM_NAMESPACES": "urn:x-cast:org.example.*",
        ])
        let slugs = try await house.online(states)
        let members = try await self.members(house)
        let free = slugs.keys.filter { $0.hasPrefix("sim-") && !members.contains($0) }.sorted()
        let (marked, others) = (Array(free.prefix(2)), Array(Set(slugs.keys).subtracting(free.prefix(2))).sorted())
        #expect(marked.count == 2)
        var numbers = SeededGenerator(seed: 20_261_122)
        let commands = (0..<Self.rounds).map { number in
            self.command(number, marked: marked, others: others, slugs: slugs, hasID: version != "5" || number % 3 == 0, &numbers)
        }

        var codes = VerbAnswers(commands, slugs: slugs)
        let clients = try [PacketSender(house.broker, clientID: "first"), PacketSender(house.broker, clientID: "second")]
        var sent: [String: Int] = [:]
        for command in commands {
            try await eventually("\(command.device) has room for another command", within: .seconds(120)) {
                codes.take(try answers.update())
                return sent[command.device, default: 0] - codes.count(of: command.device) < Self.outstandingLimit
            }
            sent[command.device, default: 0] += 1
            let slug = try #require(slugs[command.device])
            let client = clients[command.number % 2]
            if command.hasID {
                try client.publish(command.json, to: "cast2mqtt/\(slug)/cmd")
            } else if let plain = command.plain {
                try client.publish(
                    plain.payload, to: "cast2mqtt/\(slug)/\(plain.tail)", responseTopic: command.responseTopic, correlation: command.key)
            } else {
                let text = #"{"cmd":"\#(command.name)","args":\#(command.arguments)}"#
                try client.publish(text, to: "cast2mqtt/\(slug)/cmd", responseTopic: command.responseTopic, correlation: command.key)
            }
        }
        try await eventually("every command is answered", within: .seconds(180)) {
            codes.take(try answers.update())
            return codes.codes.count == commands.count
        }
        try await house.expectTruth(states)
        codes.take(try answers.update())
        #expect(codes.strangers.isEmpty, "\(codes.strangers.prefix(5))")
        try self.judge(commands, codes, house)
        #expect(house.bridge?.exitCode == nil)
        try await house.bridge?.stop()
    }

    private func members(_ house: Household) async throws -> Set<String> {
        let listed = try await house.control.state("group-001")["members"] as? [[String: Any]] ?? []
        let ids = Set(listed.compactMap { ($0["deviceId"] as? String)?.lowercased().filter { $0 != "-" } })
        return Set(
            try await house.control.devices().filter { ids.contains($0["id"] as? String ?? "") }.compactMap { $0["device"] as? String })
    }

    /// Every third command leaves a mark; among the others each kind has its turn.
    private func command(
        _ number: Int, marked: [String], others: [String], slugs: [String: String], hasID: Bool, _ numbers: inout SeededGenerator
    ) -> VerbCommand {
        if number % 2 == 0 {
            let kind = VerbCommand.marked(number, (number / 2) % VerbCommand.markedKinds)
            return VerbCommand(
                number: number, device: marked[(number / 4) % marked.count], name: kind.name, arguments: kind.arguments, plain: kind.plain,
                mark: kind.mark, hasID: hasID)
        }
        let kind = VerbCommand.unmarked[(number / 2) % VerbCommand.unmarked.count]
        let device = others[Int.random(in: 0..<others.count, using: &numbers)]
        let target = slugs[others.first { $0 != device && $0.hasPrefix("sim-") } ?? ""] ?? ""
        return VerbCommand(
            number: number, device: device, name: kind.name, arguments: kind.arguments.replacingOccurrences(of: "TARGET", with: target),
            plain: kind.plain.map { ($0.0, $0.1.replacingOccurrences(of: "TARGET", with: target)) }, mark: nil, hasID: hasID)
    }

    private func judge(_ commands: [VerbCommand], _ answers: VerbAnswers, _ house: Household) throws {
        var requests: [String: [(type: String, object: [String: Any], text: String)]] = [:]
        for entry in try house.journal() {
            guard let device = entry["device"] as? String, let payload = entry["payload"] as? [String: Any] else { continue }
            let text = String(
                decoding: try JSONSerialization.data(withJSONObject: payload, options: [.withoutEscapingSlashes]), as: UTF8.self)
            requests[device, default: []].append((payload["type"] as? String ?? "", payload, text))
        }
        var done = 0
        for command in commands {
            let codes = answers.codes[command.key] ?? []
            #expect(codes.count == 1, "\(command) has \(codes.count) answers: \(codes)")
            guard let code = codes.first else { continue }
            let accepted = answers.accepted[command.key, default: 0]
            #expect(command.name == "transfer" ? accepted <= 1 : accepted == 0, "\(command): \(accepted)")
            #expect(Self.possible.contains(code), "\(command): \(code)")
            #expect(["sing", "dance"].contains(command.name) == (code == "unknown_command"), "\(command): \(code)")
            if code == "done" { done += 1 }
            guard let mark = command.mark else { continue }
            let received = mark.count(in: requests[command.device] ?? [])
            switch code {
            case "done": #expect(received == 1, "\(command) is done and was received \(received) times")
            case "superseded", "no_session", "bad_payload":
                #expect(received == 0, "\(command) is \(code) and was received \(received) times")
            default: #expect(received <= 1, "\(command) is \(code) and was received \(received) times")
            }
        }
        let markedCommands = commands.filter { $0.mark != nil }
        let markedDone = markedCommands.count { answers.codes[$0.key] == ["done"] }
        #expect(markedDone * 10 >= markedCommands.count * 6, "\(markedDone) of \(markedCommands.count)")
        #expect(done * 2 >= commands.count, "\(done) of \(commands.count)")
        // Every kind was there, and every verb that can succeed here did at least once.
        let names = Set(commands.filter { answers.codes[$0.key] == ["done"] }.map(\.name))
        #expect(names.isSuperset(of: Self.successful), "\(Self.successful.subtracting(names))")
    }

    static let successful: Set = [
        "set", "get", "load", "launch", "play", "pause", "quit_app", "queue_load", "queue_insert", "media_request", "receiver_request",
        "group_volume", "volume_up", "volume_down",
    ]

    /// The permitted results of a command while everything works but arrives out of order.
    static let possible: Set = [
        "done", "superseded", "no_session", "not_supported", "bad_payload", "cast_error", "load_failed", "unknown_command", "timeout",
        "rate_limited",
    ]
}
