import Foundation
import TestSupport
import Testing

/// Reports of the bridge to systemd, or to another program that listens at `$NOTIFY_SOCKET`.
@Suite("Reports to the service manager")
struct ServiceManagerTests {
    /// A datagram socket as systemd has one.
    private final class NotifySocket: Sendable {
        private let descriptor: Int32

        /// - Parameter name: a path, or an abstract name after "@".
        init(_ name: String) throws {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let bytes = Array(name.replacing("@", with: "\0").utf8)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
            self.descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            let result = withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(self.descriptor, $0, length) }
            }
            try #require(result == 0)
        }

        deinit { close(self.descriptor) }

        /// The notifications received since the last call.
        func reports() -> [String] {
            var texts: [String] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(self.descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                guard count > 0 else { return texts }
                texts.append(String(decoding: buffer.prefix(count), as: UTF8.self))
            }
        }
    }

    @Test("reports ready, alive and stopping, at a path and at an abstract name", arguments: [true, false])
    func reports(isAbstract: Bool) async throws {
        let house = try await Household.onOneHost()
        let name = isAbstract ? "@cast2mqtt-test-\(getpid())" : house.folder + "/notify"
        // An abstract name belongs to a network namespace, so the bridge runs in the test's own; a broker need not be there.
        let socket = try NotifySocket(name)
        let bridge = try await ChildProcess(
            "cast2mqtt", ["run"],
            environment: [
                "NOTIFY_SOCKET": name, "WATCHDOG_USEC": "400000", "CAST2MQTT_MQTT_HOST": "127.0.0.1", "CAST2MQTT_MQTT_PORT": "1",
                "CAST2MQTT_DISCOVERY_MDNS": "false", "CAST2MQTT_STATE_DIRECTORY": house.stateDirectory,
            ])
        var seen: [String] = []
        try await eventually("the bridge is ready and alive") {
            seen += socket.reports()
            return seen.contains("READY=1") && seen.count { $0 == "WATCHDOG=1" } > 5
        }
        #expect(Set(seen) == ["READY=1", "WATCHDOG=1"])
        try await bridge.stop()
        seen = socket.reports().filter { $0 != "WATCHDOG=1" }
        #expect(seen == ["STOPPING=1"])
    }

    @Test("a restart by request is a reload, and the program that begins reports ready again")
    func restart() async throws {
        let house = try await Household.onOneHost()
        let name = house.folder + "/notify"
        let socket = try NotifySocket(name)
        try await house.broker.start()
        let watcher = try await house.watch()
        let bridge = try await house.startBridge(["NOTIFY_SOCKET": name])
        try await watcher.current("cast2mqtt/bridge/state") { $0.text == "online" }
        #expect(socket.reports() == ["READY=1"])
        _ = try await house.request("restart", "", watcher)
        var seen: [String] = []
        try await eventually("it is ready again") {
            seen += socket.reports()
            return seen.last == "READY=1"
        }
        #expect(seen.count == 2 && seen.first?.wholeMatch(of: /RELOADING=1\nMONOTONIC_USEC=\d+/) != nil)
        try await bridge.stop()
        #expect(socket.reports() == ["STOPPING=1"])
    }

    @Test("the private broker reports nothing in our name, and neither socket nor watchdog of another process is used")
    func nothing() async throws {
        let house = try await Household.onOneHost()
        let name = house.folder + "/notify"
        let socket = try NotifySocket(name)
        let bridge = try await ChildProcess(
            "cast2mqtt", ["run"],
            environment: [
                "NOTIFY_SOCKET": name, "WATCHDOG_USEC": "100000", "WATCHDOG_PID": "1", "CAST2MQTT_STATE_DIRECTORY": house.stateDirectory,
            ], namespace: house.hosts.bridge)
        try await bridge.line(containing: "bridge online")
        #expect(socket.reports() == ["READY=1"])
        try await bridge.stop()
    }
}
