import Foundation
import Testing

@testable import CastReceiverSimulator

@Suite struct MediaInspectorTests {
    /// A web server on paper: answers by path.
    struct Server {
        var files: [String: HTTPReply] = [:]
        var asked: [String] = []

        mutating func find(_ media: JSON) -> FetchFinding {
            var inspector = MediaInspector(media: media)
            var step = inspector.start()
            while true {
                switch step {
                case .done(let finding): return finding
                case .get(let url, let offset, let limit):
                    self.asked.append(url.path + (offset > 0 ? "@\(offset)" : ""))
                    guard var reply = self.files[url.path] else {
                        step = inspector.answered(HTTPReply(status: 404, headers: [:], body: []))
                        continue
                    }
                    if reply.headers["content-length"] != nil, reply.status == 200, reply.headers["accept-ranges"] != nil {
                        reply.headers["content-range"] = "bytes \(offset)-\(reply.body.count - 1)/\(reply.body.count)"
                        (reply.status, reply.body) = (206, Array(reply.body.dropFirst(offset)))
                    }
                    reply.body = Array(reply.body.prefix(limit))
                    step = inspector.answered(reply)
                }
            }
        }
    }

    static func file(_ body: [UInt8], _ type: String, cors: Bool = false, ranges: Bool = true, length: Bool = true) -> HTTPReply {
        var headers = ["content-type": type]
        if length { headers["content-length"] = String(body.count) }
        if ranges { headers["accept-ranges"] = "bytes" }
        if cors { headers["access-control-allow-origin"] = "*" }
        return HTTPReply(status: 200, headers: headers, body: body)
    }

    static func text(_ text: String, _ type: String, cors: Bool = true) -> HTTPReply { self.file(Array(text.utf8), type, cors: cors) }

