import BridgeCore
import CastSender

/// Handles the events of the fleet's links: applies them to the states, and passes them to the parts that record or follow them.
final class DeviceLinkEvents {
    private unowned let fleet: DeviceFleet
    private let context: BridgeContext
    private let record: Record
    private let links: DeviceLinks
    private let movedStreams: MovedStreams
    private let groups: DeviceGroups
    private let applications: ApplicationInquiries
    private let removals: DeviceRemovals
    private let discovery: () -> DiscoveryManager?
    private let emit: (DeviceFleet.Event) -> Void

    /// - Parameter discovery: returns the discovery to notify of identified devices; `nil` before it has started.
    init(
        _ context: BridgeContext, fleet: DeviceFleet, record: Record, cast: CastFactory, groups: DeviceGroups,
        applications: ApplicationInquiries, removals: DeviceRemovals, discovery: @escaping () -> DiscoveryManager?,
        onEvent: @escaping (DeviceFleet.Event) -> Void
    ) {
        self.fleet = fleet
        self.context = context
        self.record = record
        self.links = DeviceLinks(context, record: record, cast: cast)
        self.movedStreams = MovedStreams(context, fleet: fleet, groups: groups) { onEvent(.bridgeEvent($0)) }
        self.groups = groups
        self.applications = applications
        self.removals = removals
        self.discovery = discovery
        self.emit = onEvent
    }

    func handle(_ event: CastLinkEvent, of agent: DeviceAgent) {
        switch event {
        case .mediaStatus(let status):
            self.context.countForMonitoring { $0.statuses += 1 }
            agent.willChange(to: status, at: self.context.time)
            self.fleet.reduce(.mediaStatus(status), of: agent)
            self.movedStreams.changed(agent)
        case .receiverStatus(let status):
            self.context.countForMonitoring { $0.statuses += 1 }
            self.receiverChanged(status, agent)
        case .mediaFailed(let error): self.fleet.reduce(.mediaFailed(error), of: agent)
        case .queueWindow(let window): self.fleet.reduce(.queue(window), of: agent)
        case .multizoneStatus(let status): self.groups.reported(status, by: agent)
        case .application(let part):
            self.fleet.reduce(.application(part), of: agent)
            self.remember(part, agent)
        case .connecting: self.fleet.reduce(.connecting, of: agent)
        case .groupChanged: break
        case .authenticated(let result): self.authenticated(result, agent)
        case .identified(let identity): self.identified(identity, agent)
        case .ready(let receiver, let media):
            self.ready(receiver, media, agent)
            // A firmware update may have changed which applications the device can run.
            if self.applications.areRequired, let session = agent.session { self.applications.examine(agent.key, over: session) }
        case .disconnected(let error):
            self.links.lost(error, agent)
            self.emit(.disconnected(agent))
            self.fleet.reduce(.linkLost, of: agent)
            self.emit(.applicationChanged(agent))
        case .attemptFailed(let error, let delay, let attempts):
            self.links.attemptFailed(error, retryIn: delay, attempts: attempts, agent)
            self.fleet.reduce(.linkLost, of: agent)
            self.removals.removeIfUnreachable(agent, attempts: attempts)
        case .identityMismatch(let found, let endpoint):
            self.discovery()?.assumeIsolated { $0.identified(found, at: endpoint) }
            self.links.mismatch(found, at: endpoint, agent)
        }
    }

    /// Applies the events of a device's link from before the device was adopted.
    func takeOver(_ trial: UnverifiedDevices.Trial, by agent: DeviceAgent) {
        if let identity = trial.identity { self.identified(identity, agent) }
        if let result = trial.authentication { self.authenticated(result, agent) }
    }

    func ready(_ receiver: ReceiverStatus, _ media: MediaStatus?, _ agent: DeviceAgent) {
        let details = self.links.ready(agent)
        // First, because the announcement waits for this answer.
        self.applications.askForOffers(agent)
        self.reportVolume(receiver, agent)
        self.fleet.reduce(.identified(details), of: agent)
        self.fleet.reduce(.ready(receiver, media), of: agent)
        self.emit(.connected(agent))
        self.emit(.applicationChanged(agent))
        self.groups.askForMembers(agent)
    }

    /// Handles the dismissal of a device, whose link reports no end.
    func dismiss(_ agent: DeviceAgent) {
        if agent.session != nil { self.links.dismissedWhileConnected() }
        self.movedStreams.dismiss(agent)
    }

    private func receiverChanged(_ status: ReceiverStatus, _ agent: DeviceAgent) {
        self.reportVolume(status, agent)
        self.movedStreams.willChange(status, of: agent)
        self.fleet.reduce(.receiverStatus(status), of: agent)
        self.movedStreams.changed(agent)
        self.emit(.applicationChanged(agent))
    }

    /// Keeps what the bridge launched for its next run: a launch and a `leave` are written at once, and their answers wait for that.
    private func remember(_ part: ApplicationSession, _ agent: DeviceAgent) {
        let launched = part.isLaunched ? part.participation : nil
        guard launched != self.record[agent.id]?.launched else { return }
        self.record.update(agent.id, launched == nil ? .later : .now) { $0.launched = launched }
    }

    private func reportVolume(_ status: ReceiverStatus, _ agent: DeviceAgent) {
        if let volume = status.volume { self.emit(.volumeReported(agent, volume)) }
    }

    private func authenticated(_ result: DeviceAuthenticationResult, _ agent: DeviceAgent) {
        self.fleet.reduce(.identified(self.links.authenticated(result, agent)), of: agent)
    }

    private func identified(_ identity: DeviceIdentity, _ agent: DeviceAgent) {
        self.fleet.reduce(.identified(self.links.identified(identity, agent)), of: agent)
        self.discovery()?.assumeIsolated { $0.identified(identity) }
        // Discovery may just have updated the description of the device.
        var device = agent.state.device
        device.identity = .verified
        self.fleet.reduce(.deviceChanged(device), of: agent)
        self.record.note(device, of: agent, publishedBy: self.context.mapper)
        self.links.rememberKey(of: agent.id)
    }
}
