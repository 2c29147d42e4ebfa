import BridgeCore
import NIOCore
import Testing

@testable import Bridge

@Suite("bridge/health", .timeLimit(.minutes(10)))
struct HealthDocumentTests {
    /// The numbers of known and of connected devices, as published last.
    private func devices(_ world: BridgeWorld) -> String? {
        world.broker.text("cast2mqtt/bridge/health").flatMap { text in
            text.range(of: #""devices":{"#).map { String(text[$0.upperBound...].prefix { $0 != "}" }) }
        }
    }

    @Test("counts devices as soon as they are online, not a minute later")
    func countsAtOnce() async throws {
        let world = try await BridgeWorld.settled(devices: 3)
        #expect(self.devices(world)?.hasPrefix(#""known":3,"online":3"#) == true, "\(self.devices(world) ?? "-")")
        try await world.act { world.devices[1].set(.off) }
        await world.advance(.seconds(14))
        #expect(world.held("availability", 1) == "offline")
        #expect(self.devices(world)?.hasPrefix(#""known":3,"online":2"#) == true, "\(self.devices(world) ?? "-")")
        await world.end()
    }

    @Test("is measured again before the bridge publishes online again")
    func measuredAgain() async throws {
        let world = try await BridgeWorld.settled()
        await world.advance(.seconds(5))
        let before = world.broker.text("cast2mqtt/bridge/health")
        try await world.act { world.broker.cut() }
        world.broker.clearJournal()
        _ = await world.advance(until: { world.broker.isOnline }, limit: .seconds(30))
        await world.advance(.seconds(1))
        let healths = world.broker.entries("cast2mqtt/bridge/health")
        #expect(healths.count == 1 && healths.first?.isAfterOnline == false && healths.first?.text != before)
        await world.end()
    }

    @Test("has the cause of nothing found, reports it once, and clears it when a device is online")
    func nothingFound() async throws {
        let world = try BridgeWorld(devices: 1, isKnown: false)
        func cause() -> String? {
            world.broker.text("cast2mqtt/bridge/health").flatMap { text in
                text.range(of: #""discovery":{"cause":"#).map { String(text[$0.upperBound...].prefix { $0 != "}" }) }
            }
        }
        try await world.start()
        await world.advance(.seconds(30))
        #expect(cause() == "null")
        try await world.request("discover")
        await world.advance(.seconds(1))
        let answer = try #require(world.answers(to: "discover").last)
        #expect(answer.contains(#""data":{"known":0,"cause":"nothing_to_search","reason":"mDNS is off"#), "\(answer)")
        #expect(world.bridgeEvents("nothing_found").isEmpty)
        await world.advance(.seconds(200))
        #expect(cause() == #""nothing_to_search""#)
        let events = world.bridgeEvents("nothing_found")
        #expect(events.count == 1 && events.first?.contains(#""cause":"nothing_to_search","reason":"mDNS is off"#) == true, "\(events)")
        #expect(events.first?.contains(#""remedy":"allow mDNS"#) == true, "\(events)")
        await world.find()
        let isOnline = { self.devices(world)?.hasPrefix(#""known":1,"online":1"#) == true }
        #expect(await world.advance(until: isOnline, limit: .seconds(20)) != nil)
        #expect(cause() == "null")
        try await world.request("discover")
        await world.advance(.seconds(90))
        #expect(world.answers(to: "discover").last?.contains(#""known":1,"cause":null,"reason":null,"remedy":null"#) == true)
        #expect(world.bridgeEvents("nothing_found").count == 1)
        await world.end()
    }
}
