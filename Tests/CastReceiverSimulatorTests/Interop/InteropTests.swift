import Foundation
import TestSupport
import Testing

@testable import CastReceiverSimulator

/// Programs that were not written for this project find and control the simulated devices.
@Suite(.serialized, .timeLimit(.minutes(10))) struct InteropTests {
    @Test(
        "Python programs from PyPI find, play, pause, set volume and mute, stop, and read the group",
        .enabled("needs python3 with venv and pip, and PyPI; in CI it must run") { try await PythonEnvironment.isUsableOrRequired() },
        arguments: ["zeroconf_smoke.py", "pychromecast_smoke.py"])
    func interop(script: String) async throws {
        let python = try await PythonEnvironment.prepare()
        let directory = try TemporaryDirectory()
        let journal = directory.file("journal")
        let process = try await SimulatorProcess(
            [
                "--devices", "5", "--groups", "1", "--address-base", TestFleet.addressBase(), "--seed",
                String(UInt32.random(in: 0...UInt32.max)), "--journal", journal,
            ],
            directory: directory)
        try await process.waitUntilReady()
        let list = try await process.control([#"{"do":"list"}"#])[0]
        let result = try await PythonEnvironment.run(
            python, [PythonEnvironment.scripts.appendingPathComponent(script).path, list.description])
        let ends = TemporaryDirectory.lines(journal).filter { ["connect", "error", "disconnect"].contains($0["event"]?.text) }
        #expect(result.status == 0, "\(result.output)\n\(ends.map(\.description).joined(separator: "\n"))")
        #expect(result.output.contains("OK: 6 devices"))
        process.signal(SIGTERM)
        #expect(try await process.end() == 0)
    }
}

/// A virtual environment with the packages of `Tests/Interop/requirements.txt`, kept below `.build` from one run to the next.
enum PythonEnvironment {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let scripts = root.appendingPathComponent("Tests/Interop")
    private static let directory = root.appendingPathComponent(".build/interop-venv")

    /// In CI the test is never left out: it then fails where the environment cannot be made.
    static func isUsableOrRequired() async throws -> Bool {
        if ProcessInfo.processInfo.environment["CI"] != nil { return true }
        return (try? await self.prepare()) != nil
    }

    /// Path of the environment's interpreter.
    static func prepare() async throws -> String {
        let python = self.directory.appendingPathComponent("bin/python").path
        let requirements = self.scripts.appendingPathComponent("requirements.txt")
        let marker = self.directory.appendingPathComponent("requirements.txt")
        let wanted = try String(contentsOf: requirements, encoding: .utf8)
        if (try? String(contentsOf: marker, encoding: .utf8)) == wanted { return python }
        for (program, arguments) in [
            ("/usr/bin/env", ["python3", "-m", "venv", "--clear", self.directory.path]),
            (python, ["-m", "pip", "install", "--quiet", "--requirement", requirements.path]),
        ] {
            let result = try await self.run(program, arguments)
            guard result.status == 0 else { throw RawSender.NothingCame(description: "no Python environment: \(result.output)") }
        }
        try wanted.write(to: marker, atomically: true, encoding: .utf8)
        return python
    }

    static func run(_ program: String, _ arguments: [String]) async throws -> (status: Int32, output: String) {
        let process = try await ChildProcess(program, arguments)
        let status = try await process.ended(within: .seconds(400))
        return (status, process.text)
    }
}
