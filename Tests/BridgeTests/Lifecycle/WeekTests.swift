import CastReceiverSimulator
import NIOCore
import Testing

@testable import Bridge

/// Outages of a week, in virtual time.
@Suite("A week without", .timeLimit(.minutes(10)))
struct WeekTests {
    /// How many lines a log of the default level may get from an outage of a week.
    private static let most = 100

    @Test("a device that is away for seven days costs fewer than 100 log lines, and is online again afterwards")
    func device() async throws {
        let world = try await BridgeWorld.settled(logLevel: .info)
        let device = world.devices[0]
        let before = world.log.all.count
        try await world.act { device.set(.off) }
        await world.advance(.seconds(60), step: .seconds(1))
        #expect(world.held("availability") == "offline")
        let attempts = world.connector.attempts.count
        await world.virtual.advance(.hours(7 * 24), step: .minutes(10))
        #expect(world.connector.attempts.count > attempts + 1000, "the bridge goes on trying")
        try await world.act { device.set(.on) }
        await world.advance(.seconds(60), step: .seconds(1))
        #expect(world.areAllAvailable)
        let lines = world.log.lines.dropFirst(before)
        #expect(!lines.isEmpty && lines.count < Self.most, "\(lines)")
        await world.end()
    }

    @Test("a broker that is away for seven days costs fewer than 100 log lines, and everything is published again afterwards")
    func broker() async throws {
        let world = try await BridgeWorld.settled(logLevel: .info)
        let (broker, device) = (world.broker, world.devices[0])
        let before = world.log.all.count
        try await world.act { broker.stop(losingStore: true) }
        for day in 1...7 {
            try await world.act { try device.perform(.load(RemoteItem(url: "http://h/\(day)", title: "Day \(day)", durationSeconds: 90))) }
            await world.virtual.advance(.hours(24), step: .minutes(10))
        }
        #expect(broker.set { $0.retained.isEmpty })
        try await world.act { broker.start() }
        await world.advance(.seconds(60), step: .seconds(1))
        #expect(broker.isOnline && world.areAllAvailable)
        #expect(await world.treeIsAsWanted())
        let lines = world.log.lines.dropFirst(before)
        #expect(!lines.isEmpty && lines.count < Self.most, "\(lines)")
        await world.end()
    }
}
