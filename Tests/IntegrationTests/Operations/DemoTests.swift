import Foundation
import TestSupport
import Testing

/// The first steps of a new user, exactly as in the README.
@Suite("The demo")
struct DemoTests {
    @Test("shows three devices, one of them playing, and obeys the commands that it prints")
    func demo() async throws {
        let host = try await NetworkNamespace("demo")
        let demo = try await ChildProcess("scripts/demo", namespace: host)
        let line = try await demo.line(containing: "mosquitto_sub")
        let port = try #require(line.split(separator: " ").compactMap { Int($0) }.first)
        let watcher = try await MessageWatcher(port: port, namespace: host)
        let playing = try await eventually("a device that plays") {
            watcher.current.first { $0.key.hasSuffix("/state") && $0.value.object["player"] as? String == "playing" }
        }
        let media = try #require(playing.value.object["media"] as? [String: Any])
        #expect(media["title"] is String)

        let players = try await eventually("three devices") {
            let states = watcher.current.filter { $0.key.hasSuffix("/state") && $0.key != "cast2mqtt/bridge/state" }
            let players = states.values.map { $0.object["player"] as? String ?? "" }
            return players.count >= 3 && !players.contains("unknown") ? players.sorted() : nil
        }
        #expect(players.filter { $0 == "playing" }.count == 1 && players.count == 3, "\(players)")

        // The page that it names is there.
        let page = try #require(demo.text.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+\//)).0
        let script = "import urllib.request; print(urllib.request.urlopen('\(page)').read().decode())"
        #expect(try await host.run("python3", "-c", script).contains("<html"))

        try await demo.line(containing: "Ctrl-C")
        let commands = demo.lines.compactMap {
            $0.wholeMatch(of: /\s*(mosquitto_(?:rr|pub) .* -t (cast2mqtt\/\S+)\/((?:cmd|set)\/\w+) .*)/)
        }
        #expect(commands.map { String($0.3) } == ["cmd/pause", "cmd/load", "set/volume"])
        for command in commands {
            let (device, payload) = (command.2, command.1.firstMatch(of: #/ -m '?([^' ]+)/#).map { String($0.1) })
            let output = try await host.run("sh", "-c", String(command.1))
            if command.1.hasPrefix("mosquitto_rr") { #expect(output.contains(#""code":"done""#), "\(output)") }
            try await watcher.current("\(device)/state") { message in
                let (player, media) = (message.object["player"] as? String, message.object["media"] as? [String: Any])
                let volume = (message.object["volume"] as? [String: Any])?["percent"] as? Int
                return switch command.3 {
                case "cmd/pause": player == "paused"
                case "cmd/load": player == "playing" && media?["content_id"] as? String == payload
                default: volume != nil && volume == payload.flatMap { Int($0) }
                }
            }
        }
        try await demo.stop()
    }

    @Test("Ctrl-C, which a terminal sends to all its programs, ends bridge and private broker without a warning")
    func interrupt() async throws {
        let house = try await Household.onOneHost()
        // `timeout` passes a signal on to its whole process group, as a terminal does.
        let bridge = try await ChildProcess(
            "timeout", ["60", try Programs.locate("cast2mqtt"), "run"],
            environment: ["CAST2MQTT_STATE_DIRECTORY": house.stateDirectory], namespace: house.hosts.bridge)
        try await bridge.line(containing: "bridge online")
        bridge.signal(SIGINT)
        #expect(try await bridge.ended() == 0)
        #expect(bridge.text.contains("cast2mqtt: ended") && !bridge.text.contains("private broker ended"), "\(bridge.text)")
    }
}
