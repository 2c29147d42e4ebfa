import Foundation
import TestSupport
import Testing

@testable import CastReceiverSimulator
@testable import cast_simulator

@Suite struct ScenarioTests {
    @Test("steps are read and put in the order of their times")
    func order() throws {
        let scenario = try Scenario(
            text: "# a comment\n\n{\"at\":2,\"device\":\"sim-001\",\"do\":\"pause\"}\n{\"at\":0.5,\"do\":\"list\"}\r\n")
        #expect(
            scenario.steps == [
                .init(at: .milliseconds(500), request: .list), .init(at: .seconds(2), request: .device("sim-001", .remote(.pause))),
            ])
    }

    @Test(
        "a wrong line is named by its number",
        arguments: [
            "{\"do\":\"list\"}", "{\"at\":-1,\"do\":\"list\"}", "{\"at\":1e300,\"do\":\"list\"}", "{\"at\":1,\"do\":\"sing\"}", "nonsense",
        ])
    func wrongLine(line: String) {
        #expect { try Scenario(text: "\n\(line)") } throws: { "\($0)".contains("line 2") }
    }

    @Test("a running fleet carries them out", .timeLimit(.minutes(5)))
    func runs() async throws {
        let scenario = try Scenario(text: #"{"at":0.01,"device":"sim-001","do":"volume","level":1}"#)
        try await TestFleet.with(TestFleet.configuration { $0.scenario = scenario }) { fleet in
            try await eventually("the volume is set") { try await fleet.control("sim-001", .state)["volume"]?.int == 1 }
        }
    }
}

@Suite struct ScenarioFileTests {
    private static let example = """
        fleet:
          seed: 7
          pause_limit: 60
          devices:
            - {model: BRAVIA 4K GB, name: Television, volume_control: fixed, answer_delay_ms: [1, 2]}
            - {model: Nest Audio, name: Shelf, count: 2, volume: 0.25, habits: [silent-stop], sabotages: [no-pong]}
            - model: Chromecast Ultra
              stand_by: true
              authentication: expired
          groups:
            - {name: Pair, members: [sim-002, sim-003], stereo_pair: true}
        steps:
          - {at: 3, every: 2, times: 2, device: sim-001, do: reset}
          - {at: 1, device: sim-001, do: play, title: "123", duration: 90}
        """

    @Test("a fleet is described device by device, and steps may be repeated")
    func fleet() throws {
        let scenario = try Scenario(yaml: Self.example)
        #expect(scenario.steps.map(\.at) == [.seconds(1), .seconds(3), .seconds(5)])
        guard case .device("sim-001", .remote(.load(let item)))? = scenario.steps.first?.request else {
            Issue.record("\(scenario.steps)")
            return
        }
        #expect(item.title == "123" && item.durationSeconds == 90)
        var configuration = SimulatorConfiguration()
        try #require(scenario.fleet).apply(to: &configuration)
        #expect(configuration.seed == 7 && configuration.settings.pauseLimit == .seconds(60))
        let devices = try configuration.plan().devices
        #expect(devices.map(\.controlName) == ["sim-001", "sim-002", "sim-003", "sim-004", "group-001"])
        #expect(devices.prefix(3).map(\.friendlyName) == ["Television", "Shelf", "Shelf 2"])
        #expect(devices[4].model.isMultichannel && devices[4].address == devices[1].address)
        #expect(devices.map { $0.capabilities & 0x100 != 0 } == [false, true, true, false, false])
    }

