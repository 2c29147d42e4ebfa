import BridgeCore
import CastSender
import EventLoopTiming
import Logging
import NIOCore

/// The devices of the bridge: those that it was connected to, in this run or an earlier one, each with a slug, a state and a supervisor for its link.
///
/// ```
///  discovery ─► UnverifiedDevices ─ first link ─┐
///  record ─► restored ──────────────────────────┴► adopted ─► DeviceAgent ─ reduce ─► changed, events
///                                                                 ▲   └─► dismissed: removed, forgotten, or a dynamic group that is gone
///                                                   CastLinkEvent ┘
/// ```
///
/// Runs on the bridge's event loop. Other parts read devices through `DeviceDirectory` and learn what changed from `Event`. How names, groups
/// and links work is in `DeviceNames`, `DeviceGroups` and `DeviceLinks`, which only the fleet uses.
final class DeviceFleet {
    /// Most devices with a supervisor; discovery keeps no more than this either.
    static let maximumDevices = 4096
    /// Attempts in a row, of at most half a minute each, after which a dynamic group is given up: its id never comes back.
    static let dynamicGroupAttempts = 30
    /// How long a device that plays may not report its position before it is asked, where it is asked at all.
    static let probeInterval = Duration.seconds(10)

    /// How long a request to add a device waits for what the device can run, in tenths of a second.
    private static let examinationLimit = 150

    /// What the other parts have to do, in the order in which it happened.
    enum Event {
        /// These documents of the device may differ from what was published.
        case changed(DeviceAgent, DeviceDocuments)
        /// An event was applied to the state: what is due by time may differ.
        case reduced(DeviceAgent)
        /// Something for `<dev>/event`.
        case deviceEvent(PublishedEvent, DeviceAgent, at: Timestamp)
        /// Something for `bridge/event`.
        case bridgeEvent(BridgeEvent)
        /// The link is ready: the device accepts commands.
        case connected(DeviceAgent)
        case disconnected(DeviceAgent)
        /// The link or the running application changed, and with it the namespaces that can be listened to.
        case applicationChanged(DeviceAgent)
        case volumeReported(DeviceAgent, DeviceVolume)
        /// The device is published below its slug from now on.
        case slugAssigned(DeviceAgent)
        /// The device can run none of the required applications: it was dismissed, and its topics are to be cleared.
        case excluded(Device.ID)
        /// What `bridge/devices` lists changed.
        case listChanged
        /// An interface changed: broker and devices may be reachable, or unreachable.
        case networkChanged
        /// The device is no longer one of the bridge's.
        case dismissed(DeviceAgent)
        /// A removal began: a rename that was under way never ends.
        case removalBegan(Device.ID)
        /// A removal ended.
        /// - kept: how many topics the broker refused to clear.
        case removalEnded(Device.ID, kept: Int)
        /// The broker holds nothing of the device any more, announcements included.
        case topicsGone(Device.ID)
    }

    private let context: BridgeContext
    private let record: Record
    private let cast: CastFactory
    private let plans: any TopicPlanning
    private let emit: (Event) -> Void
    /// Slugs, aliases and what users chose for single devices.
    let names: DeviceNames
    private let links: DeviceLinks
    private(set) lazy var groups = DeviceGroups(self.context, fleet: self) { [weak self] in self?.emit(.bridgeEvent($0)) }
    private lazy var movedStreams = MovedStreams(self.context, directory: self, groups: self.groups) { [weak self] in
        self?.emit(.bridgeEvent($0))
    }
    private lazy var absence = AbsenceWatch(self.context, record: self.record, directory: self) { [weak self] in
        self?.remove($0, .forgetting)
    }
    private var agents: [Device.ID: DeviceAgent] = [:]
    /// Devices that were announced and never connected to; none of them is an agent.
    private lazy var unverified = UnverifiedDevices(self.context) { [unowned self] in self.link(to: $0, isVerified: false) }
    /// Counts registrations, for their keys.
    private var registrations: UInt64 = 0
    private(set) var discovery: DiscoveryManager?

