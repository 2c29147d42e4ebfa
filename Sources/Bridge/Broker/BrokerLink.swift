import Logging
import MQTTClient

/// A link to a broker, as the bridge needs it. `MQTTClient` implements it; tests use one in memory.
package protocol BrokerLink: Sendable {
    /// Runs the link until the task is cancelled or `stop` is called.
    func run() async
    /// Sends messages in order. Each message has one outcome, in an event `.published` or from `takeOutcomes`; both may report several at a
    /// time.
    /// - Parameter isAwaited: whether outcomes are reported as soon as they are known; otherwise the link may keep successes for
    ///   `takeOutcomes`.
    func publish(_ batch: MQTTBatch, epoch: UInt64, isAwaited: Bool)
    /// Returns the outcomes that are not reported yet, in place of an event.
    func takeOutcomes(epoch: UInt64) -> [MQTTPublished]
    func subscribe(_ filters: [MQTTSubscription], epoch: UInt64, completion: @escaping @Sendable (MQTTSubscribeOutcome) -> Void)
    func unsubscribe(_ filters: [String], epoch: UInt64, completion: @escaping @Sendable (MQTTSubscribeOutcome) -> Void)
    /// Publishes `farewell` if the link is up, waits at most `limit` for it, and ends the link.
    func stop(publishing farewell: MQTTMessage?, within limit: Duration) async
    /// Retries at once instead of waiting for the next attempt.
    func wake()
    /// Answers `MQTTEvent.ownerCheck`.
    func confirmOwner()
}

/// The settings of a link, under the bridge's own name, so that programs need not import the client.
package typealias LinkConfiguration = MQTTConfiguration

extension LinkConfiguration {
    /// Returns the settings of a link beside the bridge's own, which leaves nothing behind.
    ///
    /// - Parameter nonce: any number below 2^48 that was not used before; it makes the client id.
    func asProbe(nonce: UInt64) -> Self {
        var configuration = self
        // 22 characters, because brokers of MQTT 3.1.1 may refuse more than 23.
        let digits = String(nonce, radix: 16)
        configuration.clientID = "cast2mqtt-" + String(repeating: "0", count: max(0, 12 - digits.count)) + digits
        (configuration.will, configuration.isProbe, configuration.sessionExpirySeconds) = (nil, true, 0)
        return configuration
    }
}

/// Creates a link with these settings. The link passes its events to the closure, in order, on any thread.
package typealias BrokerLinkFactory =
    @Sendable (_ configuration: LinkConfiguration, _ onEvent: @escaping @Sendable (MQTTEvent) -> Void) -> any BrokerLink

extension MQTTClient: BrokerLink {}

enum MosquittoLink {
    static func factory(_ makeLogger: @escaping @Sendable (String) -> Logger) -> BrokerLinkFactory {
        { configuration, onEvent in MQTTClient(configuration: configuration, logger: makeLogger("MQTTClient"), onEvent: onEvent) }
    }
}
