import BridgeCore
import CastReceiverSimulator
import NIOCore
import Testing

@testable import Bridge

@Suite("A wall clock that is set", .timeLimit(.minutes(10)))
struct ClockStepTests {
    @Test("corrects the times of everything that is shown, and of the events that follow", arguments: [3 * 3600.0, -5 * 3600.0, 1.5])
    func steps(seconds: Double) async throws {
        let world = try await BridgeWorld.settled(split: .full)
        try await world.send("cmd/load", "http://h/a.mp4?duration=600")
        await world.advance(.seconds(20))
        let anchor = try #require(world.held("status/position_at").flatMap { Timestamp(rfc3339: $0) })
        let end = try #require(world.held("status/ends_at").flatMap { Timestamp(rfc3339: $0) })
        let start = try #require(Self.startedAt(world))
        world.wallStart.value += Int64(seconds * 1000)
        await world.advance(.seconds(20))
        // Its position is still the same at the same moment.
        #expect(world.held("status/position_at") == anchor.adding(seconds: seconds).text)
        #expect(world.held("status/ends_at") == end.adding(seconds: seconds).text)
        #expect(Self.startedAt(world) == start.adding(seconds: seconds))
        try await world.act { try world.devices[0].perform(.quit) }
        await world.advance(.seconds(10))
        let ended = world.broker.entries(world.topic("event")).map(\.text).last { $0.contains(#""event_type":"media_ended""#) }
        let begun = try #require(ended?.firstMatch(of: /"started_at":"([^"]+)"/)?.1).description
        #expect(try #require(Timestamp(rfc3339: begun)).seconds(until: anchor.adding(seconds: seconds)) < 10)
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test("that is corrected by and by changes nothing")
    func slew() async throws {
        let world = try await BridgeWorld.settled(split: .full)
        try await world.send("cmd/load", "http://h/a.mp4?duration=600")
        await world.advance(.seconds(20))
        let anchor = world.held("status/position_at")
        for _ in 0..<5 {
            world.wallStart.value += 5
            await world.advance(.seconds(10))
        }
        #expect(world.held("status/position_at") == anchor)
        await world.end()
    }

    private static func startedAt(_ world: BridgeWorld) -> Timestamp? {
        world.broker.text("cast2mqtt/bridge/info").flatMap { $0.firstMatch(of: /"started_at":"([^"]+)"/) }
            .flatMap { Timestamp(rfc3339: String($0.1)) }
    }
}
