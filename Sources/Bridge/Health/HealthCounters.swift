import BridgeCore
import CastSender

/// What the bridge counts of itself since its start.
struct HealthCounters: Sendable {
    var mqttConnects = 0
    var mqttPublished = 0
    var mqttReceived = 0
    var mqttLastDisconnectCode: Int?
    var retainedCommands = 0
    /// Messages that the broker refused.
    var mqttRefused = 0
    /// Self-tests whose message did not come back.
    var selfTestsFailed = 0
    var castRequests = 0
    var castTimeouts = 0
    private var castConnections = 0
    private var castReconnects = 0
    /// The most that a heartbeat ever came after its time.
    private var latest = Duration.zero
    private var former: (time: MonotonicTime, cpuSeconds: Double)?

    /// A device's link became ready.
    mutating func linkUp(isFirst: Bool) {
        self.castConnections += 1
        if !isFirst { self.castReconnects += 1 }
    }

    /// A device's ready link was lost.
    mutating func linkDown() { self.castConnections = max(0, self.castConnections - 1) }

    /// The numbers as of now; processor time counts since the report before.
    mutating func report(at now: Now, startedAt: Now, publisher: Publisher, intake: Intake, agents: some Collection<DeviceAgent>)
        -> HealthReport
    {
        let usage = ProcessUsage.read()
        var report = HealthReport()
        report.uptimeSeconds = Int(now.monotonic.seconds(since: startedAt.monotonic))
        report.devicesKnown = agents.count
        report.devicesOnline = agents.count { $0.state.isAvailable }
        report.mqttConnects = self.mqttConnects
        report.mqttPublished = self.mqttPublished
        report.mqttReceived = self.mqttReceived
        report.mqttQueued = publisher.backlog
        report.mqttDropped = publisher.counts.droppedEvents + publisher.counts.droppedAnswers + intake.dropped
        report.mqttRetainedCommands = self.retainedCommands
        report.mqttRefused = self.mqttRefused
        report.mqttSelfTestsFailed = self.selfTestsFailed
        report.mqttLastDisconnectCode = self.mqttLastDisconnectCode
        report.castConnections = self.castConnections
        report.castReconnects = self.castReconnects
        report.castRequests = self.castRequests
        report.castTimeouts = self.castTimeouts
        for agent in agents { self.latest = max(self.latest, agent.supervisor.assumeIsolated { $0.heartbeatLateness }) }
        report.heartbeatLateMillisecondsMax = Int(self.latest.wholeNanoseconds / 1_000_000)
        report.residentMegabytes = usage.residentMegabytes
        report.threads = usage.threads
        report.fileDescriptors = usage.fileDescriptors
        if let seconds = usage.cpuSeconds {
            if let former, now.monotonic > former.time {
                report.cpuPercent = 100 * (seconds - former.cpuSeconds) / now.monotonic.seconds(since: former.time)
            }
            self.former = (now.monotonic, seconds)
        }
        return report
    }
}
