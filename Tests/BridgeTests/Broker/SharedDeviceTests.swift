import MQTTClient
import NIOCore
import Testing

@testable import Bridge

@Suite("A device that another bridge publishes too", .timeLimit(.minutes(10)))
struct SharedDeviceTests {
    /// What the other bridge retains.
    private func retain(_ world: BridgeWorld, state: String, online: Bool) {
        let list = #"[{"id":"\#(world.devices[0].description.id)","online":\#(online)}]"#
        world.broker.set {
            $0.retained["attic/bridge/state"] = MQTTMessage(topic: "attic/bridge/state", text: state, retain: true)
            $0.retained["attic/bridge/devices"] = MQTTMessage(topic: "attic/bridge/devices", text: list, retain: true)
        }
    }

    private func named(_ world: BridgeWorld) -> Int { world.log.lines.count { $0.contains("another bridge publishes the same device") } }

    @Test("is named in the log, with what to do: once, and once more when it happens again")
    func log() async throws {
        let world = try await BridgeWorld.settled(devices: 2)
        world.broker.set { $0.isChecking = false }
        await world.advance(.seconds(30), step: .seconds(1))
        #expect(self.named(world) == 0)
        self.retain(world, state: "online", online: true)
        await world.advance(.minutes(35), step: .seconds(1))
        #expect(self.named(world) == 1)
        let line = try #require(world.log.all.first { $0.message.contains("another bridge publishes") })
        #expect(line.metadata["base"] == "attic" && line.metadata["device"] == "\(BridgeWorld.slug(world.devices[0].description))")
        #expect("\(line.metadata["remedy"] ?? "")".contains("discovery.exclude"))
        self.retain(world, state: "online", online: false)
        await world.advance(.minutes(11), step: .seconds(1))
        self.retain(world, state: "offline", online: true)
        await world.advance(.minutes(11), step: .seconds(1))
        #expect(self.named(world) == 1)
        self.retain(world, state: "online", online: true)
        await world.advance(.minutes(11), step: .seconds(1))
        #expect(self.named(world) == 2)
        let filters = world.broker.set { $0.filters }.map(\.filter)
        #expect(!filters.contains("+/bridge/devices"))
        await world.end()
    }
}
