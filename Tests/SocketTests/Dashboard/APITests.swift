import BridgeCore
import CastModels
import TestSupport
import Testing

@testable import Dashboard

@Suite("The API of the page", .serialized)
struct APITests {
    @Test("has every document, those of a device, and one")
    func documents() async throws {
        try await APIServer.run { server in
            let state = try await server.request("state", role: .view)
            #expect(state.status == 200 && state.headers["content-type"] == "application/json")
            #expect(state.headers["cache-control"] == "no-store")
            #expect(state.json["documents"]?["tv/state"]?["player"] == "idle")
            #expect(state.json["documents"]?["bridge/state"] == "online")
            #expect(state.json["documents"]?.objectValue?.members.count == 5)
            #expect(try await server.request("devices", role: .view).text == "[]")
            for name in ["tv", "0123", "telly", "%74v"] {
                let documents = try await server.request("devices/\(name)").json["documents"]?.objectValue
                #expect(documents?.members.map(\.key) == ["tv/availability", "tv/info", "tv/state"], "\(name)")
                #expect(try await server.request("devices/\(name)/state").json["player"] == "idle", "\(name)")
            }
            for (path, code) in [
                ("devices/radio", "unknown_device"), ("devices/bridge", "unknown_device"), ("devices/tv/queue", "not_found"),
                ("devices/tv/../bridge/state", "not_found"), ("nothing", "not_found"),
            ] {
                let answer = try await server.request(path)
                #expect(answer.status == 404 && answer.code == code, "\(path)")
            }
            #expect(server.bridge.set { $0.begun } == 1)
        }
    }

    @Test("has the history of a device's link")
    func history() async throws {
        try await APIServer.run { server in
            var history = LinkHistory()
            history.note(.lost, code: "timeout", at: Timestamp(milliseconds: 0))
            server.bridge.set { $0.histories["tv"] = history }
            let answer = try await server.request("devices/tv/history", role: .view)
            let time: JSONValue = "1970-01-01T00:00:00.000Z"
            #expect(answer.json == ["entries": [["event": "lost", "code": "timeout", "at": time, "until": time, "count": 1]]])
            #expect(try await server.request("devices/radio/history").code == "unknown_device")
        }
    }

