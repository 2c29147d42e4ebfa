import Foundation
import TestSupport
import Testing

/// How each topic travels: quality of service, retained or not, expiry, content type, user properties; as a subscriber of a real broker sees it.
@Suite("Delivery")
struct DeliveryTests {
    /// One row of the table in docs/TOPICS.md.
    struct Row: Sendable {
        var base = "cast2mqtt/"
        var topics: String
        var qos: Int
        var isRetained: Bool
        var expiry: [String] = [""]
        var contentType: String
        var hasSchema = false

        func fits(_ topic: String) -> Bool { topic.range(of: "^\(self.base)(\(self.topics))$", options: .regularExpression) != nil }
    }

    /// A number of seconds that the broker counts down from on the way.
    private static func about(_ seconds: Int) -> [String] { (max(0, seconds - 2)...seconds).map(String.init) }

    static let rows: [Row] = [
        Row(topics: "bridge/state|[^/]+/availability", qos: 1, isRetained: true, contentType: "text/plain"),
        Row(topics: "bridge/info", qos: 1, isRetained: true, contentType: "application/json", hasSchema: true),
        Row(topics: "bridge/devices", qos: 1, isRetained: true, contentType: "application/json"),
        Row(topics: "bridge/health", qos: 0, isRetained: true, expiry: about(180), contentType: "application/json", hasSchema: true),
        Row(topics: "bridge/event", qos: 1, isRetained: false, expiry: about(300), contentType: "application/json"),
        Row(topics: "bridge/log", qos: 0, isRetained: false, expiry: about(60), contentType: "application/json"),
        Row(topics: "[^/]+/(event|error)", qos: 1, isRetained: false, expiry: about(300), contentType: "application/json", hasSchema: true),
        Row(
            topics: "[^/]+/response|bridge/response/.+|client/.+", qos: 1, isRetained: false, expiry: about(60),
            contentType: "application/json",
            hasSchema: true),
        Row(
            topics: "[^/]+/(info|state|media|app|queue|tracks|group)", qos: 1, isRetained: true, contentType: "application/json",
            hasSchema: true),
        Row(
            topics: "[^/]+/status/position(_percent)?", qos: 0, isRetained: true, expiry: [""] + about(2), contentType: "text/plain"),
        Row(base: "homeassistant/", topics: "device/.+/config", qos: 1, isRetained: true, contentType: "application/json"),
        Row(topics: "[^/]+/status/.+", qos: 0, isRetained: true, contentType: "text/plain"),
    ]

    /// A message as `mosquitto_sub` shows it.
    struct Message {
        var topic: String
        var qos: Int
        var isLeftOver: Bool
        var expiry: String
        var contentType: String
        var properties: String
        var isEmpty: Bool

        init?(_ line: String) {
            let fields = line.components(separatedBy: "\t")
            guard fields.count == 8, fields[0] == "message" else { return nil }
            self.topic = fields[1]
            self.qos = Int(fields[2]) ?? -1
            self.isLeftOver = fields[3] == "1"
            self.expiry = fields[4]
            self.contentType = fields[5]
            self.properties = fields[6]
            self.isEmpty = fields[7] == "0"
        }
    }

    @Test("every topic is published as its row of the table states")
    func table() async throws {
        let house = try await Household.onOneHost()
        try await house.broker.start()
        let watcher = try await house.watch()
        let live = try await Self.subscriber(house)
        try await house.startDevices(2, groups: 1)
        try await house.startBridge(["CAST2MQTT_STATUS_POSITION_INTERVAL": "1"])
        try await house.allOnline(watcher)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        try await house.play("sim-001", watcher)
        // Ticks have the expiry that anchors have not.
        try await eventually("the position ticks") {
            Self.messages(live).contains { $0.topic == "cast2mqtt/\(slug)/status/position" && !$0.expiry.isEmpty }
        }
        try await house.sender.publish(
            "31", to: "cast2mqtt/\(slug)/set/volume", arguments: ["-D", "publish", "response-topic", "cast2mqtt/client/a"])
        try await house.sender.publish("loud", to: "cast2mqtt/\(slug)/set/volume")
        try await house.sender.publish("", to: "cast2mqtt/bridge/request/health_check")
        try await house.control.send(["device": "sim-002", "do": "stop", "goodbye": false])
        try await watcher.message(on: "cast2mqtt/bridge/event") { $0.object["type"] as? String == "device_offline" }
        try await watcher.message(on: "cast2mqtt/bridge/log")
        try await watcher.message(on: "cast2mqtt/\(slug)/error")
        try await watcher.message(on: "cast2mqtt/client/a")
        let late = try await Self.subscriber(house)
        try await house.sender.publish("", to: "cast2mqtt/end")
        for process in [live, late] {
            try await eventually("all has come") { Self.messages(process).contains { $0.topic == "cast2mqtt/end" } }
        }

        let leftOver = Set(Self.messages(late).filter(\.isLeftOver).map(\.topic))
        let commands = "^cast2mqtt/(end|[^/]+/(set|cmd|get|ns)(/.*)?|bridge/request/.+)$"
        let reported = Self.messages(live).filter { $0.topic.range(of: commands, options: .regularExpression) == nil }
        var seen: Set<Int> = []
        for message in reported where !message.isEmpty {
            guard let number = Self.rows.firstIndex(where: { $0.fits(message.topic) }) else {
                Issue.record("\(message.topic) has no row")
                continue
            }
            seen.insert(number)
            let row = Self.rows[number]
            #expect(message.qos == row.qos, "\(message.topic)")
            #expect(row.expiry.contains(message.expiry), "\(message.topic) expires in \(message.expiry)")
            #expect(message.contentType == row.contentType, "\(message.topic)")
            let properties = (row.hasSchema ? ["schema:1"] : []) + (row.contentType == "application/json" ? ["instance:home"] : [])
            #expect(message.properties == properties.joined(separator: " "), "\(message.topic)")
            if !row.isRetained { #expect(!leftOver.contains(message.topic), "\(message.topic) is left over") }
        }
        #expect(seen == Set(Self.rows.indices), "a row that no message was seen of")
        // Later subscribers get what was published last and is not cleared.
        for (topic, message) in watcher.current
        where Self.rows.contains(where: { $0.isRetained && $0.fits(topic) }) && !message.payload.isEmpty {
            #expect(leftOver.contains(topic), "\(topic) is not retained")
        }
        // An empty message, which clears a topic, claims no content type.
        for message in reported where message.isEmpty { #expect(message.contentType.isEmpty, "\(message.topic)") }
        try await house.bridge?.stop()
    }

    private static func subscriber(_ house: Household) async throws -> ChildProcess {
        let process = try await ChildProcess(
            "stdbuf",
            [
                "-oL", "mosquitto_sub", "-h", house.broker.host, "-p", "\(house.broker.port)", "-V", "5", "-q", "1", "-t", "cast2mqtt/#",
                "-t",
                "homeassistant/#",
                "-d", "-F",
                "message\t%t\t%q\t%r\t%E\t%C\t%P\t%l",
            ], namespace: house.hosts.broker)
        try await process.line(containing: "Subscribed (mid")
        return process
    }

    private static func messages(_ process: ChildProcess) -> [Message] { process.lines.compactMap(Message.init) }
}
