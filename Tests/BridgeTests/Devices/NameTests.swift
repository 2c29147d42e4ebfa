import BridgeCore
import CastReceiverSimulator
import CastSender
import NIOCore
import Testing

@testable import Bridge

@Suite("Names of devices", .timeLimit(.minutes(10)))
struct NameTests {
    /// Runs two devices, of which the second is found when the first has its aliases, and sends a command to the alias.
    /// - Returns: the name of the second device in topics, and how often each of them was asked for a volume.
    private func slug(_ name: String, configured: [ConfiguredDevice] = [], chosen: String? = nil) async throws -> (String?, [Int]) {
        let world = try BridgeWorld(devices: 2, isKnown: false) { $0.devices = configured }
        try await world.start()
        await world.find(0..<1)
        await world.advance(.seconds(5))
        if let chosen { try await world.request("device/options", #"{"device":"\#(world.devices[0].id)","aliases":["\#(chosen)"]}"#) }
        await world.advance(.seconds(1))
        await world.announce(name, 1)
        await world.advance(.seconds(5))
        try await world.act { [broker = world.broker] in broker.publish("cast2mqtt/tv/set/volume", "30") }
        await world.advance(.seconds(2))
        let slug = await world.look { [id = world.devices[1].id] in $0.fleet.slug(of: id) }
        #expect(await world.isComplete())
        await world.end()
        return (slug, world.devices.map { $0.received("SET_VOLUME") })
    }

    @Test("a newcomer called like another's alias gets none of its commands")
    func chosenAlias() async throws {
        let (slug, received) = try await self.slug("TV", chosen: "tv")
        #expect(slug?.hasPrefix("tv-") == true)
        #expect(received == [1, 0])
    }

    @Test("one found before the device that the configuration gives the alias to gets none of them either")
    func configuredAlias() async throws {
        let id = try FleetPlan(devices: 1, groups: 0, addressBase: "10.0.0.1", port: 8009, seed: 7).devices[0].id
        let (slug, received) = try await self.slug(
            "TV", configured: [ConfiguredDevice(device: id, preferences: DevicePreferences(aliases: ["tv"]))])
        #expect(slug?.hasPrefix("tv-") == true)
        #expect(received == [1, 0])
    }
}
