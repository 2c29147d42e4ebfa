import BridgeCore
import CastSender

/// Counts what happens to the bridge since its start; every part adds, `bridge/health` reads.
final class BridgeCounters {
    private var report = HealthReport()
    /// The most that a heartbeat was sent after its time.
    private var latestHeartbeat = Duration.zero
    private var previous: (time: MonotonicTime, cpuSeconds: Double)?

    // MARK: The broker

    func brokerConnected() { self.report.mqttConnects += 1 }
    /// - Parameter code: the MQTT 5 reason code, or the library's result.
    func brokerDisconnected(code: Int?) { self.report.mqttLastDisconnectCode = code }
    func published(_ messages: Int) { self.report.mqttPublished += messages }
    func received() { self.report.mqttReceived += 1 }
    func brokerRefused() { self.report.mqttRefused += 1 }
    /// A command with the retain flag was refused.
    func retainedCommand() { self.report.mqttRetainedCommands += 1 }
    /// The broker did not deliver our own message.
    func selfTestFailed() { self.report.mqttSelfTestsFailed += 1 }

    // MARK: The devices

    /// - Parameter isFirst: of this device in this run.
    func linkReady(isFirst: Bool) {
        self.report.castConnections += 1
        if !isFirst { self.report.castReconnects += 1 }
    }

    func linkLost() { self.report.castConnections = max(0, self.report.castConnections - 1) }
    func requestStarted() { self.report.castRequests += 1 }
    func requestTimedOut() { self.report.castTimeouts += 1 }
    var timedOutRequests: Int { self.report.castTimeouts }

    // MARK: Reading

    /// The counters as of now, with what the process uses; processor time counts since the report before.
    func report(at now: Now, startedAt: Now, publisher: PublisherRunner, droppedMessages: Int, devices: some Collection<DeviceAgent>)
        -> HealthReport
    {
        let usage = ProcessUsage.read()
        var report = self.report
        report.uptimeSeconds = Int(now.monotonic.seconds(since: startedAt.monotonic))
        report.devicesKnown = devices.count
        report.devicesOnline = devices.count { $0.state.isAvailable }
        report.mqttQueued = publisher.backlog
        report.mqttDropped = publisher.dropped.droppedEvents + publisher.dropped.droppedAnswers + droppedMessages
        for device in devices { self.latestHeartbeat = max(self.latestHeartbeat, device.heartbeatLateness) }
        report.heartbeatLateMillisecondsMax = Int(self.latestHeartbeat.wholeNanoseconds / 1_000_000)
        report.residentMegabytes = usage.residentMegabytes
        report.threads = usage.threads
        report.fileDescriptors = usage.fileDescriptors
        if let seconds = usage.cpuSeconds {
            if let previous, now.monotonic > previous.time {
                report.cpuPercent = 100 * (seconds - previous.cpuSeconds) / now.monotonic.seconds(since: previous.time)
            }
            self.previous = (now.monotonic, seconds)
        }
        return report
    }
}
