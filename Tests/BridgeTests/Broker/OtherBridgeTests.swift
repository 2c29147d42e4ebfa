import BridgeCore
import CastTestSupport
import MQTTClient
import NIOCore
import Testing

@testable import Bridge

@Suite("Another bridge with the same base", .timeLimit(.minutes(5)))
struct OtherBridgeTests {
    /// What the broker of a look has and who is there.
    enum Base: Sendable {
        /// `online` is retained and each health check is answered.
        case inUse
        /// `online` is retained, and no bridge answers.
        case stale
        /// The first link ends before anything is known; the second finds nothing.
        case unsteady
        /// The broker does not let this client id in.
        case refusing
    }

    /// A link for one look.
    private final class ScriptedLink: BrokerLink {
        let base: Base
        let configuration: LinkConfiguration
        let onEvent: @Sendable (MQTTEvent) -> Void
        private let stream = AsyncStream<Void>.makeStream()

        init(_ base: Base, _ configuration: LinkConfiguration, _ onEvent: @escaping @Sendable (MQTTEvent) -> Void) {
            (self.base, self.configuration, self.onEvent) = (base, configuration, onEvent)
        }

        func run() async {
            switch self.base {
            case .refusing:
                self.onEvent(.attemptFailed(MQTTLinkError(.cannotConnect, detail: "test"), retryIn: .seconds(1)))
                let refusal = MQTTLinkError(.refusedByBroker, reasonCode: .clientIdentifierNotValid, detail: "test")
                self.onEvent(.attemptFailed(refusal, retryIn: .seconds(20)))
            case .inUse, .stale, .unsteady: self.onEvent(.connected(.test(epoch: 1)))
            }
            for await _ in self.stream.stream {}
        }

        func publish(_ batch: MQTTBatch, epoch: UInt64, isAwaited: Bool) {
            let request = batch.messages[0].message
            let state = MQTTMessage(topic: "cast2mqtt/bridge/state", text: "online", retain: true)
            switch self.base {
            case .inUse:
                let answer = MQTTMessage(topic: "cast2mqtt/bridge/response/health_check", payload: request.payload)
                for message in [state, request, answer] { self.onEvent(.message(message, epoch: epoch)) }
            case .stale: for message in [state, request] { self.onEvent(.message(message, epoch: epoch)) }
            case .unsteady:
                if epoch == 2 { return self.onEvent(.message(request, epoch: epoch)) }
                self.onEvent(.disconnected(epoch: epoch, MQTTLinkError(.connectionLost, detail: "test")))
                self.onEvent(.connected(.test(epoch: 2)))
            case .refusing: break
            }
        }

        func takeOutcomes(epoch: UInt64) -> [MQTTPublished] { [] }
        func subscribe(_ filters: [MQTTSubscription], epoch: UInt64, completion: @escaping @Sendable (MQTTSubscribeOutcome) -> Void) {}
        func unsubscribe(_ filters: [String], epoch: UInt64, completion: @escaping @Sendable (MQTTSubscribeOutcome) -> Void) {}
        func stop(publishing farewell: MQTTMessage?, within limit: Duration) async { self.stream.continuation.finish() }
        func wake() {}
        func confirmOwner() {}
    }

    /// Starts a bridge whose looks find these bases one after the other, and returns how long it stayed away from the broker.
    private func delay(_ bases: [Base]) async throws -> (TimeAmount?, [LinkConfiguration]) {
        let looks = Locked<[LinkConfiguration]>([])
        let world = try World(
            devices: 1,
            probe: { configuration, onEvent in
                let base = looks.value.count < bases.count ? bases[looks.value.count] : nil
                looks.value.append(configuration)
                if let base { return ScriptedLink(base, configuration, onEvent) }
                return EmptyBaseLink(onEvent)
            })
        world.begin()
        let took = await world.advance(until: { world.broker.set { $0.link != nil } }, limit: .seconds(120))
        await world.end()
        return (took, looks.value)
    }

    @Test(
        "keeps the bridge from the broker while it answers, and no longer than 2 s when it does not",
        arguments: [
            ([], 0...100), ([.stale], 2000...2300), ([.unsteady], 0...100), ([.refusing], 0...100), ([.inUse], 30_000...30_500),
            ([.inUse, .inUse, .stale], 62_000...63_000),
        ] as [([Base], ClosedRange<Int64>)])
    func delays(bases: [Base], milliseconds: ClosedRange<Int64>) async throws {
        let (took, looks) = try await self.delay(bases)
        let waited = try #require(took).nanoseconds / 1_000_000
        #expect(milliseconds.contains(waited), "\(waited) ms")
        #expect(looks.allSatisfy { $0.will == nil && $0.sessionExpirySeconds == 0 && $0.clientID.utf8.count == 22 })
        #expect(Set(looks.map(\.clientID)).count == looks.count)
    }

    @Test("does not keep a bridge that waits for it from ending")
    func ending() async throws {
        let world = try World(devices: 1, probe: { configuration, onEvent in ScriptedLink(.inUse, configuration, onEvent) })
        world.begin()
        await world.advance(.seconds(10))
        await world.end()
        #expect(world.broker.set { $0.link == nil })
    }
}
