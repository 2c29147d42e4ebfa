import CastTestSupport
import MQTTClient

@testable import Bridge

/// A link to a broker that retains nothing and has no other client: each message is delivered to its sender.
final class EmptyBaseLink: BrokerLink {
    let onEvent: @Sendable (MQTTEvent) -> Void
    private let ending: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation

    init(_ onEvent: @escaping @Sendable (MQTTEvent) -> Void) {
        self.onEvent = onEvent
        (self.ending, self.end) = AsyncStream.makeStream()
    }

    func run() async {
        self.onEvent(.connected(.test(epoch: 1)))
        for await _ in self.ending {}
    }

    func publish(_ batch: MQTTBatch, epoch: UInt64, isAwaited: Bool) {
        for (message, _) in batch.messages { self.onEvent(.message(message, epoch: epoch)) }
    }

    func takeOutcomes(epoch: UInt64) -> [MQTTPublished] { [] }
    func subscribe(_ filters: [MQTTSubscription], epoch: UInt64, completion: @escaping @Sendable (MQTTSubscribeOutcome) -> Void) {}
    func unsubscribe(_ filters: [String], epoch: UInt64, completion: @escaping @Sendable (MQTTSubscribeOutcome) -> Void) {}
    func stop(publishing farewell: MQTTMessage?, within limit: Duration) async { self.end.finish() }
    func wake() {}
    func confirmOwner() {}
}

extension MQTTSession {
    static func test(epoch: UInt64) -> MQTTSession {
        MQTTSession(
            epoch: epoch, protocolVersion: .v5, serverKeepAliveSeconds: nil, limits: MQTTLimits(),
            peer: "10.0.0.9:1883")
    }
}