    init(
        _ context: BridgeContext, record: Record, plans: any TopicPlanning, onEvent: @escaping (Event) -> Void
    ) {
        self.context = context
        self.record = record
        self.cast = CastFactory(context)
        self.plans = plans
        self.emit = onEvent
        self.names = DeviceNames(context, record: record)
        self.links = DeviceLinks(context, record: record, cast: self.cast)
    }

    // MARK: Begin and end

    /// Takes in the devices that an earlier run left and tries them at once.
    func restore(_ devices: [KnownDevice]) {
        let keys = devices.compactMap { device in device.keyFingerprint.map { (device.id, $0) } }
        self.cast.authentication.keys = DeviceKeys(Dictionary(keys) { first, _ in first })
        self.names.restore(devices)
        let requiresApplications = !self.context.settings.requiredApplications.isEmpty
        for known in devices {
            guard known.removal == nil else {
                self.plans.remove(known.id, isAnnounced: !known.discoveryTopics.isEmpty)
                continue
            }
            let device = Device(
                id: known.id, friendlyName: known.name, modelName: known.model, capabilities: known.capabilities,
                endpoints: known.endpoints, identity: known.identity)
            // One that the configuration leaves out keeps its slug, and its topics are cleared.
            guard self.context.settings.discovery.criteria.matches(device), self.agents.count < Self.maximumDevices else { continue }
            // One that could run none of the required applications is asked again before it gets topics.
            if known.isExcluded, requiresApplications {
                self.unverified.seen(device)
                continue
            }
            if known.isExcluded { self.record.update(known.id) { $0.isExcluded = false } }
            self.adopt(device)
        }
    }

    /// Begins to look for devices.
    /// - Returns: discovery, which the caller runs.
    func begin() -> DiscoveryManager {
        let discovery = self.cast.makeDiscovery { [weak self] in self?.handle($0) }
        self.discovery = discovery
        self.absence.begin()
        return discovery
    }

    /// Supervisors of links, each to be run until it ends.
    var arrivals: AsyncStream<DeviceSupervisor> { self.cast.arrivals }

    /// Nothing fires later.
    func end() {
        self.cast.end()
        self.absence.end()
        self.unverified.end()
        for agent in self.agents.values { agent.cancelTimers() }
    }

    // MARK: Discovery

    /// Handles what discovery found out.
    func handle(_ change: DeviceChange) {
        switch change {
        case .found(let device), .changed(let device), .addressesChanged(let device): self.seen(device)
        case .sighted(let id):
            if let agent = self.agents[id] { return agent.wake() }
            if self.unverified.contains(id) { return self.unverified.wake(id) }
            // Discovery describes a device once; a removed one comes back with its sightings.
            if let device = self.discovery?.assumeIsolated({ $0.device(id) }) { self.seen(device) }
        // Announcements prove nothing: a device that was connected to stays.
        case .lost(let id): self.unverified.lost(id)
        case .networkChanged:
            self.emit(.networkChanged)
            self.wakeAll()
        }
    }

    /// Tries to connect to every device at once.
    func wakeAll() {
        for agent in self.agents.values { agent.wake() }
        self.unverified.wakeAll()
    }

    /// Asks at once, on every interface and at every known host that has not answered.
    nonisolated(nonsending) func searchNow() async { await self.discovery?.searchNow() }

    /// Why no device is found; `nil` when discovery has found one, or one is online.
    nonisolated(nonsending) func hint() async -> DiscoveryHint? {
        self.agents.values.contains { $0.state.isAvailable } ? nil : await self.discovery?.hint()
    }

    /// Finds out which device listens at a host and takes it in: the link on which it reported its id is its first one.
    /// - Returns: the device, also one that the configuration leaves out; `nil` when none reports its id within `limit`.
    nonisolated(nonsending) func locate(_ endpoint: DeviceEndpoint, within limit: TimeAmount) async -> Device? {
        guard let device = await self.discovery?.locate(endpoint, within: limit) else { return nil }
        self.context.loop.turn {
            guard self.agents[device.id] == nil, self.context.settings.discovery.criteria.matches(device), !self.isRemoved(device.id) else {
                return
            }
            guard self.context.settings.requiredApplications.isEmpty else { return self.seen(device) }
            // Discovery may have no room for it.
            if self.verify(device.id) == nil { self.add(device, over: nil) }
        }
        if !self.context.settings.requiredApplications.isEmpty { await self.awaitExamination(of: device.id) }
        return device
    }

