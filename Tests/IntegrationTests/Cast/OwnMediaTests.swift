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

        let page = try await self.answer(house, watcher, "bridge/request/media/browse", #"{"path":"films"}"#)
        let entries = (page["data"] as? [String: Any])?["entries"] as? [[String: Any]] ?? []
        #expect(entries.compactMap { $0["path"] as? String } == ["films/album", "films/night-ferry.mp4"], "\(page)")
        let search = try await self.answer(house, watcher, "bridge/request/media/search", #"{"query":"ferry"}"#)
        // The file, and the load of it.
        #expect(((search["data"] as? [String: Any])?["total"] as? Int) == 2, "\(search)")

        for (payload, code) in [
            (#"{"file":"films/none.mp4"}"#, "bad_payload"), (#"{"file":"../films"}"#, "bad_payload"), (#"{"file":"songs"}"#, "bad_payload"),
            (#"{"file":"films","url":"http://10.77.0.3/a.mp4"}"#, "bad_payload"),
        ] { #expect(try await self.answer(house, watcher, "\(slug)/cmd/load", payload)["code"] as? String == code, "\(payload)") }
        try await house.bridge?.stop()
    }

    /// Serves playlists, a station without an end and a name, subtitles, and a web page, at 10.77.0.3.
    private static let server = #"""
        import http.server, sys, time
        sound = open(sys.argv[1], "rb").read()
        answers = {
            "/radio.pls": ("audio/x-scpls", b"[playlist]\nFile1=http://10.77.0.3:8000/live\nTitle1=Harbour Radio\nNumberOfEntries=1\n"),
            "/album.m3u": ("audio/x-mpegurl", b"#EXTM3U\n#EXTINF:7,One\nsong\n#EXTINF:7,Two\nsong.mp3\n"),
            "/list.m3u8": ("application/octet-stream", b"http://10.77.0.3:8000/song.mp3\nhttp://10.77.0.3:8000/song.mp3?2\n"),
            "/lists.m3u": ("audio/x-mpegurl", b"http://10.77.0.3:8000/album.m3u\nhttp://10.77.0.3:8000/song.mp3\n"),
            "/nested.m3u": ("audio/x-mpegurl", b"http://10.77.0.3:8000/radio.pls\n"),
            "/song": ("application/octet-stream", sound), "/song.mp3": ("audio/mpeg", sound), "/page": ("text/html", b"<html></html>"),
            "/film.srt": ("text/plain", b"1\n00:00:01,000 --> 00:00:02,000\nGr\xfcn\n"),
        }
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                path = self.path.split("?")[0]
                if path != "/live" and path not in answers: return self.send_error(404)
                kind, body = answers.get(path, ("audio/mpeg", sound))
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Access-Control-Allow-Origin", "*")
                if path == "/live": self.send_header("icy-name", "Harbour Radio")
                else: self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                try:
                    self.wfile.write(body)
                    while path == "/live":
                        self.wfile.write(body)
                        time.sleep(0.5)
                except OSError: pass
            def log_message(self, *arguments): pass
        server = http.server.ThreadingHTTPServer(("10.77.0.3", 8000), Handler)
        print("ready", flush=True)
        server.serve_forever()
        """#

    @Test(
        "playlists, streams without a known type, and SubRip by address",
        .enabled("needs ffmpeg; in CI it must run") {
            (try? Programs.locate("ffmpeg")) != nil || ProcessInfo.processInfo.environment["CI"] != nil
        })
    func playlists() async throws {
        let house = try await Household.onThreeHosts(devices: 1)
        let songs = house.folder + "/songs"
        try FileManager.default.createDirectory(atPath: songs, withIntermediateDirectories: true)
        try await Self.make("song.mp3", ["-vn", "-c:a", "libmp3lame"], in: songs)
        try "#EXTM3U\n#EXTINF:7,Here\nsong.mp3\n../etc/passwd\nhttp://10.77.0.3:8000/song.mp3\nlist.m3u\n"
            .write(toFile: songs + "/list.m3u", atomically: true, encoding: .utf8)
        try "./song.mp3\nold%20songs/a%20%231.mp3\n.\\old songs\\a #1.mp3\n"
            .write(toFile: songs + "/plain.m3u", atomically: true, encoding: .utf8)
        try FileManager.default.createDirectory(atPath: songs + "/old songs", withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: songs + "/song.mp3", toPath: songs + "/old songs/a #1.mp3")
        let server = try await ChildProcess("python3", ["-c", Self.server, songs + "/song.mp3"], namespace: house.hosts.devices)
        try await server.line(containing: "ready")
        let environment = ["CAST2MQTT_MEDIA_LISTEN": "0.0.0.0:8097", "CAST2MQTT_MEDIA_FOLDERS": "songs=\(songs)"]
        let watcher = try await house.startEverything(devices: 1, environment: environment)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        let base = "http://10.77.0.3:8000"
        for (payload, ids, type, stream) in [
            ("\(base)/radio.pls", ["\(base)/live"], "audio/mpeg", "LIVE"), ("\(base)/live", ["\(base)/live"], "audio/mpeg", "LIVE"),
            ("\(base)/song", ["\(base)/song"], "audio/mpeg", "BUFFERED"),
            ("\(base)/album.m3u", ["\(base)/song", "\(base)/song.mp3"], "audio/mpeg", "BUFFERED"),
            ("\(base)/list.m3u8", ["\(base)/song.mp3", "\(base)/song.mp3?2"], "audio/mpeg", "BUFFERED"),
            (#"{"file":"songs/list.m3u"}"#, ["http://10.77.0.1:8097/m", "\(base)/song.mp3"], "audio/mpeg", "BUFFERED"),
            (#"{"file":"songs/plain.m3u"}"#, Array(repeating: "http://10.77.0.1:8097/m", count: 3), "audio/mpeg", "BUFFERED"),
            ("\(base)/lists.m3u", ["\(base)/song.mp3"], "audio/mpeg", "BUFFERED"),
        ] {
            let answer = try await self.answer(house, watcher, "\(slug)/cmd/load", payload)
            #expect(answer["code"] as? String == "done", "\(payload): \(answer)")
            let requests = try ["LOAD", "QUEUE_LOAD"].flatMap { try house.requests($0, to: "sim-001") }
            let request = requests.max { ($0["requestId"] as? Int ?? 0) < ($1["requestId"] as? Int ?? 0) } ?? [:]
            let queue = request["queueData"] as? [String: Any]
            let items = (request["items"] ?? queue?["items"]) as? [[String: Any]] ?? [request]
            let media = items.compactMap { $0["media"] as? [String: Any] }
            #expect(
                media.count == ids.count && zip(media, ids).allSatisfy { ($0["contentId"] as? String)?.hasPrefix($1) == true },
                "\(payload): \(media)")
            #expect(media.allSatisfy { $0["contentType"] as? String == type && $0["streamType"] as? String == stream }, "\(media)")
        }
        for name in ["page", "none", "nested.m3u"] {
            let answer = try await self.answer(house, watcher, "\(slug)/cmd/load", "\(base)/\(name)")
            #expect(answer["code"] as? String == "bad_payload", "\(name): \(answer)")
        }
        let film = #"{"url":"\#(base)/song.mp3","tracks":[{"id":1,"language":"de","url":"\#(base)/film.srt"}]}"#
        #expect(try await self.answer(house, watcher, "\(slug)/cmd/load", film)["code"] as? String == "done")
        let loaded = try house.requests("LOAD", to: "sim-001").last?["media"] as? [String: Any]
        let track = try #require((loaded?["tracks"] as? [[String: Any]])?.first)
        let address = try #require(track["trackContentId"] as? String)
        #expect(address.hasPrefix("http://10.77.0.1:8097/m/") && track["trackContentType"] as? String == "text/vtt")
        let text = try await ChildProcess("curl", ["-s", address], namespace: house.hosts.devices)
        #expect(try await text.ended() == 0 && text.lines.last == "Grün", "\(text.lines)")
        try await house.bridge?.stop()
    }

    private func answer(_ house: Household, _ watcher: MessageWatcher, _ topic: String, _ payload: String) async throws -> [String: Any] {
        let answers = "cast2mqtt/client/test/\(UUID().uuidString)"
        try await house.sender.publish(payload, to: "cast2mqtt/\(topic)", arguments: ["-D", "publish", "response-topic", answers])
        return try await watcher.message(on: answers).object
    }
}
