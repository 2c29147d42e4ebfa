import BridgeCore
import CastModels
import Synchronization
import TestSupport
import Testing

@testable import Dashboard

@Suite("The stream of events", .serialized)
struct EventRouteTests {
    private func names(_ reader: APIReader) -> [String] { reader.events.map(\.name) }

    @Test("begins with everything, then has changes and events")
    func order() async throws {
        try await APIServer.run { server in
            let reader = try await server.open("events", role: .view)
            try await reader.wait { $0.events.count == 1 }
            let answer = APIAnswer(head: reader.head, body: [])
            #expect(answer.headers["content-type"] == "text/event-stream")
            #expect(answer.headers["cache-control"] == "no-store, no-transform" && answer.headers["x-accel-buffering"] == "no")
            let snapshot = try #require(reader.events.first)
            let state = try await server.request("state").json
            #expect(snapshot.name == "snapshot" && snapshot.json == state)
            #expect(snapshot.id == snapshot.json["id"]?.stringValue)
            server.bridge.change(["tv/state": #"{"player":"playing"}"#, "tv/info": nil])
            try await reader.wait { $0.events.count == 2 }
            let changes = reader.events[1]
            #expect(changes.name == "changes" && changes.id != snapshot.id)
            #expect(changes.json == ["documents": ["tv/info": .null, "tv/state": ["player": "playing"]]])
            server.bridge.happen("tv/event", #"{"event_type":"paused"}"#)
            try await reader.wait { $0.events.count == 3 }
            #expect(
                reader.events[2]
                    == APIReader.Event(name: "event", id: nil, data: #"{"topic":"tv/event","payload":{"event_type":"paused"}}"#))
            reader.close()
        }
    }

    @Test("goes on where it ended, and begins again after an id that is not known")
    func resumes() async throws {
        try await APIServer.run { server in
            let reader = try await server.open("events")
            try await reader.wait { $0.events.count == 1 }
            let id = try #require(reader.events.first?.id)
            try await Self.close(reader, server)
            server.bridge.change(["tv/state": "1"])
            server.bridge.change(["tv/state": "2", "tv/media": "3"])
            try await eventually("the document is served") { try await server.request("devices/tv/media").status == 200 }
            for (path, header) in [("events", id), ("events?since=\(id)", nil)] {
                let next = try await server.open(path, header.map { ["Last-Event-ID": $0] } ?? [:])
                try await next.wait { !$0.events.isEmpty }
                #expect(next.events[0].name == "changes")
                #expect(next.events[0].json == ["documents": ["tv/media": 3, "tv/state": 2]])
                try await Self.close(next, server)
            }
            for other in ["nonsense", "abc-1", "\(id)9"] {
                let next = try await server.open("events", ["Last-Event-ID": other])
                try await next.wait { !$0.events.isEmpty }
                #expect(next.events[0].name == "snapshot")
                try await Self.close(next, server)
            }
        }
    }

    /// Closes the only stream and waits until the server knows: until then it counts among the four that one caller may have.
    private static func close(_ reader: APIReader, _ server: APIServer) async throws {
        reader.close()
        let hub = server.hub
        try await eventually("the stream ends") { await hub.streamCount == 0 }
    }

    @Test("has lines of the log for those who asked, from their level on")
    func log() async throws {
        try await APIServer.run { server in
            let plain = try await server.open("events")
            let warnings = try await server.open("events?log=warning")
            let all = try await server.open("events?log=debug")
            for reader in [plain, warnings, all] { try await reader.wait { $0.events.count == 1 } }
            server.bridge.log(.debug, "A.B", "one")
            server.bridge.log(.error, "A.B", "two")
            try await all.wait { $0.events.count == 3 }
            try await warnings.wait { $0.events.count == 2 }
            #expect(self.names(all) == ["snapshot", "log", "log"])
            #expect(warnings.events[1].json["message"] == "two" && warnings.events[1].json["source"] == "A.B")
            #expect(self.names(plain) == ["snapshot"])
            #expect(try await server.request("events?log=loud").code == "bad_query")
            for reader in [plain, warnings, all] { reader.close() }
        }
    }

    @Test("is open four times at most for one caller, and a closed one makes room")
    func bound() async throws {
        try await APIServer.run { server in
            var readers: [APIReader] = []
            for _ in 0..<4 {
                let reader = try await server.open("events")
                try await reader.wait { $0.events.count == 1 }
                readers.append(reader)
            }
            let refused = try await server.request("events")
            #expect(refused.status == 429 && refused.code == "rate_limited" && refused.headers["retry-after"] != nil)
            let other = try await server.open("events", role: .view)
            try await other.wait { $0.events.count == 1 }
            readers[1].close()
            let next = try await eventually("a stream is free") {
                let reader = try await server.open("events")
                try await reader.wait { !$0.head.isEmpty }
                return reader.head.contains(" 200 ") ? reader : nil
            }
            #expect(server.bridge.watches.count == 1, "all share one watch")
            // HEAD opens none.
            #expect(try await server.request("HEAD", "events", role: .view).status == 200)
            for reader in readers + [other, next] { reader.close() }
        }
    }

    @Test("does not mind a request with a body")
    func body() async throws {
        try await APIServer.run { server in
            let reader = try await server.open("GET", "events", body: "{}")
            try await reader.wait { $0.events.count == 1 }
            server.bridge.change(["tv/state": "1"])
            try await reader.wait { $0.events.count == 2 }
            reader.close()
            let hub = server.hub
            try await eventually("the stream ends") { await hub.streamCount == 0 }
        }
    }

    @Test("sends heartbeats while nothing happens")
    func heartbeats() async throws {
        var limits = EventStreams.Limits()
        limits.heartbeat = .milliseconds(100)
        try await APIServer.run(limits: limits) { server in
            let reader = try await server.open("events")
            try await reader.wait { $0.events.count >= 3 }
            #expect(self.names(reader).prefix(3) == ["snapshot", "hb", "hb"])
            #expect(reader.events[1].id == nil)
            reader.close()
        }
    }

    @Test("ends for a reader that stops reading, and the others have every change at once")
    func stuckReader() async throws {
        var limits = EventStreams.Limits()
        limits.stall = .milliseconds(300)
        try await APIServer.run(limits: limits) { try await Self.stopReading($0) }
    }

    private static func stopReading(_ server: APIServer) async throws {
        let stuck = try await server.open("events", isReading: false)
        let reader = try await server.open("events", role: .view)
        try await reader.wait { $0.events.count == 1 }
        // More than the buffers of both ends of the connection.
        let large = String(repeating: "x", count: 1 << 20)
        for number in 1...40 { try await Self.change(to: number, large, server, reader) }
        let hub = server.hub
        try await eventually("one stream ends") { await hub.streamCount == 1 }
        try await stuck.resume()
        try await stuck.wait { $0.hasEnded }
        #expect(!reader.hasEnded)
        reader.close()
    }

    /// Changes a large document and waits until a reader has it.
    private static func change(to number: Int, _ text: String, _ server: APIServer, _ reader: APIReader) async throws {
        server.bridge.change(["tv/state": "\"\(number)\"", "tv/media": "\"\(number)\(text)\""])
        try await reader.wait { $0.bytes.count > number << 20 }
    }

    @Test("ends with the session that opened it")
    func session() async throws {
        try await APIServer.run(password: "correct horse") { server in
            let own = ["Origin": "http://127.0.0.1:\(server.port)"]
            let entry = try await server.request("POST", "session", role: nil, own, body: #"{"password":"correct horse"}"#)
            let cookie = try #require(entry.headers["set-cookie"]?.split(separator: ";").first.map(String.init))
            let token = try #require(entry.json["csrf"]?.stringValue)
            let reader = try await server.open("events", role: nil, ["Cookie": cookie])
            let other = try await server.open("events")
            for reader in [reader, other] { try await reader.wait { $0.events.count == 1 } }
            let exit = try await server.request(
                "DELETE", "session", role: nil, own.merging(["Cookie": cookie, "X-CSRF-Token": token]) { $1 })
            #expect(exit.status == 204)
            try await reader.wait { $0.hasEnded }
            #expect(!other.hasEnded)
            let hub = server.hub
            #expect(await hub.streamCount == 1)
            other.close()
        }
    }

    @Test("reports how many events and lines of the log are missing")
    func missing() async throws {
        try await APIServer.run { server in
            let reader = try await server.open("events?log=info")
            let plain = try await server.open("events", role: .view)
            for reader in [reader, plain] { try await reader.wait { $0.events.count == 1 } }
            let line = LogLine(level: .info, source: "A.B", message: "a")
            // More than the bridge keeps for its reader.
            for watch in server.bridge.watches {
                watch.put { mailbox in
                    for _ in 0..<ChangeMailbox.maximumLogLines + 44 {
                        mailbox.put(LogEntry(line: line, time: Timestamp(milliseconds: 0)))
                    }
                    for _ in 0..<ChangeMailbox.maximumEvents + 3 { mailbox.put(DirectEvent(topic: "tv/event", payload: [])) }
                }
            }
            let (events, lines) = (ChangeMailbox.maximumEvents, ChangeMailbox.maximumLogLines)
            try await reader.wait { $0.events.count == 2 + events + lines }
            try await plain.wait { $0.events.count == 2 + events }
            for (reader, count) in [(reader, 44), (plain, 0)] {
                let missed = try #require(reader.events.first { $0.name == "missed" })
                #expect(missed.json == ["events": 3, "lines": .integer(Int64(count))] && missed.id == nil)
            }
            for reader in [reader, plain] { reader.close() }
        }
    }

    @Test("ends with the server")
    func server() async throws {
        let open = Mutex<APIReader?>(nil)
        try await APIServer.run { server in
            let reader = try await server.open("events")
            try await reader.wait { $0.events.count == 1 }
            open.withLock { $0 = reader }
        }
        try await open.withLock { $0 }?.wait { $0.hasEnded }
    }
}
