import BridgeCore
import CastReceiverSimulator
import MQTTClient
import NIOCore
import Testing

@testable import Bridge

@Suite("The broker stops and starts again", .timeLimit(.minutes(10)))
struct BrokerLossTests {
    @Test("with an empty store everything is published again, newest values only, nothing twice", arguments: [true, false])
    func reconnected(losingStore: Bool) async throws {
        let world = try await BridgeWorld.settled(devices: 3)
        try await world.play("http://h/first", duration: 3000)
        let broker = world.broker
        let topicsBefore = Set(broker.tree.keys)

        try await world.act { broker.stop(losingStore: losingStore) }
        await world.advance(.seconds(20))
        try await world.play("http://h/second", duration: 3000)
        try await world.play("http://h/third", duration: 3000)
        let device = world.devices[1]
        try await world.act { try device.perform(.volume(.init(level: 0.11))) }
        await world.advance(.seconds(20))
        broker.clearJournal()
        try await world.act { broker.start() }
        let took = try #require(await world.advance(until: { broker.isOnline }, limit: .seconds(10)))
        #expect(took <= .seconds(2))

        let round = broker.journal.filter(\.isRetained)
        #expect(!round.contains { $0.text.contains("first") || $0.text.contains("second") }, "only the newest values are sent")
        #expect(Dictionary(grouping: round, by: \.topic).allSatisfy { $0.value.count == 1 }, "each retained topic once")
        #expect(round.last?.topic == "cast2mqtt/bridge/state")
        #expect(world.held("status/content_id") == "http://h/third")
        #expect(world.held("status/volume", 1) == "11")
        #expect(Set(broker.tree.keys) == topicsBefore)
        #expect(await world.treeIsAsWanted())

        broker.clearJournal()
        await world.advance(.seconds(5))
        #expect(broker.journal.filter(\.isRetained).map(\.topic) == [], "nothing follows online")
        #expect(broker.violations == [])
        await world.end()
    }

    @Test("the bridge confirms on its loop that it works, and reconnects at once when it was taken for stalled")
    func ownerCheck() async throws {
        let world = try await BridgeWorld.settled(devices: 1)
        let link = try #require(world.broker.set { $0.link })
        #expect(link.configuration.ownerLimit == .seconds(10))
        try await world.act { link.onEvent(.ownerCheck) }
        #expect(link.confirmations.value == 1)
        let before = link.wakes.value
        try await world.act { link.onEvent(.disconnected(epoch: 1, MQTTLinkError(.connectionLost, detail: "test"))) }
        #expect(link.wakes.value == before)
        try await world.act { link.onEvent(.disconnected(epoch: 1, MQTTLinkError(.ownerStalled, detail: "test"))) }
        #expect(link.wakes.value == before + 1)
        await world.end()
    }

    @Test("a fleet's whole state is published within two seconds of the connection")
    func fleet() async throws {
        let world = try await BridgeWorld.settled(devices: 50)
        let broker = world.broker
        try await world.act { broker.stop(losingStore: true) }
        await world.advance(.seconds(5))
        try await world.act { broker.start() }
        let took = try #require(await world.advance(until: { broker.isOnline }, limit: .seconds(10)))
        #expect(took <= .seconds(2))
        #expect(world.areAllAvailable)
        #expect(await world.treeIsAsWanted())
        #expect(broker.violations == [])
        await world.end()
    }

    @Test("a link that breaks in the middle of the first round, again and again, leaves nothing out")
    func interrupted() async throws {
        let world = try BridgeWorld(devices: 10)
        let broker = world.broker
        broker.set { $0.acknowledgeDelay = .milliseconds(30) }
        try await world.start()
        for turn in 1...12 {
            await world.advance(.milliseconds(40 * Int64(turn)))
            try await world.act { broker.cut() }
        }
        #expect(await world.advance(until: { broker.isOnline && world.areAllAvailable }, limit: .seconds(30)) != nil)
        await world.advance(.seconds(15))
        #expect(await world.treeIsAsWanted())
        #expect(broker.violations == [])
        await world.end()
    }

    @Test("a refused topic is left out and holds nothing else up")
    func refusal() async throws {
        let world = try BridgeWorld(devices: 2)
        let (broker, topic) = (world.broker, world.topic("media"))
        broker.set { $0.refusals[topic] = .notAuthorized }
        try await world.start()
        #expect(await world.advance(until: { broker.isOnline && world.areAllAvailable }, limit: .seconds(10)) != nil)
        #expect(broker.text(topic) == nil)
        #expect(world.held("state") != nil)
        #expect(broker.violations == [])
        await world.end()
    }
}
