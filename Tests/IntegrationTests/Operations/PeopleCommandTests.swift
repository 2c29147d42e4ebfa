import Foundation
import TestSupport
import Testing

/// The commands for people, beside a real bridge, broker and simulator; what happened is read from the simulator.
@Suite("The commands for people", .timeLimit(.minutes(5)))
struct PeopleCommandTests {
    private struct Run {
        var code: Int32
        var text: String
    }

    private static func run(_ house: Household, _ arguments: [String], environment: [String: String] = [:]) async throws -> Run {
        let program = try await ChildProcess(
            "cast2mqtt", arguments,
            environment: [
                "CAST2MQTT_STATE_DIRECTORY": house.stateDirectory, "CAST2MQTT_MQTT_HOST": house.hosts.brokerAddress,
                "CAST2MQTT_MQTT_PORT": "\(house.broker.port)", "CAST2MQTT_DISCOVERY_INTERFACES": house.hosts.bridgeInterface,
            ].merging(environment) { $1 }, namespace: house.hosts.bridge)
        let code = try await program.ended()
        return Run(code: code, text: program.lines.joined(separator: "\n"))
    }

    private static func expect(
        _ house: Household, _ arguments: [String], code: Int32 = 0, saying part: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let run = try await Self.run(house, arguments)
        #expect(run.code == code && run.text.contains(part), "\(arguments): \(run)", sourceLocation: sourceLocation)
    }

    @Test("command a device by any unique name, tell what it did, and end with the code of the outcome")
    func commands() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 2, groups: 1)
        let devices = try await house.control.devices()
        let device = try #require(devices.first { $0["group"] as? Bool == false })
        let (handle, id) = (try #require(device["device"] as? String), try #require(device["id"] as? String))
        let slug = try #require(try await house.slugs(watcher)[handle])
        let state = { () async throws in try await house.control.state(handle) }
        try await Self.expect(house, ["volume", id.uppercased(), "37"], saying: "done")
        #expect(abs((try await state()["volume"] as? Double ?? 0) - 0.37) < 0.02)
        try await Self.expect(house, ["mute", slug, "--on"], saying: "done")
        #expect(try await state()["muted"] as? Bool == true)
        try await Self.expect(house, ["play", slug, "http://127.0.0.1:9/film.mp4"], saying: "done")
        try await Self.expect(house, ["pause", slug], saying: "done")
        #expect(try await state()["player"] as? String == "PAUSED")
        try await Self.expect(house, ["seek", slug, "1:00"], saying: "done")
        try await Self.expect(house, ["play", slug], saying: "done")
        #expect(try await state()["player"] as? String == "PLAYING")
        try await Self.expect(house, ["queue", slug, "--add", "http://127.0.0.1:9/other.mp4"], saying: "done")
        try await Self.expect(house, ["queue", slug], saying: "▶")
        try await Self.expect(house, ["status"], saying: slug)
        let json = try await Self.run(house, ["status", "--json"])
        let states = try JSONSerialization.jsonObject(with: Data(json.text.utf8)) as? [String: [String: Any]]
        #expect(states?[slug]?["player"] as? String == "playing" && states?.count == devices.count)
        try await Self.expect(house, ["groups"], saying: "MEMBERS")
        try await Self.expect(house, ["stop", slug], saying: "done")
        try await Self.expect(house, ["pause", slug], code: 1, saying: "no_session")
        try await Self.expect(house, ["pause"], code: 68, saying: slug)
        try await Self.expect(house, ["pause", "attic"], code: 68, saying: "No device is called")
        try await Self.expect(house, ["volume", slug, "loud"], code: 64, saying: "bad_payload")
        try await Self.expect(house, ["request", "discover"], saying: "\"known\":\(devices.count)")
        try await Self.expect(house, ["logs", "--level", "info"], saying: "device online")
        // On machines without a time service there is this one finding.
        let healthy = try await Self.run(house, ["doctor", "--json"])
        let findings = try #require(try JSONSerialization.jsonObject(with: Data(healthy.text.utf8)) as? [[String: String]])
        #expect(healthy.code == 0 && Set(findings.map { $0["code"] }).isSubset(of: ["clock_not_kept"]), "\(healthy)")
        try await house.bridge?.stop()
        try await Self.expect(house, ["status"], code: 69, saying: "no bridge")
        try await Self.expect(house, ["doctor"], saying: "bridge_not_running")
    }
}
