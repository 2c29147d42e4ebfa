import BridgeCore
import CastSender
import MQTTClient

struct CommandSubscriptions {
    let topics: TopicTree
    /// The topic on which Home Assistant reports its start; `nil` when announcements are off.
    let birthTopic: String?
    /// The topics whose clearing by the bridge the broker has not sent back, and until when it may do so.
    var ownClearings: [String: MonotonicTime] = [:]

    /// The bridge clears a topic of commands. The broker sends that back, over MQTT 5 only a request, which has no *no local*.
    mutating func cleared(_ topic: String, over version: MQTTProtocolVersion, now: MonotonicTime) {
        guard version == .v311 || topic.hasPrefix(self.topics.bridge("request/")) else { return }
        self.ownClearings[topic] = now + .seconds(60)
    }

    /// Returns whether a message is a clearing by the bridge, which is no command; once for each.
    mutating func isOwnClearing(_ message: MQTTMessage, now: MonotonicTime) -> Bool {
        guard !self.ownClearings.isEmpty, message.payload.isEmpty else { return false }
        return self.ownClearings.removeValue(forKey: message.topic).map { now < $0 } ?? false
    }

    /// Returns all filters.
    /// - Parameters:
    ///   - allowsWildcards: whether the broker accepts filters with wildcards; otherwise each topic is named.
    ///   - slugs: the slugs of the devices, for a broker without wildcards.
    func all(
        allowsWildcards: Bool, slugs: @autoclosure () -> [String], retainHandling: MQTTSubscription.RetainHandling
    ) -> [MQTTSubscription] {
        guard allowsWildcards else {
            return slugs().sorted().flatMap { self.device($0, retainHandling: retainHandling) } + self.birth
                + BridgeVerb.allCases.map {
                    MQTTSubscription(
                        filter: self.topics.bridge("request/\($0.rawValue)"), qos: .atLeastOnce, retainHandling: retainHandling)
                }
        }
        let devices = ["+/set/#", "+/cmd/#", "+/get/#", "+/ns/+/send"].map {
            MQTTSubscription(filter: "\(self.topics.base)/\($0)", qos: .atLeastOnce, noLocal: true, retainHandling: retainHandling)
        }
        // The self-test is a request of the bridge to itself.
        let requests = MQTTSubscription(
            filter: self.topics.bridge("request/#"), qos: .atLeastOnce, noLocal: false, retainHandling: retainHandling)
        return devices + self.birth + [requests]
    }

    /// Returns the filters of one device's JSON commands, for a broker without wildcards.
    func device(_ slug: String, retainHandling: MQTTSubscription.RetainHandling) -> [MQTTSubscription] {
        ["set", "cmd"].map {
            MQTTSubscription(filter: self.topics.device(slug, $0), qos: .atLeastOnce, noLocal: true, retainHandling: retainHandling)
        }
    }

    private var birth: [MQTTSubscription] {
        self.birthTopic.map { [MQTTSubscription(filter: $0, qos: .atLeastOnce, retainHandling: .doNotSend)] } ?? []
    }
}
