import BridgeCore
import CastSender
import LogKeys
import Logging
import NIOCore

/// The devices of the bridge: those that it connected to in this run or an earlier one, each with a slug, a state and a supervisor for its
/// link.
///
/// ```
///  discovery ─► UnverifiedDevices ─ first link ─┐
///  record ─► restored ──────────────────────────┴► adopted ─► DeviceAgent ─ reduce ─► changed, events
///                                                                 ▲   └─► dismissed: removed, forgotten, or an expired dynamic group
///                                  CastLinkEvent ─ DeviceLinkEvents
/// ```
///
/// Runs on the bridge's event loop. Other parts read devices and are notified by `Event`. The fleet decides which
/// devices it has and wires the parts that do the rest: `DeviceLinkEvents` handles the events of links, `ApplicationInquiries` asks devices
/// for their applications, `PositionProbes` asks for positions, `DeviceNames` and `DeviceRenaming` name devices, `DeviceRemovals` removes
/// them, and `DeviceGroups` relates them.
final class DeviceFleet {
    /// The largest number of devices with a supervisor, equal to the limit of discovery.
    static let maximumDevices = 4096

    /// How long a request to add a device waits until the device is connected and has reported its applications.
    private static let examinationLimit = TimeAmount.seconds(15)

    private let context: BridgeContext
    private let record: Record
    private let cast: CastFactory
    private let plans: TopicPlans
    private let emit: (Event) -> Void
    /// Slugs, aliases and users' choices for single devices.
    let names: DeviceNames
    private(set) lazy var groups = DeviceGroups(self.context, fleet: self) { [weak self] in self?.emit(.bridgeEvent($0)) }
    private(set) lazy var renaming = DeviceRenaming(
        self.context, fleet: self, record: self.record, plans: self.plans, names: self.names, groups: self.groups, onEvent: self.emit)
    private(set) lazy var removals = DeviceRemovals(
        self.context, fleet: self, record: self.record, plans: self.plans, names: self.names, cast: self.cast,
        drop: { [weak self] in self?.drop($0) }, onEvent: self.emit)
    private lazy var applications = ApplicationInquiries(self.context, fleet: self) { [weak self] in self?.examined($0, canRun: $1) }
    private lazy var probes = PositionProbes(self.context, fleet: self)
    private lazy var linkEvents = DeviceLinkEvents(
        self.context, fleet: self, record: self.record, cast: self.cast, groups: self.groups, applications: self.applications,
        removals: self.removals, discovery: { [weak self] in self?.discovery }, onEvent: self.emit)
    private var agents: [Device.ID: DeviceAgent] = [:]
    /// The devices that were announced and never connected; none of them has an agent.
    private lazy var unverified = UnverifiedDevices(self.context) { [unowned self] in self.link(to: $0, isVerified: false) }
    private(set) var discovery: DiscoveryManager?

    init(
        _ context: BridgeContext, record: Record, plans: TopicPlans, onEvent: @escaping (Event) -> Void
    ) {
        self.context = context
        self.record = record
        self.cast = CastFactory(context)
        self.plans = plans
        self.emit = onEvent
        self.names = DeviceNames(context, record: record)
    }

    // MARK: Begin and end

    /// Adds the devices of an earlier run and tries to connect at once.
    func restore(_ devices: [KnownDevice]) {
        self.cast.restoreKeys(of: devices)
        self.names.restore(devices)
        for known in devices { if known.removal == nil { self.restore(known) } else { self.removals.resume(known) } }
    }

    private func restore(_ known: KnownDevice) {
        let device = Device(
            id: known.id, friendlyName: known.name, modelName: known.model, capabilities: known.capabilities,
            endpoints: known.endpoints, identity: known.identity)
        // A device that the configuration excludes keeps its slug, and its topics are cleared.
        guard self.context.settings.cast.discovery.criteria.matches(device), self.hasRoom(for: device) else { return }
        // A device that could run no required application is asked again before it gets topics.
        if known.isExcluded, self.applications.areRequired { return self.unverified.seen(device) }
        if known.isExcluded { self.record.update(known.id) { $0.isExcluded = false } }
        self.adopt(device)
    }

    /// Creates discovery, which the caller runs. What it finds before `begin` waits.
    func discover() -> DiscoveryManager {
        let discovery = self.cast.makeDiscovery { [weak self] change in
            if self?.context.hasBegun == true || change == .networkChanged { self?.handle(change) }
        }
        self.discovery = discovery
        return discovery
    }

