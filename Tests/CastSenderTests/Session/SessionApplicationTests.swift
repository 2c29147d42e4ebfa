import CastModels
import CastTestSupport
import NIOCore
import Testing

@testable import CastSender

@Suite struct SessionApplicationTests {
    /// Whether the caller named the application, and what the receiver shows.
    private static let cases: [(asked: String?, shown: String, universal: String?, expected: String)] = [
        ("CC1AD845", "CC1AD845", nil, "CC1AD845"), ("CC1AD845", "ATV00001", "CC1AD845", "CC1AD845"),
        ("ATV00001", "ATV00001", "CC1AD845", "ATV00001"), (nil, "ATV00001", "CC1AD845", "CC1AD845"), (nil, "5A1D0001", nil, "5A1D0001"),
    ]

    @Test("a session keeps the id that was asked for, else the one that every receiver knows", arguments: Self.cases)
    func applicationID(asked: String?, shown: String, universal: String?, expected: String) async throws {
        let receiver = FakeReceiver {
            $0.application = FakeReceiver.Application(id: shown)
            $0.application?.universalID = universal
        }
        let world = ManagerWorld()
        world.connector.route("10.0.0.1", to: .receiver(receiver))
        let task = await world.run()
        let session = await world.call { manager throws(CastError) in
            guard let asked else { return try await manager.join(ManagerWorld.device()) }
            return try await manager.start(on: ManagerWorld.device(), launching: asked)
        }
        _ = try #require(session).get()
        #expect(receiver.set { $0.launches } == 0)
        #expect(await world.manager.record(of: "aa11")?.applicationID == expected)
        var sessions = world.manager.sessions.makeAsyncIterator()
        #expect(await sessions.next()?.first?.applicationID == expected)
        task.cancel()
        for _ in 0..<100 {
            await world.virtual.advance(.milliseconds(10))
            await Task.yield()
        }
        await task.value
    }
}
