import Foundation
import TestSupport
import Testing

/// The soak of `Tests/Soak` with few devices and a five hundredth of its work; `make soak` is the whole.
@Suite("The soak")
struct SoakTests {
    @Test(
        "leaves every topic as the devices are, with one event, one answer or one link for each, and so after kills",
        .enabled("needs python3 with venv and pip, and PyPI; in CI it must run") { try await PythonEnvironment.isUsableOrRequired() },
        .timeLimit(.minutes(5)))
    func quick() async throws {
        _ = try await PythonEnvironment.prepare()
        let binaries = URL(filePath: try Programs.locate("cast2mqtt")).deletingLastPathComponent().path
        let process = try await ChildProcess(
            "scripts/soak", ["--binaries", binaries, "--scale", "0.002", "--devices", "20", "--rest", "1"])
        #expect(try await process.ended(within: .seconds(240)) == 0, "\(process.text)")
        #expect(process.text.contains(#""problems": []"#))
    }

    @Test("refuses unknown arguments", arguments: [["--sideways"], ["--scale", "2"], ["--scale", "0"], ["--devices", "3"]])
    func arguments(arguments: [String]) async throws {
        let process = try await ChildProcess("scripts/soak", ["--binaries", "."] + arguments)
        #expect(try await process.ended(within: .seconds(60)) != 0)
        #expect(process.text.contains("--scale"))
    }
}
