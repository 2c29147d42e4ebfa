import BridgeCore
import CastReceiverSimulator
import MQTTClient
import NIOCore
import Testing

@testable import Bridge

@Suite("Availability", .timeLimit(.minutes(10)))
struct AvailabilityTests {
    @Test("a device is online only after its state was read, however slowly it answers", arguments: [0, 1, 2, 3])
    func afterReading(seconds: Int64) async throws {
        let world = try BridgeWorld(devices: 1)
        try await world.play("http://h/one", duration: 3000)
        let device = world.devices[0]
        device.setAnswerDelay(.seconds(seconds))
        try await world.start()
        #expect(await world.advance(until: { world.areAllAvailable }, limit: .seconds(60)) != nil)
        #expect(world.held("status/content_id") == "http://h/one")

        // The same after an outage in which the item changed.
        await world.advance(.seconds(15))
        try await world.act { device.set(.frozen) }
        await world.advance(.seconds(20))
        #expect(world.held("availability") == "offline")
        try await world.act {
            device.set(.off)
            device.set(.on)
            try device.perform(.load(RemoteItem(url: "http://h/two", durationSeconds: 3000)))
        }
        world.broker.clearJournal()
        #expect(await world.advance(until: { world.areAllAvailable }, limit: .seconds(90)) != nil)
        let journal = world.broker.journal
        let online = try #require(journal.firstIndex { $0.topic == world.topic("availability") && $0.text == "online" })
        let item = try #require(journal[..<online].last { $0.topic == world.topic("status/content_id") })
        #expect(item.text == "http://h/two")
        #expect(world.held("state")?.contains("http://h/two") == true)
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test("a device refused for 15 seconds after a restart never reports that it is not available", arguments: [false, true])
    func lateNetwork(isAvailable: Bool) async throws {
        let world = try BridgeWorld(devices: 1, remembered: ["sim-001": ["cast2mqtt/sim-001/state", "cast2mqtt/sim-001/availability"]])
        let (broker, device, state) = (world.broker, world.devices[0], world.topic("state"))
        let former = #"{"available":\#(isAvailable)}"#
        broker.set { $0.retained[state] = MQTTMessage(topic: state, text: former, retain: true) }
        device.set(.off)
        try await world.start()
        await world.advance(.seconds(15))
        #expect(world.connector.attempts.count > 1, "it was tried and refused")
        #expect(world.held("availability") == "offline" && broker.text(state) == former)
        device.set(.on)
        await world.announce()
        #expect(await world.advance(until: { world.areAllAvailable }, limit: .seconds(2)) != nil)
        await world.advance(.seconds(31))
        let texts = broker.entries(state).map(\.text)
        #expect(!texts.isEmpty && texts.allSatisfy { $0.contains(#""available":true"#) }, "\(texts)")
        #expect(broker.violations == [])
        await world.end()
    }

    @Test("a device that falls silent is offline within 15 seconds", arguments: [0, 900, 2500, 4100, 4900])
    func silent(phase: Int64) async throws {
        let world = try await BridgeWorld.settled()
        await world.advance(.milliseconds(phase))
        let device = world.devices[0]
        try await world.act { device.set(.frozen) }
        let took = try #require(await world.advance(until: { world.held("availability") == "offline" }, limit: .seconds(60)))
        #expect(took <= .seconds(15))
        #expect(took >= .seconds(3), "the grace has passed at least")
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test("a broken link that is connected again within the grace period is not reported")
    func shortBreak() async throws {
        let world = try await BridgeWorld.settled()
        try await world.play("http://h/one", duration: 3000)
        world.broker.clearJournal()
        let device = world.devices[0]
        for _ in 0..<5 {
            try await world.act { device.dropLinks() }
            await world.advance(.seconds(15))
        }
        #expect(world.broker.entries(world.topic("availability")).map(\.text) == [])
        #expect(world.areAllAvailable)
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test("a device is back within 2 seconds of a sighting, within 30 without one", arguments: [true, false], [30, 61, 307, 3600])
    func onlineAgain(isSighted: Bool, outage: Int64) async throws {
        let world = try await BridgeWorld.settled()
        let device = world.devices[0]
        try await world.act { device.set(outage % 2 == 0 ? .off : .frozen) }
        await world.advance(.seconds(outage), step: .milliseconds(100))
        #expect(world.held("availability") == "offline")
        let (bridge, id) = (world.bridge, device.id)
        try await world.act {
            device.set(.on)
            if isSighted { bridge.assumeIsolated { $0.parts.fleet.handle(.sighted(id)) } }
        }
        let took = try #require(await world.advance(until: { world.areAllAvailable }, limit: .seconds(90)))
        #expect(took <= (isSighted ? .seconds(2) : .seconds(30)))
        #expect(world.broker.violations == [])
        await world.end()
    }
}