    @Test("what is stated of a device is so from the start", .timeLimit(.minutes(5)))
    func setup() async throws {
        let scenario = try Scenario(yaml: Self.example)
        let base = TestFleet.addressBase()
        var configuration = TestFleet.configuration { _ in }
        try #require(scenario.fleet).apply(to: &configuration)
        configuration.addressBase = base
        try await TestFleet.with(configuration) { fleet in
            #expect(try await fleet.control("sim-001", .state)["volume_control"] == "fixed")
            #expect(try await fleet.control("sim-003", .state)["volume"]?.double == 0.25)
            #expect(try await fleet.control("sim-004", .state)["stand_by"] == true)
            let sender = try await RawSender.connect(fleet, "sim-002")
            sender.send(["type": "CONNECT"], Probe.connection)
            sender.send(["type": "PING"], Probe.heartbeat)
            sender.send(["type": "LAUNCH", "requestId": 1, "appId": "CC1AD845"], Probe.receiver)
            sender.send(["type": "STOP", "requestId": 2], Probe.receiver)
            sender.send(["type": "GET_STATUS", "requestId": 3], Probe.receiver)
            try await sender.expect { event -> Void? in
                guard case .message(_, let json) = event else { return nil }
                #expect(json["type"] != "PONG" && json["requestId"] != 2)
                return json["requestId"] == 3 ? () : nil
            }
        }
    }

    @Test(
        "errors are reported with their line",
        arguments: [
            ("fleet:\n  devices:\n    - {model: Nest Audio}\n    - {model: Toaster}", "line 4", "Toaster"),
            ("fleet:\n  colour: red", "line 2", "colour"), ("fleet:\n  devices: 7", "line 2", "list"), ("guests: 1", "line 1", "guests"),
            ("steps:\n  - {at: 1, do: list}\n  - {do: list}", "line 3", "at"),
            ("steps:\n  - {at: 1, do: sing, device: x}", "line 2", "sing"),
            ("steps:\n  - {at: 1, do: list, every: 2}", "line 2", "times"), ("steps: [", "", "YAML"),
            ("fleet:\n  devices:\n    - {model: Nest Audio, habits: [smoking]}", "line 3", "smoking"),
            ("fleet:\n  devices:\n    - {model: Nest Audio, count: 0}", "line 3", "count"),
            ("fleet:\n  groups:\n    - {name: x, members: [a, a]}", "line 3", "members"),
            (String(repeating: "[", count: 10_000), "", "deeply"), ("&a [*a]", "", ""),
        ] as [(String, String, String)])
    func errors(text: String, line: String, mention: String) {
        #expect { try Scenario(yaml: text) } throws: { error in
            let reported = "\(error)"
            return (line.isEmpty || reported.contains(line + ":")) && (mention.isEmpty || reported.contains(mention))
        }
    }

    @Test("a group with a missing device is refused")
    func unknownMember() throws {
        let scenario = try Scenario(yaml: "fleet: {devices: [{model: Nest Audio}], groups: [{name: x, members: [sim-002]}]}")
        var configuration = SimulatorConfiguration()
        try #require(scenario.fleet).apply(to: &configuration)
        #expect(throws: SimulatorError.self) { try configuration.plan() }
    }

    @Test("the example of the documentation is a scenario", arguments: [SIGTERM])
    func documentation(signal: Int32) async throws {
        let text = try String(contentsOf: PythonEnvironment.root.appendingPathComponent("docs/SIMULATOR.md"), encoding: .utf8)
        let start = try #require(text.range(of: "```yaml\n")).upperBound
        let example = String(text[start..<(try #require(text.range(of: "```", range: start..<text.endIndex))).lowerBound])
        #expect(try Scenario(yaml: example).steps.count == 25)
        let directory = try TemporaryDirectory()
        try example.write(toFile: directory.file("house.yaml"), atomically: true, encoding: .utf8)
        let process = try await SimulatorProcess(
            ["--scenario", directory.file("house.yaml"), "--address-base", TestFleet.addressBase()], directory: directory)
        try await process.waitUntilReady()
        let list = try await process.control([#"{"do":"list"}"#])[0]["devices"]?.elements
        #expect(list?.count == 26)
        #expect(list?.first?["name"] == "Television")
        process.signal(signal)
        #expect(try await process.end() == 0)
    }
}