    /// Waits until the device was taken in or left out, for no longer than it may take to connect and answer.
    private nonisolated(nonsending) func awaitExamination(of id: Device.ID) async {
        for _ in 0..<Self.examinationLimit where self.agents[id] == nil && self.unverified.isUndecided(id) {
            await sleep(.milliseconds(100), on: self.context.loop.eventLoop)
        }
    }

    private func seen(_ device: Device) {
        guard let agent = self.agents[device.id] else {
            // A device that is on record was connected to by an earlier run, or before it was removed.
            guard let known = self.record[device.id], !known.isExcluded else { return self.unverified.seen(device) }
            if !self.isRemoved(device.id) { self.add(device, over: nil) }
            return
        }
        var device = device
        if agent.state.device.identity == .verified { device.identity = .verified }
        agent.update(endpoints: device.endpoints)
        self.reduce(.deviceChanged(device), of: agent)
        self.remember(device)
        self.followName(of: agent)
    }

    /// A device was connected to for the first time.
    /// - Returns: the device; `nil` when it is not one of the unverified, or there is no room for it.
    private func verify(_ id: Device.ID) -> DeviceAgent? {
        guard let (device, trial) = self.unverified.take(id) else { return nil }
        guard let agent = self.add(device, over: trial) else {
            trial?.supervisor.end()
            return nil
        }
        guard let trial else { return agent }
        if let identity = trial.identity { self.identified(identity, agent) }
        if let result = trial.authentication { self.reduce(.identified(self.links.authenticated(result, agent)), of: agent) }
        agent.applicationConnection = trial.applicationConnection
        return agent
    }

    /// Takes in a device that was found, and remembers it.
    /// - Parameter trial: its present link; `nil` makes one.
    @discardableResult
    private func add(_ device: Device, over trial: UnverifiedDevices.Trial?) -> DeviceAgent? {
        guard self.agents.count < Self.maximumDevices else { return nil }
        let agent = self.adopt(device, over: trial)
        self.context.logger.info(
            "device found",
            metadata: [
                "device": "\(agent.state.slug)", "name": "\(device.friendlyName)", "model": "\(device.modelName)",
                "address": "\(device.endpoints.first?.description ?? "-")",
            ])
        if self.context.mapper.publishes(device) { self.emit(.bridgeEvent(.device(.deviceAdded, device, slug: agent.state.slug))) }
        self.remember(device)
        self.record.update(device.id) { $0.isExcluded = false }
        self.plans.takeOver(agent.state.slug, by: device.id)
        self.followName(of: agent)
        return agent
    }

    /// Makes a supervisor for a device and runs it.
    private func link(to device: Device, isVerified: Bool) -> UnverifiedDevices.Trial {
        self.registrations += 1
        let key = DeviceAgent.Key(device: device.id, number: self.registrations)
        let owned = self.record[device.id]?.ownedSessionID
        let supervisor = self.cast.makeSupervisor(device, isVerified: isVerified, ownedSessionID: owned) {
            [weak self, loop = self.context.loop] event in
            loop.turn { self?.handle(event, of: key) }
        }
        self.cast.run(supervisor)
        return UnverifiedDevices.Trial(key: key, supervisor: supervisor)
    }

    /// Gives a device its slug, its state and its supervisor.
    /// - Parameter trial: the supervisor that it has already.
    @discardableResult
    private func adopt(_ device: Device, over trial: UnverifiedDevices.Trial? = nil) -> DeviceAgent {
        let slug = self.names.assign(device)
        let link = trial ?? self.link(to: device, isVerified: true)
        let key = link.key
        let agent = DeviceAgent(
            key: key,
            state: DeviceState(
                device: device, slug: slug, at: self.context.now, options: self.context.settings.device,
                namespaces: self.context.settings.commands.namespaces),
            supervisor: link.supervisor, options: self.context.settings.device,
            stateDeadline: self.context.loop.deadline { [weak self] in self?.stateIsDue(key) },
            probeDeadline: self.context.loop.deadline { [weak self] in self?.probe(key) })
        self.agents[device.id] = agent
        self.record.update(device.id) { if $0.slug != slug { ($0.slug, $0.isSlugChosen) = (slug, false) } }
        self.applyPreferences(to: agent)
        agent.stateDeadline.set(agent.nextDeadline)
        self.changed(agent, [.all, .listing])
        self.emit(.slugAssigned(agent))
        return agent
    }

