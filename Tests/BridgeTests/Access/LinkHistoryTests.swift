import BridgeCore
import NIOCore
import Testing

@testable import Bridge

@Suite("The history of a link in the bridge", .timeLimit(.minutes(10))) struct BridgeLinkHistoryTests {
    @Test("a device that was off for an hour has four entries: connected, lost, the failed attempts as one, connected")
    func outage() async throws {
        let world = try await BridgeWorld.settled()
        let device = world.devices[0]
        try await world.act { device.set(.off) }
        await world.advance(.hours(1))
        try await world.act { device.set(.on) }
        #expect(await world.advance(until: { world.areAllAvailable }, limit: .seconds(60)) != nil)
        let entries = try #require(await world.bridge.linkHistory(of: world.slug())).entries
        #expect(entries.map(\.event) == [.connected, .lost, .attemptFailed, .connected], "\(entries)")
        #expect(entries[1].code == "network_error" && entries[2].count > 100)
        #expect(await world.bridge.linkHistory(of: "other") == nil)
        await world.end()
    }
}