    static let playlist = "#EXTM3U\n#EXTINF:6,\na.ts\n#EXTINF:6,\nb.ts\n#EXT-X-ENDLIST\n"
    static let files: [String: HTTPReply] = [
        "/film.mp4": file(TestFile.mp4(seconds: 30, gap: 200_000), "video/mp4"),
        "/rangeless.mp4": file(TestFile.mp4(seconds: 30, gap: 200_000), "video/mp4", ranges: false),
        "/song.mp3": file(TestFile.mp3(), "audio/mpeg; charset=x"), "/page": text("<html>", "text/html"),
        "/radio": file([1, 2, 3], "audio/aac", length: false),
        "/master.m3u8": text("#EXTM3U\n#EXT-X-STREAM-INF:A=1\nlow/list.m3u8\n", "application/x-mpegurl"),
        "/low/list.m3u8": text(playlist, "application/x-mpegurl"), "/closed.m3u8": text(playlist, "application/x-mpegurl", cors: false),
        "/lost.m3u8": text("#EXTM3U\n#EXT-X-STREAM-INF:A=1\nnowhere.m3u8\n", "application/x-mpegurl"),
        "/show.mpd": text(#"<MPD mediaPresentationDuration="PT8S"><Period/></MPD>"#, "application/dash+xml"),
        "/closed.mpd": text(#"<MPD mediaPresentationDuration="PT8S"><Period/></MPD>"#, "application/dash+xml", cors: false),
        "/moved": HTTPReply(status: 302, headers: ["location": "/film.mp4"], body: []),
        "/loop": HTTPReply(status: 302, headers: ["location": "/loop"], body: []), "/en.vtt": text("WEBVTT", "text/vtt"),
        "/closed.vtt": text("WEBVTT", "text/vtt", cors: false),
    ]

    @Test(
        "a receiver finds the kind and the length behind a URL",
        arguments: [
            ("http://h/film.mp4", "video/mp4", .playable(seconds: 30, isStream: false), 2),
            ("http://h/rangeless.mp4", "video/mp4", .playable(seconds: nil, isStream: false), 2),
            ("http://h/song.mp3", "audio/mpeg", .playable(seconds: 1, isStream: false), 1),
            ("http://h/radio", "audio/aac", .playable(seconds: nil, isStream: true), 1),
            ("http://h/moved", "video/mp4", .playable(seconds: 30, isStream: false), 3),
            ("http://h/master.m3u8", "application/x-mpegURL", .playable(seconds: 12, isStream: false), 2),
            ("http://h/show.mpd", "application/dash+xml", .playable(seconds: 8, isStream: false), 1),
            ("http://h/nothing.mp4", "video/mp4", .failed(code: 104, detail: "status 404"), 1),
            ("http://h/page", "video/mp4", .failed(code: 104, detail: "content type text/html"), 1),
            ("http://h/nothing.m3u8", "application/x-mpegurl", .failed(code: 311_404, detail: "status 404"), 1),
            ("http://h/lost.m3u8", "application/x-mpegurl", .failed(code: 312_404, detail: "status 404"), 2),
            ("http://h/closed.m3u8", "application/x-mpegurl", .failed(code: 311, detail: "no Access-Control-Allow-Origin"), 1),
            ("http://h/closed.mpd", "application/dash+xml", .failed(code: 321, detail: "no Access-Control-Allow-Origin"), 1),
            ("http://h/master.m3u8", "application/dash+xml", .failed(code: 420, detail: "no manifest"), 1),
            ("http://h/loop", "video/mp4", .failed(code: 104, detail: "too many redirects"), 6),
            ("ftp://h/film.mp4", "video/mp4", .failed(code: 104, detail: "no http or https URL"), 0),
            ("an app's own id", "video/mp4", .failed(code: 104, detail: "no http or https URL"), 0),
        ] as [(String, String, FetchFinding, Int)])
    func findings(url: String, type: String, expected: FetchFinding, requests: Int) {
        var server = Server(files: Self.files)
        var found = server.find(["contentId": "ignored", "contentUrl": .string(url), "contentType": .string(type)])
        if case .failed(_, "too many redirects") = found { found = .failed(code: 104, detail: "too many redirects") }
        #expect(found == expected)
        #expect(server.asked.count == requests, "\(server.asked)")
    }

    @Test(
        "text tracks have to be there and allowed for other pages",
        arguments: [("/en.vtt", nil), ("/closed.vtt", 600), ("/nothing.vtt", 600)] as [(String, Int?)])
    func tracks(path: String, code: Int?) {
        var server = Server(files: Self.files)
        let finding = server.find([
            "contentId": "http://h/song.mp3", "contentType": "audio/mpeg",
            "tracks": [
                ["trackId": 1, "type": "AUDIO", "trackContentId": "http://h/unasked"],
                ["trackId": 2, "type": "TEXT", "trackContentId": .string("http://h" + path)],
            ],
        ])
        if let code {
            guard case .failed(code, _) = finding else { return #expect(Bool(false), "\(finding)") }
        } else {
            #expect(finding == .playable(seconds: 1, isStream: false))
        }
        #expect(server.asked == ["/song.mp3", path])
    }

    @Test("media and each of their tracks may be redirected as often as a receiver follows at all")
    func redirectedTracks() {
        var server = Server(files: Self.files)
        for (name, target) in [("media", "/song.mp3"), ("track", "/en.vtt")] {
            for step in 1...5 {
                let next = step == 1 ? target : "/\(name)\(step - 1)"
                server.files["/\(name)\(step)"] = HTTPReply(status: 302, headers: ["location": next], body: [])
            }
        }
        let track: JSON = ["type": "TEXT", "trackContentId": "http://h/track5"]
        let finding = server.find(
            ["contentId": "http://h/media5", "contentType": "audio/mpeg", "tracks": .array(Array(repeating: track, count: 8))])
        #expect(finding == .playable(seconds: 1, isStream: false))
        #expect(server.asked.count == 9 * 6)
    }

    @Test(
        "redirects, playlists and tracks lead to web servers only",
        arguments: [
            ("/away", "video/mp4", nil, 103), ("/away.m3u8", "application/x-mpegurl", nil, 312),
            ("/song.mp3", "audio/mpeg", "gopher://h/t", 600),
            ("/song.mp3", "audio/mpeg", "t.vtt", 600),
        ] as [(String, String, String?, Int)])
    func schemes(path: String, type: String, track: String?, code: Int) {
        var server = Server(files: Self.files)
        server.files["/away"] = HTTPReply(status: 302, headers: ["location": "ftp://h/film.mp4"], body: [])
        server.files["/away.m3u8"] = Self.text("#EXTM3U\n#EXT-X-STREAM-INF:A=1\nfile:///low/list.m3u8\n", type)
        let tracks = track.map { JSON.array([["type": "TEXT", "trackContentId": .string($0)]]) }
        let finding = server.find(
            .members(["contentId": .string("http://h" + path), "contentType": .string(type), "tracks": tracks]))
        #expect(finding == .failed(code: code, detail: "no http or https URL"))
        #expect(server.asked == [path])
    }

    // MARK: In the player

    static func probe() -> Probe {
        var settings = ReceiverSettings()
        settings.fetchesMedia = true
        var probe = Probe(settings: settings)
        probe.launch()
        return probe
    }

    @Test("a load waits for what is found: the length of the content goes above the stated one")
    func found() throws {
        var probe = Self.probe()
        #expect(probe.askMedia(Probe.load("http://h/missing.mp4?duration=100"), within: .seconds(5)).isEmpty)
        #expect(probe.state["player"] == "LOADING")
        guard case .fetch(let fetch)? = probe.others.last else { return #expect(Bool(false), "nothing is asked for") }
        #expect(fetch.media["contentId"] == "http://h/missing.mp4?duration=100")
        probe.sent = []
        probe.take(probe.model.fetched(fetch.id + 1, .failed(code: 1, detail: ""), at: probe.now))
        probe.take(probe.model.fetched(fetch.id, .playable(seconds: 30, isStream: false), at: probe.now))
        #expect(probe.sent.first { !$0.isBroadcast }?.status?["media"]?["duration"] == 30)
        probe.pass(.seconds(1))
        #expect(probe.state["player"] == "PLAYING")
        probe.pass(.seconds(31))
        #expect(probe.state["idle_reason"] == "FINISHED")
        #expect(probe.others.last == .stopFetching)
    }

    @Test("every item of a queue is asked for when its turn comes, preloaded or not", arguments: [0, 4])
    func queue(preloadTime: Int) {
        var probe = Self.probe()
        var second = QueueTests.item("b")
        second["preloadTime"] = .integer(preloadTime)
        _ = probe.askMedia(["type": "QUEUE_LOAD", "items": [QueueTests.item("a"), second]])
        for expected in ["a", "b"] {
            guard case .fetch(let fetch)? = probe.others.last else { return #expect(Bool(false), "\(expected) is not asked for") }
            #expect(fetch.media["metadata"]?["title"]?.text == expected)
            probe.take(probe.model.fetched(fetch.id, .playable(seconds: 20, isStream: false), at: probe.now))
            #expect(probe.state["duration"]?.int == 20)
            probe.pass(.seconds(21))
        }
        #expect(probe.state["idle_reason"] == "FINISHED")
    }

    @Test("media that cannot be played fails with its code")
    func notFound() {
        var probe = Self.probe()
        _ = probe.askMedia(Probe.load("http://h/x.m3u8"))
        guard case .fetch(let fetch)? = probe.others.last else { return #expect(Bool(false), "nothing is asked for") }
        probe.sent = []
        probe.take(probe.model.fetched(fetch.id, .failed(code: 311_404, detail: "status 404"), at: probe.now))
        #expect(probe.sent.first { !$0.isBroadcast }?.json["detailedErrorCode"] == 311_404)
        #expect(probe.broadcasts("MEDIA_STATUS").last?.status?["idleReason"] == "ERROR")
    }

    @Test("a stream without a stated length plays until it has ended and its time stamps are reached", arguments: ["LIVE", "BUFFERED"])
    func stream(type: String) {
        var probe = Self.probe()
        _ = probe.askMedia(Probe.load("http://h/stream", streamType: type))
        guard case .fetch(let fetch)? = probe.others.last else { return #expect(Bool(false), "nothing is asked for") }
        probe.take(probe.model.fetched(fetch.id, .playable(seconds: nil, isStream: true), at: probe.now))
        probe.pass(.seconds(1_000))
        #expect(probe.state["player"] == "PLAYING")
        probe.take(probe.model.streamEnded(fetch.id, seconds: 1_010, at: probe.now))
        probe.pass(.seconds(5))
        #expect(probe.state["player"] == "PLAYING")
        probe.pass(.seconds(10))
        #expect(probe.state["idle_reason"] == "FINISHED")
    }
}
