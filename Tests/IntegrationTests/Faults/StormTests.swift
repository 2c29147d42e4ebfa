import Foundation
import TestSupport
import Testing

/// A thousand commands while links break: every one is answered once, and the answer is true.
@Suite("A storm of commands", .serialized)
struct StormTests {
    static let devices = (1...8).map { "sim-00\($0)" }
    static let broken = Set(devices.prefix(4))
    /// Most commands of one device that wait for an answer: the limit of 32 is not what this is about.
    static let outstandingLimit = 8
    /// How long a device that is offline is left alone, so that most commands meet links that are up, or just breaking.
    static let rest = Duration.milliseconds(250)

    @Test("is answered once each, truly, and leaves sound devices alone")
    func storm() async throws {
        let house = try await Household.onOneHost(.init(lines: [PacketSender.brokerLine]))
        try await house.broker.start()
        try await house.startDevices(Self.devices.count)
        let answers = try await MessageLog(house, filters: ["cast2mqtt/+/response", "cast2mqtt/client/#"])
        let states = try await MessageLog(
            house, filters: ["cast2mqtt/bridge/devices", "cast2mqtt/+/availability", "cast2mqtt/+/state"])
        try await house.startBridge()
        let slugs = try await house.online(states)
        for device in Self.devices {
            try await house.control.send([
                "device": device, "do": "play", "url": "http://media/first.mp4?load_time=0", "duration": 3600,
            ])
        }
        try await eventually("all play") {
            try states.update()
            return slugs.values.allSatisfy { states.current["cast2mqtt/\($0)/state"]?.contains(#""player":"playing""#) ?? false }
        }

        var numbers = SeededGenerator(seed: 20_261_121)
        let commands = StormCommand.all(1000, devices: Self.devices, numbers: &numbers)
        var codes = StormAnswers(commands, slugs: slugs)
        var faults = StormFaults(Self.broken.sorted(), seed: 7)
        try await self.send(commands, house, answers, &codes, &faults, slugs)
        try await eventually("every command is answered", within: .seconds(120)) {
            codes.take(try answers.update())
            return codes.codes.count == commands.count
        }
        try await faults.end(house.control)
        try await eventually(
            "every device is online",
            holds: {
                try states.update()
                return slugs.values.allSatisfy { states.current["cast2mqtt/\($0)/availability"] == "online" }
            })
        // The last of each device on the same ways: what else was to come has come before its answer.
        let sender = try PacketSender(house.broker, clientID: "sentinel")
        for (device, slug) in slugs {
            try sender.publish("", to: "cast2mqtt/\(slug)/get/info", responseTopic: "cast2mqtt/client/end/\(device)")
            try sender.publish(#"{"id":"end"}"#, to: "cast2mqtt/\(slug)/get/info")
        }
        try await eventually("the last answers") {
            codes.take(try answers.update())
            return codes.sentinels == 2 * slugs.count
        }

        #expect(codes.strangers.isEmpty, "answers to nothing that was sent, or in the wrong place")
        self.judge(commands, codes, StormJournal(try house.journal()))
        #expect(faults.kinds.count >= 5, "\(faults.kinds)")
        try await house.expectTruth(states)
        #expect(house.bridge?.exitCode == nil)
        try await house.bridge?.stop()
    }

    /// Sends everything, to whichever device has room, and lets something break or mend after every fifteenth command.
    private func send(
        _ commands: [StormCommand], _ house: Household, _ answers: MessageLog, _ codes: inout StormAnswers, _ faults: inout StormFaults,
        _ slugs: [String: String]
    ) async throws {
        let (withID, withData) = try (
            PacketSender(house.broker, clientID: "with-id"), PacketSender(house.broker, clientID: "with-data")
        )
        var waiting = Dictionary(grouping: commands, by: \.device).mapValues { Array($0.reversed()) }
        var sent: [String: Int] = [:]
        for count in commands.indices {
            let device = try await eventually("a device has room for another command", within: .seconds(120)) {
                codes.take(try answers.update())
                let now = ContinuousClock.now
                return Self.devices.filter { device in
                    !waiting[device, default: []].isEmpty && sent[device, default: 0] - codes.count(of: device) < Self.outstandingLimit
                        && (codes.refused[device].map { $0 + Self.rest <= now } ?? true)
                }.max { waiting[$0, default: []].count < waiting[$1, default: []].count }
            }
            guard let command = waiting[device]?.popLast(), let slug = slugs[device] else { continue }
            sent[device, default: 0] += 1
            let topic = "cast2mqtt/\(slug)/\(command.message.tail)"
            let outcome =
                command.hasID
                ? try withID.publish(command.message.payload, to: topic)
                : try withData.publish(
                    command.message.payload, to: topic, responseTopic: command.responseTopic, correlation: command.key)
            #expect(outcome == .acknowledged(0))
            if count % 15 == 14 { try await faults.step(house.control) }
        }
    }

    private func judge(_ commands: [StormCommand], _ answers: StormAnswers, _ journal: StormJournal) {
        var fine = 0
        for command in commands {
            let codes = answers.codes[command.number] ?? []
            #expect(codes.count == 1, "\(command) has \(codes.count) answers: \(codes)")
            guard let code = codes.first else { continue }
            let isFine = code == "done" || code == "superseded"
            if Self.broken.contains(command.device) {
                #expect(Self.possible.contains(code), "\(command): \(code)")
            } else if isFine {
                fine += 1
            }
            guard let entries = journal.count(command) else { continue }
            switch code {
            case "done": #expect(entries == 1, "\(command) is done and was received \(entries) times")
            case "device_offline", "superseded", "rate_limited":
                #expect(entries == 0, "\(command) is \(code) and was received \(entries) times")
            default: #expect(entries <= 1, "\(command) is \(code) and was received \(entries) times")
            }
        }
        // It was a storm: some got through to the broken devices, and some did not.
        let those = Set(commands.filter { Self.broken.contains($0.device) }.flatMap { answers.codes[$0.number] ?? [] })
        #expect(those.isSuperset(of: ["done", "device_offline"]), "\(those)")
        let sound = commands.count { !Self.broken.contains($0.device) }
        #expect(fine * 100 >= sound * 99, "\(fine) of \(sound) on sound devices")
        for device in Self.devices {
            for (act, type) in [(StormCommand.Act.play, "PLAY"), (.pause, "PAUSE")] {
                let those = commands.filter { $0.device == device && $0.act == act }
                let done = those.count { answers.codes[$0.number] == ["done"] }
                let refused = those.count { answers.codes[$0.number] == ["device_offline"] }
                #expect((done...max(done, those.count - refused)).contains(journal.count(type, device)), "\(type) to \(device)")
            }
        }
    }

    /// The permitted results of a command to a device whose link breaks.
    static let possible: Set = [
        "done", "superseded", "device_offline", "cast_error", "timeout", "no_session", "not_supported", "load_failed",
    ]
}

/// The answers to a storm, by the number of the command.
struct StormAnswers {
    private let commands: [String: StormCommand]
    private let slugs: [String: String]
    private(set) var codes: [Int: [String]] = [:]
    private(set) var strangers: [String] = []
    private(set) var sentinels = 0
    private var answered: [String: Int] = [:]
    /// When a device was last said to be offline.
    private(set) var refused: [String: ContinuousClock.Instant] = [:]

    init(_ commands: [StormCommand], slugs: [String: String]) {
        self.commands = Dictionary(uniqueKeysWithValues: commands.map { ($0.key, $0) })
        self.slugs = slugs
    }

    /// How many commands of a device are answered.
    func count(of device: String) -> Int { self.answered[device, default: 0] }

    mutating func take(_ messages: some Sequence<MessageLog.Message>) {
        for message in messages {
            let answer = message.object
            let id = answer["id"] as? String
            if message.topic.hasPrefix("cast2mqtt/client/end/") || id == "end" {
                self.sentinels += 1
                continue
            }
            guard let command = self.commands[id ?? message.correlation], let slug = self.slugs[command.device],
                let code = answer["code"] as? String, answer["device"] as? String == slug, command.hasID == (id != nil),
                message.topic == (command.hasID ? "cast2mqtt/\(slug)/response" : command.responseTopic)
            else {
                self.strangers.append("\(message)")
                continue
            }
            if self.codes[command.number] == nil { self.answered[command.device, default: 0] += 1 }
            if code == "device_offline" { self.refused[command.device] = .now }
            self.codes[command.number, default: []].append(code)
        }
    }
}
