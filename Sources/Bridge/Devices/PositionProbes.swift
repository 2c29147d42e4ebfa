import BridgeCore
import CastSender
import EventLoopTiming

/// Asks playing devices that have not reported their position for a while. Only with `status.position_probe`.
final class PositionProbes {
    /// How long a playing device may not report its position before it is asked.
    static let interval = Duration.seconds(10)

    private struct Probe {
        let deadline: Deadline
        var askedAt: MonotonicTime?
    }

    private let context: BridgeContext
    private unowned let fleet: DeviceFleet
    /// The probes of devices that have played since they were found.
    private var probes: [DeviceAgent.Key: Probe] = [:]

    init(_ context: BridgeContext, fleet: DeviceFleet) { (self.context, self.fleet) = (context, fleet) }

    /// Handles an event that was applied to the state: schedules or cancels the question.
    func reduced(_ agent: DeviceAgent) {
        // This is a late event of a dismissed device.
        guard self.context.settings.status.probesPosition, self.fleet.device(agent.key) != nil else { return }
        guard agent.state.isAvailable, let media = agent.state.media.reported, media.playerState == .playing else {
            self.probes[agent.key]?.deadline.cancel()
            return
        }
        let probe = self.probe(agent.key)
        probe.deadline.set(max(media.receivedAt, probe.askedAt ?? media.receivedAt) + Self.interval)
    }

    func dismiss(_ agent: DeviceAgent) { self.probes.removeValue(forKey: agent.key)?.deadline.cancel() }

    func end() { for probe in self.probes.values { probe.deadline.cancel() } }

    private func probe(_ key: DeviceAgent.Key) -> Probe {
        if let probe = self.probes[key] { return probe }
        let probe = Probe(deadline: self.context.loop.deadline { [weak self] in self?.ask(key) })
        self.probes[key] = probe
        return probe
    }

    private func ask(_ key: DeviceAgent.Key) {
        guard let agent = self.fleet.device(key) else { return }
        self.probes[key]?.askedAt = self.context.time
        agent.session?.assumeIsolated { $0.askMediaStatus() }
        self.reduced(agent)
    }
}
