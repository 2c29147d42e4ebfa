import BridgeCore
import MQTTClient

@testable import Bridge

/// The retained messages and the clients that a look at the broker finds.
enum ScriptedBase: Sendable {
    /// `online` is retained and each health check is answered.
    case inUse
    /// The same, by a bridge whose instance is `garden`.
    case inUseByGarden
    /// `online` is retained, and no bridge answers.
    case stale
    /// The broker delivers nothing.
    case mute
    /// `offline` is retained, as a bridge that has ended leaves it.
    case ended
    /// The first link ends before anything is known; the second finds nothing.
    case unsteady
    /// The broker does not let this client id in.
    case refusing
    /// The broker's host can't be reached.
    case away
}

/// A link for one look.
final class ScriptedLink: BrokerLink {
    private let base: ScriptedBase
    private let onEvent: @Sendable (MQTTEvent) -> Void
    private let stream = AsyncStream<Void>.makeStream()

    init(_ base: ScriptedBase, _ onEvent: @escaping @Sendable (MQTTEvent) -> Void) { (self.base, self.onEvent) = (base, onEvent) }

    func run() async {
        switch self.base {
        case .away: self.onEvent(.attemptFailed(MQTTLinkError(.cannotConnect, detail: "no route"), retryIn: .seconds(1)))
        case .refusing:
            self.onEvent(.attemptFailed(MQTTLinkError(.cannotConnect, detail: "test"), retryIn: .seconds(1)))
            let refusal = MQTTLinkError(.refusedByBroker, reasonCode: .clientIdentifierNotValid, detail: "test")
            self.onEvent(.attemptFailed(refusal, retryIn: .seconds(20)))
        case .inUse, .inUseByGarden, .stale, .mute, .ended, .unsteady: self.onEvent(.connected(.test(epoch: 1)))
        }
        for await _ in self.stream.stream {}
    }

    func publish(_ batch: MQTTBatch, epoch: UInt64, isAwaited: Bool) {
        let request = batch.messages[0].message
        let answer = MQTTMessage(topic: "cast2mqtt/bridge/response/health_check", payload: request.payload)
        switch self.base {
        case .inUse: self.deliver([self.state("online"), self.information("home"), request, answer], epoch)
        case .inUseByGarden: self.deliver([self.state("online"), self.information("garden"), request, answer], epoch)
        case .stale: self.deliver([self.state("online"), request], epoch)
        case .ended: self.deliver([self.state("offline"), self.information("home"), request], epoch)
        case .unsteady:
            if epoch == 2 { return self.deliver([request], epoch) }
            self.onEvent(.disconnected(epoch: epoch, MQTTLinkError(.connectionLost, detail: "test")))
            self.onEvent(.connected(.test(epoch: 2)))
        case .mute, .refusing, .away: break
        }
    }

    private func deliver(_ messages: [MQTTMessage], _ epoch: UInt64) {
        for message in messages { self.onEvent(.message(message, epoch: epoch)) }
    }

    private func state(_ text: String) -> MQTTMessage { MQTTMessage(topic: "cast2mqtt/bridge/state", text: text, retain: true) }

    private func information(_ instance: String) -> MQTTMessage {
        MQTTMessage(topic: "cast2mqtt/bridge/info", text: #"{"instance":"\#(instance)","version":"0.1.0"}"#, retain: true)
    }

    func takeOutcomes(epoch: UInt64) -> [MQTTPublished] { [] }
    func subscribe(_ filters: [MQTTSubscription], epoch: UInt64, completion: @escaping @Sendable (MQTTSubscribeOutcome) -> Void) {}
    func unsubscribe(_ filters: [String], epoch: UInt64, completion: @escaping @Sendable (MQTTSubscribeOutcome) -> Void) {}
    func stop(publishing farewell: MQTTMessage?, within limit: Duration) async { self.stream.continuation.finish() }
    func wake() {}
    func confirmOwner() {}
}
