import Foundation
import TestSupport
import Testing

/// The files of `config/mosquitto`, as they are but for the folder.
@Suite("The mosquitto that is set up with our files", .serialized)
struct AccessRuleTests {
    enum Role: String, CaseIterable, Sendable {
        case bridge, dashboard, homeassistant, monitoring, administrator

        var arguments: [String] { ["-u", self.rawValue, "-P", self.password] }
        var password: String { "\(self.rawValue) password" }
    }

    /// A topic, who may publish there, and who gets what is published there.
    struct Rule: Sendable {
        var topic: String
        var writers: Set<Role>
        var readers: Set<Role>

        init(_ topic: String, writers: Set<Role>, readers: Set<Role> = Set(Role.allCases)) {
            self.topic = topic
            self.writers = writers
            self.readers = readers
        }
    }

    /// Who may send commands, and who may read those of others, which can have tokens in their addresses.
    static let operators: Set<Role> = [.bridge, .dashboard, .homeassistant, .administrator]
    static let insiders: Set<Role> = [.bridge, .administrator]

    static let rules: [Rule] = [
        Rule("cast2mqtt/bridge/state", writers: [.bridge]),
        Rule("cast2mqtt/bridge/health", writers: [.bridge]),
        Rule("cast2mqtt/kitchen/availability", writers: [.bridge]),
        Rule("cast2mqtt/kitchen/state", writers: [.bridge]),
        Rule("cast2mqtt/kitchen/status/volume", writers: [.bridge]),
        Rule("cast2mqtt/kitchen/info", writers: [.bridge]),
        Rule("cast2mqtt/kitchen/media", writers: [.bridge]),
        Rule("cast2mqtt/kitchen/app", writers: [.bridge]),
        Rule("cast2mqtt/kitchen/queue", writers: [.bridge]),
        Rule("cast2mqtt/kitchen/tracks", writers: [.bridge]),
        Rule("cast2mqtt/kitchen/group", writers: [.bridge]),
        Rule("cast2mqtt/kitchen/artwork/image", writers: [.bridge]),
        Rule("cast2mqtt/kitchen/error", writers: [.bridge]),
        Rule("cast2mqtt/kitchen/event", writers: [.bridge]),
        Rule("cast2mqtt/kitchen/response", writers: [.bridge]),
        Rule("cast2mqtt/kitchen/set", writers: operators, readers: insiders),
        Rule("cast2mqtt/kitchen/set/volume", writers: operators, readers: insiders),
        Rule("cast2mqtt/kitchen/cmd", writers: operators, readers: insiders),
        Rule("cast2mqtt/kitchen/cmd/load", writers: operators, readers: insiders),
        Rule("cast2mqtt/all/cmd/pause", writers: operators, readers: insiders),
        Rule("cast2mqtt/kitchen/get/state", writers: operators, readers: insiders),
        Rule("cast2mqtt/kitchen/ns/urn:x-cast:com.example/send", writers: [.bridge, .administrator], readers: insiders),
        Rule("cast2mqtt/kitchen/ns/urn:x-cast:com.example/recv", writers: [.bridge, .administrator], readers: insiders),
        Rule("cast2mqtt/kitchen/ns/urn:x-cast:com.example/state", writers: [.bridge, .administrator], readers: insiders),
        Rule("cast2mqtt/bridge/request/log_level", writers: [.bridge, .homeassistant, .administrator], readers: insiders),
        Rule("cast2mqtt/bridge/request/restart", writers: [.bridge, .homeassistant, .administrator], readers: insiders),
        Rule("cast2mqtt/bridge/request/discover", writers: [.bridge, .homeassistant, .administrator], readers: insiders),
        Rule("cast2mqtt/bridge/request/republish", writers: [.bridge, .homeassistant, .administrator], readers: insiders),
        Rule("cast2mqtt/bridge/request/home_assistant/mode", writers: [.bridge, .homeassistant, .administrator], readers: insiders),
        Rule("cast2mqtt/bridge/request/media/browse", writers: [.bridge, .homeassistant, .administrator], readers: insiders),
        Rule("cast2mqtt/bridge/request/media/search", writers: [.bridge, .homeassistant, .administrator], readers: insiders),
        Rule("cast2mqtt/bridge/request/preset/set", writers: [.bridge, .administrator], readers: insiders),
        Rule("cast2mqtt/bridge/request/health_check", writers: [.bridge, .administrator], readers: insiders),
        Rule("cast2mqtt/bridge/request/device/remove", writers: [.bridge, .homeassistant, .administrator], readers: insiders),
        Rule("cast2mqtt/bridge/response/log_level", writers: [.bridge]),
        Rule("cast2mqtt/bridge/info", writers: [.bridge]), Rule("cast2mqtt/bridge/devices", writers: [.bridge]),
        Rule("cast2mqtt/bridge/event", writers: [.bridge]), Rule("cast2mqtt/bridge/log", writers: [.bridge]),
        Rule("cast2mqtt/client/dashboard/answers", writers: [.bridge, .dashboard], readers: [.bridge, .dashboard, .administrator]),
        Rule(
            "cast2mqtt/client/homeassistant/a/b", writers: [.bridge, .homeassistant], readers: [.bridge, .homeassistant, .administrator]),
        Rule("cast2mqtt/client/monitoring/answers", writers: [.bridge], readers: [.bridge, .administrator]),
        Rule("cast2mqtt/client/somebody", writers: [.bridge], readers: [.bridge, .administrator]),
        Rule("homeassistant/status", writers: [.bridge, .homeassistant], readers: [.bridge, .homeassistant]),
        Rule("homeassistant/device/cast2mqtt_1/config", writers: [.bridge], readers: [.bridge, .homeassistant]),
        Rule("homeassistant/sensor/cast2mqtt_1/player/config", writers: [.bridge], readers: [.bridge, .homeassistant]),
        Rule("homeassistant/sensor/somebody", writers: [.bridge], readers: [.homeassistant]),
        Rule("zigbee2mqtt/lamp/set", writers: [], readers: []),
        Rule("cast2mqtt2/kitchen/set", writers: [], readers: []),
    ]

