import Foundation
import TestSupport
import Testing

/// Every command over a real network, with its answer and what the device made of it.
@Suite("Commands across three hosts")
struct CommandTests {
    /// One command: where, what, the code of its answer, and what then holds at the device.
    struct Case: Sendable {
        var topic: String
        var payload = ""
        var code = "done"
        var holds: @Sendable ([String: Any]) -> Bool = { _ in true }
    }

    static let film = "http://10.77.0.1/film.mp4?duration=600"

    static let cases: [Case] = [
        Case(topic: "cmd/pause", code: "no_session"),
        Case(topic: "cmd/load", payload: Self.film) { $0["content_id"] as? String == Self.film && $0["player"] as? String == "PLAYING" },
        Case(topic: "cmd/pause") { $0["player"] as? String == "PAUSED" },
        Case(topic: "set/position", payload: "1:00") { $0["player"] as? String == "PAUSED" && Self.near($0["position"], 60) },
        Case(topic: "set/position", payload: "+30") { Self.near($0["position"], 90) },
        Case(topic: "cmd/play") { $0["player"] as? String == "PLAYING" },
        Case(topic: "cmd/play_pause") { $0["player"] as? String == "PAUSED" },
        Case(topic: "set/volume", payload: "30") { Self.near($0["volume"], 0.3) },
        Case(topic: "set/volume", payload: "+5") { Self.near($0["volume"], 0.35) },
        Case(topic: "set/volume_level", payload: "0.5") { Self.near($0["volume"], 0.5) },
        Case(topic: "cmd/volume_up", payload: "10") { Self.near($0["volume"], 0.6) },
        Case(topic: "cmd/volume_down", payload: "20") { Self.near($0["volume"], 0.4) },
        Case(topic: "set/muted", payload: "ON") { $0["muted"] as? Bool == true },
        Case(topic: "set/muted", payload: "toggle") { $0["muted"] as? Bool == false },
        Case(topic: "set", payload: #"{"volume":20,"muted":true}"#) { Self.near($0["volume"], 0.2) && $0["muted"] as? Bool == true },
        Case(topic: "cmd", payload: #"{"cmd":"set","args":{"muted":false},"id":"a"}"#) { $0["muted"] as? Bool == false },
        Case(topic: "cmd/load", payload: #"["http://10.77.0.1/song","audio/mpeg"]"#) {
            $0["content_id"] as? String == "http://10.77.0.1/song"
        },
        Case(
            topic: "cmd/load",
            payload: #"{"url":"http://10.77.0.1/x.mp4?duration=600","position":5,"metadata":{"type":"movie","title":"Example Film"}}"#
        ) { $0["title"] as? String == "Example Film" },
        Case(topic: "cmd/load", payload: "http://10.77.0.1/missing.mp4", code: "load_failed"),
        Case(topic: "cmd/load", payload: Self.film),
        Case(topic: "cmd/stop") { ["IDLE", "NONE"].contains($0["player"] as? String) },
        Case(topic: "cmd/launch", payload: "5A1D0001") { $0["app_id"] as? String == "5A1D0001" },
        Case(topic: "cmd/quit_app") { $0["app_id"] as? String != "5A1D0001" },
        Case(topic: "cmd/launch", payload: "AAAAAAAA", code: "cast_error"),
        Case(topic: "get/state"),
        Case(topic: "get/media"),
        Case(topic: "set/volume", payload: "loud", code: "bad_payload"),
        Case(topic: "cmd/dance", code: "unknown_command"),
        Case(topic: "cmd/load", payload: #"{"url":"http://10.77.0.1/x.mp4","colour":"red"}"#, code: "bad_payload"),
    ]

    static func near(_ value: Any?, _ wanted: Double) -> Bool {
        (value as? Double).map { abs($0 - wanted) < 0.02 * max(1, wanted) } ?? false
    }

    @Test("are answered once each, and done when the answer says so")
    func everyCommand() async throws {
        let house = try await Household.onThreeHosts(devices: 2)
        let watcher = try await house.startEverything(devices: 2)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        for (index, command) in Self.cases.enumerated() {
            let answers = "cast2mqtt/client/test/\(index)"
            try await house.sender.publish(
                command.payload, to: "cast2mqtt/\(slug)/\(command.topic)",
                arguments: ["-D", "publish", "response-topic", answers, "-D", "publish", "correlation-data", "number \(index)"])
            let answer = try await watcher.message(on: answers)
            #expect(answer.object["code"] as? String == command.code, "\(command.topic) \(command.payload): \(answer.text)")
            #expect(answer.object["device"] as? String == slug)
            guard command.code == "done" else { continue }
            try await eventually("\(command.topic) \(command.payload) shows at the device") {
                command.holds(try await house.control.state("sim-001"))
            }
        }
        // A last request on the same path: whatever else was to come has come before its answer.
        try await house.sender.publish(
            "", to: "cast2mqtt/\(slug)/get/info", arguments: ["-D", "publish", "response-topic", "cast2mqtt/client/test/end"])
        try await watcher.message(on: "cast2mqtt/client/test/end")
        for index in Self.cases.indices { #expect(watcher.messages.count { $0.topic == "cast2mqtt/client/test/\(index)" } == 1) }
        try await house.bridge?.stop()
    }

    @Test("answer requests to the bridge")
    func bridgeRequests() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 1)
        for (verb, payload) in [("health_check", ""), ("discover", ""), ("republish", ""), ("snapshot", ""), ("log_level", "warning")] {
            let id = "test-\(verb)"
            try await house.sender.publish(
                payload.isEmpty ? #"{"id":"\#(id)"}"# : payload, to: "cast2mqtt/bridge/request/\(verb)",
                arguments: ["-D", "publish", "response-topic", "cast2mqtt/client/test/\(verb)"])
            let answer = try await watcher.message(on: "cast2mqtt/client/test/\(verb)")
            #expect(answer.object["status"] as? String == "ok", "\(answer.text)")
        }
        let snapshot = try await watcher.message(on: "cast2mqtt/client/test/snapshot")
        let documents = try #require((snapshot.object["data"] as? [String: Any])?["documents"] as? [String: Any])
        #expect(documents.keys.contains("cast2mqtt/bridge/info"))
        #expect(documents.keys.contains { $0.hasSuffix("/availability") })
        try await house.bridge?.stop()
    }
}
