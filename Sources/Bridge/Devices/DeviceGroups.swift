import BridgeCore
import CastSender

/// Speaker groups: updates the state of groups and of their members.
final class DeviceGroups {
    private let context: BridgeContext
    private unowned let fleet: DeviceFleet
    private let emit: (BridgeEvent) -> Void
    private var directory = GroupDirectory()

    init(_ context: BridgeContext, fleet: DeviceFleet, onEvent: @escaping (BridgeEvent) -> Void) {
        (self.context, self.fleet, self.emit) = (context, fleet, onEvent)
    }

    /// Requests the members of a group; the group reports later changes by itself.
    func askForMembers(_ agent: DeviceAgent) {
        guard GroupRole(agent.state) == .leader else { return }
        agent.session?.assumeIsolated { $0.askMultizoneStatus() }
    }

    func reported(_ status: MultizoneStatus, by agent: DeviceAgent) {
        // Reports of devices that are not groups are ignored.
        guard GroupRole(agent.state) == .leader else { return }
        let former = self.directory.everyMemberID(of: agent.id)
        let change = self.directory.reported(agent.id, status)
        let members = self.directory.memberIDs(of: agent.id)
        for id in Set(former + self.directory.everyMemberID(of: agent.id)).sorted() { self.settle(id) }
        self.settle(agent.id)
        guard let change, agent.isPublished(by: self.context.mapper) else { return }
        self.emit(.device(.groupChanged, agent.state.device, slug: agent.state.slug, facts: change.facts(members: members)))
    }

    /// Updates groups and members after a change of a device that they show.
    func mayDiffer(after documents: DeviceDocuments, of agent: DeviceAgent) {
        guard self.directory.concerns(agent.id), !documents.isDisjoint(with: [.state, .availability, .info, .queue]) else { return }
        for group in self.directory.groups(of: agent.id) { self.settle(group) }
        for member in self.directory.everyMemberID(of: agent.id) { self.settle(member) }
        // A device that is found late may belong to a group that was reported before.
        if !agent.isSettledInGroups { self.settle(agent.id) }
    }

    /// Removes a device: a group that it was has no members any more, and its own groups list it as unknown.
    func remove(_ id: Device.ID) {
        let members = self.directory.everyMemberID(of: id)
        self.directory.remove(id)
        for other in members + self.directory.groups(of: id) { self.settle(other) }
    }

    /// Returns the members of a group at any depth; empty for any other device.
    func members(of id: Device.ID) -> [Device.ID] { self.directory.everyMemberID(of: id) }

    func concerns(_ id: Device.ID) -> Bool { self.directory.concerns(id) }

    private func settle(_ id: Device.ID) {
        guard let agent = self.fleet.device(id) else { return }
        let standing = self.directory.standing(of: id) { self.fleet.device($0)?.state }
        let playback = self.directory.playback(on: id) { self.fleet.device($0)?.state }
        self.fleet.reduce(.group(standing, playback), of: agent)
    }
}