    @Test("each role may do what its lines permit, and nothing else")
    func roles() async throws {
        let house = try await Self.house()
        try await house.broker.start()
        var watchers: [Role: MessageWatcher] = [:]
        for role in Role.allCases { watchers[role] = try await house.watch(role.arguments, checksSchemas: false) }
        for role in Role.allCases {
            let sender = try PacketSender(house.broker, clientID: "sender-\(role)", login: (role.rawValue, role.password))
            for rule in Self.rules {
                let outcome = try sender.publish("from \(role)", to: rule.topic)
                let isAllowed = rule.writers.contains(role)
                // 135 is "not authorized", 16 that there is no subscriber.
                #expect(
                    isAllowed ? [.acknowledged(0), .acknowledged(16)].contains(outcome) : outcome == .acknowledged(135),
                    "\(role) to \(rule.topic)")
            }
        }
        // All have read once they have this, which was sent last and which all may read.
        let last = try PacketSender(house.broker, clientID: "last", login: (Role.bridge.rawValue, Role.bridge.password))
        try last.publish("end", to: "cast2mqtt/bridge/response/end")
        for (role, watcher) in watchers {
            try await watcher.message(on: "cast2mqtt/bridge/response/end")
            let received = Set(watcher.messages.map(\.topic))
            for rule in Self.rules where !rule.writers.isEmpty {
                #expect(received.contains(rule.topic) == rule.readers.contains(role), "\(role) reads \(rule.topic)")
            }
        }
        // No client is admitted without a name.
        #expect(throws: ConditionNotMet.self) { try PacketSender(house.broker, clientID: "nobody") }
    }

    @Test("what is not encrypted is only for programs on the broker's own machine")
    func plainListeners() throws {
        let listeners = try MonitoringTests.text("config/mosquitto/cast2mqtt.conf").components(separatedBy: "\nlistener ").dropFirst()
        #expect(listeners.count == 2)
        for listener in listeners where !listener.contains("\ncertfile ") {
            #expect(listener.prefix { $0 != "\n" }.split(separator: " ").dropFirst() == ["127.0.0.1"])
        }
    }

    @Test("the bridge does all its work in its role, and each of the others gets what is for it")
    func everyday() async throws {
        let house = try await Self.house()
        try await house.broker.start()
        let watcher = try await house.watch(Role.monitoring.arguments)
        let panel = try await house.watch(Role.dashboard.arguments)
        try await house.startDevices(2, groups: 1)
        let bridge = try await house.startBridge(Self.login)
        try await house.allOnline(watcher)
        try await house.expectTruth(watcher)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        try await house.sender.publish(
            #"{"volume":31,"id":"panel"}"#, to: "cast2mqtt/\(slug)/set",
            arguments: Role.dashboard.arguments + ["-D", "publish", "response-topic", "cast2mqtt/client/dashboard/answers"])
        let answer = try await panel.message(on: "cast2mqtt/client/dashboard/answers")
        #expect(answer.object["code"] as? String == "done")
        try await watcher.current("cast2mqtt/\(slug)/status/volume") { $0.text == "31" }
        // The panel must not, the administrator may.
        for (role, id) in [(Role.dashboard, "no"), (Role.administrator, "yes")] {
            try await house.sender.publish(#"{"id":"\#(id)"}"#, to: "cast2mqtt/bridge/request/health_check", arguments: role.arguments)
        }
        try await watcher.message(on: "cast2mqtt/bridge/response/health_check") { $0.object["id"] as? String == "yes" }
        #expect(!watcher.messages.contains { $0.object["id"] as? String == "no" })
        // A warning about rights would have arrived by now: the bridge's self-test is done when the next connection is up.
        await house.broker.terminate()
        try await house.broker.start()
        let later = try await house.watch(Role.monitoring.arguments)
        try await house.allOnline(later)
        try await house.expectTruth(later)
        try await bridge.stop()
        try await later.current("cast2mqtt/bridge/state") { $0.text == "offline" }
        #expect(!bridge.text.contains("access rules"))
        for secret in Role.allCases.map(\.password) { #expect(!bridge.text.contains(secret)) }
    }

    @Test("Home Assistant may send what each announced entity sends, and read what it reads")
    func announcedEntities() async throws {
        let house = try await Self.house()
        try await house.broker.start()
        let watcher = try await house.watch(Role.homeassistant.arguments, checksSchemas: false)
        try await house.startDevices(1)
        let bridge = try await house.startBridge(Self.login)
        try await house.allOnline(watcher)
        let announced = try await watcher.current("homeassistant/device/cast2mqtt_bridge_home/config") { !$0.text.isEmpty }
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        let id = try #require(try await watcher.current("cast2mqtt/\(slug)/info") { !$0.text.isEmpty }.object["id"] as? String)
        let device = try await watcher.current("homeassistant/device/cast2mqtt_\(id)/config") { !$0.text.isEmpty }
        // Without the bridge, since it would do all of it.
        try await bridge.stop()
        let sender = try PacketSender(
            house.broker, clientID: "assistant", login: (Role.homeassistant.rawValue, Role.homeassistant.password))
        var commands: Set<String> = []
        var states: Set<String> = []
        for message in [announced, device] {
            for case let component as [String: Any] in try #require(message.object["components"] as? [String: Any]).values {
                if let topic = component["command_topic"] as? String { commands.insert(topic) }
                for key in ["state_topic", "url_topic", "json_attributes_topic"] {
                    if let topic = component[key] as? String { states.insert(topic) }
                }
            }
        }
        #expect(commands.count > 15 && commands.contains("cast2mqtt/bridge/request/restart"))
        for topic in commands {
            let outcome = try sender.publish("from Home Assistant", to: topic)
            #expect([.acknowledged(0), .acknowledged(16)].contains(outcome), "\(topic)")
        }
        let owner = try PacketSender(house.broker, clientID: "owner", login: (Role.bridge.rawValue, Role.bridge.password))
        for topic in states { try owner.publish("of the test", to: topic) }
        try owner.publish("end", to: "cast2mqtt/bridge/response/end")
        try await watcher.message(on: "cast2mqtt/bridge/response/end")
        let received = Set(watcher.messages.filter { $0.text == "of the test" }.map(\.topic))
        #expect(received == states)
    }

    @Test("a publish that the rules deny is logged with topic and reason, and all else continues")
    func deniedPublish() async throws {
        let house = try await Self.house {
            $0.replacingOccurrences(of: "user bridge\n", with: "user bridge\ntopic deny cast2mqtt/+/media\n")
        }
        try await house.broker.start()
        let watcher = try await house.watch(Role.monitoring.arguments)
        try await house.startDevices(1)
        let bridge = try await house.startBridge(Self.login)
        try await house.allOnline(watcher)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        let warning = try await bridge.line(containing: "broker refused topic")
        #expect(warning.contains("cast2mqtt/\(slug)/media") && warning.contains("135"))
        try await house.play("sim-001", watcher)
        try await house.expectTruth(watcher)
        #expect(watcher.current["cast2mqtt/\(slug)/media"] == nil)
        // Logged once, although every change is refused again.
        try await bridge.stop()
        #expect(bridge.lines.count { $0.contains("broker refused topic") } == 1)
    }

    @Test("commands that the rules keep from the bridge are logged")
    func deniedCommands() async throws {
        let house = try await Self.house {
            $0.replacingOccurrences(of: "topic readwrite cast2mqtt/#", with: "topic write cast2mqtt/#\ntopic read cast2mqtt/+/state")
        }
        try await house.broker.start()
        let watcher = try await house.watch(Role.monitoring.arguments)
        try await house.startDevices(1)
        let bridge = try await house.startBridge(Self.login)
        try await house.allOnline(watcher)
        let warning = try await bridge.line(containing: "the broker did not deliver our own message")
        #expect(warning.contains("check its access rules") && warning.contains("cast2mqtt/bridge/request/health_check"))
        try await bridge.stop()
    }

    @Test("with certificates instead of passwords the common name is the role")
    func certificates() async throws {
        let certificates = NSTemporaryDirectory() + "certificates-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: certificates) }
        let program = Self.folder.appendingPathComponent("make-certificates").path
        try ShortProgram.run([program, certificates, "127.0.0.1,localhost", "bridge", "monitoring"])
        // Clients would not trust a broker of another name with this certificate, so none is made for it.
        #expect(throws: ShortProgram.Failure.self) { try ShortProgram.run([program, certificates, "other.lan"]) }
        let house = try await Self.house("client-certificates.conf", certificates: certificates)
        try await house.broker.start()
        func arguments(_ user: String) -> [String] {
            ["--cafile", "\(certificates)/ca.crt", "--cert", "\(certificates)/\(user).crt", "--key", "\(certificates)/\(user).key"]
        }
        let watcher = try await house.watch(arguments("monitoring"))
        try await house.startDevices(1)
        let bridge = try await house.startBridge([
            "CAST2MQTT_MQTT_TLS_ENABLED": "true", "CAST2MQTT_MQTT_TLS_CA_FILE": "\(certificates)/ca.crt",
            "CAST2MQTT_MQTT_TLS_CERTIFICATE_FILE": "\(certificates)/bridge.crt",
            "CAST2MQTT_MQTT_TLS_KEY_FILE": "\(certificates)/bridge.key",
        ])
        try await house.allOnline(watcher)
        try await house.expectTruth(watcher)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        // Who watches has no right to command, certificate or not.
        try await house.sender.publish("99", to: "cast2mqtt/\(slug)/set/volume", arguments: arguments("monitoring"))
        try await house.sender.publish("17", to: "cast2mqtt/\(slug)/set/volume", arguments: arguments("bridge"))
        try await watcher.current("cast2mqtt/\(slug)/status/volume") { $0.text == "17" }
        #expect(!watcher.messages.contains { $0.topic == "cast2mqtt/\(slug)/set/volume" && $0.text == "99" })
        try await bridge.stop()
    }

    // MARK: The files

    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appendingPathComponent("config/mosquitto")

    static let login = ["CAST2MQTT_MQTT_USERNAME": Role.bridge.rawValue, "CAST2MQTT_MQTT_PASSWORD": Role.bridge.password]

    /// A house whose broker is set up with our files; `change` spoils the rules.
    static func house(
        _ name: String = "cast2mqtt.conf", certificates: String? = nil, change: (String) -> String = { $0 }
    ) async throws -> Household {
        func text(_ name: String) throws -> String { try String(contentsOf: self.folder.appendingPathComponent(name), encoding: .utf8) }
        let made = try TestCertificates.make()
        var configuration = try text(name).split(separator: "\n").map(String.init)
        // The test's own certificates, for the broker has no others.
        let replacements = [
            ("/etc/mosquitto/certs/ca.crt", certificates.map { "\($0)/ca.crt" } ?? made.ca),
            ("/etc/mosquitto/certs/server.crt", certificates.map { "\($0)/server.crt" } ?? made.server),
            ("/etc/mosquitto/certs/server.key", certificates.map { "\($0)/server.key" } ?? made.serverKey),
            ("/etc/mosquitto/", "%DIR%/"),
        ]
        configuration = configuration.map { line in replacements.reduce(line) { $0.replacingOccurrences(of: $1.0, with: $1.1) } }
        let rules = try text("cast2mqtt.acl")
        let changed = change(rules)
        if certificates == nil { configuration.append(PacketSender.brokerLine) }
        let house = try await Household.onOneHost(
            .init(lines: configuration, files: ["cast2mqtt.acl": changed], isComplete: true), port: certificates == nil ? 1883 : 8883)
        let passwords = house.broker.directory + "/passwords"
        for (index, role) in Role.allCases.enumerated() {
            try ShortProgram.run(["mosquitto_passwd", "-b"] + (index == 0 ? ["-c"] : []) + [passwords, role.rawValue, role.password])
        }
        return house
    }
}
