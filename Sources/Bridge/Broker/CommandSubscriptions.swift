import BridgeCore
import MQTTClient

struct CommandSubscriptions {
    let topics: TopicTree
    /// The topic on which Home Assistant reports its start; `nil` when announcements are off.
    let birthTopic: String?

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