    /// Notes for the next start where the device is and what it is called.
    private func remember(_ device: Device) {
        // A dynamic group has another id the next time.
        guard let agent = self.agents[device.id], agent.isPublished(by: self.context.mapper) else { return }
        var known = self.record[device.id] ?? KnownDevice(id: device.id, slug: agent.state.slug, name: device.friendlyName)
        known.name = device.friendlyName
        known.model = device.modelName
        known.capabilities = device.capabilities
        known.identity = agent.state.device.identity
        if !device.endpoints.isEmpty { known.endpoints = device.endpoints }
        self.record.set(known, .later)
    }

    // MARK: Links

    private func handle(_ event: CastLinkEvent, of key: DeviceAgent.Key) {
        guard let agent = self.device(key) else { return self.handleTrial(event, of: key) }
        switch event {
        case .mediaStatus(let status):
            self.movedStreams.willChange(status, of: agent)
            self.reduce(.mediaStatus(status), of: agent)
            self.movedStreams.changed(agent)
        case .receiverStatus(let status):
            self.reportVolume(status, agent)
            self.movedStreams.willChange(status, of: agent)
            self.noteStop(before: status, of: agent)
            self.reduce(.receiverStatus(status), of: agent)
            self.movedStreams.changed(agent)
            self.forgetEndedSession(of: agent)
            self.emit(.applicationChanged(agent))
        case .queueWindow(let window): self.reduce(.queue(window), of: agent)
        case .multizoneStatus(let status): self.groups.reported(status, by: agent)
        case .applicationConnection(let connection):
            agent.applicationConnection = connection
            self.reduce(.applicationConnection(connection), of: agent)
            self.rememberOwnedSession(of: agent)
            self.forgetLeftSession(of: agent)
        case .connecting: self.reduce(.connecting, of: agent)
        case .launchStatus, .groupChanged: break
        case .authenticated(let result): self.reduce(.identified(self.links.authenticated(result, agent)), of: agent)
        case .identified(let identity): self.identified(identity, agent)
        case .ready(let receiver, let media):
            self.ready(receiver, media, agent)
            self.examine(agent)
        case .disconnected(let error):
            self.links.lost(error, agent)
            self.emit(.disconnected(agent))
            self.reduce(.linkLost, of: agent)
            self.emit(.applicationChanged(agent))
        case .attemptFailed(let error, let delay, let attempts):
            self.links.attemptFailed(error, retryIn: delay, attempts: attempts, agent)
            self.reduce(.linkLost, of: agent)
            self.dropIfGone(agent, attempts: attempts)
        case .identityMismatch(let found, let endpoint):
            self.discovery?.assumeIsolated { $0.identified(found, at: endpoint) }
            self.links.mismatch(found, at: endpoint, agent)
        }
    }

    /// Handles an event of a device that has no agent: it is unverified, or was removed and its last events come late.
    private func handleTrial(_ event: CastLinkEvent, of key: DeviceAgent.Key) {
        guard self.unverified.isTrying(key) else { return }
        switch event {
        case .ready(let receiver, let media):
            guard self.context.settings.requiredApplications.isEmpty else { return self.examine(receiver, media, key) }
            if let agent = self.verify(key.device) { self.ready(receiver, media, agent) }
        case .identityMismatch(let found, let endpoint): self.discovery?.assumeIsolated { $0.identified(found, at: endpoint) }
        default: self.unverified.handle(event, of: key)
        }
    }

    private func ready(_ receiver: ReceiverStatus, _ media: MediaStatus?, _ agent: DeviceAgent) {
        let details = self.links.ready(agent)
        // First, because the announcement waits for the answer.
        self.askForApplications(agent)
        self.reportVolume(receiver, agent)
        self.reduce(.identified(details), of: agent)
        self.reduce(.ready(receiver, media), of: agent)
        // What the session reported before it was ready belonged to a state that `ready` has just replaced.
        self.reduce(.applicationConnection(agent.applicationConnection, isFirst: true), of: agent)
        self.forgetEndedSession(of: agent)
        self.rememberOwnedSession(of: agent)
        self.emit(.connected(agent))
        self.emit(.applicationChanged(agent))
        self.groups.askForMembers(agent)
    }

