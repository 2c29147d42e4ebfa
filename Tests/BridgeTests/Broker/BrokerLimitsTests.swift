import MQTTClient
import NIOCore
import Testing

@testable import Bridge

/// What the broker says in its CONNACK is respected.
@Suite("A broker with limits", .timeLimit(.minutes(5)))
struct BrokerLimitsTests {
    @Test("Without wildcards every subscription names its topic, and the JSON forms still arrive")
    func noWildcards() async throws {
        let world = try World(devices: 2)
        let broker = world.broker
        broker.set { $0.limits.wildcardAvailable = false }
        try await world.start()
        #expect(await world.advance(until: { broker.isOnline && world.areAllAvailable }, limit: .seconds(10)) != nil)
        await world.advance(.seconds(15))
        let filters = broker.set { $0.filters }.map(\.filter)
        #expect(!filters.isEmpty && !filters.contains { $0.contains("+") || $0.contains("#") })
        #expect(Set(filters).count == filters.count)
        try await world.send("set", #"{"volume":30}"#)
        let topic = world.topic("response")
        #expect(await world.advance(until: { !broker.entries(topic).isEmpty }, limit: .seconds(10)) != nil)
        #expect(broker.entries(topic).first?.text.contains(#""code":"done""#) == true)
        // Nothing of it works with wildcards only.
        try await world.act { broker.publish("cast2mqtt/bridge/request/topics/clean", "") }
        let answer = "cast2mqtt/bridge/response/topics/clean"
        #expect(await world.advance(until: { !broker.entries(answer).isEmpty }, limit: .seconds(10)) != nil)
        #expect(broker.entries(answer).first?.text.contains(#""code":"not_supported""#) == true)
        #expect(broker.violations == [])
        await world.end()
    }

    @Test("With QoS 0 alone everything goes out with QoS 0")
    func lowestQoS() async throws {
        let world = try World(devices: 2)
        let broker = world.broker
        broker.set { $0.limits.maximumQoS = .atMostOnce }
        try await world.start()
        #expect(await world.advance(until: { broker.isOnline && world.areAllAvailable }, limit: .seconds(10)) != nil)
        #expect(broker.journal.count > 20)
        #expect(broker.journal.allSatisfy { $0.qos == .atMostOnce })
        #expect(await world.treeIsAsWanted())
        await world.end()
    }

    @Test("A topic that the broker refuses is counted, and so is a self-test that does not come back")
    func denied() async throws {
        let world = try World(devices: 1)
        let (broker, topic) = (world.broker, world.topic("media"))
        broker.set { $0.refusals[topic] = .notAuthorized }
        broker.set { $0.refusals["cast2mqtt/bridge/request/health_check"] = .notAuthorized }
        try await world.start()
        #expect(await world.advance(until: { broker.isOnline && world.areAllAvailable }, limit: .seconds(10)) != nil)
        await world.advance(.seconds(70))
        let health = try #require(broker.text("cast2mqtt/bridge/health"))
        #expect(health.contains(#""self_tests_failed":1"#), "\(health)")
        #expect(health.contains(#""refused":2"#), "\(health)")
        await world.end()
    }
}
