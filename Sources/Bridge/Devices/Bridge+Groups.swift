import BridgeCore
import CastSender

/// Speaker groups: what their members are told of them, and they of their members.
extension Bridge {
    /// A group tells its members when asked; later changes it tells by itself.
    func askForMembers(_ agent: DeviceAgent) {
        guard GroupRole(agent.state) == .leader else { return }
        self.session(of: agent)?.assumeIsolated { $0.askMultizoneStatus() }
    }

    func groupTold(_ status: MultizoneStatus, _ agent: DeviceAgent) {
        // What another device says of groups is not its own business.
        guard GroupRole(agent.state) == .leader else { return }
        let group = agent.state.device.id
        let former = self.groups.memberIDs(of: group)
        let change = self.groups.told(group, status)
        for id in Set(former + self.groups.memberIDs(of: group)).sorted() { self.settleGroup(of: id) }
        self.settleGroup(of: group)
        if let change, self.mapper.publishes(agent.state.device) {
            self.publish(
                .device(
                    .groupChanged, agent.state.device, slug: agent.state.slug,
                    facts: change.facts(members: self.groups.memberIDs(of: group))))
        }
    }

    /// What a device says and plays is part of what its groups and its members show.
    func groupsMayDiffer(after documents: DeviceDocuments, of agent: DeviceAgent) {
        let id = agent.state.device.id
        guard self.groups.concerns(id), !documents.isDisjoint(with: [.state, .availability, .info, .queue]) else { return }
        for group in self.groups.groups(of: id) { self.settleGroup(of: group) }
        for member in self.groups.memberIDs(of: id) { self.settleGroup(of: member) }
        // A device that is found late may belong to a group that has told so already.
        if !agent.isSettledInGroups { self.settleGroup(of: id) }
    }

    /// A device is gone for good: what it led has no members any more, and its groups name it as one the bridge doesn't know.
    func leaveGroups(_ id: Device.ID) {
        let members = self.groups.memberIDs(of: id)
        self.groups.remove(id)
        for other in members + self.groups.groups(of: id) { self.settleGroup(of: other) }
    }

    /// Attempts in a row, of at most half a minute each, after which a group made on the fly is given up: its id never comes back.
    static let dynamicGroupAttempts = 30

    /// Groups made on the fly would pile up over the years.
    func dropIfGone(_ agent: DeviceAgent, attempts: Int) {
        guard agent.state.device.isDynamicGroup, attempts >= Self.dynamicGroupAttempts else { return }
        let id = agent.state.device.id
        // With topics, of this run or of an earlier one, it goes as any device does.
        guard self.known[id] == nil else { return self.remove(id, .forgetting) }
        self.agents[id] = nil
        self.dismiss(agent)
        self.publisher.forget(.device(id))
        self.slugs.remove(id)
    }

    private func settleGroup(of id: Device.ID) {
        guard let agent = self.agents[id] else { return }
        agent.isSettledInGroups = true
        let standing = self.groups.standing(of: id) { self.agents[$0]?.state }
        let playback = self.groups.playback(on: id) { self.agents[$0]?.state }
        self.reduce(.group(standing, playback), of: agent)
    }
}
