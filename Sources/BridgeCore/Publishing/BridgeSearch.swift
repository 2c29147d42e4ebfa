import CastModels

/// Finds out over a link of its own whether a bridge uses a base.
///
/// A bridge that was killed may have left `online` on the broker, so only one that answers a health check counts. The search also receives
/// its own health check, after the retained messages: if `online` has not arrived by then, there is no bridge. The answer is identified by
/// its `id`, because MQTT 3.1.1 has no response topic. Does no I/O and owns no timer.
public struct BridgeSearch: Sendable {
    public enum Finding: Sendable, Hashable {
        case answered(by: RunningBridge)
        /// The broker has no retained `online`.
        case absent
        /// No bridge answered in time. `isOnline` is the broker's retained state: that of a bridge that hangs, or was killed without a
        /// will.
        case silent(isOnline: Bool)
        /// There is no link to the broker; the error is that of the last attempt, if one has failed.
        case unreachable(String?)
    }

    /// The topics to subscribe to, each once, without wildcards.
    public let filters: [String]
    /// The request to send after the subscriptions.
    public let request: OutgoingMessage
    /// What is found when nothing else comes.
    public var findingAtLimit: Finding { self.isConnected ? .silent(isOnline: self.isOnline) : .unreachable(self.lastError) }
    private var isOnline = false
    private var isConnected = false
    private var lastError: String?
    private let topics: TopicTree
    private let answerTopic: String
    private let id: String
    private var bridge = RunningBridge()

    /// - Parameter nonce: any number that was not used before.
    public init(topics: TopicTree, nonce: UInt64) {
        self.topics = topics
        self.id = "probe-\(String(nonce, radix: 16))"
        let verb = BridgeVerb.healthCheck.rawValue
        self.answerTopic = topics.bridgeResponse(verb)
        self.request = .healthCheck(self.id, to: topics.bridge("request/\(verb)"), qos: 0)
        self.filters = [topics.bridge("state"), topics.bridge("info"), self.answerTopic, self.request.topic]
    }

    public mutating func connected() { self.isConnected = true }

    /// The link ended, or an attempt to connect failed.
    public mutating func failed(_ error: String) { (self.isConnected, self.lastError) = (false, error) }

    /// Handles a message.
    /// - Returns: the finding; `nil` until it is known.
    public mutating func received(_ message: IncomingMessage) -> Finding? {
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

extension OutgoingMessage {
    static func healthCheck(_ id: String, to topic: String, qos: UInt8) -> Self {
        Self(topic: topic, payload: JSONWriter.bytes(of: ["id": .string(id)]), qos: qos, retain: false, content: .json, expirySeconds: 30)
    }
}

/// The data of a bridge from its `bridge/info`; `nil` for missing values.
public struct RunningBridge: Sendable, Hashable {
    public var instance: String?
    public var version: String?
    public var startedAt: String?
    /// Whether it leads a pair.
    public var isInPair = false

    public init() {}

    init(information: [UInt8]) {
        let information = try? JSONParser.parse(information)
        self.instance = information?["instance"]?.stringValue
        self.version = information?["version"]?.stringValue
        self.startedAt = information?["started_at"]?.stringValue
        self.isInPair = information?["pair"]?.objectValue != nil
    }
}
