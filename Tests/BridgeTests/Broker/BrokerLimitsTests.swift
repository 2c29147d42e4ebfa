import BridgeCore
import MQTTClient
import NIOCore
import Testing

@testable import Bridge

/// The limits in the broker's CONNACK are respected.
@Suite("A broker with limits", .timeLimit(.minutes(10)))
struct BrokerLimitsTests {
    @Test("without wildcards every subscription names its topic, and the JSON forms still arrive")
    func noWildcards() async throws {
        let world = try BridgeWorld(devices: 2)
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

    @Test("without wildcards Home Assistant's birth message is received and answered as usual")
    func birthWithoutWildcards() async throws {
        let world = try BridgeWorld(homeAssistant: HomeAssistantOptions(mode: .device))
        let broker = world.broker
        broker.set { $0.limits.wildcardAvailable = false }
        try await world.start()
        #expect(await world.advance(until: { broker.isOnline && world.areAllAvailable }, limit: .seconds(10)) != nil)
        await world.advance(.seconds(30))
        let filters = broker.set { $0.filters }
        #expect(filters.filter { $0.filter == "homeassistant/status" }.map(\.retainHandling) == [.doNotSend])
        #expect(!filters.contains { $0.filter.contains("+") || $0.filter.contains("#") })
        broker.clearJournal()
        broker.set { $0.isChecking = false }
        try await world.act { broker.publish("homeassistant/status", "online") }
        await world.advance(.seconds(30))
        let announced = broker.journal.filter { $0.topic.hasPrefix("homeassistant/device/") }
        #expect(announced.count == 2, "the bridge and its device")
        await world.end()
    }

    @Test("a broker without retained messages: changes are still published, and commands are answered")
    func noRetainedMessages() async throws {
        let world = try BridgeWorld(devices: 2)
        let broker = world.broker
        broker.set { $0.limits.retainAvailable = false }
        try await world.start()
        let isReported = { broker.entries(world.topic("availability")).last?.text == "online" && broker.set { $0.isOnline } }
        #expect(await world.advance(until: { isReported() }, limit: .seconds(10)) != nil)
        await world.advance(.seconds(15))
        #expect(broker.tree.isEmpty)
        broker.clearJournal()
        try await world.send("set", #"{"volume":30}"#)
        await world.advance(.seconds(2))
        #expect(broker.entries(world.topic("response")).first?.text.contains(#""code":"done""#) == true)
        #expect(broker.entries(world.topic("status/volume")).map(\.text) == ["30"])
        // There can be no stale topics.
        try await world.request("topics/clean", #"{"apply":true}"#)
        #expect(await world.advance(until: { !world.answers(to: "topics/clean").isEmpty }, limit: .seconds(60)) != nil)
        #expect(world.answers(to: "topics/clean").first?.contains(#""found":0"#) == true)
        // Clients that subscribe later must ask.
        try await world.request("snapshot")
        await world.advance(.seconds(1))
        #expect(world.answers(to: "snapshot").first?.contains(world.topic("state")) == true)
        #expect(broker.violations == [])
        await world.end()
    }

    @Test("with QoS 0 alone everything goes out with QoS 0")
    func lowestQoS() async throws {
        let world = try BridgeWorld(devices: 2)
        let broker = world.broker
        broker.set { $0.limits.maximumQoS = .atMostOnce }
        try await world.start()
        #expect(await world.advance(until: { broker.isOnline && world.areAllAvailable }, limit: .seconds(10)) != nil)
        #expect(broker.journal.count > 20)
        #expect(broker.journal.allSatisfy { $0.qos == .atMostOnce })
        #expect(await world.treeIsAsWanted())
        await world.end()
    }

    @Test("a topic that the broker refuses is counted, and so is a self-test that is not delivered")
    func denied() async throws {
        let world = try BridgeWorld(devices: 1)
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
