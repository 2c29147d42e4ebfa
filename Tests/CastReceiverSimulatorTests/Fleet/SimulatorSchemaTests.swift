import Foundation
import TestSupport
import Testing
import YAML

@testable import CastReceiverSimulator
@testable import cast_simulator

/// `config/schema/simulator` describes what the simulator reads and writes, and nothing else.
@Suite("The schemas of the simulator", .timeLimit(.minutes(5)))
struct SimulatorSchemaTests {
    private static let root = TopicSchemas.root + "simulator/"
    private let validator: SchemaValidator

    init() throws { self.validator = try TopicSchemas.shipped.get().validator }

    private func problems(_ json: JSON, _ schema: String) throws -> [SchemaValidator.Violation] {
        try self.validator.violations(of: JSONTree(Data(json.utf8)), schema: Self.root + schema)
    }

    /// The values of a member that tells alternatives apart.
    private static func names(_ member: String, in schema: String, _ path: [String]) throws -> Set<String> {
        var tree = try JSONTree(Data(contentsOf: Self.file("config/schema/simulator/\(schema).json")))
        for step in path { tree = try #require(tree[step]) }
        return Set((tree.elements ?? []).compactMap { $0["properties"]?[member]?["const"]?.text })
    }

    private static func file(_ name: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../" + name)
    }

    /// Requests in an order in which each succeeds, of three devices and a group of two of them.
    static let requests = [
        #"{"do":"list"}"#, #"{"device":"*","do":"state"}"#,
        #"{"device":"sim-001","do":"play","url":"http://h/a.mp4","title":"A","duration":100,"position":1,"metadata":{"metadataType":1},"autoplay":true}"#,
        #"{"device":"sim-001","do":"next","title":"B","duration":50}"#, #"{"device":"sim-001","do":"pause"}"#,
        #"{"device":"sim-001","do":"seek","position":30.5}"#, #"{"device":"sim-001","do":"play"}"#, #"{"device":"sim-001","do":"state"}"#,
        #"{"do":"burst","count":3}"#, #"{"do":"burst","change":"playback"}"#, #"{"do":"burst","change":"item","title":"C"}"#,
        #"{"device":"sim-001","do":"transfer","to":"sim-002"}"#, #"{"device":"sim-002","do":"state"}"#,
        #"{"device":"sim-002","do":"media_stop"}"#, #"{"device":"sim-002","do":"quit"}"#,
        #"{"device":"sim-001","do":"volume","level":0.5,"muted":true}"#, #"{"device":"sim-001","do":"volume","control":"fixed"}"#,
        #"{"device":"sim-001","do":"refuse"}"#, #"{"device":"sim-001","do":"refuse","on":false}"#,
        #"{"device":"sim-001","do":"delay","min_ms":1,"max_ms":5}"#, #"{"device":"sim-001","do":"freeze","mid_frame":true}"#,
        #"{"device":"sim-001","do":"thaw"}"#, #"{"device":"sim-001","do":"reset"}"#,
        #"{"device":"sim-001","do":"screen","stand_by":true,"active_input":false}"#,
        #"{"device":"sim-001","do":"permission","ask":true}"#,
        #"{"device":"sim-001","do":"say","namespace":"urn:x-cast:org.example.echo","message":{"a":1}}"#,
        #"{"device":"sim-001","do":"distort","type":"MEDIA_STATUS","set":{"status.0.playerState":"DANCING"},"remove":["status.0.media"]}"#,
        #"{"device":"sim-001","do":"undistort"}"#, #"{"device":"sim-001","do":"ignore","type":"QUEUE_LOAD"}"#,
        #"{"device":"sim-001","do":"pretend","type":"SET_VOLUME","on":false}"#, #"{"device":"sim-001","do":"habit","name":"silent-stop"}"#,
        #"{"device":"sim-001","do":"sabotage","name":"no-pong","on":false}"#, #"{"device":"sim-001","do":"authentication","as":"expired"}"#,
        #"{"device":"sim-001","do":"silence"}"#, #"{"device":"sim-001","do":"silence","on":false}"#,
        #"{"device":"group-001","do":"join","member":"sim-001"}"#, #"{"device":"group-001","do":"leave","member":"sim-001"}"#,
        #"{"device":"sim-001","do":"group","members":["sim-002"],"name":"Party"}"#, #"{"device":"dynamic-001","do":"state"}"#,
        #"{"device":"dynamic-001","do":"dissolve"}"#, #"{"device":"sim-002","do":"move","port":0}"#,
        #"{"device":"sim-001","do":"stop","goodbye":false}"#, #"{"device":"sim-001","do":"state"}"#, #"{"device":"sim-001","do":"start"}"#,
        #"{"device":"sim-001","do":"reboot","seconds":0}"#, #"{"device":"*","do":"state"}"#,
    ]
    /// Right requests that fail in this state.
    static let failing = [
        (#"{"device":"sim-009","do":"pause"}"#, "unknown_device"), (#"{"device":"sim-002","do":"thaw"}"#, "wrong_state"),
        (#"{"device":"sim-002","do":"permission","allow":true}"#, "wrong_state"),
    ]
    /// Requests that neither the simulator nor the schema takes.
    static let wrong = [
        #"{}"#, #"{"do":"sing","device":"sim-001"}"#, #"{"do":"pause"}"#, #"{"do":"pause","device":1}"#,
        #"{"do":"pause","device":"sim-002","now":true}"#, #"{"do":"seek","device":"sim-002"}"#,
        #"{"do":"seek","device":"sim-002","position":"1"}"#,
        #"{"do":"volume","device":"sim-002"}"#, #"{"do":"delay","device":"sim-002","ms":-1}"#,
        #"{"do":"habit","device":"sim-002","name":"x"}"#,
        #"{"do":"sabotage","device":"sim-002","name":"silent-stop"}"#, #"{"do":"authentication","device":"sim-002","as":"x"}"#,
        #"{"do":"next","device":"sim-002","duration":4}"#, #"{"do":"burst","change":"x"}"#, #"{"do":"burst","change":"item"}"#,
        #"{"do":"move","device":"sim-002"}"#, #"{"do":"say","device":"sim-002","namespace":"x","message":"x"}"#,
        #"{"do":"distort","device":"sim-002","type":"X","remove":[1]}"#, #"{"do":"screen","device":"sim-002"}"#,
        #"{"do":"permission","device":"sim-002"}"#, #"{"do":"reboot","device":"sim-002","seconds":100000}"#, #"{"do":"list","at":1}"#,
    ]

    @Test("real answers of every request are as described, and wrong requests are refused by both")
    func control() async throws {
        let directory = try TemporaryDirectory()
        let process = try await SimulatorProcess(
            ["--devices", "3", "--groups", "1", "--address-base", TestFleet.addressBase(), "--answer-delay", "0"], directory: directory)
        try await process.waitUntilReady()
        for line in Self.requests + Self.failing.map(\.0) + Self.wrong {
            let request = try #require(JSONTextReader.read(line))
            #expect(try self.problems(request, "request.json").isEmpty == !Self.wrong.contains(line), "\(line)")
            let error = Self.failing.first { $0.0 == line }?.1 ?? (Self.wrong.contains(line) ? "invalid_request" : nil)
            // What was requested before may take a moment, such as loading.
            let answer = try await eventually("\(line) is possible") {
                let answer = try await process.control([line])[0]
                return answer["error"] == "wrong_state" && error == nil ? nil : answer
            }
            #expect(try self.problems(answer, "answer.json") == [], "\(line): \(answer)")
            #expect(answer["error"]?.text == error && answer["ok"] == .bool(error == nil), "\(line): \(answer)")
            // Each verb has its own kind of answer.
            let kind = ["list": "list", "state": "state", "group": "group", "burst": "burst"][request["do"]?.text ?? "", default: "done"]
            let form = error != nil ? "error" : request["device"] == "*" ? "every" : kind
            #expect(try self.problems(answer, "answer.json#/$defs/\(form)") == [], "\(line): \(answer)")
        }
        let failed = try await process.control([#"{"device":"*","do":"thaw"}"#])[0]
        #expect(try failed["ok"] == false && self.problems(failed, "answer.json#/$defs/every") == [], "\(failed)")
        process.signal(SIGTERM)
        #expect(try await process.end() == 0)
    }

    @Test("every verb of the guide and no other is described, and tried here")
    func verbs() throws {
        let described = try Self.names("do", in: "request", ["$defs", "request", "oneOf"])
        #expect(Set(Self.requests.compactMap { JSONTextReader.read($0)?["do"]?.text }) == described)
        let guide = try String(contentsOf: Self.file("docs/SIMULATOR.md"), encoding: .utf8)
        let table = try #require(guide.components(separatedBy: "| `do` | Arguments | Effect |\n").dropFirst().first)
        let rows = table.split(separator: "\n").dropFirst().prefix { $0.hasPrefix("|") }
        let cells = rows.map { $0.split(separator: "|")[0] }
        let words = cells.flatMap { $0.split(separator: "`").map(String.init) }
        #expect(Set(words.filter { !$0.contains(" ") && !$0.contains(",") }) == described)
    }

    @Test("their lists are the lists in the code")
    func lists() throws {
        let schema = try JSONTree(Data(contentsOf: Self.file("config/schema/simulator/request.json")))
        func list(_ name: String) -> Set<String> { Set((schema["$defs"]?[name]?["enum"]?.elements ?? []).compactMap(\.text)) }
        #expect(list("habit") == Set(Habit.allCases.map(\.rawValue)))
        #expect(list("sabotage") == Set(Sabotage.allCases.map(\.rawValue)))
        #expect(list("authentication") == Set(AuthenticationManner.allCases.map(\.rawValue)))
        let scenario = try JSONTree(Data(contentsOf: Self.file("config/schema/simulator/scenario.json")))
        let devices = scenario["properties"]?["fleet"]?["oneOf"]?.elements?[0]["properties"]?["devices"]
        let models = devices?["items"]?["properties"]?["model"]?["enum"]?.elements
        #expect(Set((models ?? []).compactMap(\.text)) == Set(DeviceModel.all.map(\.name)))
    }

    @Test("real lines of the journal of every kind are as described, and others are not")
    func journal() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("journal")
        let radio = FileServer.File(body: [UInt8](repeating: 5, count: 1_000), type: "audio/aac", isStream: true)
        try await FileServer.with(["/radio": radio]) { server in
            let configuration = TestFleet.configuration {
                $0.journalPath = path
                $0.settings.fetchesMedia = true
            }
            try await TestFleet.with(configuration) { fleet in
                for url in ["http://127.0.0.1:\(server.port)/radio", "http://127.0.0.1:\(server.port)/nothing"] {
                    try await fleet.control("sim-001", .remote(.load(RemoteItem(url: url, title: "A stream"))))
                    try await eventually("\(url) was fetched") { TemporaryDirectory.lines(path).contains { $0["url"]?.text == url } }
                }
                try await fleet.control("sim-001", .remote(.quit))
                let sender = try await RawSender.connect(fleet, "sim-001")
                try await sender.handshake()
                sender.channel.writeAndFlush(CastMessageBinary.message, promise: nil)
                _ = try await sender.ask(["type": "LAUNCH", "requestId": 2, "appId": "0F5096E8"])
                let transport = try #require(try await fleet.control("sim-001", .state)["transport_id"]?.text)
                sender.send(["type": "CONNECT"], Probe.connection, to: transport)
                let stream: JSON = ["index": 1, "type": "video_source", "codecName": "vp8", "ssrc": 10, "targetDelay": 200]
                sender.send(
                    ["type": "OFFER", "seqNum": 3, "offer": ["castMode": "mirroring", "supportedStreams": [stream]]],
                    "urn:x-cast:com.google.cast.webrtc", to: transport)
                try await eventually("it mirrors") { TemporaryDirectory.lines(path).contains { $0["event"] == "mirror" } }
                try await fleet.control("sim-001", .remote(.quit))
                try await sender.sendBelowFraming([0xFF, 0xFF, 0xFF, 0xFF])
                try await sender.expectEnd()
                _ = try await http("GET /setup/eureka_info HTTP/1.1", host: configuration.addressBase, port: 8008)
                try await fleet.control("sim-001", .move(.init(port: 0)))
                try await eventually("all is written") {
                    let events = TemporaryDirectory.lines(path).map { $0["event"]?.text }
                    return ["http", "error", "disconnect", "mirror_end", "stream_end"].allSatisfy(events.contains)
                }
            }
        }
        let lines = TemporaryDirectory.lines(path)
        for line in lines { #expect(try self.problems(line, "journal.json") == [], "\(line)") }
        #expect(Set(lines.compactMap { $0["event"]?.text }) == (try Self.names("event", in: "journal", ["oneOf"])))
        for var line in lines {
            line["elsewhere"] = 1
            #expect(try !self.problems(line, "journal.json").isEmpty, "\(line)")
        }
    }

    private func isScenario(_ text: String) throws -> Bool {
        let document = try #require(try YAMLDocument.parse(Array(text.utf8), limits: .init(depth: 100, nodes: 10_000)))
        return try self.problems(JSON(document), "scenario.json").isEmpty
    }

    @Test("the scenarios of the guide and of the demo are as described")
    func scenarios() throws {
        let guide = try String(contentsOf: Self.file("docs/SIMULATOR.md"), encoding: .utf8)
        let example = try #require(guide.components(separatedBy: "```yaml\nfleet:").dropFirst().first?.components(separatedBy: "```")[0])
        #expect(try self.isScenario("fleet:" + example))
        let demo = try String(contentsOf: Self.file("scripts/demo"), encoding: .utf8)
        let lines = try #require(demo.components(separatedBy: "SCENARIO'\n").dropFirst().first).components(separatedBy: "\nSCENARIO")[0]
        for line in lines.split(separator: "\n") {
            #expect(try self.problems(#require(JSONTextReader.read(String(line))), "scenario.json#/$defs/step") == [])
        }
        #expect(!lines.isEmpty)
    }

    @Test(
        "a scenario that the program refuses is not as described",
        arguments: [
            "other: 1", "fleet: {color: red}", "fleet: {devices: [{name: X}]}", "fleet: {devices: [{model: Toaster}]}",
            "fleet: {groups: [{name: X}]}", "fleet: {devices: [{model: Nest Audio, habits: [nonsense]}]}", "steps: [{do: list}]",
            "steps: [{at: -1, do: list}]", "steps: [{at: 1, do: sing}]", "steps: [{at: 1, every: 2, do: list}]",
            "steps: [{at: 1, do: pause, device: sim-001, now: 1}]", "fleet: {seed: -1}", "fleet: {pause_limit: x}",
        ])
    func wrongScenario(text: String) throws {
        #expect(throws: SimulatorError.self) { try Scenario(yaml: text) }
        #expect(try !self.isScenario(text))
    }
}
