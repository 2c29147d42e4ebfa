import Foundation
import TestSupport
import Testing

/// `scripts/install` with stand-ins for what it builds, and what goes with it.
@Suite("Installing")
struct InstallTests {
    private static let programs = ["cast2mqtt", "cast-simulator"]
    private static let script = FlowRun.root.appendingPathComponent("scripts/install").path

    @Test("puts both programs below DESTDIR and PREFIX, also in place of those that are there")
    func install() throws {
        let folder = NSTemporaryDirectory() + "install-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder + "/built", withIntermediateDirectories: true)
        let command = ["DESTDIR=\(folder)/package", "PREFIX=/opt/x", Self.script, "--binaries", folder + "/built"]
        try FileManager.default.copyItem(atPath: "/usr/bin/true", toPath: folder + "/built/cast2mqtt")
        #expect(throws: ShortProgram.Failure.self) { try ShortProgram.run(command) }
        try FileManager.default.copyItem(atPath: "/usr/bin/true", toPath: folder + "/built/cast-simulator")
        for _ in 1...2 { try ShortProgram.run(command) }
        let installed = try FileManager.default.contentsOfDirectory(atPath: folder + "/package/opt/x/bin").sorted()
        #expect(installed == Self.programs.sorted())
        for program in installed { try ShortProgram.run(["\(folder)/package/opt/x/bin/\(program)"]) }
        let relative = #expect(throws: ShortProgram.Failure.self) { try ShortProgram.run(["DESTDIR=package"] + command.dropFirst()) }
        #expect(relative?.description.contains("not an absolute path: package/opt/x/bin") == true)
    }

    @Test("the service starts what is installed without further words")
    func service() throws {
        let unit = try MonitoringTests.text("config/systemd/cast2mqtt.service")
        let prefix = try #require(try MonitoringTests.text("Makefile").firstMatch(of: /\nPREFIX \?= (\S+)\n/)?.1)
        #expect(unit.contains("\nExecStart=\(prefix)/bin/cast2mqtt run\n"))
    }

    @Test("the service's exposure, as systemd judges it, is below 2.5, and the judgement can fail")
    func exposure() throws {
        let judge = ["systemd-analyze", "security", "--offline=true", "--no-pager"]
        let unit = FlowRun.root.appendingPathComponent("config/systemd/cast2mqtt.service").path
        try ShortProgram.run(judge + ["--threshold=25", unit])
        #expect(throws: ShortProgram.Failure.self) { try ShortProgram.run(judge + ["--threshold=1", unit]) }
    }
}
