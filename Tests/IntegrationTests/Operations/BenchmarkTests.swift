import Foundation
import TestSupport
import Testing

/// The scripts that measure, as far as they need neither a release build nor valgrind.
@Suite("The benchmark")
struct BenchmarkTests {
    @Test("computes costs, stages and bars as in its own tests")
    func arithmetic() async throws {
        let tests = try await ChildProcess("python3", ["-B", "-m", "unittest", "discover", "--start-directory", "Tests/Benchmarks"])
        #expect(try await tests.ended(within: .seconds(60)) == 0, "\(tests.text)")
        #expect(tests.text.contains("OK"))
    }

    @Test(
        "refuses arguments that it has not",
        arguments: [
            ("bench", ["--sideways"]), ("bench", ["--only", "weather"]), ("bench", ["--devices"]), ("bench", ["--peer"]),
            ("bench", ["--peer", "/nowhere"]), ("cost", ["--sideways"]), ("cost", ["--binaries"]),
        ])
    func arguments(script: String, arguments: [String]) async throws {
        let process = try await ChildProcess("scripts/\(script)", arguments)
        #expect(try await process.ended(within: .seconds(60)) == 64)
        #expect(process.text.contains(script))
    }
}
