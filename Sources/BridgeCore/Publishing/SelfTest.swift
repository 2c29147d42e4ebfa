import CastModels

/// Detects that commands no longer reach the bridge: after each connect it sends a health check to itself and waits for it.
///
/// Brokers acknowledge subscriptions that they will not serve. Does no I/O and owns no timer.
package struct SelfTest: Sendable {
    /// The time limit for the message to arrive.
    package static let patience = Duration.seconds(10)

    /// The result of a check.
    package enum Verdict: Sendable, Hashable {
        /// Nothing new.
        case none
        /// The message did not arrive: the broker does not deliver commands to us. Reported once for each test.
        case failed
    }

    private enum State: Hashable {
        case idle
        case waiting(CommandID, until: MonotonicTime)
        case passed, failed
    }

    private let topic: String
    private var state = State.idle

    package init(topics: TopicTree) { self.topic = topics.bridge("request/\(BridgeVerb.healthCheck.rawValue)") }

    /// Returns the message to send when commands should reach us.
    /// - Parameter nonce: any number that was not used before.
    package mutating func begin(nonce: UInt64, now: MonotonicTime) -> OutgoingMessage {
        let id = "self-test-\(String(nonce, radix: 16))"
        self.state = .waiting(.text(id), until: now + Self.patience)
        return OutgoingMessage(
            topic: self.topic, payload: JSONWriter.bytes(of: ["id": .string(id)]), qos: 1, retain: false, content: .json, expirySeconds: 30)
    }

    /// The link ended; the next one is tested again.
    package mutating func interrupted() { self.state = .idle }

    /// Handles a health check, which may be our own. It is answered like any other.
    package mutating func received(_ envelope: CommandEnvelope) {
        guard case .waiting(let id, _) = self.state, envelope.id == id, envelope.target == .bridge(.healthCheck) else { return }
        self.state = .passed
    }

    /// When to call `wake`; `nil` when no test is pending.
    package var deadline: MonotonicTime? { if case .waiting(_, let until) = self.state { until } else { nil } }

    /// Returns the result when it is due.
    package mutating func wake(now: MonotonicTime) -> Verdict {
        guard case .waiting(_, let until) = self.state, until <= now else { return .none }
        self.state = .failed
        return .failed
    }
}
