import BridgeCore
import CastSender
import HomeAssistantDiscovery
import Logging

/// Announces the bridge and its devices to Home Assistant, outside the topic tree. `Announcer` decides when.
final class Announcements {
    private let context: BridgeContext
    private let record: Record
    private let publisher: PublisherRunner
    private let publications: DevicePublications
    private unowned let fleet: DeviceFleet
    private var announcer = Announcer()
    private var subjects: [DeviceAgent.Key: Subject] = [:]
    /// Whether all announcements were sent over the current link, or are about to be.
    private var isBegun = false
    private lazy var deadline = self.context.loop.deadline { [weak self] in self?.announceNext() }

    private final class Subject {
        /// The form of the announcement.
        var mode: HomeAssistantOptions.Mode?
        /// The announcement that Home Assistant has, or is about to receive.
        var announced: AnnouncedDevice?
        /// Whether the device is announced, without copying the announcement.
        var isAnnounced: Bool { if case .none = self.announced { false } else { true } }
        var offers = OfferedOptions()
        /// The data from which `offers` was derived.
        var source: OfferedOptions.Source?
    }

    init(
        _ context: BridgeContext, record: Record, publisher: PublisherRunner, publications: DevicePublications,
        fleet: DeviceFleet
    ) {
        self.context = context
        self.record = record
        self.publisher = publisher
        self.publications = publications
        self.fleet = fleet
    }

    private var options: HomeAssistantOptions { self.context.settings.homeAssistant }
    private var isOn: Bool { self.options.mode != .off }

    // MARK: What changes

    /// Reads the announcements that earlier runs published in the other form; call it before the first link.
    func restore() {
        for owner in [.bridgeDiscovery] + self.record.knownDevices.map({ DocumentOwner.discovery($0.id) }) {
            let old = self.context.announcementMapper.migratable(self.record.topics(of: owner), of: owner)
            if !old.isEmpty { self.announcer.restore(owner, migratingFrom: old) }
        }
    }

    /// Announces a device again if its announcement changes.
    /// - Parameter documents: the documents that changed.
    func changed(_ agent: DeviceAgent, _ documents: DeviceDocuments) {
        // Until the device has reported anything in this run, the announcement of an earlier run is kept. A device that is being asked for
        // its applications is announced with the answer.
        guard self.isOn, agent.state.link.isDetermined, !agent.awaitsOffers else { return }
        guard self.context.mapper.lists(agent.state.device) else { return self.stop(agent) }
        let id = agent.id
        let subject = self.subjects[agent.key] ?? Subject()
        var isOffered = false
        var isDue = !subject.isAnnounced || documents.contains(.info)
        // The documents that show the parts of `OfferedOptions.Source`: tracks, the application, and the volume.
        if !documents.isDisjoint(with: [.tracks, .app, .receiverValues]) {
            let source = agent.offerSource
            if source != subject.source {
                let options = self.context.announcementMapper.options
                isOffered = subject.offers.update(
                    with: source, applications: options.applications.names(without: source.facts.unavailableApplications))
                isDue = isDue || isOffered || source.facts != subject.source?.facts
                subject.source = source
            }
        }
        guard isDue else { return }
        let device = AnnouncedDevice(
            agent.state, offers: subject.offers, presets: self.context.settings.presets.names, area: agent.state.area,
            hadVolume: self.record[id]?.announcedEntities?.contains(.volume) ?? true)
        guard device != subject.announced || self.options.mode != subject.mode else { return }
        let before = self.record[id].map { $0.announcedEntities ?? ($0.discoveryTopics.isEmpty ? [] : .all) } ?? []
        (subject.announced, subject.mode) = (device, self.options.mode)
        // A new one is announced in any case.
        self.subjects[agent.key] = subject
        let removed = self.context.announcementMapper.removedEntities(from: device, announcedWith: before)
        // Until Home Assistant processes the removal, it has both.
        self.remember(before.union(self.context.announcementMapper.optionalEntities(of: device)), of: id)
        // Together with the device's own topics, which are about to be recorded: the announcement then needs no separate write.
        self.reserve(device)
        // The state arrived before the select's new option, so Home Assistant shows it as unknown until it is sent again.
        self.announcer.changed(.discovery(id), removing: Array(removed), isStateMissed: isOffered, now: self.context.time)
        self.arm()
    }

    private func reserve(_ device: AnnouncedDevice) {
        self.record.reserve(self.context.announcementMapper.topics(of: device), for: .discovery(device.id))
    }

