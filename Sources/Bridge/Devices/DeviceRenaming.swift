import BridgeCore
import CastSender
import LogKeys
import Logging

/// Applies names and choices to active devices: moves their topics to another slug, and publishes users' choices. `DeviceNames` decides on
/// slugs, aliases and choices.
final class DeviceRenaming {
    private let context: BridgeContext
    private unowned let fleet: DeviceFleet
    private let record: Record
    private let plans: TopicPlans
    private let names: DeviceNames
    private let groups: DeviceGroups
    private let emit: (DeviceFleet.Event) -> Void

    init(
        _ context: BridgeContext, fleet: DeviceFleet, record: Record, plans: TopicPlans, names: DeviceNames,
        groups: DeviceGroups, onEvent: @escaping (DeviceFleet.Event) -> Void
    ) {
        self.context = context
        self.fleet = fleet
        self.record = record
        self.plans = plans
        self.names = names
        self.groups = groups
        self.emit = onEvent
    }

    /// Moves a device's topics when its name has changed and slugs follow names.
    func followName(of agent: DeviceAgent) {
        guard let slug = self.names.slugFollowingName(of: agent.state.device) else { return self.applyPreferences(to: agent) }
        self.move(agent, to: slug)
    }

    /// Publishes a device below another slug, which is already assigned.
    func move(_ agent: DeviceAgent, to slug: String) {
        let former = agent.state.slug
        agent.setSlug(slug)
        self.record.update(agent.id) { $0.slug = slug }
        self.plans.slugChanged(of: agent.id)
        self.plans.takeOver(slug, by: agent.id)
        self.context.logger.info("device moves to other topics", metadata: [.device: "\(slug)", .previous: "\(former)"])
        self.emit(.bridgeEvent(.device(.deviceRenamed, agent.state.device, slug: slug, facts: ["previous_slug": .string(former)])))
        self.emit(.listChanged)
        self.groups.mayDiffer(after: .info, of: agent)
        self.emit(.slugAssigned(agent))
        self.plans.move(agent.id)
        self.applyPreferences(to: agent)
    }

    /// Changes a client's choices for a device.
    /// - Returns: whether any choice changed.
    func change(_ changes: DevicePreferenceChanges, of agent: DeviceAgent) -> Bool {
        let former = self.record[agent.id]?.preferences
        self.record.update(agent.id) { changes.apply(to: &$0.preferences) }
        self.applyPreferences(to: agent)
        return self.record[agent.id]?.preferences != former
    }

    /// Applies the choices after a start, and when they or the device's name or slug change.
    func applyPreferences(to agent: DeviceAgent) {
        guard self.names.applyPreferences(to: agent) else { return }
        let documents: DeviceDocuments = [.info, .listing]
        self.emit(.changed(agent, documents))
        self.groups.mayDiffer(after: documents, of: agent)
        // The choice about inactive inputs affects the player.
        self.fleet.reduce(.timer, of: agent)
    }
}
