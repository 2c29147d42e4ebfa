import MQTTClient
import Synchronization

/// Bounds what the broker's thread may hand over before the event loop looks at it: a flood of messages must not fill the memory.
final class Intake: Sendable {
    /// Most messages that wait for the event loop.
    static let maximumMessages = 10_000
    /// Most bytes of payloads, topics and properties that wait for it.
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
        let size = message.size
        return self.waiting.withLock { waiting in
            guard waiting.messages < Self.maximumMessages, waiting.bytes + size <= Self.maximumBytes else {
                waiting.dropped += 1
                return false
            }
            waiting.messages += 1
            waiting.bytes += size
            return true
        }
    }

    /// The event loop has this one.
    func took(_ event: MQTTEvent) {
        guard case .message(let message, _) = event else { return }
        let size = message.size
        self.waiting.withLock {
            $0.messages -= 1
            $0.bytes -= size
        }
    }

    /// Messages that were not handed over, since the start.
    var dropped: Int { self.waiting.withLock { $0.dropped } }
}

extension MQTTMessage {
    /// The bytes of what a client chose: payload, topic and properties.
    fileprivate var size: Int {
        var size = self.payload.count + self.topic.utf8.count + (self.properties.correlationData?.count ?? 0)
        size += (self.properties.responseTopic?.utf8.count ?? 0) + (self.properties.contentType?.utf8.count ?? 0)
        for property in self.properties.userProperties {
            // An empty property takes a few bytes of a packet and a whole element of the array.
            size += MemoryLayout<MQTTUserProperty>.stride + property.name.utf8.count + property.value.utf8.count
        }
        return size
    }
}