    /// Takes what was discovered while another bridge led.
    func begin() {
        self.removals.begin()
        // Nobody else discovers before.
        guard self.context.lease != nil else { return }
        for device in self.discovery?.assumeIsolated({ $0.devices }) ?? [] { self.seen(device) }
    }

    /// The supervisors of links; run each until it ends.
    var arrivals: AsyncStream<DeviceSupervisor> { self.cast.arrivals }

    func end() {
        self.cast.end()
        self.removals.end()
        self.unverified.end()
        self.applications.end()
        self.probes.end()
        for agent in self.agents.values { agent.stateDeadline.cancel() }
    }

    // MARK: Discovery

    func handle(_ change: DeviceChange) {
        switch change {
        case .found(let device), .changed(let device), .addressesChanged(let device): self.seen(device)
        case .sighted(let id):
            if let agent = self.agents[id] { return agent.supervisor.wake() }
            if self.unverified.contains(id) { return self.unverified.wake(id) }
            // Discovery describes a device once; a removed one returns with its sightings.
            if let device = self.discovery?.assumeIsolated({ $0.device(id) }) { self.seen(device) }
        // Announcements prove nothing, so a device that was connected is kept.
        case .lost(let id): self.unverified.lost(id)
        case .networkChanged:
            self.emit(.networkChanged)
            self.wakeAll()
        }
    }

    /// Applies other settings of the context: devices that are no longer wanted lose their topics, and those that are now appear.
    func settingsChanged() {
        let criteria = self.context.settings.cast.discovery.criteria
        for agent in Array(self.agents.values) {
            guard criteria.matches(agent.state.device) else {
                self.drop(agent)
                self.emit(.excluded(agent.id))
                self.emit(.listChanged)
                continue
            }
            self.renaming.applyPreferences(to: agent)
        }
        for known in Array(self.record.knownDevices) where known.removal == nil && self.agents[known.id] == nil { self.restore(known) }
        self.discovery?.assumeIsolated {
            $0.setCriteria(include: criteria.include, exclude: criteria.exclude, capabilities: criteria.capabilities)
        }
    }

    func wakeAll() {
        for agent in self.agents.values { agent.supervisor.wake() }
        self.unverified.wakeAll()
    }

    /// Queries at once, on every interface and every known host that has not answered.
    nonisolated(nonsending) func searchNow() async { await self.discovery?.searchNow() }

    /// Returns why no device is found; `nil` when discovery has found one, or one is online.
    nonisolated(nonsending) func hint() async -> DiscoveryHint? {
        self.agents.values.contains { $0.state.isAvailable } ? nil : await self.discovery?.hint()
    }

    /// Returns the known hosts and the named interfaces at which discovery finds nothing, with the reasons.
    nonisolated(nonsending) func discoveryProblems() async -> [DiscoveryProblem] { await self.discovery?.problems() ?? [] }

    /// Finds the device at a host and adds it; the link on which it reported its id becomes its first one. With required applications it
    /// also waits until the device was adopted or excluded, within the time for connecting and answering.
    /// - Returns: the device, also one that the configuration excludes.
    /// - Throws: as `DiscoveryManager.locate`.
    nonisolated(nonsending) func locate(_ endpoint: DeviceEndpoint, within limit: TimeAmount) async throws(CastError) -> Device {
        guard let discovery else { throw CastError(.cancelled, detail: "the bridge stops") }
        let device = try await discovery.locate(endpoint, within: limit)
        self.context.loop.turn {
            guard self.agents[device.id] == nil, self.context.settings.cast.discovery.criteria.matches(device),
                !self.removals.isRemoved(device.id)
            else { return }
            guard !self.applications.areRequired else { return self.seen(device) }
            // Discovery may have no room for the device.
            if self.verify(device.id) == nil { self.add(device, over: nil) }
        }
        if self.applications.areRequired { await self.unverified.awaitDecision(on: device.id, within: Self.examinationLimit) }
        return device
    }

    private func seen(_ device: Device) {
        guard let agent = self.agents[device.id] else {
            // A recorded device was connected by an earlier run, or before it was removed.
            guard let known = self.record[device.id], !known.isExcluded else { return self.unverified.seen(device) }
            if !self.removals.isRemoved(device.id) { self.add(device, over: nil) }
            return
        }
        var device = device
        if agent.state.device.identity == .verified { device.identity = .verified }
        agent.supervisor.update(endpoints: device.endpoints)
        self.reduce(.deviceChanged(device), of: agent)
        self.record.note(device, of: agent, publishedBy: self.context.mapper)
        self.renaming.followName(of: agent)
    }

