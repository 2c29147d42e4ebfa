import TestSupport
import Testing

/// The library's example, as a reader of its guide runs it.
@Suite("The example of the library")
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

    @Test("prints its usage, and ends")
    func refuses() async throws {
        let example = try await ChildProcess("cast-play", ["one argument"])
        #expect(try await example.ended() == 1)
        #expect(example.text.contains("usage: cast-play [DEVICE URL]"))
    }
}
