import CastModels

/// Detects that commands no longer reach the bridge: after each connect it sends a health check to itself and waits for it.
///
/// Brokers acknowledge subscriptions that they will not serve. Does no I/O and owns no timer.
public struct SelfTest: Sendable {
    /// The time limit for the message to arrive.
    public static let patience = Duration.seconds(10)

    private enum State: Hashable {
        case idle
        case waiting(CommandID, until: MonotonicTime)
        case passed, failed
    }

    public let topic: String
    private var state = State.idle

    public init(topics: TopicTree) { self.topic = topics.bridge("request/\(BridgeVerb.healthCheck.rawValue)") }

    /// Returns the message to send when commands should reach us.
    /// - Parameter nonce: any number that was not used before.
    public mutating func begin(nonce: UInt64, now: MonotonicTime) -> OutgoingMessage {
        let id = "self-test-\(String(nonce, radix: 16))"
        self.state = .waiting(.text(id), until: now + Self.patience)
        return .healthCheck(id, to: self.topic, qos: 1)
    }

    /// The link ended; the next one is tested again.
    public mutating func interrupted() { self.state = .idle }

    /// Handles a health check, which may be our own. It is answered like any other.
    public mutating func received(_ envelope: CommandEnvelope) {
        guard case .waiting(let id, _) = self.state, envelope.id == id, envelope.target == .bridge(.healthCheck) else { return }
        self.state = .passed
    }

    /// When to call `wake`; `nil` when no test is pending.
    public var deadline: MonotonicTime? { if case .waiting(_, let until) = self.state { until } else { nil } }

    /// - Returns: whether the message did not arrive in time: the broker does not deliver commands to us. Once for each test.
    public mutating func wake(now: MonotonicTime) -> Bool {
        guard case .waiting(_, let until) = self.state, until <= now else { return false }
        self.state = .failed
        return true
    }
}
