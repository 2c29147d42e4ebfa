import Foundation
import TestSupport
import Testing

/// Faults of both links and of what they stand on, each healed as if freshly started; the rows are in `Tests/Faults`, and `make test-faults` runs all.
@Suite("The matrix of faults")
struct FaultMatrixTests {
    @Test(
        "heals from half-open and slow links, a stepped clock, a name server that is silent, a full or locked disk and a lack of descriptors",
        .enabled("needs python3 with venv and pip, and PyPI; in CI it must run") { try await PythonEnvironment.isUsableOrRequired() },
        .timeLimit(.minutes(10)))
    func quickRows() async throws {
        let process = try await self.matrix("--quick")
        #expect(try await process.ended(within: .seconds(500)) == 0, "\(process.text)")
        #expect(process.text.contains("healed after"), "\(process.text)")
    }

    @Test(
        "notices a topic that a fresh start does not have",
        .enabled("needs python3 with venv and pip, and PyPI; in CI it must run") { try await PythonEnvironment.isUsableOrRequired() },
        .timeLimit(.minutes(5)))
    func forged() async throws {
        let process = try await self.matrix("--forge", "--devices", "1", "--rows", "broker: reset$")
        #expect(try await process.ended(within: .seconds(200)) == 1, "\(process.text)")
        #expect(process.text.contains("1 of ") && process.text.contains("cast2mqtt/forged/state"), "\(process.text)")
    }

    private func matrix(_ arguments: String...) async throws -> ChildProcess {
        let program = PythonEnvironment.root.appendingPathComponent("Tests/Faults/matrix.py").path
        let binaries = URL(filePath: try Programs.locate("cast2mqtt")).deletingLastPathComponent().path
        let python = try await PythonEnvironment.prepare()
        let command = try await NetworkNamespace.privileged([python, program, "--binaries", binaries] + arguments)
        let hosts = PythonEnvironment.root.appendingPathComponent("Tests/Hosts").path
        return try await ChildProcess(
            command[0], Array(command.dropFirst()), environment: ["PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": hosts])
    }
}
