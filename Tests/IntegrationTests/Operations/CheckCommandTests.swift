import Foundation
import TestSupport
import Testing

/// Why a load fails, over a network with a web server on the host of the devices: the program's command and the bridge's answers.
@Suite("The command check, and findings of failed loads")
struct CheckCommandTests {
    /// Serves the real files of a folder at 10.77.0.3, to every origin.
    private static let server = """
        import http.server, sys
        class Handler(http.server.SimpleHTTPRequestHandler):
            extensions_map = {".mp4": "video/mp4", ".mkv": "video/x-matroska", ".m3u8": "application/vnd.apple.mpegurl", ".ts": "video/mp2t",
                              ".mp3": "audio/mpeg", ".webm": "video/webm", ".avi": "video/x-msvideo", "": "application/octet-stream"}
            def end_headers(self):
                if "closed" not in self.path: self.send_header("Access-Control-Allow-Origin", "*")
                super().end_headers()
            def log_message(self, *arguments): pass
        server = http.server.ThreadingHTTPServer(("10.77.0.3", 8000), lambda *a: Handler(*a, directory=sys.argv[1]))
        print("ready", flush=True)
        server.serve_forever()
        """

    /// Files of ffmpeg, and the findings of each.
    private static let files: [(name: String, options: [String], codes: [String], facts: [String])] = [
        ("late.mp4", ["-c:v", "libx264", "-c:a", "aac"], [], ["mp4", "aac h264"]),
        ("early.mp4", ["-c:v", "libx264", "-c:a", "aac", "-movflags", "+faststart"], [], ["mp4", "aac h264"]),
        ("film.webm", ["-c:v", "libvpx", "-c:a", "libvorbis"], [], ["webm", "vorbis vp8"]),
        ("song.mp3", ["-vn", "-c:a", "libmp3lame"], [], ["mp3"]),
        ("stream.ts", ["-c:v", "libx264", "-c:a", "aac"], [], ["mpeg_ts", "aac h264"]),
        ("list.m3u8", ["-c:v", "libx264", "-c:a", "aac", "-f", "hls"], [], ["hls"]),
        ("closed.m3u8", ["-c:v", "libx264", "-c:a", "aac", "-f", "hls"], ["cors_missing", "cors_missing"], ["hls"]),
        ("film.mkv", ["-c:v", "libx264", "-c:a", "aac"], ["container_depends_on_device"], ["matroska", "aac h264"]),
        ("divx.mp4", ["-c:v", "mpeg4", "-c:a", "aac"], ["codec_not_supported"], ["mp4", "aac mpeg4"]),
        ("dolby.mp4", ["-vn", "-c:a", "ac3"], ["codec_depends_on_device"], ["mp4", "ac3"]),
        ("film.avi", ["-c:v", "mpeg4", "-c:a", "libmp3lame"], ["container_not_supported"], ["avi"]),
    ]

