import BridgeCore
import CastSender
import LogKeys

/// Compares the devices of the fleet for streams that other senders move from one to another (`StreamWatch`, `LostStream`). A stream of an
/// application that the bridge launched remains the bridge's on the other device.
///
/// A move appears as an application that ends on one device and the same stream on another, in either order.
final class MovedStreams {
    private struct Loss {
        let stream: LostStream
        let source: DeviceAgent
        let wasOurs: Bool
        /// The members of the group that lost it, which only show the group's end.
        let members: [Device.ID]
    }

    private let context: BridgeContext
    private unowned let fleet: DeviceFleet
    private let groups: DeviceGroups
    private let emit: (BridgeEvent) -> Void
    /// The lost streams; at most one of each device.
    private var lost: [Loss] = []

    init(_ context: BridgeContext, fleet: DeviceFleet, groups: DeviceGroups, onEvent: @escaping (BridgeEvent) -> Void) {
        (self.context, self.fleet, self.groups, self.emit) = (context, fleet, groups, onEvent)
    }

    /// Called before a receiver status of the device is applied.
    func willChange(_ status: ReceiverStatus, of agent: DeviceAgent) {
        guard let former = agent.state.receiver?.application, status.application?.sessionID != former.sessionID else { return }
        let part = agent.state.application.part
        guard let stream = agent.lostStream(with: former, at: self.context.time) else { return }
        let lost = Loss(
            stream: stream, source: agent, wasOurs: part.role == .ours && part.id == former.sessionID,
            members: self.groups.members(of: agent.id))
        // The other device may already have started.
        if let target = self.fleet.devices.first(where: { self.continues(lost, $0) }) {
            return self.moved(lost, to: target)
        }
        self.lost.removeAll { $0.source === agent }
        self.lost.append(lost)
    }

    /// Called after a status is applied: the device may continue a stream that another one lost.
    func changed(_ agent: DeviceAgent) {
        guard !self.lost.isEmpty else { return }
        let now = self.context.time
        self.lost.removeAll { !$0.stream.isOpen(at: now) }
        guard let index = self.lost.firstIndex(where: { self.continues($0, agent) }) else { return }
        self.moved(self.lost.remove(at: index), to: agent)
    }

    func dismiss(_ agent: DeviceAgent) { self.lost.removeAll { $0.source === agent } }

    private func continues(_ lost: Loss, _ agent: DeviceAgent) -> Bool {
        guard agent !== lost.source, !lost.members.contains(agent.id) else { return false }
        return lost.stream.isContinued(
            by: agent.state.receiver?.application, media: agent.state.media.reported, watched: agent.streams, at: self.context.time)
    }

    private func moved(_ lost: Loss, to target: DeviceAgent) {
        // If the bridge launched it there, a command moved the stream and is answered.
        guard target.state.application.part.role != .ours, let sessionID = target.state.receiver?.application?.sessionID else { return }
        let (from, to) = (lost.source.state.slug, target.state.slug)
        self.context.logger.info("stream moved", metadata: [.device: "\(to)", .previous: "\(from)"])
        let facts: JSONObject = ["from": .string(from), "to": .string(to), "from_id": .string(lost.source.id)]
        if target.isPublished(by: self.context.mapper) {
            self.emit(.device(.streamMoved, target.state.device, slug: to, facts: facts))
        }
        guard lost.wasOurs, let session = target.session else { return }
        // The session may still be processing the effects of the status that showed the stream.
        self.context.loop.later { session.assumeIsolated { $0.attach(to: sessionID, isLaunched: true) } }
    }
}
