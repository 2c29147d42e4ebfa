import BridgeCore
import CastSender
import MQTTClient

/// The retained documents of the bridge itself: `bridge/info`, `bridge/devices` and `bridge/health`.
final class BridgeDocuments {
    static let healthInterval = Duration.seconds(60)
    /// The shortest period over which processor time is averaged.
    static let shortestAverage = Duration.seconds(10)
    /// How long changes of `bridge/devices` are collected.
    static let gathering = Duration.seconds(1)

    private let context: BridgeContext
    private let connection: BrokerConnection
    private let publisher: PublisherRunner
    private unowned let fleet: DeviceFleet
    private let onChanged: () -> Void
    private let pair: () -> JSONObject?
    private var devices = DevicesDocument()
    private var health = HealthReport()
    /// The largest delay of a heartbeat since the start.
    private var heartbeatLateness = Duration.zero
    private var previous: (time: MonotonicTime, cpuSeconds: Double)?
    private lazy var devicesDeadline = self.context.loop.deadline { [weak self] in self?.updateDevices() }
    private lazy var healthDeadline = self.context.loop.deadline { [weak self] in self?.updateHealth() }

    /// - Parameter onChanged: called when one of the documents may differ.
    init(
        _ context: BridgeContext, connection: BrokerConnection, publisher: PublisherRunner, fleet: DeviceFleet,
        pair: @escaping () -> JSONObject?, onChanged: @escaping () -> Void
    ) {
        self.context = context
        self.pair = pair
        self.onChanged = onChanged
        self.connection = connection
        self.publisher = publisher
        self.fleet = fleet
    }

    /// Updates the health if the numbers of devices changed since.
    func updateDeviceCounts() {
        let devices = self.fleet.devices
        if (devices.count, devices.count { $0.state.isAvailable }) != (self.health.devicesKnown, self.health.devicesOnline) {
            self.updateHealth()
        }
    }

    /// Reads the counters now and then every minute.
    func updateHealth() {
        self.health = self.measured(at: self.context.time)
        self.changed()
        self.healthDeadline.set(self.context.time + Self.healthInterval)
    }

    /// Returns the current counters and the resource usage of the process. A report soon after the previous one repeats its processor time.
    private func measured(at time: MonotonicTime) -> HealthReport {
        let usage = ProcessUsage.read()
        var report = self.counted(with: usage)
        if let seconds = usage.cpuSeconds {
            if let previous, time >= previous.time + Self.shortestAverage {
                report.cpuPercent = 100 * (seconds - previous.cpuSeconds) / time.seconds(since: previous.time)
                self.previous = (time, seconds)
            } else if self.previous == nil {
                self.previous = (time, seconds)
            }
        }
        return report
    }

    /// Returns the counters as of now. The share of processor time is that of the last `bridge/health`.
    func counted(with usage: ProcessUsage) -> HealthReport {
        let (devices, dropped) = (self.fleet.devices, self.publisher.dropped)
        var report = self.context.counters
        report.uptimeSeconds = Int(self.context.time.seconds(since: self.context.startedAt.monotonic))
        report.devicesKnown = devices.count
        report.devicesOnline = devices.count { $0.state.isAvailable }
        report.devicesUnverified = self.fleet.unverifiedCount
        report.devicesExcluded = self.fleet.excludedCount
        if report.devicesOnline > 0 { report.discoveryCause = nil }
        report.mqttConnected = self.connection.session != nil
        report.mqttQueued = self.publisher.backlog
        report.mqttDropped = dropped.droppedEvents + dropped.droppedAnswers + self.connection.droppedMessages
        for device in devices { self.heartbeatLateness = max(self.heartbeatLateness, device.heartbeatLateness) }
        report.heartbeatLateMillisecondsMax = Int(self.heartbeatLateness.wholeNanoseconds / 1_000_000)
        report.residentMegabytes = usage.residentMegabytes
        report.threads = usage.threads
        report.fileDescriptors = usage.fileDescriptors
        report.cpuPercent = self.health.cpuPercent
        return report
    }

    func end() {
        self.healthDeadline.cancel()
        self.devicesDeadline.cancel()
    }

    func changed() {
        self.publisher.changed(.bridge)
        self.onChanged()
    }

    /// Returns every retained message except `bridge/state`, which the publisher sends last.
    func messages() -> [OutgoingMessage] {
        // The first round after a start contains the list, although its changes are still being collected.
        if self.devices.message == nil { _ = self.makeDevices() }
        var messages = [self.context.mapper.bridgeInfo(self.info)]
        if let devices = self.devices.message { messages.append(devices) }
        messages.append(self.context.mapper.bridgeHealth(self.health, interval: Self.healthInterval))
        return messages
    }

    /// Handles a change of `bridge/devices`; the document is formed a second after the first of several changes.
    func listChanged() { if self.devicesDeadline.time == nil { self.devicesDeadline.set(self.context.time + Self.gathering) } }

    private func updateDevices() {
        self.updateDeviceCounts()
        guard self.makeDevices() else { return }
        self.changed()
        self.publisher.pump()
    }

    /// - Returns: whether the list changed.
    private func makeDevices() -> Bool {
        self.devices.update(with: self.fleet.devices.map(\.state), mapper: self.context.mapper, at: self.context.now.wall)
    }

    private var info: BridgeInfo {
        var info = BridgeInfo(
            version: self.context.settings.build.version, commit: self.context.settings.build.commit,
            startedAt: self.context.startedAt.wall,
            mqttProtocolLevel: Int(self.connection.session?.protocolVersion.rawValue ?? 5), mqttHost: self.context.settings.mqtt.host,
            mqttPort: Int(self.context.settings.mqtt.port), usesTLS: self.context.settings.mqtt.tls != nil,
            homeAssistant: self.context.settings.homeAssistant,
            rename: self.context.settings.topicOptions.rename.rawValue, logLevel: self.context.program.levels.read().level.rawValue
        )
        info.pair = self.pair()
        return info
    }
}