    @Test("has what changed since an id, and everything for another one")
    func changes() async throws {
        try await APIServer.run { server in
            let first = try await server.request("changes").json
            #expect(first["snapshot"] == true && first["documents"]?.objectValue?.members.count == 5)
            let id = try #require(first["id"]?.stringValue)
            #expect(try await server.request("state").json["id"]?.stringValue == id)
            let same = try await server.request("changes?since=\(id)").json
            #expect(same["snapshot"] == false && same["documents"] == [:] && same["id"]?.stringValue == id)
            server.bridge.change(["tv/state": #"{"player":"playing"}"#])
            server.bridge.change(["tv/state": #"{"player":"paused"}"#, "tv/info": nil])
            let changes = try await eventually("the removal is among the changes") {
                let changes = try await server.request("changes?since=\(id)").json
                return changes["documents"]?["tv/info"] == nil ? nil : changes
            }
            #expect(changes["snapshot"] == false)
            #expect(changes["documents"] == ["tv/info": .null, "tv/state": ["player": "paused"]])
            for other in ["", "1", "x-1", "\(id)0", id.split(separator: "-")[0] + "-0"] {
                #expect(try await server.request("changes?since=\(other)").json["snapshot"] == true, "\(other)")
            }
        }
    }

    @Test(
        "a command's status is that of its code",
        arguments: [
            (AnswerCode.done, false, 200), (.superseded, false, 200), (.duplicate, false, 200), (.duplicate, true, 502),
            (.unknownDevice, true, 404), (.badPayload, true, 400), (.unknownCommand, true, 400), (.tooLarge, true, 413),
            (.forbidden, true, 403),
            (.rateLimited, true, 429), (.deviceOffline, true, 503), (.timeout, true, 504), (.notSupported, true, 422),
            (.castError, true, 502),
            (.loadFailed, true, 502), (.noSession, true, 502), (.internal, true, 502), (.expired, true, 502),
        ])
    func status(code: AnswerCode, isError: Bool, status: Int) {
        #expect(CommandRoute.status(of: DirectAnswer(code: code, isError: isError, body: [])).code == status)
    }

    @Test("sends commands as they are, and answers with their answers")
    func commands() async throws {
        try await APIServer.run { server in
            let answer = try await server.request("POST", "commands/tv/set/volume", role: .control, body: "33")
            #expect(answer.status == 200 && answer.text == #"{"code":"done"}"#)
            _ = try await server.request("POST", "commands/tv/ns/urn:x-cast:a.b/send", role: .control, body: #"{"a":1}"#)
            _ = try await server.request("POST", "commands/tv/get/queue", role: .view, body: "")
            _ = try await server.request("POST", "commands/t%76/cmd/p%2Fq", role: .control, body: "")
            #expect(
                server.bridge.set { $0.commands } == [
                    "tv/set/volume 33", #"tv/ns/urn:x-cast:a.b/send {"a":1}"#, "tv/get/queue ", "tv/cmd/p/q ",
                ])
            server.bridge.set { $0.answer = DirectAnswer(code: .deviceOffline, isError: true, body: Array("{}".utf8)) }
            #expect(try await server.request("POST", "commands/tv/cmd/play", body: "").status == 503)
            let large = String(repeating: "x", count: 70_000)
            #expect(try await server.request("POST", "commands/tv/cmd/load", body: large).code == "too_large")
            #expect(try await server.request("POST", "settings", role: .admin, body: large).code == "too_large")
            #expect(try await server.request("POST", "commands/" + String(repeating: "a", count: 600), body: "").status == 404)
        }
    }

    @Test(
        "requires a role",
        arguments: [
            ("GET", "state", WebRole.view), ("GET", "changes", .view), ("GET", "devices", .view), ("GET", "devices/tv", .view),
            ("GET", "devices/tv/state", .view), ("GET", "events", .view), ("GET", "log", .view), ("GET", "page", .view),
            ("GET", "artwork/tv", .view), ("GET", "media/picture?path=films/a.mp4", .control), ("GET", "devices/tv/history", .view),
            ("GET", "configuration", .admin),
            ("GET", "openapi.json", .view), ("GET", "settings", .admin), ("POST", "settings", .admin),
            ("DELETE", "settings/log.level", .admin),
            ("POST", "commands/tv/get/queue", .view), ("POST", "commands/tv/cmd/play", .control),
            ("POST", "commands/all/cmd/stop", .control),
            ("POST", "commands/tv/set", .control), ("POST", "commands/tv/ns/urn:x-cast:a/send", .control),
            ("POST", "commands/tv", .control),
            ("POST", "commands/bridge/request/discover", .admin), ("POST", "commands/bridge/get/state", .admin),
            ("POST", "commands/%62ridge/request/restart", .admin), ("POST", "commands/bridge/%CC%81request/restart", .admin),
            ("POST", "commands/tv/get/%CC%81queue", .view),
        ])
    func roles(method: String, path: String, role: WebRole) async throws {
        try await APIServer.run { server in
            let body = method == "POST" ? "" : nil
            #expect(try await server.request(method, path, role: nil, ["Authorization": "Bearer x"], body: body).code == "login_required")
            for other in WebRole.allCases where path != "events" || other < role {
                let answer = try await server.request(method, path, role: other, body: body)
                #expect((answer.code == "forbidden") == (other < role), "\(other): \(answer.text)")
            }
        }
    }

    @Test("has pictures of devices, with a tag, and never for an address")
    func pictures() async throws {
        let picture = ArtworkPicture(contentType: "image/jpeg", bytes: [0xFF, 0xD8, 0xFF, 0, 1, 2])
        try await APIServer.run { server in
            server.bridge.set {
                $0.pictures = [
                    "tv": .success(picture), "radio": .failure(.noArtwork), "a": .failure(.notFetched), "b": .failure(.rateLimited),
                ]
            }
            let answer = try await server.request("artwork/tv?width=256&item=7", role: .view)
            #expect(answer.status == 200 && answer.headers["content-type"] == "image/jpeg")
            #expect(answer.headers["content-security-policy"] == "sandbox; default-src 'none'")
            #expect(answer.headers["x-content-type-options"] == "nosniff")
            #expect(answer.headers["cache-control"] == "private, no-cache")
            #expect(try await server.request("artwork/tv?v=1").headers["cache-control"] == "private, max-age=3600")
            let tag = try #require(answer.headers["etag"])
            let same = try await server.request("artwork/tv", ["If-None-Match": "\"x\", W/\(tag)"])
            #expect(same.status == 304 && same.text.isEmpty)
            #expect(server.bridge.set { $0.asked }.first == "tv 7 256")
            for (path, status, code) in [
                ("artwork/radio", 404, "no_artwork"), ("artwork/a", 404, "no_artwork"), ("artwork/b", 429, "rate_limited"),
                ("artwork/nobody", 404, "unknown_device"), ("artwork/tv?width=0", 400, "bad_query"),
                ("artwork/tv?width=9999", 400, "bad_query"), ("artwork/tv?item=-1", 400, "bad_query"),
                ("artwork/tv?width=a", 400, "bad_query"),
            ] {
                let answer = try await server.request(path)
                #expect(answer.status == status && answer.code == code, "\(path)")
            }
        }
    }

    @Test("sends pictures of 16 MiB together, and no more until they have left")
    func pictureBudget() async throws {
        let picture = ArtworkPicture(contentType: "image/png", bytes: Array(repeating: 7, count: 6 << 20))
        try await APIServer.run { server in
            server.bridge.set { state in
                for name in ["tv", #"file("films/a.jpg")"#, #"preset("Radio")"#, #"recent("2026-11-21T14:03:39.900Z")"#] {
                    state.pictures[name] = .success(picture)
                }
            }
            // The budget of a sent event is returned a moment later.
            for _ in 0..<3 {
                let answer = try await eventually("the picture is sent") {
                    let answer = try await server.request("artwork/tv")
                    return answer.status == 200 ? answer : nil
                }
                #expect(answer.text.utf8.count == picture.bytes.count)
            }
            #expect(try await server.request("HEAD", "artwork/tv").status == 200)
            do {
                let all = try await eventually("no picture is on its way") { server.pictures.share(ArtworkBudget.maximumBytes) }
                #expect(server.pictures.share(1) == nil)
                let refused = try await server.request("artwork/tv")
                #expect(refused.status == 429 && refused.code == "rate_limited" && refused.headers["retry-after"] == "2")
                // Pictures of folders have a room of their own.
                for choice in ["path=films/a.jpg", "preset=Radio", "recent=2026-11-21T14:03:39.900Z"] {
                    #expect(try await server.request("media/picture?\(choice)").status == 200, "\(choice)")
                }
                withExtendedLifetime(all) {}
            }
            #expect(try await server.request("artwork/tv").status == 200)
        }
    }

    @Test("ends while a command waits for its answer")
    func endsWhileWaiting() async throws {
        try await APIServer.run { server in
            server.bridge.set { $0.answers = false }
            let waiting = try await server.open("POST", "commands/tv/cmd/launch", body: "")
            try await eventually("the command has come") { server.bridge.set { !$0.commands.isEmpty } }
            await server.shutDown()
            try await waiting.wait { $0.hasEnded }
        }
    }

    @Test("has the log, the settings of the page and those of the bridge")
    func settings() async throws {
        try await APIServer.run { server in
            server.bridge.log(.debug, "CastSender.CastSession", "one")
            server.bridge.log(.info, "CastSender.CastSession", "two")
            server.bridge.log(.warning, "Bridge", "three")
            func messages(_ query: String) async throws -> [String] {
                try await server.request("log\(query)").json["lines"]?.arrayValue?.compactMap { $0["message"]?.stringValue } ?? ["none"]
            }
            let all = try await messages("")
            #expect(all == ["two", "three"])
            let some = try await messages("?level=debug&filter=CastSender.*")
            #expect(some == ["one", "two"])
            let errors = try await messages("?level=error")
            #expect(errors == [])
            #expect(try await server.request("log?level=loud").code == "bad_query")
            #expect(try await server.request("log?filter=\(String(repeating: "a", count: 300))").code == "bad_query")
            #expect(try await server.request("page").json["mini_slots"] == ["none", "play_pause", "none"])
            #expect(try await server.request("configuration").json["mqtt"]?["base"] == "cast2mqtt")
        }
    }
}
