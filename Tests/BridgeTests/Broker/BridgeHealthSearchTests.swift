import BridgeCore
import CastTestSupport
import NIOCore
import Testing

@testable import Bridge

@Suite("The health check over the broker", .timeLimit(.minutes(10)))
struct BridgeHealthSearchTests {
    @Test(
        "reports what is wrong, at the limit at the latest",
        arguments: [
            (.inUse, nil, 0...100), (.ended, "not online", 0...100), (.unsteady, "not online", 0...100),
            (.inUseByGarden, "instance is garden, not home", 0...100), (.stale, "did not answer within 5 s", 5000...5100),
            (.mute, "allowed to read and write cast2mqtt/bridge/#", 5000...5100), (.away, "cannot_connect: no route", 5000...5100),
            (.refusing, "refused_by_broker", 0...100),
        ] as [(ScriptedBase, String?, ClosedRange<Int64>)])
    func findings(base: ScriptedBase, reason: String?, milliseconds: ClosedRange<Int64>) async throws {
        let virtual = VirtualLoop()
        let configurations = Locked<[LinkConfiguration]>([])
        let search = BridgeHealthSearch(
            instance: "home", topics: TopicTree(base: "cast2mqtt"),
            mqtt: LinkConfiguration(host: "10.0.0.9", port: 1883, clientID: "cast2mqtt-home", sessionExpirySeconds: 30),
            limit: .seconds(5))
        let outcome = try #require(
            await virtual.call {
                await search.run(nonce: 42, eventLoop: virtual.loop) { configuration, onEvent in
                    configurations.value.append(configuration)
                    return ScriptedLink(base, onEvent)
                }
            })
        switch (outcome.value, reason) {
        case (.healthy(let version), nil): #expect(version == "0.1.0")
        case (.unhealthy(let text), let reason?): #expect(text.contains(reason) && !text.contains("\n"), "\(text)")
        default: Issue.record("\(outcome.value)")
        }
        #expect(milliseconds.contains(outcome.duration.nanoseconds / 1_000_000), "\(outcome.duration)")
        #expect(configurations.value.map(\.clientID) == ["cast2mqtt-00000000002a"])
        #expect(configurations.value.allSatisfy { $0.will == nil && $0.sessionExpirySeconds == 0 })
    }
}
