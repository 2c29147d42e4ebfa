import BridgeCore
import CastSender
import LogKeys

/// Detects streams that other senders move from one device to another. A stream of an application that the bridge launched remains the
/// bridge's on the other device.
///
/// A move appears as an application that ends on one device and the same stream on another, in either order; see `StreamTrail`.
final class MovedStreams {
    private struct LostStream {
        let trail: StreamTrail
        /// When it began there; `nil` when it was already playing when the bridge first saw it.
        let began: MonotonicTime?
        let source: DeviceAgent
        /// Whether the bridge had launched the application.
        let wasOurs: Bool
        /// The members of the group that lost it, which only show the group's end.
        let members: [Device.ID]
    }

    private let context: BridgeContext
    private unowned let directory: any DeviceDirectory
    private let groups: DeviceGroups
    private let emit: (BridgeEvent) -> Void
    /// The lost streams; at most one of each device.
    private var lost: [LostStream] = []

    init(_ context: BridgeContext, directory: any DeviceDirectory, groups: DeviceGroups, onEvent: @escaping (BridgeEvent) -> Void) {
        self.context = context
        self.directory = directory
        self.groups = groups
        self.emit = onEvent
    }

    /// Called before a media status of the device is applied.
    func willChange(_ status: MediaStatus?, of agent: DeviceAgent) {
        let former = agent.state.media
        guard status?.mediaSessionID != former?.mediaSessionID || status?.isEnded != former?.isEnded else { return }
        guard status?.isEnded ?? true else { return agent.mediaBegan = self.context.time }
        agent.endedStream = StreamTrail(
            of: agent.state.receiver?.application, media: former, endedAt: self.context.time, reason: status?.idleReason)
    }

    /// Called before a receiver status of the device is applied.
    func willChange(_ status: ReceiverStatus, of agent: DeviceAgent) {
        guard let former = agent.state.receiver?.application, status.application?.sessionID != former.sessionID else { return }
        let now = self.context.time
        // Some receivers end the player first.
        let trail = StreamTrail(of: former, media: agent.state.media, endedAt: now) ?? agent.endedStream
        agent.endedStream = nil
        guard let trail, trail.isFresh(at: now) else { return }
        // An application that the bridge stopped did not move.
        let stopped = agent.session?.assumeIsolated { $0.stoppedSessionID }
        guard stopped == nil || stopped != former.sessionID else { return }
        let lost = LostStream(
            trail: trail, began: agent.mediaBegan, source: agent, wasOurs: former.sessionID.map { $0 == agent.ownedSessionID } ?? false,
            members: self.groups.members(of: agent.id))
        // The other device may already have started.
        if let target = self.directory.devices.first(where: { self.continues(lost, $0) }) {
            return self.moved(lost, to: target)
        }
        self.lost.removeAll { $0.source === agent }
        self.lost.append(lost)
    }

    /// Called after a status is applied: the device may continue a stream that another one lost.
    func changed(_ agent: DeviceAgent) {
        guard !self.lost.isEmpty else { return }
        let now = self.context.time
        self.lost.removeAll { !$0.trail.isOpen(at: now) }
        guard let index = self.lost.firstIndex(where: { self.continues($0, agent) }) else { return }
        self.moved(self.lost.remove(at: index), to: agent)
    }

    /// Removes the lost stream of a dismissed device.
    func dismiss(_ agent: DeviceAgent) { self.lost.removeAll { $0.source === agent } }

    private func continues(_ lost: LostStream, _ agent: DeviceAgent) -> Bool {
        guard agent !== lost.source, !lost.members.contains(agent.id) else { return false }
        let application = agent.state.receiver?.application
        if application?.sessionID == nil || application?.sessionID != lost.trail.sessionID {
            // Devices may play the same content at the same time, so the stream must have started there recently, and later than on the
            // device that lost it.
            guard let began = agent.mediaBegan, began > self.context.time - (StreamTrail.patience + StreamTrail.longestGap),
                lost.began.map({ began > $0 + StreamTrail.longestGap }) ?? true
            else { return false }
        }
        return lost.trail.isContinued(by: application, media: agent.state.media, at: self.context.time)
    }

    private func moved(_ lost: LostStream, to target: DeviceAgent) {
        // If the bridge launched it there, a command moved the stream and is answered.
        guard !target.applicationConnection.isOurs, let sessionID = target.state.receiver?.application?.sessionID else { return }
        let (from, to) = (lost.source.state.slug, target.state.slug)
        self.context.logger.info("stream moved", metadata: [.device: "\(to)", .previous: "\(from)"])
        let facts: JSONObject = ["from": .string(from), "to": .string(to), "from_id": .string(lost.source.id)]
        if target.isPublished(by: self.context.mapper) {
            self.emit(.device(.streamMoved, target.state.device, slug: to, facts: facts))
        }
        guard lost.wasOurs, let session = target.session else { return }
        // The session may still be processing the effects of the status that showed the stream.
        self.context.loop.later { session.assumeIsolated { $0.attach(to: sessionID, isOwned: true) } }
    }
}
