import BridgeCore
import CastSender
import LogKeys
import Logging
import MQTTClient

/// Looks every ten minutes whether another bridge of the broker publishes devices of this one, and names them in the log: Home Assistant shows
/// such a device as the bridge that announced it last.
final class SharedDeviceWatch {
    static let firstPause = Duration.seconds(10)
    static let pause = Duration.seconds(600)
    /// For how long retained messages are awaited.
    static let patience = Duration.seconds(10)
    /// The largest number of devices that one look names; the next one names others.
    private static let maximumNamed = 20

    private let context: BridgeContext
    private weak var connection: BrokerConnection?
    private let devices: () -> [DeviceState]
    /// The look under way.
    private var look: SharedDevices?
    private var named: Set<SharedDevices.Finding> = []
    private lazy var deadline = self.context.loop.deadline { [weak self] in self?.wake() }

    init(_ context: BridgeContext, connection: BrokerConnection, devices: @escaping () -> [DeviceState]) {
        (self.context, self.connection, self.devices) = (context, connection, devices)
    }

    func subscribed() { self.deadline.set(self.context.time + Self.firstPause) }

    func linkDown() {
        self.look = nil
        self.deadline.cancel()
    }

    /// - Returns: whether the message is of another bridge.
    func received(_ message: IncomingMessage) -> Bool {
        self.look?.received(message, ours: Set(self.devices().map(\.device.id))) ?? false
    }

    private func wake() {
        guard let look else { return self.begin() }
        self.connection?.unsubscribe(look.filters)
        self.look = nil
        self.deadline.set(self.context.time + Self.pause)
        self.name(look.findings)
    }

    private func begin() {
        guard let connection, connection.allowsWildcards else { return }
        let look = SharedDevices(topics: self.context.topics)
        self.look = look
        self.deadline.set(self.context.time + Self.patience)
        connection.subscribe(look.filters.map { MQTTSubscription(filter: $0, noLocal: true) }, isOptional: true) { _ in }
    }

    private func name(_ findings: [SharedDevices.Finding]) {
        let new = findings.filter { !self.named.contains($0) }.prefix(Self.maximumNamed)
        self.named.formIntersection(findings)
        self.named.formUnion(new)
        let slugs = Dictionary(self.devices().map { ($0.device.id, $0.slug) }) { $1 }
        for finding in new {
            self.context.logger.warning(
                "another bridge publishes the same device",
                metadata: [
                    .device: "\(slugs[finding.id] ?? finding.id)", .base: "\(finding.base)",
                    .remedy: "leave it out at one of the two: discovery.exclude, discovery.include or discovery.interfaces",
                ])
        }
    }
}
