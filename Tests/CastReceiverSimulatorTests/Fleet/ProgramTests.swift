import Foundation
import TestSupport
import Testing

@testable import CastReceiverSimulator

@Suite(.timeLimit(.minutes(5))) struct ProgramTests {
    @Test("cast-simulator prints ready, obeys its control socket, and SIGTERM and SIGINT end it cleanly", arguments: [SIGTERM, SIGINT])
    func readyObeysEnds(signal: Int32) async throws {
        let directory = try TemporaryDirectory()
        let base = TestFleet.addressBase()
        let journal = directory.file("journal")
        let process = try await SimulatorProcess(
            ["--devices", "2", "--address-base", base, "--journal", journal, "--seed", "9", "--list"], directory: directory)
        try await process.waitUntilReady()
        #expect(process.lines.first?.hasPrefix("DEVICE") == true)
        #expect(process.lines.contains { $0.hasPrefix("sim-002") && $0.contains("(simulated)") })
        let answers = try await process.control([#"{"do":"list"}"#, "nonsense", #"{"device":"sim-002","do":"state"}"#])
        #expect(answers.map { $0["ok"] } == [true, false, true])
        #expect(answers[0]["devices"]?.elements?.count == 2)
        #expect(answers[2]["state"]?["power"] == "on")
        process.signal(signal)
        #expect(try await process.end() == 0)
        #expect(TemporaryDirectory.lines(journal).filter { $0["event"] == "stop" && $0["goodbye"] == true }.count == 2)
    }

    @Test("a hundred devices are ready and a sender is served")
    func hundred() async throws {
        let directory = try TemporaryDirectory()
        let process = try await SimulatorProcess(
            ["--devices", "100", "--groups", "3", "--address-base", TestFleet.addressBase()], directory: directory)
        let start = ContinuousClock.now
        try await process.waitUntilReady()
        print("100 devices ready after", ContinuousClock.now - start)
        let state = try await process.control([#"{"device":"sim-100","do":"state"}"#])[0]["state"]
        let sender = try await RawSender.connect(try #require(state?["address"]?.text), 8009)
        try await sender.handshake()
        process.signal(SIGTERM)
        #expect(try await process.end() == 0)
    }

    @Test(
        "wrong arguments are refused with a message that names them",
        arguments: [
            (["--sabotage", "nonsense"], "nonsense", 64), (["--devices", "-3"], "devices", 64), (["--address-base", "home"], "home", 64),
            (["--scenario", "/nowhere/at/all"], "/nowhere/at/all", 64), (["--answer-delay", "5-1"], "answer-delay", 64),
            (["--journal", "/nowhere/at/all"], "/nowhere/at/all", 1),
        ])
    func wrongArguments(arguments: [String], mention: String, status: Int32) async throws {
        let directory = try TemporaryDirectory()
        let process = try await SimulatorProcess(["--address-base", TestFleet.addressBase()] + arguments, directory: directory)
        #expect(try await process.end() == status)
        try await eventually("the message names it: \(process.lines)") { process.lines.contains { $0.contains(mention) } }
    }
}