    // MARK: Adopting devices

    /// Adopts a device that was connected for the first time.
    /// - Returns: the device; `nil` when it is not one of the unverified devices, or there is no room for it.
    private func verify(_ id: Device.ID) -> DeviceAgent? {
        guard let (device, trial) = self.unverified.take(id) else { return nil }
        guard let agent = self.add(device, over: trial) else {
            trial?.supervisor.stop()
            return nil
        }
        if let trial { self.linkEvents.takeOver(trial, by: agent) }
        return agent
    }

    /// Adopts a discovered device and records it.
    /// - Parameter trial: its current link; `nil` creates one.
    @discardableResult
    private func add(_ device: Device, over trial: UnverifiedDevices.Trial?) -> DeviceAgent? {
        guard self.context.settings.cast.discovery.criteria.matches(device), self.hasRoom(for: device) else { return nil }
        let agent = self.adopt(device, over: trial)
        self.context.logger.info(
            "device found",
            metadata: [
                .device: "\(agent.state.slug)", .name: "\(device.friendlyName)", .model: "\(device.modelName)",
                .address: "\(device.endpoints.first?.description ?? "-")",
            ])
        if self.context.mapper.publishes(device) { self.emit(.bridgeEvent(.device(.deviceAdded, device, slug: agent.state.slug))) }
        self.record.note(device, of: agent, publishedBy: self.context.mapper)
        self.record.update(device.id) { $0.isExcluded = false }
        self.plans.takeOver(agent.state.slug, by: device.id)
        self.renaming.followName(of: agent)
        return agent
    }

    /// Returns whether one more device may be adopted; warns of the first one that may not.
    private func hasRoom(for device: Device) -> Bool {
        guard self.agents.count >= Self.maximumDevices else { return true }
        self.unverified.leftOutOfFullFleet(device, limit: Self.maximumDevices)
        return false
    }

    private func link(to device: Device, isVerified: Bool) -> UnverifiedDevices.Trial {
        let launched = self.record[device.id]?.launched
        let (key, supervisor) = self.cast.makeLink(to: device, isVerified: isVerified, participation: launched) {
            [weak self, loop = self.context.loop] key, event in
            loop.turn { self?.handle(event, of: key) }
        }
        return UnverifiedDevices.Trial(key: key, supervisor: supervisor)
    }

    /// Creates the agent of a device with slug, state and supervisor.
    /// - Parameter trial: its existing supervisor; `nil` creates one.
    @discardableResult
    private func adopt(_ device: Device, over trial: UnverifiedDevices.Trial? = nil) -> DeviceAgent {
        let slug = self.names.assign(device)
        let link = trial ?? self.link(to: device, isVerified: true)
        let key = link.key
        let agent = DeviceAgent(
            key: key,
            state: DeviceState(
                device: device, slug: slug, at: self.context.now,
                options: self.context.settings.device, namespaces: self.context.settings.commands.namespaces),
            supervisor: link.supervisor, options: self.context.settings.device,
            stateDeadline: self.context.loop.deadline { [weak self] in self?.stateIsDue(key) })
        self.agents[device.id] = agent
        self.record.update(device.id) { if $0.slug != slug { ($0.slug, $0.isSlugChosen) = (slug, false) } }
        self.renaming.applyPreferences(to: agent)
        agent.stateDeadline.set(agent.nextDeadline)
        self.changed(agent, [.all, .listing])
        self.emit(.slugAssigned(agent))
        return agent
    }

    // MARK: Links

    private func handle(_ event: CastLinkEvent, of key: DeviceAgent.Key) {
        if let agent = self.device(key) { return self.linkEvents.handle(event, of: agent) }
        // The device is unverified, or was removed and this is a late event.
        guard self.unverified.isTrying(key) else { return }
        switch event {
        case .ready(let receiver, let media):
            guard !self.applications.areRequired else {
                if let session = self.unverified.ready(receiver, media, of: key) { self.applications.examine(key, over: session) }
                return
            }
            if let agent = self.verify(key.device) { self.linkEvents.ready(receiver, media, agent) }
        case .identityMismatch(let found, let endpoint): self.discovery?.assumeIsolated { $0.identified(found, at: endpoint) }
        default:
            if case .disconnected = event { self.applications.cancel(key) }
            self.unverified.handle(event, of: key)
        }
    }

    // MARK: Required applications

