import BridgeCore
import CastSender
import Logging

/// Removes devices: those that a request names, those that were away for too many days, and dynamic groups whose id never comes back.
///
/// A removal is noted on record first: what is not done when the program ends is done after the next start. The topics are cleared by `TopicPlanning`,
/// and `finish` ends the removal.
final class DeviceRemovals {
    /// Attempts in a row, of at most half a minute each, after which a dynamic group is given up: its id never comes back.
    static let dynamicGroupAttempts = 30

    private let context: BridgeContext
    private unowned let directory: any DeviceDirectory
    private let record: Record
    private let plans: any TopicPlanning
    private let names: DeviceNames
    private let cast: CastFactory
    private let drop: (DeviceAgent) -> Void
    private let emit: (DeviceFleet.Event) -> Void
    private lazy var absence = AbsenceWatch(self.context, record: self.record, directory: self.directory) { [weak self] in
        self?.remove($0, .forgetting)
    }

    /// - Parameter drop: takes a device out of the fleet and dismisses it.
    init(
        _ context: BridgeContext, directory: any DeviceDirectory, record: Record, plans: any TopicPlanning, names: DeviceNames,
        cast: CastFactory, drop: @escaping (DeviceAgent) -> Void, onEvent: @escaping (DeviceFleet.Event) -> Void
    ) {
        self.context = context
        self.directory = directory
        self.record = record
        self.plans = plans
        self.names = names
        self.cast = cast
        self.drop = drop
        self.emit = onEvent
    }

    /// Begins to look for devices that are away for too long.
    func begin() { self.absence.begin() }

    /// Nothing fires later.
    func end() { self.absence.end() }

    /// Begins to remove a device that is on record.
    func remove(_ id: Device.ID, _ kind: KnownDevice.Removal) {
        guard let known = self.record[id] else { return }
        self.record.update(id) { $0.removal = kind }
        if let agent = self.directory.device(id) { self.drop(agent) }
        self.emit(.removalBegan(id))
        if !self.plans.isRemoving(id) { self.resume(known) }
    }

    /// Clears the topics of a device whose removal is on record.
    func resume(_ known: KnownDevice) { self.plans.remove(known.id, isAnnounced: !known.discoveryTopics.isEmpty) }

    /// The broker has answered for all topics of a removed device. What it refused to clear stays on record, for the next start to try again.
    func finish(_ id: Device.ID) {
        guard let known = self.record[id] else { return }
        let kept = known.topics.union(known.discoveryTopics)
        self.emit(.removalEnded(id, kept: kept.count))
        guard kept.isEmpty else {
            self.context.logger.warning(
                "broker kept topics of a removed device; the next start tries again", metadata: ["device": "\(known.slug)"])
            return
        }
        self.emit(.topicsGone(id))
        guard known.removal == .forgetting else { return }
        self.cast.authentication.keys.forget(id)
        self.names.remove(id)
        self.record.remove(id)
    }

    /// Returns whether a device must be ignored. A removed device that is seen again after its topics were cleared begins from scratch.
    func isRemoved(_ id: Device.ID) -> Bool {
        guard self.record[id]?.removal != nil else { return false }
        guard !self.plans.isRemoving(id) else { return true }
        self.record.update(id) { $0.removal = nil }
        return false
    }

    /// Removes a dynamic group that has not answered for too long, because such groups would pile up over the years.
    /// - Parameter attempts: how many attempts to connect have failed in a row.
    func removeIfGone(_ agent: DeviceAgent, attempts: Int) {
        guard agent.state.device.isDynamicGroup, attempts >= Self.dynamicGroupAttempts else { return }
        // With topics, of this run or of an earlier one, it goes as any device does.
        guard self.record[agent.id] == nil else { return self.remove(agent.id, .forgetting) }
        self.drop(agent)
        self.emit(.topicsGone(agent.id))
        self.names.remove(agent.id)
    }
}
