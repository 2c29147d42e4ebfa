import Foundation
import TestSupport
import Testing

/// A sender that was not written for this project uses the devices while the bridge watches.
@Suite("Beside another sender")
struct OtherSenderTests {
    @Test(
        "pychromecast plays, moves the stream, joins and leaves, goes through a queue, and in applications that refuse the bridge or talk to it; the bridge holds nothing open and leaves launches alone",
        .enabled("needs python3 with venv and pip, and PyPI; in CI it must run") { try await PythonEnvironment.isUsableOrRequired() },
        .timeLimit(.minutes(10)))
    func pychromecast() async throws {
        let house = try await Household.onOneHost()
        try await house.broker.start()
        let watcher = try await house.watch()
        let fleet = house.folder + "/fleet.yaml"
        try Self.fleet.write(toFile: fleet, atomically: true, encoding: .utf8)
        try await house.startDevices(1, arguments: ["--scenario", fleet])
        try await house.startBridge([
            "CAST2MQTT_STATUS_STEREO_HALVES": "true", "CAST2MQTT_COMMANDS_CUSTOM_NAMESPACES": "urn:x-cast:org.example.*",
        ])
        try await house.allOnline(watcher)
        let slugs = try await house.slugs(watcher)
        let (source, target) = (try #require(slugs["sim-001"]), try #require(slugs["sim-002"]))
        let members = try ["sim-003", "sim-004", "sim-005", "group-001"].map { try #require(slugs[$0]) }
        let devices = try await house.control.devices().filter { ["sim-001", "sim-002", "group-002"].contains($0["device"] as? String) }
        let list = try JSONSerialization.data(withJSONObject: ["devices": devices])
        let script = PythonEnvironment.scripts.appendingPathComponent("pychromecast_beside.py").path
        let process = try await ChildProcess(
            try await PythonEnvironment.prepare(),
            [script, house.control.path, String(decoding: list, as: UTF8.self), "\(house.broker.port)", source, target] + members,
            environment: ["HOME": house.folder, "PYTHONDONTWRITEBYTECODE": "1"], namespace: house.hosts.devices)
        #expect(try await process.ended(within: .seconds(400)) == 0, "\(process.text)")

        // How the bridge connected to the applications: invisibly, but for the one that it launched, which was the last.
        // The target's second application got a command, its third one has a namespace that the bridge relays.
        #expect(try self.kinds(of: house, "sim-002") == [[2], [0, 2], [0]])
        #expect(try self.kinds(of: house, "sim-001") == [[2], [0]])
        try self.expectForeignLaunchesLeftAlone(in: house)
        let events = watcher.messages.filter { $0.topic == "cast2mqtt/bridge/event" && $0.text.contains("stream_moved") }
        #expect(events.count == 1)
        func sessionEvents(_ slug: String) -> [String] {
            watcher.messages.filter { $0.topic == "cast2mqtt/\(slug)/event" }.compactMap { $0.object["event_type"] as? String }
                .filter { $0.hasPrefix("session_") }
        }
        #expect(sessionEvents(source) == ["session_started"] && sessionEvents(target) == ["session_started", "session_ended"])
        try await house.bridge?.stop()
        try await watcher.stop()
    }

    /// Two devices, and a group of a third one and a stereo pair.
    private static let fleet = """
        fleet:
          devices:
            - {model: Chromecast Ultra, name: Source}
            - {model: Chromecast Ultra, name: Target}
            - {model: Nest Audio, name: Left}
            - {model: Nest Audio, name: Right}
            - {model: Nest Audio, name: Third}
          groups:
            - {name: Pair, members: [sim-003, sim-004], stereo_pair: true}
            - {name: Downstairs, members: [sim-005, group-001]}
        """

    /// Between a launch by the other sender and the bridge's first message to the new application there is a second.
    private func expectForeignLaunchesLeftAlone(in house: Household) throws {
        var (launchedAt, seen, checked): ([String: Int], Set<String>, Int) = ([:], [], 0)
        for entry in try house.journal() {
            guard let device = entry["device"] as? String, let payload = entry["payload"] as? [String: Any],
                let time = entry["t_ns"] as? Int, let destination = entry["destination"] as? String
            else { continue }
            let isBridge = (payload["userAgent"] as? String)?.hasPrefix("CastSender") == true
            if payload["type"] as? String == "LAUNCH" { launchedAt[device] = time }
            guard isBridge, payload["type"] as? String == "CONNECT", destination != "receiver-0",
                seen.insert(device + destination).inserted,
                payload["connType"] as? Int == 2, let launch = launchedAt[device]
            else { continue }
            checked += 1
            #expect(time - launch >= 1_000_000_000, "\(device)")
        }
        #expect(checked >= 3)
    }

    /// The kinds of the bridge's connections to each application that ran on a device, in order: 0 is strong, 2 invisible.
    private func kinds(of house: Household, _ device: String) throws -> [Set<Int>] {
        var kinds: [(transport: String, kinds: Set<Int>)] = []
        for entry in try house.journal() where entry["device"] as? String == device {
            guard let payload = entry["payload"] as? [String: Any], payload["type"] as? String == "CONNECT",
                (payload["userAgent"] as? String)?.hasPrefix("CastSender") == true, let transport = entry["destination"] as? String,
                transport != "receiver-0", let kind = payload["connType"] as? Int
            else { continue }
            if kinds.last?.transport != transport { kinds.append((transport, [])) }
            kinds[kinds.count - 1].kinds.insert(kind)
        }
        return kinds.map(\.kinds)
    }
}
