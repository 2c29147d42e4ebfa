import Foundation
import TestSupport
import Testing

@testable import CastReceiverSimulator

/// Programs that were not written for this project find and control the simulated devices.
@Suite(.serialized, .timeLimit(.minutes(10))) struct InteropTests {
    private static func python(_ house: InteropHouse, _ script: String, _ more: [String] = []) async throws -> (
        status: Int32, output: String
    ) {
        let list = try await house.control(#"{"do":"list"}"#)
        let path = PythonEnvironment.scripts.appendingPathComponent(script).path
        return try await house.run(try await PythonEnvironment.prepare(), [path, list.description] + more)
    }

    @Test(
        "Python programs from PyPI find, play, pause, seek, queue, show text, set volumes, read groups, and reconnect after a reset",
        .enabled("needs python3 with venv and pip, and PyPI; in CI it must run") { try await PythonEnvironment.isUsableOrRequired() },
        arguments: ["zeroconf_smoke.py", "pychromecast_smoke.py", "pychromecast_features.py"])
    func python(script: String) async throws {
        let house = try await InteropHouse(
            devices: 5, groups: 1, fetches: script.hasSuffix("features.py"), ["--seed", String(UInt32.random(in: 0...UInt32.max))])
        let result = try await Self.python(house, script, script.hasSuffix("features.py") ? [house.controlPath] : [])
        let ends = ["connect", "error", "disconnect"].flatMap(house.journal)
        #expect(result.status == 0, "\(result.output)\n\(ends.map(\.description).joined(separator: "\n"))")
        #expect(result.output.contains("OK: 6 devices"))
        try await house.close()
    }

    /// Seconds that pychromecast waits for anything: enough for a sound device, as the first case shows.
    private static let patience = "5"

    @Test(
        "pychromecast notices each broken behaviour in the time in which a sound device does everything",
        .enabled("needs python3 with venv and pip, and PyPI; in CI it must run") { try await PythonEnvironment.isUsableOrRequired() },
        arguments: [
            (nil, "OK: 1 devices"), (.wrongRequestID, "FAILED: it plays ("), (.noBroadcast, "FAILED: it plays ("),
            (.wrongSessionID, "FAILED: it is paused ("), (.badFrameLength, "FAILED: pychromecast: RequestTimeout("),
            (.launchUnanswered, "FAILED: it plays ("),
        ] as [(Sabotage?, String)])
    func sabotage(sabotage: Sabotage?, notice: String) async throws {
        let house = try await InteropHouse(sabotage.map { ["--sabotage", $0.rawValue] } ?? [])
        let result = try await Self.python(house, "pychromecast_features.py", [house.controlPath, Self.patience])
        #expect(result.status == (sabotage == nil ? 0 : 1))
        #expect(result.output.split(separator: "\n").last?.hasPrefix(notice) == true, "\(result.output)")
        try await house.close()
    }

    @Test(
        "catt casts a local file that it serves itself; it seeks, sets the volume, prints the status and stops",
        .enabled("needs python3 with venv and pip, and PyPI; in CI it must run") { try await PythonEnvironment.isUsableOrRequired() })
    func catt() async throws {
        let house = try await InteropHouse()
        let film = try await house.makeFilm(seconds: 60)
        let address = try #require(try await house.state()["address"]?.text)
        let program = try await PythonEnvironment.program("catt")
        func catt(_ words: String...) async throws -> String {
            let result = try await house.run(program, ["-d", address] + words)
            #expect(result.status == 0, "catt \(words): \(result.output)")
            return result.output
        }
        let casting = try await house.start(program, ["-d", address, "cast", film])
        try await Self.plays(house, from: casting)
        #expect(try await house.state()["title"] == "film")
        let found = try #require(house.journal("fetch").first?["finding"]?["seconds"]?.double)
        #expect((59.5...60.5).contains(found), "read from the file that catt serves")
        _ = try await catt("seek", "30")
        try await eventually("it plays from there") { (try await house.state()["position"]?.double ?? 0) >= 30 }
        _ = try await catt("volume", "40")
        try await eventually("the volume is set") { abs((try await house.state()["volume"]?.double ?? 0) - 0.4) < 0.005 }
        let status = try await catt("status")
        #expect(status.contains("film") && status.contains("PLAYING") && status.contains("40"), "\(status)")
        _ = try await catt("stop")
        try await eventually("the application has ended") { try await house.state()["app_id"]?.text != "CC1AD845" }
        #expect(try await casting.ended() == 0)
        try await house.close()
    }

    @Test(
        "catt notices a launch whose answer never arrives or is for another request",
        .enabled("needs python3 with venv and pip, and PyPI; in CI it must run") { try await PythonEnvironment.isUsableOrRequired() },
        arguments: [Sabotage.wrongRequestID, .launchUnanswered])
    func cattSabotage(sabotage: Sabotage) async throws {
        let house = try await InteropHouse(["--sabotage", sabotage.rawValue])
        let film = try await house.makeFilm(seconds: 2)
        let address = try #require(try await house.state()["address"]?.text)
        let result = try await house.run(try await PythonEnvironment.program("catt"), ["-d", address, "cast", film])
        #expect(result.status == 1)
        #expect(result.output.contains("timed out"), "\(result.output)")
        try await house.close()
    }

    @Test(
        "VLC streams a film, transcoding nothing, and the device plays it to its end",
        .enabled("needs vlc-bin, vlc-plugin-base and ffmpeg; in CI it must run") {
            Self.hasVLC || ProcessInfo.processInfo.environment["CI"] != nil
        })
    func vlc() async throws {
        let house = try await InteropHouse()
        let film = try await house.makeFilm(seconds: 8)
        let address = try #require(try await house.state()["address"]?.text)
        let vlc = try await house.startAsUser(
            "cvlc",
            [
                "--no-dbus", "--no-color", film, "--sout", "#chromecast{ip=\(address)}", "--demux-filter=demux_chromecast", "vlc://quit",
            ])
        try await Self.plays(house, from: vlc)
        #expect(try await house.state()["title"] == "film.mp4")
        #expect(try await vlc.ended() == 0, "\(vlc.text)")
        let finding = try #require(house.journal("fetch").last?["finding"])
        #expect(finding["playable"] == true && finding["stream"] == true)
        let end = try #require(house.journal("stream_end").last?["seconds"]?.double)
        #expect((6...8.5).contains(end), "the time stamps of the stream go to the end of the film")
        #expect(try await house.state()["idle_reason"] == "FINISHED")
        let challenge = house.journal("message").first { $0["namespace"]?.text == "urn:x-cast:com.google.cast.tp.deviceauth" }
        #expect(challenge != nil, "VLC asks for authentication first and leaves on an error")
        try await house.close()
    }

    @Test(
        "VLC notices a device that answers its challenge with an error, and asks it for nothing",
        .enabled("needs vlc-bin, vlc-plugin-base and ffmpeg; in CI it must run") {
            Self.hasVLC || ProcessInfo.processInfo.environment["CI"] != nil
        })
    func vlcAuthentication() async throws {
        let house = try await InteropHouse(["--authentication", "error"])
        let film = try await house.makeFilm(seconds: 2)
        let address = try #require(try await house.state()["address"]?.text)
        let vlc = try await house.startAsUser(
            "cvlc", ["-v", "--no-dbus", "--no-color", film, "--sout", "#chromecast{ip=\(address)}", "--demux-filter=demux_chromecast"])
        try await vlc.line(containing: "Authentication error")
        let messages = house.journal("message").map { $0["payload"]?["type"]?.text }
        #expect(!messages.contains("LAUNCH"), "\(messages)")
        try await vlc.stop()
        try await house.close()
    }

    @Test(
        "VLC notices invalid frames, and plays nothing on such a device",
        .enabled("needs vlc-bin, vlc-plugin-base and ffmpeg; in CI it must run") {
            Self.hasVLC || ProcessInfo.processInfo.environment["CI"] != nil
        },
        arguments: [
            (.badFrameLength, "Payload size is too long"), (.oversizeFrame, "Payload size is too long"),
            (.garbageFrame, "Unknown namespace"),
        ] as [(Sabotage, String)])
    func vlcSabotage(sabotage: Sabotage, notice: String) async throws {
        let house = try await InteropHouse(["--sabotage", sabotage.rawValue])
        let film = try await house.makeFilm(seconds: 2)
        let address = try #require(try await house.state()["address"]?.text)
        let vlc = try await house.startAsUser(
            "cvlc", ["-v", "--no-dbus", "--no-color", film, "--sout", "#chromecast{ip=\(address)}", "--demux-filter=demux_chromecast"])
        try await vlc.line(containing: notice)
        let messages = house.journal("message").map { $0["payload"]?["type"]?.text }
        #expect(!messages.contains("LOAD"), "\(messages)")
        try await vlc.stop()
        try await house.close()
    }

    /// Waits until the device plays what a program casts; one that has ended casts nothing more.
    private static func plays(_ house: InteropHouse, from program: ChildProcess) async throws {
        do {
            try await eventually("the film plays") {
                if let code = program.exitCode { throw ConditionNotMet(description: "\(program.name) ended with \(code)") }
                return try await house.state()["player"] == "PLAYING"
            }
        } catch {
            throw ConditionNotMet(description: "\(error)\n--- output of \(program.name):\n\(program.text.suffix(4_000))")
        }
    }

    private static var hasVLC: Bool { (try? Programs.locate("cvlc")) != nil && (try? Programs.locate("ffmpeg")) != nil }
}
