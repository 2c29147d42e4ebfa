import MQTTClient
import Synchronization

/// Limits the events that the broker's thread passes to the event loop, so that a flood of messages cannot fill the memory.
final class Intake: Sendable {
    /// The largest number of messages that wait for the event loop.
    static let maximumMessages = 10_000
    /// The largest size of their payloads, topics and properties, in bytes.
    static let maximumBytes = 16 << 20

    private struct Waiting {
        var messages = 0
        var bytes = 0
        var dropped = 0
    }

    private let waiting = Mutex(Waiting())

    /// Returns whether this event may be passed on. Only messages are limited, because other events never come in floods.
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

    func took(_ event: MQTTEvent) {
        guard case .message(let message, _) = event else { return }
        let size = message.size
        self.waiting.withLock {
            $0.messages -= 1
            $0.bytes -= size
        }
    }

    /// The number of messages that were dropped since the start.
    var dropped: Int { self.waiting.withLock { $0.dropped } }
}

extension MQTTMessage {
    /// The size of the parts that a client chooses: payload, topic and properties.
    fileprivate var size: Int {
        var size = self.payload.count + self.topic.utf8.count + (self.properties.correlationData?.count ?? 0)
        size += (self.properties.responseTopic?.utf8.count ?? 0) + (self.properties.contentType?.utf8.count ?? 0)
        for property in self.properties.userProperties {
            // An empty property takes few bytes of a packet, but a whole array element.
            size += MemoryLayout<MQTTUserProperty>.stride + property.name.utf8.count + property.value.utf8.count
        }
        return size
    }
}
