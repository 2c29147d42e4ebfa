import BridgeCore
import LogKeys
import Logging

/// Runs the self-test of each connection: the bridge sends itself a message that the broker must deliver.
final class SelfTestRunner {
    private let context: BridgeContext
    private let topic: String
    private var test: SelfTest
    private lazy var deadline = self.context.loop.deadline { [weak self] in self?.wake() }

    init(_ context: BridgeContext) {
        self.context = context
        self.topic = context.topics.bridge("request/\(BridgeVerb.healthCheck.rawValue)")
        self.test = SelfTest(topics: context.topics)
    }

    /// Returns the message to send when commands can reach the bridge.
    func begin() -> OutgoingMessage {
        let message = self.test.begin(nonce: UInt64(self.context.random() * Double(1 << 52)), now: self.context.time)
        self.deadline.set(self.test.deadline)
        return message
    }

    /// Handles a health check, which may be our own.
    func received(_ envelope: CommandEnvelope) { self.test.received(envelope) }

    /// Ends the test, because the link is lost or the bridge ends.
    func interrupted() {
        self.test.interrupted()
        self.deadline.cancel()
    }

    private func wake() {
        guard self.test.wake(now: self.context.time) == .failed else { return }
        self.context.counters.mqttSelfTestsFailed += 1
        self.context.logger.warning(
            "self-test failed: the broker did not deliver our own message",
            metadata: [.topic: "\(self.topic)", .remedy: "check its access rules for commands"])
    }
}