    // MARK: Required applications

    /// Asks a device that has no agent whether it can run a required application; takes it in if so.
    private func examine(_ receiver: ReceiverStatus, _ media: MediaStatus?, _ key: DeviceAgent.Key) {
        guard let session = self.unverified.ready(receiver, media, of: key) else { return }
        self.unverified.examining(self.context.loop.start(self) { await $0.examine(key, over: session) }, key)
    }

    private nonisolated(nonsending) func examine(_ key: DeviceAgent.Key, over session: CastSession) async {
        let canRun = await self.canRunRequired(session)
        guard !Task.isCancelled, let readiness = self.unverified.readiness(of: key) else { return }
        guard canRun == true, !self.isRemoved(key.device), let agent = self.verify(key.device) else {
            return self.unverified.exclude(key)
        }
        self.ready(readiness.receiver, readiness.media, agent)
        for event in readiness.others { self.handle(event, of: key) }
    }

    /// Asks a device that has topics, since an update may have changed what it can run.
    private func examine(_ agent: DeviceAgent) {
        guard !self.context.settings.requiredApplications.isEmpty, let session = agent.session else { return }
        let key = agent.key
        agent.examination?.cancel()
        agent.examination = self.context.loop.start(self) { fleet in
            let canRun = await fleet.canRunRequired(session)
            // One that does not answer keeps its topics.
            guard !Task.isCancelled, canRun == false, let agent = fleet.device(key) else { return }
            fleet.exclude(agent)
        }
    }

    /// - Returns: `nil` when the device did not answer.
    private nonisolated(nonsending) func canRunRequired(_ session: CastSession) async -> Bool? {
        let ids = self.context.settings.requiredApplications
        let answer = try? await session.applicationAvailability(ids)
        return answer.map { answer in ids.contains { answer[$0] == .available } }
    }

    /// Takes a device's topics away. It keeps its slug, and is asked again over a link of its own.
    private func exclude(_ agent: DeviceAgent) {
        self.record.update(agent.id) { $0.isExcluded = true }
        self.drop(agent)
        self.emit(.excluded(agent.id))
        self.unverified.seen(agent.state.device)
    }

    /// Asks which applications the device can run, of those that Home Assistant would offer.
    private func askForApplications(_ agent: DeviceAgent) {
        let options = self.context.announcementMapper.options
        guard options.homeAssistant.mode != .off, !options.applicationIDs.isEmpty, let session = agent.session else { return }
        let (key, ids) = (agent.key, options.applicationIDs.values.sorted())
        agent.inquiry?.cancel()
        agent.inquiry = self.context.loop.start(self) { await $0.askForApplications(ids, of: key, over: session) }
    }

    /// A device that does not answer keeps what it answered last, and before that is offered all of them.
    private nonisolated(nonsending) func askForApplications(_ ids: [String], of key: DeviceAgent.Key, over session: CastSession) async {
        let answer = try? await session.applicationAvailability(ids)
        guard let agent = self.device(key) else { return }
        agent.inquiry = nil
        let unavailable = answer.map { Set($0.filter { $0.value == .unavailable }.keys) }
        self.reduce(.applicationsReported(unavailable: unavailable ?? agent.state.unavailableApplications), of: agent)
    }

    private func identified(_ identity: DeviceIdentity, _ agent: DeviceAgent) {
        self.reduce(.identified(self.links.identified(identity, agent)), of: agent)
        self.discovery?.assumeIsolated { $0.identified(identity) }
        // Discovery may just have described the device again.
        var device = agent.state.device
        device.identity = .verified
        self.reduce(.deviceChanged(device), of: agent)
        self.remember(device)
        self.links.rememberKey(of: agent.id)
    }

