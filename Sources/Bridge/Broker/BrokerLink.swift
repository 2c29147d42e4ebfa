import Logging
import MQTTClient

/// What the bridge needs of a link to a broker; `MQTTClient` is the real one, tests have one in memory.
package protocol BrokerLink: Sendable {
    /// Keeps the link until the task is cancelled or `stop` was called.
    func run() async
    /// Sends in order. Each message has one outcome, in an event `.published` or from `takeOutcomes`, some or all of them at a time.
    /// - Parameter isAwaited: outcomes are reported as soon as they are known; otherwise successes are kept for `takeOutcomes` as long as the link likes.
    func publish(_ batch: MQTTBatch, epoch: UInt64, isAwaited: Bool)
    /// Returns outcomes that are not reported yet, instead of an event.
    func takeOutcomes(epoch: UInt64) -> [MQTTPublished]
    func subscribe(_ filters: [MQTTSubscription], epoch: UInt64, completion: @escaping @Sendable (MQTTSubscribeOutcome) -> Void)
    func unsubscribe(_ filters: [String], epoch: UInt64, completion: @escaping @Sendable (MQTTSubscribeOutcome) -> Void)
    /// Publishes `farewell` if the link is up, waits for it no longer than `limit`, and ends the link.
    func stop(publishing farewell: MQTTMessage?, within limit: Duration) async
    /// Tries at once instead of waiting for the next attempt.
    func wake()
    /// Answers `MQTTEvent.ownerCheck`.
    func confirmOwner()
}

/// How to reach the broker, under the bridge's own name: programs need not know the client.
package typealias LinkConfiguration = MQTTConfiguration

/// Makes a link with these settings. The link passes its events to the closure, in order, on any thread.
package typealias BrokerLinkFactory =
    @Sendable (_ configuration: LinkConfiguration, _ onEvent: @escaping @Sendable (MQTTEvent) -> Void) -> any BrokerLink

extension MQTTClient: BrokerLink {}

/// The links that `MQTTClient` makes.
enum MosquittoLink {
    static func factory(_ makeLogger: @escaping @Sendable (String) -> Logger) -> BrokerLinkFactory {
        { configuration, onEvent in MQTTClient(configuration: configuration, logger: makeLogger("MQTTClient"), onEvent: onEvent) }
    }
}
