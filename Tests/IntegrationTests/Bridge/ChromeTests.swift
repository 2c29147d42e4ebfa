import Foundation
import TestSupport
import Testing

/// Chromium's own Cast sender beside the bridge; the checks are in `Tests/Interop/chrome`, and `make test-chrome` runs all of them.
@Suite("Chromium")
struct ChromeTests {
    @Test(
        "finds the simulated devices, trusts them, plays and mirrors there; the bridge watches it without a trace, and is obeyed",
        .enabled("needs python3 with venv and pip, and PyPI; in CI it must run") { try await PythonEnvironment.isUsableOrRequired() },
        .timeLimit(.minutes(5)))
    func checks() async throws {
        _ = try await PythonEnvironment.prepare()
        let binaries = URL(filePath: try Programs.locate("cast2mqtt")).deletingLastPathComponent().path
        let process = try await ChildProcess(
            PythonEnvironment.root.appendingPathComponent("scripts/test-chrome").path, ["--binaries", binaries, "--quick"],
            environment: ["PYTHONDONTWRITEBYTECODE": "1"])
        #expect(try await process.ended(within: .seconds(240)) == 0, "\(process.text)")
    }
}