    /// Notes what the bridge launched, so that it stays the bridge's over a restart. Losing the note costs little.
    private func rememberOwnedSession(of agent: DeviceAgent) {
        guard agent.applicationConnection.isOurs, let sessionID = agent.state.receiver?.application?.sessionID else { return }
        agent.ownedSessionID = sessionID
        self.record.update(agent.id, .later) { $0.ownedSessionID = sessionID }
    }

    private func forgetEndedSession(of agent: DeviceAgent) {
        guard let owned = agent.ownedSessionID ?? self.record[agent.id]?.ownedSessionID,
            owned != agent.state.receiver?.application?.sessionID
        else { return }
        agent.ownedSessionID = nil
        self.record.update(agent.id, .later) { $0.ownedSessionID = nil }
    }

    /// The bridge left what it had launched: it is no longer the bridge's, also after a restart.
    private func forgetLeftSession(of agent: DeviceAgent) {
        guard !agent.applicationConnection.isOurs, let owned = agent.ownedSessionID, let session = agent.session,
            owned == agent.state.receiver?.application?.sessionID, session.assumeIsolated({ $0.ownedSessionID }) != owned
        else { return }
        agent.ownedSessionID = nil
        self.record.update(agent.id, .later) { $0.ownedSessionID = nil }
    }

    /// A status is about to be applied that may show the end of an application that the bridge stopped.
    private func noteStop(before status: ReceiverStatus, of agent: DeviceAgent) {
        guard let sessionID = agent.state.senderSessionID, status.application?.sessionID != sessionID,
            agent.session?.assumeIsolated({ $0.stoppedSessionID }) == sessionID
        else { return }
        self.reduce(.applicationStopped, of: agent)
    }

