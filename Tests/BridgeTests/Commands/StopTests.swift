import CastReceiverSimulator
import NIOCore
import Testing

@testable import Bridge

@Suite("Stopping", .timeLimit(.minutes(10)))
struct StopTests {
    @Test(
        "after our stop the state is idle at once, whether or not the receiver reports why", arguments: ["idleReason", nil], [false, true])
    func idle(removed: String?, hasEmptyStatus: Bool) async throws {
        let world = try await BridgeWorld.settled(split: .basic)
        let device = world.devices[0]
        try await world.play("http://h/a", duration: 600)
        #expect(world.held("status/player") == "playing")
        try await world.act {
            if let removed { try device.perform(.distort(Distortion(type: "MEDIA_STATUS", removals: ["status.0.\(removed)"]))) }
            if hasEmptyStatus { try device.perform(.habit(.emptyStatus, true)) }
        }
        try await world.send("cmd/stop", "")
        await world.advance(.milliseconds(400))
        #expect(world.held("status/player") == "idle")
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test("an end without a reason and without a command may be the gap before the next item")
    func gap() async throws {
        let world = try await BridgeWorld.settled(split: .basic)
        let device = world.devices[0]
        try await world.play("http://h/a", duration: 600)
        try await world.act {
            try device.perform(.distort(Distortion(type: "MEDIA_STATUS", removals: ["status.0.idleReason"])))
            try device.perform(.stopMedia)
        }
        await world.advance(.milliseconds(400))
        #expect(world.held("status/player") == "playing")
        await world.advance(.seconds(2))
        #expect(world.held("status/player") == "idle")
        await world.end()
    }
}
