import MQTTClient
import Synchronization

/// Bounds what the broker's thread may hand over before the event loop looks at it: a flood of messages must not fill the memory.
final class Intake: Sendable {
    /// Most messages that wait for the event loop.
    static let maximumMessages = 10_000
    /// Most bytes of payloads that wait for it.
    static let maximumBytes = 16 << 20

    private struct Waiting {
        var messages = 0
        var bytes = 0
        var dropped = 0
    }

    private let waiting = Mutex(Waiting())

    /// Whether this event may be handed over. Everything but a message is, since nothing else comes in floods.
    func admits(_ event: MQTTEvent) -> Bool {
        guard case .message(let message, _) = event else { return true }
        return self.waiting.withLock { waiting in
            guard waiting.messages < Self.maximumMessages, waiting.bytes + message.payload.count <= Self.maximumBytes else {
                waiting.dropped += 1
                return false
            }
            waiting.messages += 1
            waiting.bytes += message.payload.count
            return true
        }
    }

    /// The event loop has this one.
    func took(_ event: MQTTEvent) {
        guard case .message(let message, _) = event else { return }
        self.waiting.withLock {
            $0.messages -= 1
            $0.bytes -= message.payload.count
        }
    }

    /// Messages that were not handed over, since the start.
    var dropped: Int { self.waiting.withLock { $0.dropped } }
}
