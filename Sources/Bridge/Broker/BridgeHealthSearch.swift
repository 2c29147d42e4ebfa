import BridgeCore
import Logging
import MQTTClient
import NIOCore

/// Searches the running bridge over the broker, to tell whether it works.
package struct BridgeHealthSearch: Sendable {
    package enum Health: Sendable, Hashable {
        /// The bridge answered; `version` is `nil` if it reported none.
        case healthy(version: String?)
        /// The fault and where to look, for people.
        case unhealthy(String)
    }

    private let instance: String
    private let topics: TopicTree
    private let mqtt: LinkConfiguration
    private let limit: Duration

    /// - Parameters:
    ///   - instance: the name of the bridge.
    ///   - mqtt: the bridge's own link settings. The client id is replaced.
    ///   - limit: the time limit for everything.
    package init(instance: String, topics: TopicTree, mqtt: LinkConfiguration, limit: Duration) {
        (self.instance, self.topics, self.mqtt, self.limit) = (instance, topics, mqtt, limit)
    }

    /// - Parameters:
    ///   - nonce: any number below 2^48 that was not used before.
    ///   - eventLoop: provides the clock.
    ///   - makeLink: creates the link to the broker; `nil` creates a real one that logs nothing.
    package func run(nonce: UInt64, eventLoop: any EventLoop, makeLink: BrokerLinkFactory? = nil) async -> Health {
        let packets = PacketForm(instance: self.instance)
        let link = BridgeSearchLink(
            topics: self.topics, nonce: nonce, configuration: self.mqtt, patience: .sinceStart(self.limit),
            makeRequest: { packets.packet(of: $0, at: Timestamp(milliseconds: 0)) }, eventLoop: eventLoop)
        let silent: @Sendable (String) -> Logger = { Logger(label: $0) { _ in SwiftLogNoOpLogHandler() } }
        return self.health(await link.run(makeLink ?? MosquittoLink.factory(silent)))
    }

    private func health(_ finding: BridgeSearch.Finding) -> Health {
        let base = self.topics.base
        switch finding {
        case .answered(let bridge):
            guard let instance = bridge.instance, instance != self.instance else { return .healthy(version: bridge.version) }
            return .unhealthy("another bridge works with the base \(base): its instance is \(instance), not \(self.instance)")
        case .absent: return .unhealthy("the bridge is not online: \(self.topics.bridge("state")) is not \"online\" on \(self.broker)")
        case .silent(isOnline: true): return .unhealthy("the bridge is online and did not answer within \(self.limit.secondsText)")
        case .silent(isOnline: false):
            return .unhealthy("\(self.broker) delivered nothing: this user must be allowed to read and write \(self.topics.bridge("#"))")
        case .unreachable(let error?): return .unhealthy("no connection to \(self.broker): \(error)")
        case .unreachable(nil): return .unhealthy("no connection to \(self.broker) within \(self.limit.secondsText)")
        }
    }

    private var broker: String { "the broker at \(self.mqtt.host):\(self.mqtt.port)" }
}

extension Duration {
    fileprivate var secondsText: String { "\(self.components.seconds) s" }
}
