import Dispatch
import Logging
import NetworkReach

/// A link to an MQTT broker that reconnects by itself.
///
/// `run()` keeps one connection up until it is cancelled or `stop` is called: it resolves the name, connects, detects a dead link, and
/// retries without end:
///
/// ```
///   run() ──► resolving ──► probing ──► connecting ──► waiting for CONNACK ──► up, epoch n
///                ▲      several addresses      │ failed                           │ lost: what is unacknowledged
///                │                             ▼                                  ▼ ends as connectionLost
///                └─────────────────────── back-off, up to 20 s ◄──────────────────┘
///
///   stop(publishing:)   farewell ──► its PUBACK, or the limit ──► DISCONNECT, so that the broker drops the will
///   cancelling run()    no word to the broker, which publishes the will
/// ```
///
/// - **Callers.** The bridge creates one, runs it in a task, and publishes from its event loop.
/// - **Threads.** The thread "mqtt" owns the link while it is awake. While it sleeps, a caller of `publish` sends directly; `ClientCore`
///   has the lock. `onEvent` is called on the MQTT thread, and with outcomes also within `publish`. No caller waits for that thread to
///   exit, because libmosquitto may block it.
/// - **Invariants.** Each link is an *epoch*, and no state outlives it: messages that are not acknowledged by then end as `connectionLost`
///   and are never sent again. While no link is up, every publish is refused. Subscriptions end with their epoch. Each message and each
///   command has exactly one outcome.
/// - **Outcomes.** The messages of a batch carry tokens of the caller. `MQTTEvent.published` reports the outcomes by token, several at a
///   time when they become known together. Outcomes that no caller awaits are kept for `takeOutcomes`, so that acknowledgements do not wake
///   the owner.
///
/// libmosquitto sends at most 20 unacknowledged messages (or the broker's Receive Maximum) and queues further ones. Keep fewer in flight if
/// newer values are to replace older ones.
///
/// Where to look next: `MQTTConnectionMachine` for decisions, `LinkLoop` for their execution, `ClientCore` for the threads,
/// `MosquittoHandle` for the library.
package final class MQTTClient: Sendable {
    /// The longest time that `run()` waits for the MQTT thread after its cancellation.
    static let cancellationGrace = DispatchTimeInterval.milliseconds(250)

    private let configuration: MQTTConfiguration
    private let environment: MQTTEnvironment
    private let logger: Logger
    private let onEvent: @Sendable (MQTTEvent) -> Void
    private let core: ClientCore

    /// - Parameter onEvent: called in order on the MQTT thread, and with `.published` also within `publish`. It must neither block nor
    ///   take a lock that a caller of `publish` may hold. It may call every method of the client.
    package convenience init(configuration: MQTTConfiguration, logger: Logger, onEvent: @escaping @Sendable (MQTTEvent) -> Void) {
        self.init(configuration: configuration, environment: .system, logger: logger, onEvent: onEvent)
    }

    init(
        configuration: MQTTConfiguration, environment: MQTTEnvironment, logger: Logger, onEvent: @escaping @Sendable (MQTTEvent) -> Void
    ) {
        self.configuration = configuration
        self.environment = environment
        self.logger = logger
        self.onEvent = onEvent
        self.core = ClientCore(bounds: configuration.outgoing)
    }

    /// Keeps the link up until the task is cancelled or `stop` is called; returns within 300 ms of that. Cancellation ends the link without
    /// DISCONNECT, so the broker publishes the will. Runs once: a second call returns at once.
    package func run() async {
        guard let wake = await self.makeWakeEvent(), self.core.begin(wake: wake) else { return }
        let (configuration, environment, core, logger, onEvent) = (
            self.configuration, self.environment, self.core, self.logger, self.onEvent
        )
        let thread: @Sendable () -> Void = {
            core.run {
                LinkLoop(configuration: configuration, environment: environment, core: core, wake: wake, logger: logger, onEvent: onEvent)
            }
            core.end()
        }
        while !DetachedThread.start("mqtt", thread) {
            logger.error("no thread available, MQTT waits for one")
            do { try await Task.sleep(for: .seconds(1)) } catch { return core.end() }
        }
        await withTaskCancellationHandler {
            await core.waitForEnd { _ in }
        } onCancel: {
            core.cancel()
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.cancellationGrace) { core.end() }
        }
    }

    private func makeWakeEvent() async -> WakeEvent? {
        while !Task.isCancelled {
            if let wake = WakeEvent() { return wake }
            self.logger.error("no file descriptor available, MQTT waits for one")
            try? await Task.sleep(for: .seconds(1))
        }
        return nil
    }

    /// Sends messages in this order over the link `epoch`, in as few segments as possible.
    ///
    /// Each message has exactly one outcome. It is reported in an event `.published` or returned by `takeOutcomes`. The event is sent
    /// within this call (for example when all messages are refused for lack of a link or room), within a later call of `publish`, or on the
    /// MQTT thread. An acknowledgement may be reported before this call returns.
    /// - Parameter isAwaited: whether outcomes of this epoch are reported within `OutcomeGathering.patience`; with QoS 0 an outcome may be
    ///   reported with the next acknowledgement of another message. Otherwise successes are kept for `takeOutcomes` until a later call
    ///   awaits them, at most a quarter of the keep-alive. An empty batch only sets this.
    package func publish(_ batch: MQTTBatch, epoch: UInt64, isAwaited: Bool = true) {
        guard let refusal = self.core.publish(batch, epoch: epoch, isAwaited: isAwaited), !batch.isEmpty else { return }
        self.onEvent(.published(batch.entries.map { MQTTPublished(token: $0.token, outcome: .refused(refusal)) }, epoch: epoch))
    }

    /// Returns the known outcomes of the link `epoch` that are not reported yet, in place of an event; empty while the MQTT thread is
    /// awake.
    package func takeOutcomes(epoch: UInt64) -> [MQTTPublished] { self.core.takeOutcomes(epoch: epoch) }

    /// Subscribes on the link `epoch`. The completion receives the SUBACK codes in the order of the filters, exactly once, within this call
    /// or on the MQTT thread. It must not block. A broker may grant a subscription that its access rules block later.
    package func subscribe(
        _ filters: [MQTTSubscription], epoch: UInt64, completion: @escaping @Sendable (MQTTSubscribeOutcome) -> Void
    ) {
        if let refusal = self.core.submit(.subscribe(filters, completion: completion), epoch: epoch) { completion(.refused(refusal)) }
    }

    /// Ends subscriptions on the link `epoch`. The completion follows the rules of `subscribe`.
    package func unsubscribe(_ filters: [String], epoch: UInt64, completion: @escaping @Sendable (MQTTSubscribeOutcome) -> Void) {
        if let refusal = self.core.submit(.unsubscribe(filters, completion: completion), epoch: epoch) { completion(.refused(refusal)) }
    }

    /// Disconnects from the broker cleanly: publishes `farewell`, waits at most `within` for its acknowledgement, and sends DISCONNECT (the
    /// will is dropped). Then `run()` and this call return. Without a link, both return at once.
    package func stop(publishing farewell: MQTTMessage? = nil, within: Duration = .seconds(1)) async {
        let core = self.core
        guard core.stop(ClientCore.StopRequest(farewell: farewell.map { MQTTBatch($0) }, within: within)) else { return }
        let limit = Int(clamping: within.wholeMilliseconds) + 250
        await core.waitForEnd { waiter in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(limit)) { core.release(waiter: waiter) }
        }
    }

    /// Retries at once instead of waiting for the back-off, and checks an open link. Call it when the network has changed or the machine
    /// woke up.
    package func wake() { self.core.wake() }

    /// Answers `MQTTEvent.ownerCheck`. Call it from the thread or actor that handles events, when it handles this one.
    package func confirmOwner() { self.core.confirmOwner() }

    /// The number of publishes, subscriptions and unsubscriptions without an outcome.
    package var outstanding: Int { self.core.outstanding }
}
