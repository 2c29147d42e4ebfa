import Foundation
import TestSupport
import Testing

/// The API of the real program, beside a real broker and simulated devices.
@Suite("The web API")
struct WebAPITests {
    private static let address = "127.0.0.1:8099"
    private static let environment = ["CAST2MQTT_WEB_LISTEN": Self.address]

    /// Calls the API with curl on the bridge's host.
    private func curl(_ house: Household, _ path: String, _ arguments: [String] = []) async throws -> [String: Any] {
        let program = try await ChildProcess(
            "curl", ["-s", "http://\(Self.address)/api/v1/\(path)", "-H", try Self.authorization(house)] + arguments,
            namespace: house.hosts.bridge)
        try await program.ended()
        let value = try JSONSerialization.jsonObject(with: Data(program.text.utf8))
        return try #require(value as? [String: Any])
    }

    /// The setup code of the bridge, as programs on its machine send it.
    private static func authorization(_ house: Household) throws -> String {
        let code = try String(contentsOfFile: "\(house.stateDirectory)/setup-code", encoding: .utf8)
        return "Authorization: Bearer \(code.trimmingCharacters(in: .newlines))"
    }

    private func command(_ house: Household, _ topic: String, _ payload: String) async throws -> [String: Any] {
        try await self.curl(house, "commands/\(topic)", ["-d", payload, "-H", "Content-Type: application/json"])
    }

    /// Opens a stream of events.
    private func events(_ house: Household, _ query: String = "", since id: String? = nil) async throws -> ChildProcess {
        try await ChildProcess(
            "curl",
            ["-sN", "http://\(Self.address)/api/v1/events\(query)", "-H", try Self.authorization(house)]
                + (id.map { ["-H", "Last-Event-ID: \($0)"] } ?? []),
            namespace: house.hosts.bridge)
    }

