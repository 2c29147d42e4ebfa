import BridgeCore
import CastTestSupport
import NIOCore
import Testing

@testable import Bridge

@Suite("Another bridge with the same base", .timeLimit(.minutes(10)))
struct OtherBridgeTests {
    /// Starts a bridge whose searches find these bases one after the other, and returns how long it stayed away from the broker.
    private func delay(_ bases: [ScriptedBase]) async throws -> (TimeAmount?, [LinkConfiguration]) {
        let searches = Locked<[LinkConfiguration]>([])
        let world = try BridgeWorld(
            devices: 1,
            probe: { configuration, onEvent in
                let base = searches.value.count < bases.count ? bases[searches.value.count] : nil
                searches.value.append(configuration)
                if let base { return ScriptedLink(base, onEvent) }
                return EmptyBaseLink(onEvent)
            })
        world.begin()
        let took = await world.advance(until: { world.broker.set { $0.link != nil } }, limit: .seconds(120))
        await world.end()
        return (took, searches.value)
    }

    @Test(
        "keeps the bridge from the broker while it answers, and no longer than 2 s when it does not",
        arguments: [
            ([], 0...100), ([.stale], 2000...2300), ([.unsteady], 0...100), ([.refusing], 0...100), ([.inUse], 30_000...30_500),
            ([.inUse, .inUse, .stale], 62_000...63_000),
        ] as [([ScriptedBase], ClosedRange<Int64>)])
    func delays(bases: [ScriptedBase], milliseconds: ClosedRange<Int64>) async throws {
        let (took, searches) = try await self.delay(bases)
        let waited = try #require(took).nanoseconds / 1_000_000
        #expect(milliseconds.contains(waited), "\(waited) ms")
        #expect(searches.allSatisfy { $0.will == nil && $0.sessionExpirySeconds == 0 && $0.clientID.utf8.count == 22 })
        #expect(Set(searches.map(\.clientID)).count == searches.count)
    }

    @Test("does not keep a bridge that waits for it from ending")
    func ending() async throws {
        let world = try BridgeWorld(devices: 1, probe: { _, onEvent in ScriptedLink(.inUse, onEvent) })
        world.begin()
        await world.advance(.seconds(10))
        await world.end()
        #expect(world.broker.set { $0.link == nil })
    }
}
