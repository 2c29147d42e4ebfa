import Logging
import MQTTClient

/// What the bridge needs of a link to a broker; `MQTTClient` is the real one, tests have one in memory.
public protocol BrokerLink: Sendable {
    /// Keeps the link until the task is cancelled or `stop` was called.
    func run() async
    /// Sends in order; `completion` gets one outcome for each message, some or all of them at a time, on any thread.
    func publish(_ messages: [MQTTMessage], epoch: UInt64, completion: @escaping @Sendable ([MQTTPublished]) -> Void)
    func subscribe(_ filters: [MQTTSubscription], epoch: UInt64, completion: @escaping @Sendable (MQTTSubscribeOutcome) -> Void)
    func unsubscribe(_ filters: [String], epoch: UInt64, completion: @escaping @Sendable (MQTTSubscribeOutcome) -> Void)
    /// Publishes `farewell` if the link is up, waits for it no longer than `limit`, and ends the link.
    func stop(publishing farewell: MQTTMessage?, within limit: Duration) async
    /// Tries at once instead of waiting for the next attempt.
    func wake()
}

/// How to reach the broker, under the bridge's own name: programs need not know the client.
public typealias LinkConfiguration = MQTTConfiguration

/// Makes a link with these settings. The link passes its events to the closure, in order, on one thread at a time.
public typealias BrokerLinkFactory =
    @Sendable (_ configuration: LinkConfiguration, _ onEvent: @escaping @Sendable (MQTTEvent) -> Void) -> any BrokerLink

extension MQTTClient: BrokerLink {}

/// The links that `MQTTClient` makes.
enum MosquittoLink {
    static func factory(_ makeLogger: @escaping @Sendable (String) -> Logger) -> BrokerLinkFactory {
        { configuration, onEvent in MQTTClient(configuration: configuration, logger: makeLogger("MQTTClient"), onEvent: onEvent) }
    }
}
