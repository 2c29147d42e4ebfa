import BridgeCore
import CastReceiverSimulator
import NIOCore
import Testing

@testable import Bridge

@Suite("A stream that another sender moves", .timeLimit(.minutes(10)))
struct MovedStreamTests {
    private func events(_ world: BridgeWorld) -> [String] {
        world.broker.entries("cast2mqtt/bridge/event").map(\.text).filter { $0.contains("stream_moved") }
    }

    /// A world whose first device plays an hour's film that the bridge, or another sender, loaded.
    private func playing(isOurs: Bool) async throws -> BridgeWorld {
        let world = try await BridgeWorld.settled(devices: 3)
        if isOurs {
            try await world.send("cmd/load", #"{"url":"http://h/film.mp4?duration=3600","metadata":{"type":"movie","title":"Film"}}"#)
            await world.advance(.seconds(3))
        } else {
            try await world.play("http://h/film", duration: 3600)
        }
        #expect(world.held("app")?.contains(#""ours":\#(isOurs)"#) == true)
        await world.advance(.seconds(30))
        world.broker.clearJournal()
        return world
    }

    @Test("is an event, and stays ours where it was ours, in whatever order the two devices report it", arguments: [true, false], [0, 4])
    func moved(isOurs: Bool, seconds: Int64) async throws {
        let world = try await self.playing(isOurs: isOurs)
        let (source, target) = (world.devices[0], world.devices[1])
        try await world.act { try source.moveStream(to: target, endingAfter: .seconds(seconds)) }
        await world.advance(.seconds(seconds + 12))
        let event = try #require(self.events(world).first)
        #expect(self.events(world).count == 1)
        #expect(event.contains(#""slug":"\#(world.slug(1))""#))
        #expect(event.contains(#""from":"\#(world.slug())","to":"\#(world.slug(1))","from_id":"\#(source.id)""#))
        #expect(world.held("app", 1)?.contains(#""ours":\#(isOurs)"#) == true)
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test("is not reported when an application ends and nothing continues, or another item begins elsewhere", arguments: [false, true])
    func notMoved(isOtherPlaying: Bool) async throws {
        let world = try await self.playing(isOurs: true)
        try await world.act { try world.devices[0].perform(.handOver) }
        if isOtherPlaying { try await world.play("http://h/other", duration: 3600, 1) }
        await world.advance(.seconds(5))
        #expect(self.events(world) == [])
        #expect(world.held("app", 1)?.contains(#""ours":true"#) == false)
        await world.end()
    }

    /// Looks at an agent without keeping it.
    private struct Glance { weak var agent: DeviceAgent? }

    @Test("is forgotten with the device that lost it", arguments: [true, false])
    func dismissed(isRemoved: Bool) async throws {
        let world = try await self.playing(isOurs: false)
        let id = world.devices[0].id
        let glance = await world.look {
            NIOLoopBound(Glance(agent: $0.fleet.device(id)), eventLoop: $0.context.loop.eventLoop)
        }
        try await world.act { try world.devices[0].perform(.handOver) }
        await world.advance(.seconds(1))
        if isRemoved { try await world.request("device/remove", #"{"device":"\#(id)","forget":true}"#) }
        await world.advance(.seconds(3))
        #expect(await world.look { _ in glance.value.agent == nil } == isRemoved)
        await world.end()
    }

    @Test("is not reported when one of two devices that play the same in step stops, or when the bridge stops the media")
    func inStep() async throws {
        let world = try await BridgeWorld.settled(devices: 2)
        for index in 0..<2 {
            try await world.act {
                try world.devices[index].perform(.load(RemoteItem(url: "http://h/film", title: "Film", durationSeconds: 3600)))
            }
        }
        await world.advance(.seconds(3))
        try await world.act { try world.devices[0].perform(.handOver) }
        await world.advance(.seconds(1))
        try await world.send("set/volume", "33", 1)
        await world.advance(.seconds(12))
        #expect(world.held("status/player", 1) == "playing")
        #expect(self.events(world) == [])
        await world.end()
    }

    @Test("is not reported for the command `transfer`, whose answer contains it")
    func command() async throws {
        let world = try await self.playing(isOurs: true)
        try await world.send("cmd/transfer", #"{"to":"\#(world.slug(1))","id":"t"}"#)
        await world.advance(.seconds(20))
        #expect(world.broker.entries(world.topic("response")).contains { $0.text.contains(#""code":"done""#) })
        #expect(world.held("status/player") != "playing" && world.held("status/player", 1) == "playing")
        #expect(self.events(world) == [])
        await world.end()
    }
}
