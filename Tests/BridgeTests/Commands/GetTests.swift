import BridgeCore
import NIOCore
import Testing

@testable import Bridge

@Suite("A document that is asked for", .timeLimit(.minutes(10)))
struct GetTests {
    @Test("is sent before the answer, although nothing in it changed", arguments: ["state", "info", "availability"])
    func order(document: String) async throws {
        let world = try await BridgeWorld.settled()
        world.broker.set { $0.isChecking = false }
        world.broker.clearJournal()
        try await world.send("get/\(document)", #"{"id":"g1"}"#)
        await world.advance(.seconds(2))
        let topics = world.broker.journal.map(\.topic)
        let reported = try #require(topics.firstIndex(of: world.topic(document)))
        let answered = try #require(topics.firstIndex { $0.hasSuffix("/response") })
        #expect(reported < answered)
        #expect(world.answers("g1").count == 1)
        await world.end()
    }
}
