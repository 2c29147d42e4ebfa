import BridgeCore
import MQTTClient
import NIOCore
import Testing

@testable import Bridge

/// The bridge does not trust that the broker still holds what it was sent.
@Suite("What the broker retains for the bridge", .timeLimit(.minutes(10)))
struct RetainedStateTests {
    static let state = "cast2mqtt/bridge/state"

    /// Another program retains this.
    private func overwrite(_ world: BridgeWorld, _ topic: String, _ text: String) async throws {
        let broker = world.broker
        try await world.act {
            broker.set { $0.retained[topic] = text.isEmpty ? nil : MQTTMessage(topic: topic, text: text, retain: true) }
            broker.publish(topic, text)
        }
    }

    @Test(
        "the late will of another bridge is put right within seconds, also after a check of what the broker retains",
        arguments: [("offline", 0), ("", 0), ("offline", 25), ("", 25)] as [(String, Int64)])
    func lateWill(text: String, minutes: Int64) async throws {
        let world = try await BridgeWorld.settled()
        world.broker.set { $0.isChecking = false }
        await world.advance(.minutes(minutes), step: .seconds(1))
        try await self.overwrite(world, Self.state, text)
        await world.advance(.seconds(2))
        #expect(world.broker.text(Self.state) == "online")
        await world.end()
    }

    @Test("over MQTT 3.1.1 the bridge's own state, which comes back, is not answered")
    func ownState() async throws {
        let world = try BridgeWorld(devices: 1)
        world.broker.set { $0.protocolVersion = .v311 }
        try await world.start()
        #expect(await world.advance(until: { world.broker.isOnline }, limit: .seconds(10)) != nil)
        await world.advance(.seconds(60))
        #expect(world.broker.entries(Self.state).count == 1)
        try await self.overwrite(world, Self.state, "offline")
        await world.advance(.seconds(1))
        #expect(world.broker.text(Self.state) == "online")
        await world.end()
    }

    @Test("a program that overwrites the state for ever is corrected a few times a minute, and logged")
    func fight() async throws {
        let world = try await BridgeWorld.settled()
        world.broker.set { $0.isChecking = false }
        world.broker.clearJournal()
        for _ in 0..<120 {
            try await self.overwrite(world, Self.state, "offline")
            await world.advance(.seconds(1))
        }
        let sent = world.broker.entries(Self.state).count
        #expect((6...10).contains(sent), "\(sent)")
        #expect(world.log.lines.count { $0.contains("overwrites the state") } <= 6)
        #expect(world.log.lines.contains { $0.contains("overwrites the state") })
        await world.advance(.seconds(61))
        #expect(world.broker.text(Self.state) == "online")
        await world.end()
    }

    @Test("a bridge that leaves says offline, and nothing else")
    func leaving() async throws {
        let world = try BridgeWorld(devices: 1)
        world.broker.set { $0.protocolVersion = .v311 }
        try await world.start()
        #expect(await world.advance(until: { world.broker.isOnline }, limit: .seconds(10)) != nil)
        #expect(await world.leave() != nil)
        #expect(world.broker.text(Self.state) == "offline")
        await world.end()
    }

    @Test("documents that the broker lost come back within minutes; the others are not sent again", arguments: [nil, "media", "status/"])
    func lost(part: String?) async throws {
        let world = try await BridgeWorld.settled(devices: 2)
        try await world.play("http://h/film", duration: 30_000)
        let broker = world.broker
        let before = Set(broker.tree.keys)
        broker.set { state in
            state.isChecking = false
            state.retained = part.map { part in state.retained.filter { !$0.key.contains(part) } } ?? [:]
        }
        let lost = before.subtracting(broker.tree.keys)
        broker.clearJournal()
        await world.advance(.seconds(640), step: .milliseconds(100))
        #expect(Set(broker.tree.keys) == before)
        #expect(await world.treeIsAsWanted())
        let again = Dictionary(grouping: broker.journal.filter { lost.contains($0.topic) && $0.isRetained }, by: \.topic)
        #expect(Set(again.keys) == lost)
        #expect(again.filter { $0.value.count > 1 && !$0.key.contains("position") }.isEmpty)
        let others = broker.journal.filter { $0.isRetained && !lost.contains($0.topic) && !$0.topic.contains("/bridge/") }
        #expect(others.filter { !$0.topic.contains("position") }.map(\.topic) == [])
        await world.end()
    }