    @Test(
        "finds what is wrong with files of ffmpeg, and with an address that a device was asked to load",
        .enabled("needs ffmpeg; in CI it must run") {
            (try? Programs.locate("ffmpeg")) != nil || ProcessInfo.processInfo.environment["CI"] != nil
        })
    func roads() async throws {
        let house = try await Household.onThreeHosts(devices: 1)
        let directory = house.folder + "/files"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let source = ["-loglevel", "error", "-f", "lavfi", "-i", "testsrc=d=1:s=160x120:r=10", "-f", "lavfi", "-i", "sine=d=1"]
        for file in Self.files {
            let options = file.options + ["-pix_fmt", "yuv420p", "\(directory)/\(file.name)"]
            let run = try await ChildProcess("ffmpeg", source + options)
            #expect(try await run.ended() == 0, "\(run.lines)")
        }
        let server = try await ChildProcess("python3", ["-c", Self.server, directory], namespace: house.hosts.devices)
        try await server.line(containing: "ready")
        let watcher = try await house.startEverything(devices: 1)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])

        for file in Self.files {
            let (code, report) = try await self.check(house, ["http://10.77.0.3:8000/\(file.name)"])
            let findings = report["findings"] as? [[String: Any]] ?? []
            #expect(findings.compactMap { $0["code"] as? String } == file.codes, "\(file.name): \(report)")
            #expect(code == (findings.contains { $0["severity"] as? String == "error" } ? 1 : 0))
            let facts = try #require(report["media"] as? [String: Any])
            #expect(facts["container"] as? String == file.facts[0], "\(file.name)")
            if file.facts.count > 1 { #expect((facts["codecs"] as? [String])?.joined(separator: " ") == file.facts[1], "\(file.name)") }
        }
        let (code, named) = try await self.check(house, ["http://10.77.0.3:8000/late.mp4", "--device", slug, "--seconds", "60"])
        #expect(code == 0 && named["device"] as? String != nil, "\(named)")
        let unknown = try await self.run(house, ["http://10.77.0.3:8000/late.mp4", "--device", "nobody", "--seconds", "1"])
        #expect(unknown.code == 1 && unknown.lines.contains { $0.contains("No device called nobody") }, "\(unknown.lines)")
        let text = try await self.run(house, ["http://10.77.0.3:8000/missing.mp4?token=planted"])
        #expect(text.lines.contains { $0.hasPrefix("error: not_found: ") } && !text.lines.joined().contains("planted"), "\(text.lines)")
        #expect(try await self.run(house, ["film.mp4"]).code == 64)

        let failed = try await self.answer(house, watcher, slug, "cmd/load", "http://10.77.0.3:8000/missing.mp4")
        #expect(failed["code"] as? String == "load_failed")
        #expect(Self.codes(failed) == ["not_found"], "\(failed)")
        let queue = try await self.answer(house, watcher, slug, "cmd/queue_load", #"["http://127.0.0.1:8000/missing.mp3"]"#)
        #expect(Self.codes(queue) == ["loopback_address"], "\(queue)")
        let checked = try await self.answer(house, watcher, slug, "cmd/check", "http://10.77.0.3:8000/film.avi")
        #expect(checked["code"] as? String == "done")
        #expect(Self.codes(checked) == ["container_not_supported"], "\(checked)")
        let none = try await self.answer(house, watcher, slug, "cmd/check", "")
        #expect(none["code"] as? String == "no_session", "\(none)")
        try await house.bridge?.stop()
    }

    @Test("what the commands print of devices and files acts on no terminal", arguments: [true, false])
    func terminal(isJSON: Bool) async throws {
        let house = try await Household.onOneHost()
        let scenario = house.folder + "/names.yaml"
        let fleet = #"fleet: {devices: [{model: Chromecast Ultra, name: "Den\e[31m\x9B2J\u202E"}]}"#
        try fleet.write(toFile: scenario, atomically: true, encoding: .utf8)
        try await house.startDevices(1, arguments: ["--scenario", scenario])
        let configuration = house.folder + "/keys.yaml"
        try #"{"web\e[31m": 1, discovery: {interfaces: [lo]}}"#.write(toFile: configuration, atomically: true, encoding: .utf8)
        let json = isJSON ? ["--json"] : []
        for arguments in [
            ["check", "http://127.0.0.1:9/a\u{9B}.mp4", "--device", "den-31m-2j", "--seconds", "20"] + json,
            ["devices", "--seconds", "3"] + json,
            ["check-config", "--config", configuration],
        ] {
            let program = try await ChildProcess(
                "cast2mqtt", arguments, environment: ["CAST2MQTT_DISCOVERY_INTERFACES": "lo"], namespace: house.hosts.bridge)
            _ = try await program.ended()
            let output = program.lines.joined()
            #expect(output.contains(arguments[0] == "check-config" ? "web" : isJSON ? #"\u00"# : "Den"), "\(output)")
            let acting = output.unicodeScalars.filter { [0x1B, 0x9B, 0x202E].contains($0.value) }
            #expect(acting.isEmpty, "\(arguments): \(output)")
        }
    }

    private static func codes(_ answer: [String: Any]) -> [String]? {
        ((answer["data"] as? [String: Any])?["findings"] as? [[String: Any]])?.compactMap { $0["code"] as? String }
    }

    private func answer(
        _ house: Household, _ watcher: MessageWatcher, _ slug: String, _ topic: String, _ payload: String
    ) async throws -> [String: Any] {
        let answers = "cast2mqtt/client/test/\(topic)/\(payload.utf8.count)"
        try await house.sender.publish(
            payload, to: "cast2mqtt/\(slug)/\(topic)", arguments: ["-D", "publish", "response-topic", answers])
        return try await watcher.message(on: answers).object
    }

    private func run(_ house: Household, _ arguments: [String]) async throws -> (code: Int32, lines: [String]) {
        let program = try await ChildProcess(
            "cast2mqtt", ["check"] + arguments, environment: ["CAST2MQTT_DISCOVERY_INTERFACES": "lan0"], namespace: house.hosts.bridge)
        return (try await program.ended(), program.lines)
    }

    private func check(_ house: Household, _ arguments: [String]) async throws -> (Int32, [String: Any]) {
        let run = try await self.run(house, arguments + ["--json"])
        let line = try #require(run.lines.first { $0.hasPrefix("{") }, "\(run.lines)")
        return (run.code, try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]))
    }
}
