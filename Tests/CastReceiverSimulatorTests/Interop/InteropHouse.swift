import Foundation
import TestSupport

@testable import CastReceiverSimulator

/// A host of its own, with simulated devices on its loopback interface and nothing else that casts or is cast to.
final class InteropHouse: Sendable {
    let host: NetworkNamespace
    let directory: URL
    private let simulator: ChildProcess

    var controlPath: String { self.file("control") }

    init(devices: Int = 1, groups: Int = 0, fetches: Bool = true, _ arguments: [String] = []) async throws {
        self.host = try await NetworkNamespace("interop")
        self.directory = FileManager.default.temporaryDirectory.appendingPathComponent("interop-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: self.directory, withIntermediateDirectories: true)
        let path = self.directory.path
        self.simulator = try await ChildProcess(
            "cast-simulator",
            [
                "--devices", "\(devices)", "--groups", "\(groups)", "--control", path + "/control", "--journal",
                path + "/journal",
            ] + (fetches ? ["--fetch-media"] : []) + arguments, namespace: self.host)
        try await self.simulator.line(containing: "ready")
    }

    deinit { try? FileManager.default.removeItem(at: self.directory) }

    /// Ends the simulator; anything but its proper end is an error.
    func close() async throws {
        try await self.simulator.stop()
        guard self.simulator.exitCode == 0 else {
            throw ConditionNotMet(description: "cast-simulator ended with \(self.simulator.exitCode ?? 0): \(self.simulator.text)")
        }
    }

    func file(_ name: String) -> String { self.directory.appendingPathComponent(name).path }

    func control(_ line: String) async throws -> JSON { try await SimulatorProcess.control(self.controlPath, [line])[0] }

    func state(_ device: String = "sim-001") async throws -> JSON {
        try await self.control(#"{"device":"\#(device)","do":"state"}"#)["state"] ?? .null
    }

    /// The journal's entries of one kind.
    func journal(_ event: String) -> [JSON] { TemporaryDirectory.lines(self.file("journal")).filter { $0["event"]?.text == event } }

    /// Starts a program on this host.
    func start(_ program: String, _ arguments: [String]) async throws -> ChildProcess {
        try await ChildProcess(
            program, arguments, environment: ["HOME": self.directory.path, "PYTHONDONTWRITEBYTECODE": "1"], namespace: self.host)
    }

    /// Runs a program on this host to its end.
    func run(_ program: String, _ arguments: [String], within limit: Duration = .seconds(120)) async throws -> (
        status: Int32, output: String
    ) {
        let process = try await self.start(program, arguments)
        return (try await process.ended(within: limit), process.text)
    }

    /// Starts a program that refuses to run as root, as an ordinary user.
    func startAsUser(_ program: String, _ arguments: [String]) async throws -> ChildProcess {
        let path = try Programs.locate(program)
        // In a user namespace of ours we are root as well, and no other user exists there but one that we make.
        let words =
            geteuid() == 0
            ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--pdeathsig", "KILL", path]
            : ["unshare", "--user", "--map-user", "65534", "--map-group", "65534", path]
        return try await self.start(words[0], Array(words.dropFirst()) + arguments)
    }

    /// Makes a film with sound of that many seconds.
    func makeFilm(seconds: Int) async throws -> String {
        let path = self.file("film.mp4")
        try await Self.ffmpeg(
            [
                "-f", "lavfi", "-i", "testsrc=size=160x90:rate=10", "-f", "lavfi", "-i", "sine=frequency=440", "-t", "\(seconds)", "-c:v",
                "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac", path,
            ])
        return path
    }

    static func ffmpeg(_ arguments: [String]) async throws {
        let process = try await ChildProcess("ffmpeg", ["-loglevel", "error", "-nostdin", "-y"] + arguments)
        guard try await process.ended() == 0 else { throw ConditionNotMet(description: "ffmpeg failed: \(process.text)") }
    }
}
