import BridgeCore
import CastSender
import EventLoopTiming

/// Runs the plans that move retained topics to another slug or clear them.
///
/// Each device that moves or is removed has a `TopicPlan`; `settled` reports the broker's answers.
final class TopicPlans {
    /// The result of a plan.
    enum Event {
        /// The broker has answered for all topics of a removed device.
        case removed(Device.ID)
        /// All documents of a device are below its new slug.
        case moved(Device.ID)
    }

    /// The wanted documents of an owner while its topics move or are cleared.
    enum Policy {
        /// All its documents; those below a previous slug stay until the plan's last step.
        case documents(keepsOldTopics: Bool)
        /// No documents; its topics stay or are cleared now.
        case nothing(RemainingTopics)
    }

    private static let clearingLimit = Duration.seconds(6)

    private let context: BridgeContext
    private let record: Record
    private let publisher: PublisherRunner
    private let connection: BrokerConnection
    private let emit: (Event) -> Void
    private var plans: [Subject: RunningPlan] = [:]
    /// Called when everything is cleared before the end.
    private var onCleared: (() -> Void)?
    /// The devices that may have topics to clear below previous slugs.
    private var moved: Set<Device.ID> = []

    private enum Subject: Hashable {
        case device(Device.ID)
        /// All topics before the end; the plan stays, so that no documents are wanted any more.
        case everything
    }

    private struct RunningPlan {
        var plan: TopicPlan
        let deadline: Deadline
    }

    init(
        _ context: BridgeContext, record: Record, publisher: PublisherRunner, connection: BrokerConnection,
        onEvent: @escaping (Event) -> Void
    ) {
        (self.context, self.record, self.publisher, self.connection, self.emit) = (context, record, publisher, connection, onEvent)
    }

    // MARK: Documents

    /// Returns which documents of an owner are wanted now.
    func policy(of owner: DocumentOwner) -> Policy {
        guard let plan = self.subject(of: owner).flatMap({ self.plans[$0]?.plan }) else { return .documents(keepsOldTopics: false) }
        switch plan.purpose {
        case .move: return .documents(keepsOldTopics: plan.keepsOldTopics)
        case .removal: return .nothing(plan.keepsOldTopics && !owner.isAnnouncement ? .kept : .cleared)
        }
    }

    /// The broker has answered for everything of this owner.
    func settled(_ owner: DocumentOwner) {
        guard let subject = self.subject(of: owner), let action = self.plans[subject]?.plan.settled(owner, now: self.context.time)
        else { return }
        self.perform(action, of: subject)
    }

    private func subject(of owner: DocumentOwner) -> Subject? {
        self.plans[.everything] != nil ? .everything : owner.device.map { .device($0) }
    }

    // MARK: Plans

    /// Returns whether the topics of a device are moving to another slug.
    func isMoving(_ id: Device.ID) -> Bool { self.plans[.device(id)]?.plan.purpose == .move }

    private func begin(_ plan: TopicPlan, of subject: Subject) {
        let deadline = self.context.loop.deadline { [weak self] in self?.wake(subject) }
        self.plans[subject] = RunningPlan(plan: plan, deadline: deadline)
        self.perform(self.plans[subject]?.plan.begin(now: self.context.time) ?? .none, of: subject)
    }

    private func wake(_ subject: Subject) {
        guard let action = self.plans[subject]?.plan.wake(now: self.context.time) else { return }
        self.perform(action, of: subject)
    }

    private func perform(_ action: TopicPlan.Action, of subject: Subject) {
        switch action {
        case .none: break
        case .settle(let owners): self.publisher.settle(owners)
        case .wake(let time): self.plans[subject]?.deadline.set(time)
        case .finished: self.finished(subject)
        }
    }

    private func finished(_ subject: Subject) {
        guard case .device(let id) = subject else { return self.endClearing() }
        guard let plan = self.plans.removeValue(forKey: subject)?.plan else { return }
        self.emit(plan.purpose == .move ? .moved(id) : .removed(id))
    }

    // MARK: Everything, before the end

    /// Clears every topic of every owner except `bridge/state`, as far as the broker answers in time.
    nonisolated(nonsending) func clearEverything() async {
        guard self.connection.session != nil else { return }
        let known = self.record.knownDevices.sorted { $0.id < $1.id }
        var announcements = known.filter { !$0.discoveryTopics.isEmpty }.map { DocumentOwner.discovery($0.id) }
        if !self.record.topics(of: .bridgeDiscovery).isEmpty { announcements.append(.bridgeDiscovery) }
        let plan = TopicPlan.removal(announcements: announcements, documents: known.map { .device($0.id) } + [.bridge])
        let limit = self.context.loop.deadline { [weak self] in self?.endClearing() }
        limit.set(self.context.time + Self.clearingLimit)
        await withCheckedContinuation { continuation in
            self.onCleared = { continuation.resume() }
            self.begin(plan, of: .everything)
        }
        limit.cancel()
    }

    /// Ends the clearing: all topics are cleared, the time limit has passed, or the link is lost.
    private func endClearing() {
        self.onCleared?()
        self.onCleared = nil
    }

    // MARK: The link

    func linkDown() { self.endClearing() }

    func end() {
        for plan in self.plans.values { plan.deadline.cancel() }
        self.plans = [:]
    }

    // MARK: Slugs of other devices

    /// Calls `takeOver` for the record of an earlier run that ended during moves.
    /// - Parameter owner: returns the current device of a slug.
    func takeOverAfterRestart(owner: (String) -> Device.ID?) {
        var slugs: Set<String> = []
        for known in self.record.knownDevices {
            let own = self.context.topics.device(known.slug, "")
            let strays = known.topics.filter { !$0.utf8.starts(with: own.utf8) }
            guard !strays.isEmpty else { continue }
            self.moved.insert(known.id)
            slugs.formUnion(strays.compactMap { self.context.topics.deviceDocument($0)?.slug })
        }
        for slug in slugs.sorted() { if let id = owner(slug) { self.takeOver(slug, by: id) } }
    }

    // MARK: For the fleet

    /// Returns whether the topics of a removed device are still being cleared.
    func isRemoving(_ id: Device.ID) -> Bool { self.plans[.device(id)]?.plan.purpose == .removal }

    /// Clears every topic of a device; ends with the event `removed`.
    /// - Parameter isAnnounced: whether the record contains announcements of it.
    func remove(_ id: Device.ID, isAnnounced: Bool) { self.begin(.removal(of: id, isAnnounced: isAnnounced), of: .device(id)) }

    /// Moves the documents of a device to its new slug; ends with the event `moved`.
    func move(_ id: Device.ID) { self.begin(.move(of: id), of: .device(id)) }

    func abandonMove(of id: Device.ID) { if self.isMoving(id) { self.plans[.device(id)] = nil } }

    /// Notes that documents of the device may still be below a previous slug.
    func slugChanged(of id: Device.ID) { self.moved.insert(id) }

    /// Gives the topics below a slug to its current device. Otherwise the previous one would clear documents of the new one.
    func takeOver(_ slug: String, by id: Device.ID) {
        guard self.record[id] != nil else { return }
        let prefix = self.context.topics.device(slug, "")
        for former in self.moved.sorted() where former != id {
            guard self.record.handOver(topicsBelow: prefix, from: former, to: id) else { continue }
            self.publisher.handOver(topicsBelow: prefix, from: .device(former), to: .device(id))
        }
    }
}
