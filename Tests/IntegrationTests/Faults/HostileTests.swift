import Foundation
import TestSupport
import Testing

/// Messages of careless or malicious clients and devices change nothing for other clients and devices.
@Suite("Hostile neighbours", .serialized)
struct HostileTests {
    @Test("every hostile message gets its documented answer or none, and nothing comes of it")
    func messages() async throws {
        let house = try await Household.onOneHost(.init(lines: [PacketSender.brokerLine]))
        try await house.broker.start()
        try await house.startDevices(2)
        let id = try #require(try await house.control.devices().first { $0["device"] as? String == "sim-001" }?["id"] as? String)
        let sender = try PacketSender(house.broker, clientID: "hostile")
        let left = Self.staleMessages.map { (tail, payload) in
            (tail.hasPrefix("/") ? "cast2mqtt" + tail : "cast2mqtt/\(id)/\(tail)", payload)
        }
        for (index, (topic, payload)) in left.enumerated() {
            try sender.publish(
                Array(payload.utf8), to: Array(topic.utf8), responseTopic: Array(HostileMessage.answers.utf8),
                correlation: Array("left \(index)".utf8), retain: true)
        }
        let answers = try await MessageLog(
            house, filters: ["cast2mqtt/+/response/#", "cast2mqtt/client/#", "elsewhere/#", "homeassistant/#"])
        let states = try await MessageLog(
            house, filters: ["cast2mqtt/bridge/devices", "cast2mqtt/+/availability", "cast2mqtt/+/state"])
        // Nothing of its own may come below the branches that the messages ask for.
        try await house.startBridge(["CAST2MQTT_HOME_ASSISTANT_MODE": "off"])
        let slugs = try await house.online(states)
        let (slug, other) = try (#require(slugs["sim-001"]), #require(slugs["sim-002"]))

        let messages = HostileMessage.all
        #expect(messages.count >= 200)
        for (index, message) in messages.enumerated() {
            let outcome = try sender.publish(
                message.payload, to: Array(message.topic.replacingOccurrences(of: "DEV", with: slug).utf8),
                responseTopic: Array(message.responseTopic.replacingOccurrences(of: "DEV", with: slug).utf8),
                correlation: Array("message \(index)".utf8))
            // 16: the broker has it and there is no subscriber.
            #expect(outcome == .acknowledged(0) || outcome == .acknowledged(16), "\(message.topic): \(outcome)")
        }
        // Messages that the broker itself may refuse.
        for topic in ["cast2mqtt/client/#", "cast2mqtt/client/+/x", "#"] {
            try sender.publish(
                Array("99".utf8), to: Array("cast2mqtt/\(slug)/set/volume".utf8), responseTopic: Array(topic.utf8),
                correlation: Array("wild".utf8))
        }
        for (index, name) in [slug, other].enumerated() {
            try sender.publish(
                "\(40 + index)", to: "cast2mqtt/\(name)/set/volume", responseTopic: "cast2mqtt/client/end", correlation: "end \(index)")
        }
        try await eventually("the last commands are done") {
            try answers.update()
            return (0...1).allSatisfy { index in
                answers.messages.contains { $0.correlation == "end \(index)" && $0.object["code"] as? String == "done" }
            }
        }

        // The log also sees what was sent to topics that it follows; only answers have a code.
        let codes = Dictionary(grouping: answers.messages, by: \.correlation).mapValues {
            $0.compactMap { $0.object["code"] as? String }
        }
        for (index, message) in messages.enumerated() {
            let text =
                "\(message.topic) \(String(decoding: message.payload.prefix(80), as: UTF8.self)) ► \(message.responseTopic.prefix(60))"
            #expect(codes["message \(index)"] ?? [] == (message.code.map { [$0] } ?? []), "\(text)")
        }
        for index in left.indices { #expect(codes["left \(index)"] == ["retained_rejected"]) }
        #expect(codes["wild", default: []].allSatisfy { $0 == "forbidden" })
        #expect(!answers.messages.contains { $0.topic.hasPrefix("elsewhere/") || $0.topic.hasPrefix("homeassistant/") })
        // Only the last volumes ever got to the devices.
        for (device, level) in [("sim-001", 0.4), ("sim-002", 0.41)] {
            let volumes = try house.requests("SET_VOLUME", to: device).map { ($0["volume"] as? [String: Any])?["level"] as? Double }
            #expect(volumes == [level])
            for type in ["LOAD", "LAUNCH", "STOP", "SEEK"] { #expect(try house.requests(type, to: device).isEmpty) }
        }
        try await house.expectTruth(states)
        #expect(states.messages.count { $0.topic == "cast2mqtt/bridge/state" } == 1, "the bridge never lost its link")
        try await house.bridge?.stop()
    }

    /// A command of every kind that a client retained on the broker; below the device, or below the base.
    static let staleMessages: [(String, String)] =
        [
            ("set/volume", "88"), ("set/volume_level", "0.88"), ("set/muted", "ON"), ("set/position", "5"), ("set/position_percent", "5"),
            ("set/repeat", "all"), ("set/shuffle", "ON"), ("set/rate", "2"), ("set/text_track", "en"), ("set/audio_track", "en"),
            ("set/text_style", #"{"font_scale":2}"#), ("set/app", "5A1D0001"), ("set", #"{"volume":88}"#),
            ("cmd/load", "http://media/night.mp4"), ("cmd/launch", "5A1D0001"), ("cmd/transfer", "kitchen"), ("cmd/group_volume", "88"),
            ("cmd/queue_load", #"["http://media/night.mp3"]"#), ("cmd/queue_insert", "http://media/night.mp3"), ("cmd/queue_jump", "1"),
            ("cmd/queue_remove", "1"), ("cmd/queue_update", #"{"item":1,"url":"http://media/night.mp3"}"#),
            ("cmd/queue_move", #"{"item":1,"to":0}"#),
            ("cmd", #"{"cmd":"set","args":{"volume":88}}"#), ("get/state", "PRESS"), ("ns/urn:x-cast:org.example.echo/send", "night"),
            ("/all/set/volume", "88"), ("/all/cmd/stop", "PRESS"), ("/bridge/request/discover", "PRESS"),
        ]
        + [
            "play", "pause", "play_pause", "stop", "next", "previous", "quit_app", "skip_ad", "restart_item", "volume_up", "volume_down",
            "queue_clear",
        ].map { ("cmd/\($0)", "PRESS") }

    /// How the bridge gets on with a sabotaged device.
    enum Manner {
        /// Its link is closed before its state was read, each time: it has no topics.
        case unverified
        /// Its link lasts until the heartbeat fails.
        case interrupted
        /// A command whose effect shows in the state is done; one that only an answer could confirm times out.
        case unanswering
        /// As ever.
        case sound
    }

    static let sabotages: [(name: String, manner: Manner)] = [
        ("garbage-frame", .unverified), ("oversize-frame", .unverified), ("other-identity", .unverified),
        ("wrong-request-id", .unanswering),
        ("no-pong", .interrupted), ("double-reply", .sound),
    ]

    @Test("broken devices get no topics or are answered as documented, and a sound one beside them is as ever")
    func devices() async throws {
        let house = try await Household.onOneHost(.init(lines: [PacketSender.brokerLine]))
        try await house.broker.start()
        try await house.startDevices(1)
        let answers = try await MessageLog(house, filters: ["cast2mqtt/client/#"])
        let states = try await MessageLog(
            house, filters: ["cast2mqtt/bridge/devices", "cast2mqtt/+/availability", "cast2mqtt/+/state"])
        var broken: [String: BrokenDevice] = [:]
        for (index, sabotage) in Self.sabotages.enumerated() {
            broken[sabotage.name] = try await BrokenDevice(house, number: index + 2, sabotage: sabotage.name)
        }
        try await house.startBridge()
        let slug = try #require(try await house.online(states)["sim-001"])
        let sender = try PacketSender(house.broker, clientID: "tester")
        func ask(_ name: String, _ slug: String, _ tail: String, _ payload: String) throws {
            try sender.publish(payload, to: "cast2mqtt/\(slug)/\(tail)", responseTopic: "cast2mqtt/client/x", correlation: name)
        }
        func codes(_ name: String) throws -> [String] {
            try answers.update()
            return answers.messages.filter { $0.correlation == name }.compactMap { $0.object["code"] as? String }
        }

        for sabotage in Self.sabotages {
            let device = try #require(broken[sabotage.name])
            let itsSlug = sabotage.manner == .unverified ? device.id : try await device.slug(states)
            switch sabotage.manner {
            case .unverified:
                // Tried again and again, never believed.
                try await eventually("\(sabotage.name) is tried again") { try device.connects() >= 3 }
                try states.update()
                #expect(!states.messages.contains { $0.text.contains(device.id) }, "\(sabotage.name)")
                try ask(sabotage.name, itsSlug, "set/volume", "33")
                try await eventually("\(sabotage.name) is refused") { try codes(sabotage.name) == ["unknown_device"] }
            case .interrupted:
                try await eventually("\(sabotage.name) loses its link and gets another") { try device.connects() >= 2 }
                try ask(sabotage.name, itsSlug, "set/volume", "33")
                try await eventually("\(sabotage.name) is answered") { try !codes(sabotage.name).isEmpty }
            case .unanswering, .sound:
                try await eventually("\(sabotage.name) is online") {
                    try states.update()
                    return states.current["cast2mqtt/\(itsSlug)/availability"] == "online"
                }
                try ask(sabotage.name, itsSlug, "set/volume", "33")
                try await eventually("\(sabotage.name) obeys") { try codes(sabotage.name) == ["done"] }
                try ask("reading \(sabotage.name)", itsSlug, "get/state", #"{"timeout":3}"#)
                let code = sabotage.manner == .sound ? "done" : "timeout"
                try await eventually("reading \(sabotage.name): \(code)") { try codes("reading \(sabotage.name)") == [code] }
                #expect(try device.volumes() == [0.33])
            }
            // The sound one all the while.
            try ask("sound after \(sabotage.name)", slug, "set/volume", "44")
            try await eventually("the sound device obeys after \(sabotage.name)") { try codes("sound after \(sabotage.name)") == ["done"] }
        }
        for sabotage in Self.sabotages {
            let all = try codes(sabotage.name)
            #expect(all.count == 1, "\(sabotage.name): \(all)")
        }
        try states.update()
        let reported = states.messages.filter { $0.topic == "cast2mqtt/\(slug)/availability" }.map(\.text)
        #expect(reported.drop { $0 != "online" } == ["online"], "\(reported)")
        #expect(try house.journal().count { $0["event"] as? String == "connect" } == 1)
        #expect(house.bridge?.exitCode == nil)
        try await house.bridge?.stop()
    }
}

/// A simulator with one sabotaged device, beside the sound ones of a house.
private final class BrokenDevice {
    private let simulator: ChildProcess
    private let journalPath: String
    let id: String

    init(_ house: Household, number: Int, sabotage: String) async throws {
        let control = SimulatorControl(path: house.folder + "/control-\(number)")
        self.journalPath = house.folder + "/journal-\(number)"
        self.simulator = try await ChildProcess(
            "cast-simulator",
            [
                "--devices", "1", "--seed", "\(number)", "--interface", house.hosts.deviceInterface, "--address-base", "127.0.\(number).1",
                "--control", control.path, "--journal", self.journalPath, "--sabotage", sabotage,
            ], namespace: house.hosts.devices)
        try await self.simulator.line(containing: "ready")
        self.id = try #require(try await control.devices().first?["id"] as? String)
    }

    /// Its slug once the bridge has found it.
    func slug(_ states: MessageLog) async throws -> String {
        try await eventually("\(self.id) is listed") {
            try states.update()
            let listing = try JSONSerialization.jsonObject(with: Data((states.current["cast2mqtt/bridge/devices"] ?? "[]").utf8))
            return (listing as? [[String: Any]])?.first { $0["id"] as? String == self.id }?["slug"] as? String
        }
    }

    private func journal() throws -> [[String: Any]] {
        try String(contentsOfFile: self.journalPath, encoding: .utf8).split(separator: "\n")
            .compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
    }

    func connects() throws -> Int { try self.journal().count { $0["event"] as? String == "connect" } }

    func volumes() throws -> [Double] {
        try self.journal().compactMap { ($0["payload"] as? [String: Any])?["volume"] as? [String: Any] }.compactMap {
            $0["level"] as? Double
        }
    }
}
