import Foundation
import TestSupport
import Testing

/// A state directory that is not as it should be, with the real programs.
@Suite("A state directory with a fault")
struct StateDirectoryTests {
    @Test("ends the start with 78, path and owner when the state file can't be read")
    func unreadable() async throws {
        let house = try await Household.onOneHost()
        // Root can read every file, but not a directory.
        let path = house.stateDirectory + "/devices.jsonl"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let bridge = try await house.startBridge()
        #expect(try await bridge.ended() == 78)
        // The namespaces of an ordinary user make root of that user.
        let user = getuid() == 0 ? NSUserName() : "root"
        #expect(bridge.text.contains("\(path) can't be read: Is a directory. Its owner is \(user), and cast2mqtt runs as \(user)."))
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test("is warned about when it can't be written, and the bridge runs without")
    func notWritable() async throws {
        let house = try await Household.onOneHost()
        // Root may write every directory, but nothing below a file.
        let file = NSTemporaryDirectory() + "file-" + UUID().uuidString
        try Data().write(to: URL(fileURLWithPath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        try await house.broker.start()
        let bridge = try await house.startBridge(["CAST2MQTT_STATE_DIRECTORY": file + "/state"])
        let warning = try await bridge.line(containing: "the state directory can't be written: nothing is remembered over a restart")
        #expect(warning.contains("WARNING") && warning.contains(file + "/state"), "\(warning)")
        try await bridge.line(containing: "bridge online")
        bridge.signal(SIGTERM)
        #expect(try await bridge.ended() == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)).isEmpty)
    }

    @Test("keeps the private broker when broker.json can't be written")
    func brokerFile() async throws {
        let house = try await Household.onOneHost()
        try FileManager.default.createDirectory(atPath: house.stateDirectory + "/broker.json/x", withIntermediateDirectories: true)
        let bridge = try await ChildProcess(
            "cast2mqtt", ["run"], environment: ["CAST2MQTT_STATE_DIRECTORY": house.stateDirectory], namespace: house.hosts.bridge)
        try await bridge.line(containing: "broker.json can't be written")
        try await bridge.line(containing: "bridge online")
        #expect(!bridge.text.contains("starting it again") && !bridge.text.contains("does not start"))
        try await bridge.stop()
    }
}
