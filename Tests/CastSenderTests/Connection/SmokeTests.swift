import CastModels
import Testing

@testable import CastSender

@Suite struct SmokeTests {
    @Test("an idle receiver becomes ready") func ready() async throws {
        let receiver = FakeReceiver()
        let (world, task) = await World.connected(to: receiver)
        print(world.log.all)
        #expect(world.log.readyTimes.count == 1)
        print(receiver.journal.map { ($0.type, $0.at) })
        let duration = await world.end(task)
        print(duration as Any, receiver.journal.map(\.type))
    }
}
