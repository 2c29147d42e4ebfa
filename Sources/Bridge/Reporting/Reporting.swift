import BridgeCore
import CastSender
import LogKeys
import Logging
import MQTTClient

/// Reports about the bridge itself: its documents, its log, why no device is found, and the self-test of each connection.
final class Reporting {
    let documents: BridgeDocuments
    let log: LogPublisher
    private let context: BridgeContext
    private let queue: PublisherRunner
    private var selfTest: SelfTest
    private lazy var selfTestDeadline = self.context.loop.deadline { [weak self] in self?.selfTestIsDue() }
    private let discovery: DiscoveryWatch
    private let fleet: DeviceFleet
    private(set) lazy var history = EventHistory(self.context)
    private let onClockStep: (Double) -> Void
    private var lastReading: (now: Now, slept: Duration)
    private lazy var clockDeadline = self.context.loop.deadline { [weak self] in self?.checkClock() }

    /// How often it is checked whether the wall clock was set.
    private static let clockInterval = Duration.seconds(10)

    /// - Parameters:
    ///   - pair: returns what `bridge/info` says of the pair.
    ///   - onChanged: called when one of the bridge's documents may differ.
    ///   - onEvent: receives the events that are found here.
    ///   - onClockStep: called with the seconds by which the wall clock was set.
    init(
        _ context: BridgeContext, connection: BrokerConnection, publisher: PublisherRunner, fleet: DeviceFleet,
        pair: @escaping () -> JSONObject?, onChanged: @escaping () -> Void, onEvent: @escaping (BridgeEvent) -> Void,
        onClockStep: @escaping (Double) -> Void
    ) {
        let documents = BridgeDocuments(
            context, connection: connection, publisher: publisher, fleet: fleet, pair: pair, onChanged: onChanged)
        self.documents = documents
        self.log = LogPublisher(context, connection: connection, queue: publisher)
        self.queue = publisher
        self.context = context
        (self.fleet, self.onClockStep) = (fleet, onClockStep)
        self.lastReading = (context.loop.now, MachineSleep.total)
        self.selfTest = SelfTest(topics: context.topics)
        self.discovery = DiscoveryWatch(context, fleet: fleet) { hint in
            documents.updateHealth()
            if let hint { onEvent(BridgeEvent(.nothingFound, data: hint.facts)) }
        }
    }

    func begin() {
        self.documents.updateHealth()
        self.discovery.begin()
        self.checkClock()
    }

    /// A link to the broker is up; everything published before `online` follows.
    func connected() { self.documents.updateHealth() }

    func disconnected() {
        self.documents.updateHealth()
        self.endSelfTest()
    }

    /// The retained state is complete, and commands can reach the bridge.
    func online() {
        // Some time has passed since the last health.
        self.documents.updateDeviceCounts()
        let nonce = UInt64(self.context.random() * Double(1 << 52))
        self.queue.enqueue(event: self.selfTest.begin(nonce: nonce, now: self.context.time))
        self.selfTestDeadline.set(self.selfTest.deadline)
    }

    /// Handles a request to the bridge, which may be its own health check.
    func received(_ envelope: CommandEnvelope) { self.selfTest.received(envelope) }

    func end() {
        self.log.end()
        self.documents.end()
        self.discovery.end()
        self.clockDeadline.cancel()
        self.endSelfTest()
    }

    /// Corrects the times in documents when the wall clock was set: they are computed from the monotonic clock by the reading of that moment.
    private func checkClock() {
        let (now, slept) = (self.context.now, MachineSleep.total)
        if let step = now.wallStep(since: self.lastReading.now, slept: slept - self.lastReading.slept) {
            self.context.logger.notice("the clock was set", metadata: [.milliseconds: "\(Int64(step * 1000))"])
            self.context.clockStepped(by: step)
            for agent in self.fleet.devices {
                agent.link.clockStepped(by: step)
                self.fleet.reduce(.clockStepped(step), of: agent)
            }
            self.onClockStep(step)
            self.documents.listChanged()
            self.documents.updateHealth()
        }
        self.lastReading = (now, slept)
        self.clockDeadline.set(now.monotonic + Self.clockInterval)
    }

    private func endSelfTest() {
        self.selfTest.interrupted()
        self.selfTestDeadline.cancel()
    }

    private func selfTestIsDue() {
        guard self.selfTest.wake(now: self.context.time) else { return }
        self.context.count { $0.mqttSelfTestsFailed += 1 }
        self.context.logger.warning(
            "self-test failed: the broker did not deliver our own message",
            metadata: [.topic: "\(self.selfTest.topic)", .remedy: "check its access rules for commands"])
    }
}
