import Foundation
import TestSupport
import Testing

/// Files of the bridge's machine on devices of another host, which fetch them over the network.
@Suite("Media of one's own")
struct OwnMediaTests {
    private static func make(_ name: String, _ options: [String], in folder: String) async throws {
        let source = ["-loglevel", "error", "-f", "lavfi", "-i", "testsrc=d=7:s=160x120:r=10", "-f", "lavfi", "-i", "sine=d=7"]
        let run = try await ChildProcess("ffmpeg", source + options + ["\(folder)/\(name)"])
        #expect(try await run.ended() == 0, "\(run.lines)")
    }

    @Test(
        "a film with subtitles and a cover, a folder as a queue, and what is refused",
        .enabled("needs ffmpeg; in CI it must run") {
            (try? Programs.locate("ffmpeg")) != nil || ProcessInfo.processInfo.environment["CI"] != nil
        })
    func files() async throws {
        let house = try await Household.onThreeHosts(devices: 1)
        let films = house.folder + "/films"
        try FileManager.default.createDirectory(atPath: films + "/album", withIntermediateDirectories: true)
        try await Self.make(
            "night-ferry.mp4", ["-c:v", "libx264", "-c:a", "aac", "-pix_fmt", "yuv420p", "-metadata", "title=Night Ferry"], in: films)
        for number in [1, 2, 10] {
            try await Self.make("\(number).mp3", ["-vn", "-c:a", "libmp3lame", "-metadata", "artist=Example Trio"], in: films + "/album")
        }
        try Data([0xFF, 0xD8, 0xFF, 0xE0]).write(to: URL(fileURLWithPath: films + "/album/cover.jpg"))
        try Data([UInt8]("1\n00:00:01,000 --> 00:00:02,000\nGr".utf8) + [0xFC] + [UInt8]("n\n".utf8))
            .write(to: URL(fileURLWithPath: films + "/night-ferry.de.srt"))
        try await house.broker.start()
        let watcher = try await house.watch()
        try await house.startDevices(1, arguments: ["--fetch-media"])
        try await house.startBridge(["CAST2MQTT_MEDIA_LISTEN": "0.0.0.0:8097", "CAST2MQTT_MEDIA_FOLDERS": "films=\(films)"])
        try await house.allOnline(watcher)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])

        let film = try await self.answer(house, watcher, "\(slug)/cmd/load", #"{"file":"films/night-ferry.mp4","active_tracks":[1]}"#)
        #expect(film["code"] as? String == "done", "\(film)")
        try await eventually("the film plays") { try await house.control.state("sim-001")["player"] as? String == "PLAYING" }
        let state = try await house.control.state("sim-001")
        let address = try #require(state["content_id"] as? String)
        #expect(address.hasPrefix("http://10.77.0.1:8097/m/") && address.hasSuffix("/night-ferry.mp4"))
        #expect(state["title"] as? String == "Night Ferry" && abs((state["duration"] as? Double ?? 0) - 7) < 0.3, "\(state)")
        #expect(state["active_tracks"] as? [Int] == [1])
        let load = try #require(try house.requests("LOAD", to: "sim-001").last?["media"] as? [String: Any])
        let track = try #require((load["tracks"] as? [[String: Any]])?.first)
        #expect(track["language"] as? String == "de" && track["trackContentType"] as? String == "text/vtt")
        let trackAddress = try #require(track["trackContentId"] as? String)
        let text = try await ChildProcess("curl", ["-s", trackAddress], namespace: house.hosts.devices)
        #expect(try await text.ended() == 0)
        #expect(text.lines.prefix(4) == ["WEBVTT", "1", "00:00:01.000 --> 00:00:02.000", "Grün"], "\(text.lines)")

        let album = try await self.answer(house, watcher, "\(slug)/cmd/load", #"{"file":"films/album"}"#)
        #expect(album["code"] as? String == "done", "\(album)")
        try await eventually("the album plays") {
            let state = try await house.control.state("sim-001")
            return state["queue_length"] as? Int == 3 && state["player"] as? String == "PLAYING"
        }
        let items = try await house.control.state("sim-001")["items"] as? [[String: Any]] ?? []
        #expect(items.compactMap { ($0["content_id"] as? String)?.split(separator: "/").last } == ["1.mp3", "2.mp3", "10.mp3"], "\(items)")

        for (payload, code) in [
            (#"{"file":"films/none.mp4"}"#, "bad_payload"), (#"{"file":"../films"}"#, "bad_payload"), (#"{"file":"songs"}"#, "bad_payload"),
            (#"{"file":"films","url":"http://10.77.0.3/a.mp4"}"#, "bad_payload"),
        ] { #expect(try await self.answer(house, watcher, "\(slug)/cmd/load", payload)["code"] as? String == code, "\(payload)") }
        try await house.bridge?.stop()
    }

    private func answer(_ house: Household, _ watcher: MessageWatcher, _ topic: String, _ payload: String) async throws -> [String: Any] {
        let answers = "cast2mqtt/client/test/\(UUID().uuidString)"
        try await house.sender.publish(payload, to: "cast2mqtt/\(topic)", arguments: ["-D", "publish", "response-topic", answers])
        return try await watcher.message(on: answers).object
    }
}
