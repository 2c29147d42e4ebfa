import Foundation
import TestSupport
import Testing

/// Announcements by the devices' own state; the cells are in `Tests/Announcements`, and `make test-announce` runs all of them.
@Suite("Announcements")
struct AnnouncementTests {
    @Test(
        "give back what another sender or the bridge played, on devices and groups, after a kill, a stop and a reboot; a person wins; twenty at once take turns",
        .enabled("needs python3 with venv and pip, and PyPI; in CI it must run") { try await PythonEnvironment.isUsableOrRequired() },
        .timeLimit(.minutes(10)))
    func table() async throws {
        let host = try await NetworkNamespace("announce")
        let table = PythonEnvironment.root.appendingPathComponent("Tests/Announcements/table.py").path
        let binaries = URL(filePath: try Programs.locate("cast2mqtt")).deletingLastPathComponent().path
        let process = try await ChildProcess(
            try await PythonEnvironment.prepare(), [table, "--binaries", binaries], environment: ["PYTHONDONTWRITEBYTECODE": "1"],
            namespace: host)
        #expect(try await process.ended(within: .seconds(500)) == 0, "\(process.text)")
    }
}
