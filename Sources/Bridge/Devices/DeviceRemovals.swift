import BridgeCore
import CastSender
import LogKeys
import Logging

/// Removes devices: on request, after too many days of absence, and dynamic groups, whose ids are never reused.
///
/// A removal is recorded first, so that a removal interrupted by the end of the program continues after the next start. `TopicPlans`
/// clears the topics, and `finish` ends the removal.
final class DeviceRemovals {
    /// The number of failed attempts in a row, of at most half a minute each, after which a dynamic group is removed: its id is never
    /// reused.
    static let dynamicGroupAttempts = 30
    /// The time between two checks for absent devices. The first one is an hour after the start, when available devices are online.
    static let absenceInterval = Duration.seconds(3600)

    private let context: BridgeContext
    private unowned let fleet: DeviceFleet
    private let record: Record
    private let plans: TopicPlans
    private let names: DeviceNames
    private let cast: CastFactory
    private let drop: (DeviceAgent) -> Void
    private let emit: (DeviceFleet.Event) -> Void
    private lazy var absenceDeadline = self.context.loop.deadline { [weak self] in self?.removeAbsent() }

    /// - Parameter drop: removes a device from the fleet and dismisses it.
    init(
        _ context: BridgeContext, fleet: DeviceFleet, record: Record, plans: TopicPlans, names: DeviceNames,
        cast: CastFactory, drop: @escaping (DeviceAgent) -> Void, onEvent: @escaping (DeviceFleet.Event) -> Void
    ) {
        self.context = context
        self.fleet = fleet
        self.record = record
        self.plans = plans
        self.names = names
        self.cast = cast
        self.drop = drop
        self.emit = onEvent
    }

    func begin() { self.absenceDeadline.set(self.context.time + Self.absenceInterval) }

    func end() { self.absenceDeadline.cancel() }

    /// Removes devices that were absent for too many days. `Absence` decides.
    private func removeAbsent() {
        let now = self.context.now.wall
        let days = self.context.settings.topicOptions.forgetAfterDays
        for known in Array(self.record.knownDevices) {
            let isAvailable = self.fleet.device(known.id)?.state.isAvailable == true
            switch Absence.action(lastSeen: known.lastSeen, isAvailable: isAvailable, now: now, forgetAfterDays: days) {
            case .none: break
            case .note(let time): self.record.update(known.id, .later) { $0.lastSeen = time }
            case .forget:
                self.context.logger.notice(
                    "device was away for too long and is removed",
                    metadata: [.device: "\(known.slug)", .days: "\(days.map(String.init) ?? "-")"])
                self.remove(known.id, .forgetting)
            }
        }
        self.begin()
    }

    func remove(_ id: Device.ID, _ kind: KnownDevice.Removal) {
        guard let known = self.record[id] else { return }
        self.record.update(id) { $0.removal = kind }
        if let agent = self.fleet.device(id) { self.drop(agent) }
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
        self.cast.forgetKey(of: id)
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
