import BridgeCore
import MQTTClient
import NIOCore
import Testing

@testable import Bridge

/// Brokers that end the link instead of refusing a message.
@Suite("A broker that ends the link because of what it is sent", .timeLimit(.minutes(10)))
struct UnkindBrokerTests {
    /// What one broker does not accept, and the topics that the bridge then does without.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var code: UInt8?
        var longest = 100_000
        /// Parts of the topics that are not accepted.
        var denied: [String] = []
        /// What a line of the log names.
        var named: String

        var testDescription: String { self.name }

        func ends(_ message: MQTTMessage) -> MQTTLinkError? {
            let isAccepted = message.payload.count <= self.longest && !self.denied.contains { message.topic.contains($0) }
            let reason = self.code.map { MQTTReasonCode(rawValue: $0) }
            return isAccepted
                ? nil : MQTTLinkError(reason == nil ? .connectionLost : .disconnectedByBroker, reasonCode: reason, detail: "t")
        }
    }

    static let cases: [Case] = [
        Case(name: "announcements, 0x87", code: 0x87, denied: ["homeassistant/"], named: "homeassistant/#"),
        Case(name: "announcements, close", denied: ["homeassistant/"], named: "homeassistant/#"),
        Case(name: "one document of each device, 0x87", code: 0x87, denied: ["/media"], named: "cast2mqtt/+/media"),
        Case(name: "one document of each device, close", denied: ["/tracks"], named: "cast2mqtt/+/tracks"),
        Case(name: "plain values with QoS 0, close", denied: ["/status/"], named: "cast2mqtt/+/status/#"),
        Case(name: "a plain value of one device, 0x87", code: 0x87, denied: ["/status/volume"], named: "/status/"),
        Case(name: "two documents of the bridge", code: 0x87, denied: ["bridge/info", "bridge/health"], named: "cast2mqtt/bridge/info"),
        Case(name: "the self-test", denied: ["bridge/request/"], named: "cast2mqtt/bridge/request/health_check"),
        Case(name: "the state of the bridge", code: 0x87, denied: ["bridge/state"], named: "cast2mqtt/bridge/state"),
        Case(name: "events", code: 0x83, denied: ["/event"], named: "cast2mqtt/bridge/event"),
        Case(name: "packets of 0x95", code: 0x95, longest: 700, named: "homeassistant/"),
        Case(name: "large packets, close", longest: 700, named: "homeassistant/"),
    ]

    @Test("the bridge comes online without it, names it, and stays", arguments: Self.cases)
    func heldBack(wanted: Case) async throws {
        let world = try BridgeWorld(devices: 3, homeAssistant: HomeAssistantOptions(mode: .device))
        let broker = world.broker
        broker.set {
            $0.disconnects = { wanted.ends($0) }
            $0.connectDelay = .seconds(1)
        }
        try await world.start()
        await world.advance(.seconds(90))
        let links = broker.epoch
        #expect(links <= 20, "\(links) links")
        // Everything else arrives, also what changes later.
        try await world.play("http://h/film", duration: 3000)
        await world.advance(.seconds(60))
        let warnings = world.log.all.filter { $0.message.contains("held back") }.compactMap { $0.metadata["topic"] }
        #expect(warnings.contains { $0.contains(wanted.named) }, "\(warnings) in \(links) links")
        #expect(broker.epoch <= links + 6, "\(warnings)")
        let later = broker.epoch
        try await world.send("set", #"{"volume":30}"#)
        await world.advance(.seconds(120))
        #expect(broker.epoch == later)
        if !wanted.denied.contains("bridge/state") { #expect(broker.isOnline) }
        if !wanted.denied.contains("/status/") && !wanted.denied.contains("/status/volume") { #expect(world.held("status/volume") == "30") }
        #expect(world.held("state")?.contains("\"playing\"") == true || wanted.longest < 1000)
        #expect(world.areAllAvailable)
        await world.end()
    }

    @Test("a document that was held back for its size is cleared, and published when it is small again")
    func smallAgain() async throws {
        let world = try await BridgeWorld.settled()
        let (broker, topic) = (world.broker, world.topic("media"))
        broker.set { state in
            state.disconnects = { $0.payload.count > 1500 ? MQTTLinkError(.connectionLost, detail: "test") : nil }
            state.connectDelay = .seconds(1)
            state.isChecking = false
        }
        try await world.play("http://h/" + String(repeating: "x", count: 1500), duration: 3000)
        await world.advance(.seconds(60))
        #expect(broker.text("cast2mqtt/bridge/state") == "online" && broker.text(topic) == nil)
        try await world.play("http://h/short", duration: 3000)
        await world.advance(.seconds(10))
        #expect(broker.text(topic)?.contains("http://h/short") == true)
        await world.end()
    }

    @Test("a request to send everything again forgets what was held back")
    func republished() async throws {
        let world = try BridgeWorld(devices: 1)
        let broker = world.broker
        broker.set {
            $0.disconnects = { $0.topic.hasSuffix("/media") ? MQTTLinkError(.connectionLost, detail: "test") : nil }
            $0.connectDelay = .seconds(1)
        }
        try await world.start()
        await world.advance(.seconds(60))
        #expect(broker.isOnline && world.held("media") == nil)
        broker.set { ($0.disconnects, $0.isChecking) = (nil, false) }
        try await world.request("republish")
        await world.advance(.seconds(10))
        #expect(world.held("media") != nil)
        await world.end()
    }

    @Test("a broker that takes few messages a second gets them slower", arguments: [20, 100])
    func rate(limit: Int) async throws {
        let world = try BridgeWorld(devices: 3)
        let broker = world.broker
        broker.set {
            $0.messagesPerSecond = limit
            $0.connectDelay = .seconds(1)
        }
        try await world.start()
        #expect(await world.advance(until: { broker.isOnline && world.areAllAvailable }, limit: .seconds(60)) != nil)
        #expect(broker.epoch <= 5)
        let links = broker.epoch
        await world.advance(.seconds(15))
        #expect(await world.treeIsAsWanted())
        try await world.send("set", #"{"volume":30}"#)
        await world.advance(.seconds(5))
        #expect(world.held("status/volume") == "30" && broker.epoch == links)
        await world.end()
    }

    @Test("cuts that no message caused hold nothing back")
    func innocent() async throws {
        let world = try BridgeWorld(devices: 3)
        let broker = world.broker
        broker.set { $0.acknowledgeDelay = .milliseconds(30) }
        try await world.start()
        for turn in 0..<20 {
            await world.advance(.milliseconds(100 + 60 * Int64(turn * 7 % 11)))
            try await world.act { broker.cut() }
        }
        #expect(await world.advance(until: { broker.isOnline && world.areAllAvailable }, limit: .seconds(60)) != nil)
        await world.advance(.seconds(15))
        #expect(await world.treeIsAsWanted())
        #expect(world.log.all.filter { $0.message.contains("held back") }.map(\.metadata) == [])
        #expect(broker.violations == [])
        await world.end()
    }
}
