import CastModels
import Foundation
import Testing

@testable import BridgeCore
@testable import HomeAssistantDiscovery

/// The templates of every announcement, rendered by the real Jinja against real documents.
@Suite struct TemplateTests {
    /// The variables of a template, and its expected result.
    struct Case {
        var name: String
        var platform: String
        var template: String
        var payload: String
        var deviceClass: String?
        var options: [String]?

        /// The id of the trigger that it is rendered for.
        var trigger: String?
        var variables: JSONValue?
        /// Of the entities that it asks.
        var attributes: JSONValue?
        /// When those entities changed last; without `now`, asking for the present time is a problem.
        var updated: String?
        var now: String?
        /// The expected result; `nil` for anything that its platform accepts.
        var result: String?

        var json: JSONValue {
            var object: JSONObject = [
                "name": .string(self.name), "platform": .string(self.platform), "template": .string(self.template),
                "payload": .string(self.payload), "device_class": self.deviceClass.map { .string($0) } ?? .null,
                "options": self.options.map { .array($0.map { .string($0) }) } ?? .null,
            ]
            if let trigger { object.append("trigger", .string(trigger)) }
            for (key, value) in [
                ("variables", self.variables), ("attributes", self.attributes),
                ("updated", self.updated.map { .string($0) }), ("now", self.now.map { .string($0) }),
                ("result", self.result.map { .string($0) }),
            ] {
                if let value { object.append(key, value) }
            }
            return .object(object)
        }
    }

    /// An interpreter with jinja2: Debian's, else the first of the path.
    private static let python: String? = {
        ["/usr/bin/python3", "/usr/bin/env"].first { program in
            (try? Self.run(program, program.hasSuffix("env") ? ["python3", "-c", "import jinja2"] : ["-c", "import jinja2"], []))?.status
                == 0
        }
    }()

    static var isUsableOrRequired: Bool { self.python != nil || ProcessInfo.processInfo.environment["CI"] != nil }

