import BridgeCore
import CastReceiverSimulator
import MQTTClient
import NIOCore
import Testing

@testable import Bridge

@Suite("A new link to the broker", .timeLimit(.minutes(10)))
struct ConnectingTests {
    @Test("the subscriptions are acknowledged, then come all documents, and online is last")
    func order() async throws {
        let world = try BridgeWorld(devices: 3)
        try await world.play("http://h/a", duration: 600)
        world.broker.set { $0.acknowledgeDelay = .milliseconds(40) }
        try await world.start()
        #expect(await world.advance(until: { world.broker.isOnline }, limit: .seconds(10)) != nil)

        let retained = world.broker.journal.filter(\.isRetained)
        let online = try #require(retained.firstIndex { $0.topic == "cast2mqtt/bridge/state" })
        #expect(online == retained.count - 1, "online is the last of the first round")
        let before = Set(retained[..<online].map(\.topic))
        for name in ["bridge/info", "bridge/devices", "bridge/health"] { #expect(before.contains("cast2mqtt/\(name)")) }
        for index in world.devices.indices {
            #expect(before.contains(world.topic("availability", index)))
        }
        await world.advance(.seconds(20))
        for index in world.devices.indices {
            for name in ["info", "app", "media", "state"] { #expect(world.held(name, index) != nil, "\(name) of \(index)") }
        }
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test("nothing retained is sent while the broker does not acknowledge the subscriptions")
    func withoutAcknowledgement() async throws {
        let world = try BridgeWorld(devices: 2)
        world.broker.set { $0.subscribes = false }
        try await world.start()
        await world.advance(.seconds(30))
        #expect(world.broker.epoch == 1)
        #expect(world.broker.journal.filter(\.isRetained).map(\.topic) == [])
        await world.end()
    }

    /// How the bridge finds a device when it starts.
    enum Beginning: CaseIterable { case idle, loading, poweredOff }

    @Test("what an earlier run left is cleared or replaced, whatever the device is doing", arguments: Beginning.allCases)
    func staleTopics(beginning: Beginning) async throws {
        let isExpectedOnline = beginning != .poweredOff
        let (old, state) = ("cast2mqtt/sim-001/no-longer", "cast2mqtt/sim-001/state")
        let world = try BridgeWorld(devices: 1, remembered: ["sim-001": [old, state]])
        let (broker, device) = (world.broker, world.devices[0])
        broker.set { broker in
            for topic in [old, state] { broker.retained[topic] = MQTTMessage(topic: topic, text: #"{"player":"playing"}"#, retain: true) }
        }
        switch beginning {
        case .idle: break
        case .loading:
            let item = RemoteItem(url: "http://h/slow?load_time=300", title: "slow", durationSeconds: 60)
            try await world.act { try device.perform(.load(item)) }
        case .poweredOff: device.set(.off)
        }
        try await world.start()
        #expect(await world.advance(until: { broker.isOnline }, limit: .seconds(10)) != nil)
        #expect(world.held("availability") == (isExpectedOnline ? "online" : "offline"))
        await world.advance(.seconds(31))
        #expect(broker.text(old) == nil)
        let player =
            switch beginning {
            case .idle: "off"
            case .loading: "loading"
            case .poweredOff: "unknown"
            }
        #expect(broker.text(state)?.contains("\"player\":\"\(player)\"") == true)
        #expect(await world.treeIsAsWanted())
        #expect(broker.violations == [])
        await world.end()
    }

    @Test("without acknowledgements fewer than 20 messages are under way, and all arrive afterwards", arguments: [UInt16(20), 5, 1])
    func window(receiveMaximum: UInt16) async throws {
        let world = try BridgeWorld(devices: 8)
        world.broker.set { ($0.acknowledges, $0.receiveMaximum) = (false, receiveMaximum) }
        try await world.start()
        await world.advance(.seconds(5))
        let broker = world.broker
        let most = broker.mostUnacknowledged
        #expect(most > 0 && most < 20 && most <= Int(receiveMaximum))
        for number in 0..<30 { try await world.send("cmd/play", #"{"id":"w\#(number)"}"#, number % 8) }
        #expect(!broker.isOnline)
        try await world.act { broker.acknowledgeAll() }
        #expect(await world.advance(until: { broker.isOnline && world.areAllAvailable }, limit: .seconds(20)) != nil)
        #expect(broker.mostUnacknowledged < 20 && broker.mostUnacknowledged <= Int(receiveMaximum))
        #expect(broker.violations == [])
        await world.end()
    }
}
