import Testing

@testable import CastReceiverSimulator

@Suite struct ScenarioTests {
    @Test("Steps are read and put in the order of their times")
    func order() throws {
        let scenario = try Scenario(
            text: "# a comment\n\n{\"at\":2,\"device\":\"sim-001\",\"do\":\"pause\"}\n{\"at\":0.5,\"do\":\"list\"}\r\n")
        #expect(
            scenario.steps == [
                .init(at: .milliseconds(500), request: .list), .init(at: .seconds(2), request: .device("sim-001", .remote(.pause))),
            ])
    }

    @Test(
        "A wrong line is named by its number",
        arguments: ["{\"do\":\"list\"}", "{\"at\":-1,\"do\":\"list\"}", "{\"at\":1,\"do\":\"sing\"}", "nonsense"])
    func wrongLine(line: String) {
        #expect { try Scenario(text: "\n\(line)") } throws: { "\($0)".contains("line 2") }
    }

    @Test("A running fleet carries them out", .timeLimit(.minutes(3)))
    func runs() async throws {
        let scenario = try Scenario(text: #"{"at":0.01,"device":"sim-001","do":"volume","level":1}"#)
        try await TestFleet.with(TestFleet.configuration { $0.scenario = scenario }) { fleet in
            try await eventually("the volume is set") { try await fleet.control("sim-001", .state)["volume"]?.int == 1 }
        }
    }
}