    private func reportVolume(_ status: ReceiverStatus, _ agent: DeviceAgent) {
        if let volume = status.volume { self.emit(.volumeReported(agent, volume)) }
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

    /// Asks a device that plays where it is, ten seconds after its last report.
    private func armProbe(_ agent: DeviceAgent) {
        guard self.context.settings.status.probesPosition, agent.state.isAvailable, let media = agent.state.media,
            media.playerState == .playing
        else { return agent.probeDeadline.cancel() }
        agent.probeDeadline.set(max(media.receivedAt, agent.probedAt ?? media.receivedAt) + Self.probeInterval)
    }

    private func probe(_ key: DeviceAgent.Key) {
        guard let agent = self.device(key) else { return }
        agent.probedAt = self.context.time
        agent.session?.assumeIsolated { $0.askMediaStatus() }
        self.armProbe(agent)
    }

    // MARK: Names

    /// Moves a device's topics when its name has changed and they are to follow.
    private func followName(of agent: DeviceAgent) {
        guard let slug = self.names.slugFollowingName(of: agent.state.device) else { return self.applyPreferences(to: agent) }
        self.move(agent, to: slug)
    }

    /// Publishes a device below another slug, which it has been given already.
    func move(_ agent: DeviceAgent, to slug: String) {
        let former = agent.state.slug
        agent.setSlug(slug)
        self.record.update(agent.id) { $0.slug = slug }
        self.plans.slugChanged(of: agent.id)
        self.plans.takeOver(slug, by: agent.id)
        self.context.logger.info("device moves to other topics", metadata: ["device": "\(slug)", "previous": "\(former)"])
        self.emit(.bridgeEvent(.device(.deviceRenamed, agent.state.device, slug: slug, facts: ["previous_slug": .string(former)])))
        self.emit(.listChanged)
        self.groups.mayDiffer(after: .info, of: agent)
        self.emit(.slugAssigned(agent))
        self.plans.move(agent.id)
        self.applyPreferences(to: agent)
    }

    /// Changes what a client chose for a device.
    /// - Returns: whether any choice differs from before.
    func change(_ changes: DevicePreferenceChanges, of agent: DeviceAgent) -> Bool {
        let former = self.record[agent.id]?.preferences
        self.record.update(agent.id) { changes.apply(to: &$0.preferences) }
        self.applyPreferences(to: agent)
        return self.record[agent.id]?.preferences != former
    }

    /// Applies the choices after a start, and whenever they or the device's name or slug change.
    private func applyPreferences(to agent: DeviceAgent) {
        guard self.names.applyPreferences(to: agent) else { return }
        self.changed(agent, [.info, .listing])
        // Whether an input is off shows in the player.
        self.reduce(.timer, of: agent)
    }

    // MARK: Removal

    /// Begins to remove a device; what is not done when the program ends is done after the next start.
    func remove(_ id: Device.ID, _ kind: KnownDevice.Removal) {
        guard let known = self.record[id] else { return }
        self.record.update(id) { $0.removal = kind }
        if let agent = self.agents.removeValue(forKey: id) { self.dismiss(agent) }
        self.emit(.removalBegan(id))
        if !self.plans.isRemoving(id) { self.plans.remove(id, isAnnounced: !known.discoveryTopics.isEmpty) }
    }

    /// The broker has answered for all topics of a removed device. What it refused to clear stays on record, for the next start to try again.
    func finishRemoval(of id: Device.ID) {
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

    /// Whether a device must be ignored. A removed device that is seen again after its topics were cleared begins from scratch.
    private func isRemoved(_ id: Device.ID) -> Bool {
        guard self.record[id]?.removal != nil else { return false }
        guard !self.plans.isRemoving(id) else { return true }
        self.record.update(id) { $0.removal = nil }
        return false
    }

    /// Dynamic groups would pile up over the years.
    private func dropIfGone(_ agent: DeviceAgent, attempts: Int) {
        guard agent.state.device.isDynamicGroup, attempts >= Self.dynamicGroupAttempts else { return }
        // With topics, of this run or of an earlier one, it goes as any device does.
        guard self.record[agent.id] == nil else { return self.remove(agent.id, .forgetting) }
        self.drop(agent)
        self.emit(.topicsGone(agent.id))
        self.names.remove(agent.id)
    }

    /// Drops a device that has no topics.
    func drop(_ agent: DeviceAgent) {
        self.agents[agent.id] = nil
        self.dismiss(agent)
    }

    /// Ends a device's link and everything that was asked of it; applications keep running.
    private func dismiss(_ agent: DeviceAgent) {
        let device = agent.state.device
        self.emit(.dismissed(agent))
        agent.cancelTimers()
        // Its end is not reported any more.
        if agent.session != nil { self.links.dismissedWhileConnected() }
        agent.end()
        self.plans.abandonMove(of: device.id)
        self.groups.remove(device.id)
        if self.context.mapper.publishes(device) { self.emit(.bridgeEvent(.device(.deviceRemoved, device, slug: agent.state.slug))) }
        self.context.logger.info("device removed", metadata: ["device": "\(agent.state.slug)", "name": "\(device.friendlyName)"])
        self.emit(.listChanged)
    }
}

extension DeviceFleet: DeviceReducer {
    func reduce(_ event: DeviceEvent, of agent: DeviceAgent) {
        let now = self.context.now
        for output in agent.reduce(event, at: now) {
            switch output {
            case .changed(let documents): self.changed(agent, documents)
            case .event(let event):
                if agent.isPublished(by: self.context.mapper) { self.emit(.deviceEvent(event, agent, at: now.wall)) }
            case .bridgeEvent(let event): if agent.isPublished(by: self.context.mapper) { self.emit(.bridgeEvent(event)) }
            case .wakeAt: agent.stateDeadline.set(agent.nextDeadline)
            }
        }
        self.emit(.reduced(agent))
        self.armProbe(agent)
    }
}

extension DeviceFleet: DeviceDirectory {
    var devices: Dictionary<Device.ID, DeviceAgent>.Values { self.agents.values }
    var unverifiedCount: Int { self.unverified.count }
    var excludedCount: Int { self.unverified.excludedCount }

    /// Whether the device can run none of the required applications, as far as it has answered.
    func isExcluded(_ id: Device.ID) -> Bool { self.unverified.isExcluded(id) }

    func device(_ id: Device.ID) -> DeviceAgent? { self.agents[id] }

    func device(_ key: DeviceAgent.Key) -> DeviceAgent? {
        // No number is given twice.
        guard let agent = self.agents[key.device], agent.key.number == key.number else { return nil }
        return agent
    }

    func device(named name: String) -> DeviceAgent? { self.names.deviceID(named: name).flatMap { self.agents[$0] } }
    func slug(of id: Device.ID) -> String? { self.names.slug(of: id) }
}
