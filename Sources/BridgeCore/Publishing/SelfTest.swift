import CastModels

/// Notices when commands no longer reach the bridge: after each connect it sends a health check to itself and waits for it.
///
/// Brokers acknowledge subscriptions they will not serve. Does no I/O and owns no timer.
package struct SelfTest: Sendable {
    /// How long the message may take to come back.
    package static let patience = Duration.seconds(10)

    /// What a look at the time found.
    package enum Verdict: Sendable, Hashable {
        /// Nothing new.
        case none
        /// The message did not come back: the broker keeps commands from us. Said once for each test.
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

    /// The message to send once commands should reach us.
    /// - Parameter nonce: any number not used before.
    package mutating func begin(nonce: UInt64, now: MonotonicTime) -> OutgoingMessage {
        let id = "self-test-\(String(nonce, radix: 16))"
        self.state = .waiting(.text(id), until: now + Self.patience)
        return OutgoingMessage(
            topic: self.topic, payload: JSONWriter.bytes(of: ["id": .string(id)]), qos: 1, retain: false, content: .json, expirySeconds: 30)
    }

    /// The link is gone; the next one is tested anew.
    package mutating func interrupted() { self.state = .idle }

    /// A health check arrived, perhaps our own. It is answered like any other.
    package mutating func received(_ envelope: CommandEnvelope) {
        guard case .waiting(let id, _) = self.state, envelope.id == id, envelope.target == .bridge(.healthCheck) else { return }
        self.state = .passed
    }

    /// When to call `wake`, if at all.
    package var deadline: MonotonicTime? { if case .waiting(_, let until) = self.state { until } else { nil } }

    /// Looks at the time.
    package mutating func wake(now: MonotonicTime) -> Verdict {
        guard case .waiting(_, let until) = self.state, until <= now else { return .none }
        self.state = .failed
        return .failed
    }
}