    @Test("they come back again when they are lost again")
    func lostAgain() async throws {
        let world = try await BridgeWorld.settled()
        let broker = world.broker
        for _ in 0..<3 {
            broker.set { ($0.isChecking, $0.retained) = (false, [:]) }
            await world.advance(.seconds(640), step: .milliseconds(100))
            #expect(world.held("state") != nil && broker.text("cast2mqtt/bridge/info") != nil && broker.text(Self.state) == "online")
        }
        await world.end()
    }

    @Test("a broker that delivers no retained messages gets everything again once, not every ten minutes")
    func unreadable() async throws {
        let world = try await BridgeWorld.settled()
        let broker = world.broker
        broker.set { ($0.isChecking, $0.deliversRetained) = (false, false) }
        await world.advance(.seconds(640), step: .milliseconds(100))
        broker.clearJournal()
        await world.advance(.seconds(3000), step: .milliseconds(200))
        #expect(broker.journal.filter { $0.isRetained && !$0.topic.contains("/bridge/") }.map(\.topic) == [])
        #expect(world.log.lines.count { $0.contains("broker lost") } <= 1)
        await world.end()
    }

    @Test("a check of many devices is spread, and a request to look for stale topics need not wait for it")
    func manyDevices() async throws {
        let world = try await BridgeWorld.settled(devices: 40)
        let broker = world.broker
        await world.advance(.seconds(586))
        broker.clearJournal()
        #expect(
            await world.advance(until: { broker.set { $0.filters.contains { $0.filter.hasSuffix("/availability") } } }, limit: .seconds(30))
                != nil)
        #expect(broker.set { $0.filters.count } <= 30)
        try await world.request("topics/clean")
        #expect(await world.advance(until: { !world.answers(to: "topics/clean").isEmpty }, limit: .seconds(60)) != nil)
        #expect(world.answers(to: "topics/clean").first?.contains(#""found":0"#) == true)
        await world.advance(.seconds(5))
        #expect(broker.set { $0.filters }.allSatisfy { !$0.filter.hasSuffix("/availability") })
        #expect(broker.journal.filter { $0.isRetained && !$0.topic.contains("/bridge/") }.map(\.topic) == [])
        await world.end()
    }

    @Test(
        "what the bridge clears is no command to itself, and the next command is one",
        arguments: [MQTTProtocolVersion.v311, .v5], ["quit_app", "bridge"])
    func ownClearing(version: MQTTProtocolVersion, name: String) async throws {
        let world = try BridgeWorld(devices: 1)
        let broker = world.broker
        let topic = name == "bridge" ? "cast2mqtt/bridge/request/discover" : world.topic("cmd/quit_app")
        broker.set {
            $0.protocolVersion = version
            $0.retained[topic] = MQTTMessage(topic: topic, text: "PRESS", retain: true)
        }
        try await world.start()
        #expect(await world.advance(until: { broker.isOnline && world.areAllAvailable }, limit: .seconds(10)) != nil)
        try await world.play("http://h/film", duration: 3000)
        try await world.request("topics/clean", #"{"apply":true}"#)
        #expect(await world.advance(until: { !world.answers(to: "topics/clean").isEmpty }, limit: .seconds(120)) != nil)
        await world.advance(.seconds(5))
        #expect(broker.text(topic) == nil)
        #expect(world.held("state")?.contains("\"playing\"") == true)
        #expect(broker.journal.filter { $0.topic == world.topic("response") && !$0.text.contains("retained_rejected") }.isEmpty)
        #expect(world.answers(to: "discover").allSatisfy { $0.contains("retained_rejected") })
        // An empty payload of another client is a command.
        try await world.act { broker.publish(topic, "") }
        await world.advance(.seconds(5))
        let answers = broker.entries(world.topic("response")).map(\.text) + world.answers(to: "discover")
        #expect(answers.count { $0.contains(#""code":"done""#) } == 1, "\(answers)")
        await world.end()
    }
}