    private static func run(_ program: String, _ arguments: [String], _ input: [UInt8]) throws -> (status: Int32, output: String) {
        let process = Process(), output = Pipe(), inputPipe = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = output
        process.standardInput = inputPipe
        try process.run()
        // The program reads all before it writes anything.
        try inputPipe.fileHandleForWriting.write(contentsOf: Data(input))
        try inputPipe.fileHandleForWriting.close()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    static func problems(_ cases: [Case]) throws -> [String] {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("render.py").path
        let python = try #require(Self.python, "python3 with jinja2 (Debian: python3-jinja2)")
        let arguments = python.hasSuffix("env") ? ["python3", script] : [script]
        let result = try Self.run(python, arguments, JSONWriter.bytes(of: .array(cases.map(\.json))))
        var lines = result.output.split(separator: "\n").map(String.init)
        #expect(result.status == 0 && lines.popLast() == "rendered", "\(result.output)")
        return lines
    }

    /// Events and the like, which are no retained messages of a state.
    private static let passing: [String: String] = {
        let mapper = TopicMapper(tree: Fixture.tree, options: .init(instance: "home"))
        let event = mapper.event(
            PublishedEvent(.mediaStarted, title: "A"), of: "living-room", at: Timestamp(milliseconds: 1_795_269_802_400))
        return [
            event.topic: String(decoding: event.payload, as: UTF8.self),
            "cast2mqtt/living-room/error": #"{"schema":1,"code":"timeout","status":"error","message":null}"#,
            "cast2mqtt/living-room/group": #"{"schema":1,"role":"leader","members":[{"id":"a","name":"A"}],"leader":"a"}"#,
        ]
    }()

    private static func cases(
        _ messages: [OutgoingMessage], _ documents: [String: String], _ situation: String
    ) throws -> [Case] {
        let components = try JSONParser.parse(try #require(messages.first).payload)["components"]?.objectValue?.members ?? []
        var cases: [Case] = []
        for component in components {
            let value = component.value
            for (topicKey, templateKey) in [("state_topic", "value_template"), ("url_topic", "url_template"), ("topic", "value_template")] {
                guard let topic = value[topicKey]?.stringValue, let template = value[templateKey]?.stringValue else { continue }
                guard let payload = documents[topic] else { continue }
                cases.append(
                    Case(
                        name: "\(situation): \(component.key)", platform: value["platform"]?.stringValue ?? "", template: template,
                        payload: payload, deviceClass: value["device_class"]?.stringValue,
                        options: value["options"]?.arrayValue?.compactMap(\.stringValue)))
            }
        }
        return cases
    }

    @Test(
        "every template gives a state that Home Assistant takes, in every state of the player and with every text",
        .enabled("needs python3 with jinja2; in CI it must run") { Self.isUsableOrRequired })
    func templates() throws {
        var cases: [Case] = []
        var players: Set<String> = []
        for (name, states) in States.all {
            var offers = OfferedOptions()
            for isOfferUpdated in [false, true] {
                // The first document comes with options that are not announced yet.
                if isOfferUpdated {
                    let applications = Fixture.mapper().options.applications.names(without: [])
                    _ = offers.update(with: OfferedOptions.Source(states.state), applications: applications)
                }
                let device = AnnouncedDevice(states.state, offers: offers, area: nil)
                let documents = states.documents.merging(Self.passing) { $1 }
                cases += try Self.cases(Fixture.mapper().messages(for: device), documents, name)
                players.insert(states.state.player.rawValue)
            }
        }
        let group = AnnouncedDevice(id: "b2", slug: "living-room", name: "Whole House", kind: .group)
        cases += try Self.cases(Fixture.mapper().messages(for: group), Self.passing, "group")
        cases += try Self.cases(Fixture.mapper().bridgeMessages(), Self.bridgeDocuments, "bridge")
        #expect(players == Set(DevicePlayerState.allCases.map(\.rawValue)))
        #expect(cases.count > 1000)
        let problems = try Self.problems(cases).joined(separator: "\n")
        #expect(problems.isEmpty, "\(problems)")
    }

    @Test(
        "a template that asks for what is not there is found",
        .enabled("needs python3 with jinja2; in CI it must run") { Self.isUsableOrRequired },
        arguments: [
            Case(name: "x", platform: "sensor", template: "{{ value_json.nothing }}", payload: "{}"),
            Case(name: "x", platform: "sensor", template: "{{ value_json.a", payload: "{}"),
            Case(name: "x", platform: "select", template: "{{ value }}", payload: "b", options: ["a"]),
            Case(name: "x", platform: "number", template: "{{ value }}", payload: ""),
            Case(name: "x", platform: "image", template: "{{ value }}", payload: ""),
            Case(name: "x", platform: "sensor", template: "{{ value }}", payload: "2026-11-21T14:03:22", deviceClass: "timestamp"),
        ])
    func findings(wrong: Case) throws {
        #expect(try Self.problems([wrong]).count == 1)
    }

    @Test("a text that is the word for unknown is shown", .enabled { Self.isUsableOrRequired }, arguments: ["None", " None ", "none"])
    func noneAsText(text: String) throws {
        var states = States.idle()
        states.play(application: "Default Media Receiver", title: text)
        let cases = try Self.cases(Fixture.mapper().messages(for: Fixture.livingRoom), states.documents, text)
            .filter { ["title", "artist", "album"].contains($0.name.split(separator: " ").last.map(String.init)) }
            .map { wrong in
                var wrong = wrong
                wrong.result = text == "none" ? "none" : "None\u{200b}"
                return wrong
            }
        #expect(try cases.count == 3 && Self.problems(cases) == [])
    }

    private static var bridgeDocuments: [String: String] {
        let mapper = TopicMapper(tree: Fixture.tree, options: .init(instance: "home"))
        let info = BridgeInfo(
            version: "1.0.0", commit: nil, startedAt: Timestamp(milliseconds: 1_795_269_482_000), mqttProtocolLevel: 5, mqttHost: "h",
            mqttPort: 1883, usesTLS: false, homeAssistant: HomeAssistantOptions(),
            rename: "keep", logLevel: "info")
        var documents = ["cast2mqtt/bridge/state": "online"]
        for message in [mapper.bridgeInfo(info), mapper.bridgeHealth(HealthReport())] {
            documents[message.topic] = String(decoding: message.payload, as: UTF8.self)
        }
        return documents
    }
}
