import CastModels

/// Finds out over a link of its own whether a bridge works with a base.
///
/// A bridge that was killed may have left `online` on the broker, so only one that answers a health check counts. The health check also comes back to the probe, behind what the
/// broker retains: without `online` by then no bridge is there. The answer is known by its `id`, because MQTT 3.1.1 has no response topic. Does no I/O and owns no timer.
package struct BridgeProbe: Sendable {
    package enum Verdict: Sendable, Hashable {
        /// The broker holds no `online`.
        case absent
        case answered(by: RunningBridge)
    }

    /// Each of them exactly once, without wildcards.
    package let filters: [String]
    /// To send behind the subscriptions.
    package let request: OutgoingMessage
    /// The broker holds `online`.
    package private(set) var isOnline = false
    private let topics: TopicTree
    private let answerTopic: String
    private let id: String
    private var bridge = RunningBridge()

    /// - Parameter nonce: any number not used before.
    package init(topics: TopicTree, nonce: UInt64) {
        self.topics = topics
        self.id = "probe-\(String(nonce, radix: 16))"
        let verb = BridgeVerb.healthCheck.rawValue
        self.answerTopic = topics.bridgeResponse(verb)
        self.request = OutgoingMessage(
            topic: topics.bridge("request/\(verb)"), payload: JSONWriter.bytes(of: ["id": .string(self.id)]), qos: 0, retain: false,
            content: .json, expirySeconds: 30)
        self.filters = [topics.bridge("state"), topics.bridge("info"), self.answerTopic, self.request.topic]
    }

    /// A message arrived.
    /// - Returns: the verdict, once it is known.
    package mutating func received(_ message: IncomingMessage) -> Verdict? {
        switch message.topic {
        case self.topics.bridge("state"): self.isOnline = message.payload == Array("online".utf8)
        case self.topics.bridge("info"): self.bridge = RunningBridge(information: message.payload)
        case self.request.topic: if !self.isOnline, self.isOurs(message) { return .absent }
        case self.answerTopic: if self.isOurs(message) { return .answered(by: self.bridge) }
        default: break
        }
        return nil
    }

    private func isOurs(_ message: IncomingMessage) -> Bool { (try? JSONParser.parse(message.payload))?["id"]?.stringValue == self.id }
}

/// What `bridge/info` reports about a bridge; `nil` where it reports nothing.
package struct RunningBridge: Sendable, Hashable {
    package var instance: String?
    package var version: String?
    package var startedAt: String?
    package var clientID: String?

    package init() {}

    init(information: [UInt8]) {
        let information = try? JSONParser.parse(information)
        self.instance = information?["instance"]?.stringValue
        self.version = information?["version"]?.stringValue
        self.startedAt = information?["started_at"]?.stringValue
        self.clientID = information?["mqtt"]?["client_id"]?.stringValue
    }
}
