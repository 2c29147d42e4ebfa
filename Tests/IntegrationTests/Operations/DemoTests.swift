import Foundation
import TestSupport
import Testing

/// The first steps of a new user, exactly as in the README.
@Suite("The demo")
struct DemoTests {
    @Test("shows the simulated devices, obeys a pause and plays a bare URL")
    func demo() async throws {
        let host = try await NetworkNamespace("demo")
        let demo = try await ChildProcess("scripts/demo", namespace: host)
        let line = try await demo.line(containing: "mosquitto_sub")
        let port = try #require(line.split(separator: " ").compactMap { Int($0) }.first)
        let watcher = try await MessageWatcher(port: port, namespace: host)
        let playing = try await eventually("a device that plays") {
            watcher.current.first { $0.key.hasSuffix("/state") && $0.value.object["player"] as? String == "playing" }
        }
        let slug = try #require(playing.key.split(separator: "/").dropFirst().first)
        let media = try #require(playing.value.object["media"] as? [String: Any])
        #expect(media["title"] is String)

        // The page that it names is there.
        let page = try #require(demo.text.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+\//)).0
        let script = "import urllib.request; print(urllib.request.urlopen('\(page)').read().decode())"
        #expect(try await host.run("python3", "-c", script).contains("<html"))

        let sender = MessageSender(port: port, namespace: host)
        try await sender.publish("", to: "cast2mqtt/\(slug)/cmd/pause")
        try await watcher.current("cast2mqtt/\(slug)/state") { $0.object["player"] as? String == "paused" }
        try await sender.publish("http://127.0.0.1/film.mp4?duration=60", to: "cast2mqtt/\(slug)/cmd/load")
        try await watcher.current("cast2mqtt/\(slug)/state") { message in
            (message.object["media"] as? [String: Any])?["content_id"] as? String == "http://127.0.0.1/film.mp4?duration=60"
                && message.object["player"] as? String == "playing"
        }
        try await demo.stop()
    }
}
