import Foundation
import TestSupport
import Testing

/// `scripts/support/test-lanes` with a stand-in for the test runner.
@Suite("The lanes of the tests")
struct TestLanesTests {
    /// Lists two suites more than the lanes know, and one that is left out; fails, or goes on for ever, where the test says so.
    private static let runner = """
        #!/bin/sh
        case "$*" in
            *--list-tests) printf 'IntegrationTests.%s/a()\\n' NewTests OtherBrokerTests LaterTests ;;
            *NewTests*) echo "a test of NewTests"; exit "${NEW:-0}" ;;
            *unit.jsonl) exec sleep "${UNIT:-0}" ;;
        esac
        """

    private static func lanes(_ environment: [String: String]) async throws -> (process: ChildProcess, events: String) {
        let folder = NSTemporaryDirectory() + "lanes-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let runner = folder + "/runner"
        try Self.runner.write(toFile: runner, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: runner)
        let script = FlowRun.root.appendingPathComponent("scripts/support/test-lanes").path
        return (try await ChildProcess("python3", [script, "--runner", runner, "--events", folder], environment: environment), folder)
    }

    @Test("run each suite that the runner has, and fail with the output and the name of the one that failed", arguments: [0, 7])
    func suites(status: Int32) async throws {
        let (process, folder) = try await Self.lanes(["NEW": "\(status)"])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(try await process.ended() == (status == 0 ? 0 : 1), "\(process.text)")
        let logs = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".log") }
        for job in ["unit", "BridgeTests.MonthTests", "SocketTests", "IntegrationTests.NewTests", "IntegrationTests.LaterTests"] {
            #expect(logs.contains(job + ".log") && process.lines.contains { $0.hasPrefix("==> \(job): ") }, "\(process.text)")
        }
        #expect(!process.text.contains("OtherBroker"))
        #expect(process.lines.contains("a test of NewTests") == (status != 0))
        #expect(process.lines.filter { $0.hasPrefix("==> failed: ") } == (status == 0 ? [] : ["==> failed: IntegrationTests.NewTests"]))
    }

    @Test("end with Ctrl-C and SIGTERM, and with them all that they run", arguments: [SIGINT, SIGTERM])
    func interruption(signal: Int32) async throws {
        // A number that no other program sleeps for.
        let seconds = "\(Int.random(in: 1_000_000...9_000_000))"
        let (process, folder) = try await Self.lanes(["UNIT": seconds])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func isRunning() throws -> Bool { try !ShortProgram.run(["sh", "-c", "pgrep -x -f \"sleep $0\" || true", seconds]).isEmpty }
        try await eventually("the stand-in runs") { try isRunning() }
        process.signal(signal)
        #expect(try await process.ended() != 0)
        #expect(try !isRunning())
    }
}