    /// The last id that a stream has sent.
    private func lastID(_ stream: ChildProcess) throws -> String {
        String(try #require(stream.lines.last { $0.hasPrefix("id: ") }).dropFirst(4))
    }

    @Test("has documents, changes, and commands whose answers come from the device, also while the broker is away")
    func withoutBroker() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 2, environment: Self.environment)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])

        let documents = try #require(try await self.curl(house, "state")["documents"] as? [String: Any])
        #expect(documents["\(slug)/availability"] as? String == "online")
        #expect(documents["bridge/state"] as? String == "online")
        // The bridge itself writes `info` and above.
        let stream = try await self.events(house, "?log=debug")
        try await stream.line(containing: "event: snapshot")

        let answer = try await self.command(house, "\(slug)/set", #"{"volume":33,"id":"web"}"#)
        #expect(answer["code"] as? String == "done" && answer["id"] as? String == "web")
        #expect(try house.requests("SET_VOLUME", to: "sim-001").count == 1)
        try await stream.line(containing: #""percent":33"#)
        try await stream.line(containing: #""level":"debug""#)
        try await watcher.current("cast2mqtt/\(slug)/status/volume") { $0.text == "33" }

        let settings = try #require(try await self.curl(house, "configuration")["mqtt"] as? [String: Any])
        #expect(settings["host"] as? String == house.hosts.brokerAddress && settings["keepalive"] as? Int == 30)
        let lines = try #require(try await self.curl(house, "log?level=debug&filter=Bridge")["lines"] as? [[String: Any]])
        #expect(lines.contains { $0["message"] as? String == "bridge online" })
        let artwork = try #require(try await self.curl(house, "artwork/\(slug)")["error"] as? [String: Any])
        #expect(artwork["code"] as? String == "no_artwork")

        await house.broker.kill()
        try await stream.line(containing: #""mqtt":{"connected":false"#)
        #expect(try await self.command(house, "\(slug)/set", #"{"volume":44}"#)["code"] as? String == "done")
        try await stream.line(containing: #""percent":44"#)
        #expect(try await self.command(house, "nobody/cmd/pause", "")["code"] as? String == "unknown_device")
        try await house.broker.start()
        try await stream.line(containing: #""event_type":"mqtt_reconnected""#)
    }

    @Test("reads a queue of any length in pages, here and over MQTT")
    func queuePages() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 1, environment: Self.environment)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        let count = 5_200
        func urls(_ numbers: Range<Int>) -> String { numbers.map { "\"http://m/\($0).mp3\"" }.joined(separator: ",") }
        for (verb, numbers) in [("queue_load", 0..<5_000), ("queue_insert", 5_000..<count)] {
            let answer = try await self.command(house, "\(slug)/cmd/\(verb)", #"{"items":[\#(urls(numbers))]}"#)
            #expect(answer["code"] as? String == "done", "\(answer)")
        }
        func names(_ data: [String: Any]) -> [String] {
            (data["items"] as? [[String: Any]] ?? []).compactMap { $0["content_id"] as? String }
        }
        func check(_ answer: [String: Any], _ payload: String, _ page: Range<Int>) throws {
            let data = try #require(answer["data"] as? [String: Any], "\(answer)")
            #expect(names(data) == page.map { "http://m/\($0).mp3" }, "\(payload)")
            #expect(data["length"] as? Int == count && data["index"] as? Int == 0 && data["complete"] as? Bool == false, "\(payload)")
            #expect(data["from"] as? Int == page.lowerBound && (data["ids"] as? [Int])?.count == (payload.contains("ids") ? count : nil))
        }
        let pages = [
            (#"{"from":5100}"#, 5_100..<count), (#"{"from":2600,"count":30}"#, 2_600..<2_630), (#"{"ids":true,"count":0}"#, 0..<0),
            (#"{"ids":true,"from":5199,"count":5000}"#, 5_199..<count), (#"{"from":9000}"#, 9_000..<9_000), (#"{"all":true}"#, 0..<5_000),
        ]
        for (index, (payload, page)) in pages.enumerated() {
            try check(try await self.command(house, "\(slug)/get/queue", payload), payload, page)
            let topic = "cast2mqtt/client/pages/\(index)"
            try await house.sender.publish(
                payload, to: "cast2mqtt/\(slug)/get/queue", arguments: ["-D", "publish", "response-topic", topic])
            try check(try await watcher.message(on: topic).object, payload, page)
        }
        // An id and its item belong together.
        let order = try await self.command(house, "\(slug)/get/queue", #"{"ids":true,"from":4999,"count":2}"#)["data"] as? [String: Any]
        let ids = try #require(order?["ids"] as? [Int])
        #expect((order?["items"] as? [[String: Any]])?.compactMap { $0["item"] as? Int } == Array(ids[4_999...5_000]))
        #expect(try await self.command(house, "\(slug)/get/queue", #"{"from":-1}"#)["code"] as? String == "bad_payload")
    }

    // That the stream of such a reader ends is tested by `EventRouteTests`, where 20 seconds are shorter.
    @Test("a reader that stops reading delays no other")
    func stoppedReader() async throws {
        let house = try await Household.onOneHost()
        let environment = Self.environment.merging(["CAST2MQTT_COMMANDS_FAN_OUT": "true"]) { $1 }
        let watcher = try await house.startEverything(devices: 8, environment: environment)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        let stuck = try await self.events(house)
        try await stuck.line(containing: "event: snapshot")
        stuck.signal(SIGSTOP)
        let stream = try await self.events(house)
        try await stream.line(containing: "event: snapshot")
        for volume in [21, 43, 65, 87] {
            #expect(try await self.command(house, "all/set/volume", "\(volume)")["code"] as? String == "done")
            try await stream.line(containing: #""percent":\#(volume)"#)
        }
        try await eventually("another reader has the last change") {
            let state = try await self.curl(house, "devices/\(slug)/state")
            return (state["volume"] as? [String: Any])?["percent"] as? Int == 87
        }
        try await watcher.current("cast2mqtt/\(slug)/status/volume") { $0.text == "87" }
        stuck.signal(SIGCONT)
        // The last change reaches it as well.
        try await stuck.line(containing: #""percent":87"#)
    }

    @Test(
        "answers every request as its description promises, and never fails inside",
        .enabled("needs python3 with venv and pip, and PyPI; in CI it must run") { try await PythonEnvironment.isUsableOrRequired() },
        .timeLimit(.minutes(10)))
    func description() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 1, environment: Self.environment)
        let root = "http://\(Self.address)/api/v1"
        // Left out: streams never end, signing in slows down by itself, and the rest is not below api/v1.
        let leftOut = ["/events", "/session", "/metrics", "/health", "/ready"].flatMap { ["--exclude-path", $0] }
        let process = try await ChildProcess(
            try await PythonEnvironment.program("st"),
            [
                "run", "\(root)/openapi.json", "--url", root, "-H", try Self.authorization(house),
                "--checks", "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
                "--phases", "coverage,fuzzing", "--max-examples", "15", "--seed", "1", "--rate-limit", "15/s", "--no-color",
            ] + leftOut,
            environment: ["HOME": house.folder, "PYTHONDONTWRITEBYTECODE": "1"], namespace: house.hosts.bridge)
        #expect(try await process.ended(within: .seconds(400)) == 0, "\(process.text.suffix(6000))")
        #expect(process.text.contains("Tested: 2"), "\(process.text.suffix(2000))")
        // The bridge has not noticed.
        try await house.expectTruth(watcher)
    }

    @Test("goes on behind the last id without a gap, and begins again behind one that it does not know")
    func resume() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 2, environment: Self.environment)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        let first = try await self.events(house)
        try await first.line(containing: "event: snapshot")
        let id = try self.lastID(first)
        try await first.stop()

        for volume in [21, 22, 23] {
            #expect(try await self.command(house, "\(slug)/set", #"{"volume":\#(volume)}"#)["code"] as? String == "done")
        }
        try await eventually("the API has the last volume") {
            let documents = try await self.curl(house, "changes?since=\(id)")["documents"] as? [String: Any]
            return (((documents?["\(slug)/state"] as? [String: Any])?["volume"] as? [String: Any])?["percent"] as? Int) == 23
        }
        let second = try await self.events(house, since: id)
        try await second.line(containing: #""percent":23"#)
        #expect(second.lines.contains("event: changes") && !second.lines.contains("event: snapshot"))
        let other = try await self.events(house, since: "nonsense-1")
        try await other.line(containing: "event: snapshot")

        // Another run has other ids.
        try await house.bridge?.stop()
        try await second.ended()
        try await house.startBridge(Self.environment)
        try await house.allOnline(watcher)
        let third = try await self.events(house, since: id)
        try await third.line(containing: "event: snapshot")
    }
}
