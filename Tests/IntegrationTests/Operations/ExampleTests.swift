import Foundation
import TestSupport
import Testing

/// The library's examples, as a reader of its guide runs them.
@Suite("The examples of the library")
struct ExampleTests {
    @Test("plays a film on a device named by its address until the film ends")
    func plays() async throws {
        let host = try await NetworkNamespace("example")
        let simulator = try await ChildProcess(
            "cast-simulator", ["--devices", "1", "--groups", "0", "--interface", "lo", "--address-base", "127.0.1.1"], namespace: host)
        try await simulator.line(containing: "ready")
        let example = try await ChildProcess("cast-play", ["127.0.1.1", "http://127.0.0.1/film.mp4?duration=2"], namespace: host)
        #expect(try await example.ended() == 0, "\(example.text)")
        let text = example.text.lowercased()
        #expect(text.contains("playing") && text.contains("finished"), "\(example.text)")
        try await simulator.stop()
    }

    /// A person's presses arrive through a named pipe, and the screen is what the program prints.
    @Test("an app's screen goes on when its connection breaks and when its stream moves", .timeLimit(.minutes(3)))
    func app() async throws {
        let host = try await NetworkNamespace("example")
        let folder = NSTemporaryDirectory() + "app-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (socket, pipe) = (folder + "/control", folder + "/buttons")
        let simulator = try await ChildProcess(
            "cast-simulator",
            ["--devices", "2", "--groups", "0", "--interface", "lo", "--address-base", "127.0.1.1", "--control", socket], namespace: host)
        try await simulator.line(containing: "ready")
        let control = SimulatorControl(path: socket)
        let names = try await control.devices().compactMap { $0["device"] as? String }.sorted()
        #expect(mkfifo(pipe, 0o600) == 0)
        let app = try await ChildProcess(
            "sh", ["-c", #"exec "$0" 5A1D0001 127.0.1.1 127.0.1.2 < "$1""#, try Programs.locate("cast-app"), pipe], namespace: host)
        let buttons = try #require(FileHandle(forUpdatingAtPath: pipe))
        func press(_ line: String) throws { try buttons.write(contentsOf: Data("\(line)\n".utf8)) }

        try await app.line(containing: "channel: connected")
        try press("say hello")
        try await app.line(containing: #"channel: text("hello")"#)
        let songs = (1...3).map { "http://127.0.0.1/\($0).mp3?duration=1800&load_time=0" }
        try press("play \(songs.joined(separator: " "))")
        try await app.line(containing: "player: [pause] Song 1 An album")
        try press("next")
        try await app.line(containing: "Song 2 An album")
        let playing = try await app.line(containing: "[previous] [next]")
        #expect(playing.contains("of 30:00"))
        try press("volume 0.2")
        try await app.line(containing: "volume: 0.2")

        try await control.send(["device": names[0], "do": "reset"])
        try await app.line(containing: "connection: suspended")
        try await app.line(containing: "(disabled)")
        try await eventually("it is connected again") { app.lines.count { $0 == "connection: connected" } == 2 }
        try press("main")
        try await app.line(containing: "player: [play] Song 2 An album")
        try await eventually("it is paused") { try await control.state(names[0])["player"] as? String == "PAUSED" }
        try press("main")
        try await app.line(containing: "main: done")

        try await eventually("it plays") { try await control.state(names[0])["player"] as? String == "PLAYING" }
        // Another sender moves it: the other device begins where this one ends.
        let state = try await control.state(names[0])
        try await control.send([
            "device": names[1], "do": "play", "app": "5A1D0001", "url": state["content_id"] as? String ?? "",
            "position": state["position"] as? Double ?? 0, "duration": 1800,
        ])
        try await control.send(["device": names[0], "do": "quit"])
        try await eventually("it is connected to the other device") { app.lines.count { $0 == "connection: connected" } == 3 }
        #expect(app.lines.filter { $0.hasPrefix("device: ") }.count >= 2)
        try await eventually("the channel, too") { app.lines.count { $0 == "channel: connected" } == 3 }
        try press("say again")
        try await app.line(containing: #"channel: text("again")"#)
        try press("volume 0.3")
        try await eventually("the other device is louder") {
            (try await control.state(names[1])["volume"] as? Double).map { abs($0 - 0.3) < 0.001 } ?? false
        }
        try press("quit")
        #expect(try await app.ended() == 0, "\(app.text)")
        #expect(app.lines.contains("connection: ended"))
        try await simulator.stop()
    }

    @Test("prints its usage, and ends")
    func refuses() async throws {
        let example = try await ChildProcess("cast-play", ["one argument"])
        #expect(try await example.ended() == 1)
        #expect(example.text.contains("usage: cast-play [DEVICE URL]"))
    }
}
