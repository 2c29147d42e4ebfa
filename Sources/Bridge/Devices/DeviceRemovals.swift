import BridgeCore
import CastSender
import LogKeys
import Logging

/// Removes devices: on request, after too many days of absence, and dynamic groups, whose ids are never reused.
///
/// A removal is recorded first, so that a removal interrupted by the end of the program continues after the next start. `TopicPlanning`
/// clears the topics, and `finish` ends the removal.
final class DeviceRemovals {
    /// The number of failed attempts in a row, of at most half a minute each, after which a dynamic group is removed: its id is never
    /// reused.
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

    /// - Parameter drop: removes a device from the fleet and dismisses it.
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

    /// Starts the checks for absent devices.
    func begin() { self.absence.begin() }

    /// Cancels all timers.
    func end() { self.absence.end() }

    /// Starts the removal of a recorded device.
    func remove(_ id: Device.ID, _ kind: KnownDevice.Removal) {
        guard let known = self.record[id] else { return }
        self.record.update(id) { $0.removal = kind }
        if let agent = self.directory.device(id) { self.drop(agent) }
        self.emit(.removalBegan(id))
        if !self.plans.isRemoving(id) { self.resume(known) }
    }

    /// Clears the topics of a device whose removal is recorded.
    func resume(_ known: KnownDevice) { self.plans.remove(known.id, isAnnounced: !known.discoveryTopics.isEmpty) }

    /// The broker has answered for all topics of a removed device. Topics that it refused to clear stay in the record, so that the next
    /// start tries again.
    func finish(_ id: Device.ID) {
        guard let known = self.record[id] else { return }
        let kept = known.topics.union(known.discoveryTopics)
        self.emit(.removalEnded(id, kept: kept.count))
        guard kept.isEmpty else {
            self.context.logger.warning(
                "broker kept topics of a removed device; the next start tries again", metadata: [.device: "\(known.slug)"])
            return
        }
        self.emit(.topicsRemoved(id))
        guard known.removal == .forgetting else { return }
        self.cast.authentication.keys.forget(id)
        self.names.remove(id)
        self.record.remove(id)
    }

    /// Returns whether a device must be ignored. A removed device that is seen again after its topics were cleared is treated as new.
    func isRemoved(_ id: Device.ID) -> Bool {
        guard self.record[id]?.removal != nil else { return false }
        guard !self.plans.isRemoving(id) else { return true }
        self.record.update(id) { $0.removal = nil }
        return false
    }

    /// Removes a dynamic group that has not answered for too long, because such groups would accumulate over the years.
    /// - Parameter attempts: the number of failed attempts in a row.
    func removeIfUnreachable(_ agent: DeviceAgent, attempts: Int) {
        guard agent.state.device.isDynamicGroup, attempts >= Self.dynamicGroupAttempts else { return }
        // A group with topics, of this run or an earlier one, is removed like any device.
        guard self.record[agent.id] == nil else { return self.remove(agent.id, .forgetting) }
        self.drop(agent)
        self.emit(.topicsRemoved(agent.id))
        self.names.remove(agent.id)
    }
}
