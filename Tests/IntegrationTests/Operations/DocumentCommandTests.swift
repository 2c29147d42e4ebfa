import Foundation
import TestSupport
import Testing

/// Runs the commands of all documents. The rules for them are in `Tests/Documents`.
@Suite("The commands of the documents")
struct DocumentCommandTests {
    @Test("every command of every document can be run, or is left out for a reason that is named", .timeLimit(.minutes(15)))
    func commands() async throws {
        let tests = PythonEnvironment.root.appendingPathComponent("Tests/Documents/commands.py").path
        let binaries = URL(fileURLWithPath: try Programs.locate("cast2mqtt")).deletingLastPathComponent().path
        let process = try await ChildProcess("python3", [tests, "--binaries", binaries], environment: ["PYTHONDONTWRITEBYTECODE": "1"])
        #expect(try await process.ended(within: .seconds(800)) == 0, "\(process.text)")
        #expect(process.text.contains("were run"))
    }
}