    /// Records the topics of the bridge's own announcement, together with those of its documents.
    func reserveOwn() {
        guard self.isOn else { return }
        self.record.reserve(Set(self.context.announcementMapper.bridgeMessages().map(\.topic)), for: .bridgeDiscovery)
    }

    /// Records the entities that Home Assistant has of a device, for the next run.
    private func remember(_ entities: OptionalEntities, of id: Device.ID) { self.record.update(id) { $0.announcedEntities = entities } }

    /// Removes the announcement of a device that is no longer listed, whichever run published it.
    private func stop(_ agent: DeviceAgent) {
        let id = agent.id
        guard self.subjects[agent.key]?.announced != nil || self.record[id]?.discoveryTopics.isEmpty == false else { return }
        self.subjects[agent.key]?.announced = nil
        self.announcer.changed(.discovery(id), now: self.context.time)
        self.arm()
    }

    func dismiss(_ agent: DeviceAgent) {
        self.announcer.forget(.discovery(agent.id))
        self.subjects[agent.key] = nil
    }

    // MARK: The link

    /// Sends the announcements once for each link, after the retained state is complete.
    func online() {
        guard self.isOn, !self.isBegun else { return }
        self.isBegun = true
        self.announcer.linkUp(now: self.context.time)
        self.arm()
    }

    func linkDown() {
        self.isBegun = false
        self.announcer.linkDown()
        self.arm()
    }

    func announceAll() {
        self.announcer.announceAll(now: self.context.time)
        self.arm()
    }

    func end() { self.deadline.cancel() }

    // MARK: Home Assistant's birth

    /// Handles a message of Home Assistant.
    /// - Returns: whether the message is Home Assistant's birth or will.
    func received(_ message: IncomingMessage) -> Bool {
        guard self.isOn, message.topic == self.options.statusTopic else { return false }
        guard !message.retain, String(decoding: message.payload, as: UTF8.self) == "online" else { return true }
        self.context.logger.debug("home assistant started")
        self.announcer.birth(now: self.context.time, random: self.context.random())
        self.arm()
        return true
    }

    // MARK: Sending

    private func arm() { self.deadline.set(self.announcer.deadline) }

    private func announceNext() {
        switch self.announcer.next(now: self.context.time) {
        case .announce(let owner, isAgain: true): self.publisher.settleAgain(owner)
        case .announce(let owner, isAgain: false): self.publisher.settle([owner])
        case .repeatState(let id): self.fleet.device(id).map { self.publications.sendAgain(.state, of: $0) }
        case .republishState: self.publisher.republish()
        case nil: break
        }
        self.arm()
    }

    /// Forms the announcement of an owner in its current step.
    /// - Returns: its messages, and the treatment of its other topics.
    func form(_ owner: DocumentOwner) -> (messages: [OutgoingMessage], remaining: RemainingTopics) {
        guard self.isOn else { return ([], .cleared) }
        var device: AnnouncedDevice?
        if let id = owner.device {
            guard let agent = self.fleet.device(id), !agent.state.link.isDetermined || self.context.mapper.lists(agent.state.device)
            else { return ([], .cleared) }
            device = self.subjects[agent.key]?.announced
            guard device != nil else {
                // It is due again when the device reports anything, and continues with its current step.
                self.announcer.postponed(owner)
                return ([], .kept)
            }
        }
        let announcement = self.context.announcementMapper.messages(of: device, in: self.announcer.step(of: owner))
        return (announcement.messages, announcement.isComplete ? .cleared : .kept)
    }

    /// The broker has answered for everything of this owner.
    func settled(_ owner: DocumentOwner) {
        guard owner.isAnnouncement else { return }
        self.announcer.sent(owner, now: self.context.time)
        if self.announcer.step(of: owner) == .settled {
            // After a migration the new form follows.
            if let device = owner.device.flatMap({ self.fleet.device($0) }).flatMap({ self.subjects[$0.key]?.announced }) {
                self.remember(self.context.announcementMapper.optionalEntities(of: device), of: device.id)
                self.reserve(device)
            } else if owner == .bridgeDiscovery {
                self.reserveOwn()
            }
        }
        self.arm()
    }

    /// The topics of every announcement that is recorded, or about to be.
    var topics: Set<String> {
        let recorded = self.record.announcementTopics
        guard self.options.mode.isWhole else { return recorded }
        let owners = [.bridgeDiscovery] + self.fleet.devices.map { DocumentOwner.discovery($0.id) }
        return recorded.union(owners.map { self.context.announcementMapper.topic(of: $0) })
    }
}
