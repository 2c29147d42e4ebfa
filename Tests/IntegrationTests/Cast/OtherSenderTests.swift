import Foundation
import TestSupport
import Testing

/// A sender that was not written for this project uses the devices while the bridge watches.
@Suite("Beside another sender")
struct OtherSenderTests {
    @Test(
        "pychromecast plays, moves the stream to another device, and joins and leaves what the bridge loads; the bridge holds nothing open for it",
        .enabled("needs python3 with venv and pip, and PyPI; in CI it must run") { try await PythonEnvironment.isUsableOrRequired() },
        .timeLimit(.minutes(10)))
    func pychromecast() async throws {
        let house = try await Household.onOneHost()
        let watcher = try await house.startEverything(devices: 2)
        let slugs = try await house.slugs(watcher)
        let (source, target) = (try #require(slugs["sim-001"]), try #require(slugs["sim-002"]))
        let devices = try await house.control.devices().filter { ["sim-001", "sim-002"].contains($0["device"] as? String) }
        let list = try JSONSerialization.data(withJSONObject: ["devices": devices])
        let script = PythonEnvironment.scripts.appendingPathComponent("pychromecast_beside.py").path
        let process = try await ChildProcess(
            try await PythonEnvironment.prepare(),
            [script, String(decoding: list, as: UTF8.self), "\(house.broker.port)", source, target],
            environment: ["HOME": house.folder, "PYTHONDONTWRITEBYTECODE": "1"], namespace: house.hosts.devices)
        #expect(try await process.ended(within: .seconds(400)) == 0, "\(process.text)")

        // How the bridge connected to the applications: invisibly, but for the one that it launched, which was the last.
        #expect(try self.kinds(of: house, "sim-002") == [[2]])
        #expect(try self.kinds(of: house, "sim-001") == [[2], [0]])
        let events = watcher.messages.filter { $0.topic == "cast2mqtt/bridge/event" && $0.text.contains("stream_moved") }
        #expect(events.count == 1)
        func sessionEvents(_ slug: String) -> [String] {
            watcher.messages.filter { $0.topic == "cast2mqtt/\(slug)/event" }.compactMap { $0.object["event_type"] as? String }
                .filter { $0.hasPrefix("session_") }
        }
        #expect(sessionEvents(source) == ["session_started"] && sessionEvents(target) == [])
        try await house.bridge?.stop()
        try await watcher.stop()
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