    /// Handles the answer about the required applications.
    /// - Parameter canRun: `nil` when the device did not answer.
    private func examined(_ key: DeviceAgent.Key, canRun: Bool?) {
        if let agent = self.device(key) {
            // A device that does not answer keeps its topics.
            if canRun == false { self.exclude(agent) }
            return
        }
        guard let readiness = self.unverified.readiness(of: key) else { return }
        guard canRun == true, !self.removals.isRemoved(key.device), let agent = self.verify(key.device) else {
            return self.unverified.exclude(key, hasAnswered: canRun != nil)
        }
        self.linkEvents.ready(readiness.receiver, readiness.media, agent)
        for event in readiness.others { self.handle(event, of: key) }
    }

    /// Removes a device's topics. It keeps its slug, and is asked again over a separate link.
    private func exclude(_ agent: DeviceAgent) {
        self.record.update(agent.id) { $0.isExcluded = true }
        self.drop(agent)
        self.emit(.excluded(agent.id))
        self.unverified.seen(agent.state.device)
    }

    // MARK: State

    private func changed(_ agent: DeviceAgent, _ documents: DeviceDocuments) {
        self.emit(.changed(agent, documents))
        self.groups.mayDiffer(after: documents, of: agent)
    }

    private func stateIsDue(_ key: DeviceAgent.Key) {
        guard let agent = self.device(key) else { return }
        self.reduce(.timer, of: agent)
        agent.stateDeadline.set(agent.nextDeadline)
    }

    // MARK: Removing devices

    /// Removes a device that has no topics, or whose topics are cleared.
    func drop(_ agent: DeviceAgent) {
        self.agents[agent.id] = nil
        self.dismiss(agent)
    }

    /// Ends a device's link and all pending questions; applications keep running.
    private func dismiss(_ agent: DeviceAgent) {
        let device = agent.state.device
        self.emit(.dismissed(agent))
        agent.stateDeadline.cancel()
        self.probes.dismiss(agent)
        self.applications.cancel(agent.key)
        self.linkEvents.dismiss(agent)
        agent.supervisor.stop()
        self.plans.abandonMove(of: device.id)
        self.groups.remove(device.id)
        if self.context.mapper.publishes(device) { self.emit(.bridgeEvent(.device(.deviceRemoved, device, slug: agent.state.slug))) }
        self.context.logger.info("device removed", metadata: [.device: "\(agent.state.slug)", .name: "\(device.friendlyName)"])
        self.emit(.listChanged)
    }

    // MARK: For other parts

    /// Applies an event to the state of a device.
    func reduce(_ event: DeviceEvent, of agent: DeviceAgent) {
        let now = self.context.now
        var isReported = false
        for output in agent.reduce(event, at: now) {
            switch output {
            case .changed(let documents):
                self.changed(agent, documents)
                isReported = true
            case .event(let event):
                if agent.isPublished(by: self.context.mapper) { self.emit(.deviceEvent(event, agent, at: event.time ?? now.wall)) }
            case .bridgeEvent(let event): if agent.isPublished(by: self.context.mapper) { self.emit(.bridgeEvent(event)) }
            case .wakeAt: agent.stateDeadline.set(agent.nextDeadline)
            }
        }
        if !isReported { self.emit(.reduced(agent)) }
        self.probes.reduced(agent)
    }

    /// Every device that was connected in this run or an earlier one, in no particular order. Callers never change them.
    var devices: Dictionary<Device.ID, DeviceAgent>.Values { self.agents.values }
    /// The number of devices that were announced and never connected. They are in no list.
    var unverifiedCount: Int { self.unverified.count }
    /// The number of devices that are connected and have no topics, because they can run none of the required applications.
    var excludedCount: Int { self.unverified.excludedCount }

    /// Returns whether the device can run none of the required applications, according to its last answer.
    func isExcluded(_ id: Device.ID) -> Bool { self.unverified.isExcluded(id) }

    /// Returns whether it is still unknown which applications the device can run.
    func isUndecided(_ id: Device.ID) -> Bool { self.unverified.isUndecided(id) }

    func device(_ id: Device.ID) -> DeviceAgent? { self.agents[id] }

    /// Returns the device of this registration; `nil` after it was removed, even if it was found again.
    func device(_ key: DeviceAgent.Key) -> DeviceAgent? {
        // Numbers are never reused.
        guard let agent = self.agents[key.device], agent.key.number == key.number else { return nil }
        return agent
    }

    /// Returns the device that a command names by slug, id or alias.
    func device(named name: String) -> DeviceAgent? { self.names.deviceID(named: name).flatMap { self.agents[$0] } }
    func slug(of id: Device.ID) -> String? { self.names.registry.slug(of: id) }
}
