import Foundation
import TestSupport
import Testing

/// The bridge on a host whose name servers are the test's own.
@Suite("Names", .serialized, .timeLimit(.minutes(5)))
struct NameTests {
    /// - Parameter seconds: the time after which libc asks the second name server; 5 is its default, 9 is more than an attempt waits.
    @Test(
        "a broker is reached though the first name server is dead, and at its last address when the second one is, too", arguments: [5, 9])
    func deadNameServer(seconds: Int) async throws {
        let house = try await Household.onOneHost()
        try await house.broker.start()
        let servers = try await ChildProcess(
            "python3", [FlowRun.root.appendingPathComponent("Tests/Interop/name_servers.py").path], namespace: house.hosts.broker)
        try await servers.line(containing: "ready")
        let file = house.folder + "/resolv.conf"
        try "nameserver 127.0.0.2\nnameserver 127.0.0.3\noptions timeout:\(seconds)\n".write(
            toFile: file, atomically: true, encoding: .utf8)
        let bridge = try await house.startBridge(["CAST2MQTT_MQTT_HOST": "broker.test"], nameServers: file)
        // The search for another bridge has a link of its own, which ends before the link that stays is made.
        let endOfSearch = "disconnected from broker"
        try await bridge.line(containing: endOfSearch)
        func connections(_ count: Int) async throws {
            try await eventually("connected \(count) times", within: .seconds(25)) {
                bridge.lines.drop { !$0.contains(endOfSearch) }.count { $0.contains("broker connected") } == count
            }
        }
        try await connections(1)
        #expect(servers.lines.contains("broker.test 1"))

        await house.broker.kill()
        try await house.broker.start()
        try await connections(2)

        servers.signal(SIGKILL)
        try await servers.ended()
        await house.broker.kill()
        try await house.broker.start()
        try await connections(3)
        try await bridge.stop()
    }
}
