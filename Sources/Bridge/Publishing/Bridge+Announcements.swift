import BridgeCore
import CastSender
import HomeAssistantDiscovery
import NIOCore

/// What announces the bridge and its devices to Home Assistant, outside the topic tree. When is decided by `Announcer`.
extension Bridge {
    private var isAnnouncing: Bool { self.settings.homeAssistant.mode != .off }

    // MARK: What changes

    /// Notes what earlier runs announced in the other form; before the first link.
    func restoreAnnouncements(_ file: StateFile) {
        self.announcer.restore(
            .bridge,
            migratingFrom: self.discoveryMapper.migratable(
                file.discoveryTopics, of: DiscoveryNames.bridge(instance: self.settings.instance)))
        for known in file.devices {
            let old = self.discoveryMapper.migratable(known.discoveryTopics, of: DiscoveryNames.device(known.id))
            if !old.isEmpty { self.announcer.restore(.device(known.id), migratingFrom: old) }
        }
    }

    /// Looks whether Home Assistant has to be told something else of a device than it was.
    /// - Parameter documents: those of which something changed.
    func considerAnnouncing(_ agent: DeviceAgent, _ documents: DeviceDocuments) {
        // Before anything is known of a device in this run, what an earlier one announced stands.
        guard self.isAnnouncing, agent.state.link.isDetermined else { return }
        guard self.mapper.lists(agent.state.device) else { return self.stopAnnouncing(agent) }
        var isDue = !agent.isAnnounced || documents.contains(.info)
        if !documents.isDisjoint(with: [.media, .app]) {
            let source = OfferedOptions.Source(agent.state)
            if source != agent.offerSource {
                agent.offerSource = source
                let isOffered = agent.offers.update(with: source, applications: self.discoveryMapper.options.applications)
                isDue = isDue || isOffered
            }
        }
        guard isDue else { return }
        let device = AnnouncedDevice(agent.state, offers: agent.offers, area: agent.state.area)
        guard device != agent.announced else { return }
        let before = self.known[device.id].map { $0.announcedEntities ?? ($0.discoveryTopics.isEmpty ? [] : .all) } ?? []
        agent.announced = device
        let removed = self.discoveryMapper.entitiesGone(from: device, announcedWith: before)
        // Until Home Assistant was told what is gone, it has both.
        self.remember(before.union(self.discoveryMapper.optionalEntities(of: device)), of: device.id)
        self.announcer.changed(.device(device.id), removing: Array(removed), now: self.now.monotonic)
        self.armAnnouncer()
    }

    /// Notes what Home Assistant has of a device, for the next run.
    private func remember(_ entities: OptionalEntities, of id: Device.ID) {
        guard let known = self.known[id], known.announcedEntities != entities else { return }
        self.known[id]?.announcedEntities = entities
        self.save()
    }

    /// A device that is listed no more is taken back, whichever run announced it.
    private func stopAnnouncing(_ agent: DeviceAgent) {
        let id = agent.state.device.id
        guard agent.announced != nil || self.known[id]?.discoveryTopics.isEmpty == false else { return }
        agent.announced = nil
        self.announcer.changed(.device(id), now: self.now.monotonic)
        self.armAnnouncer()
    }

    /// The retained state is complete; announcements follow, once for each link.
    func announceAll() {
        guard self.isAnnouncing, let epoch = self.session?.epoch, epoch != self.announcedEpoch else { return }
        self.announcedEpoch = epoch
        self.announcer.linkUp(now: self.now.monotonic)
        self.armAnnouncer()
    }

    // MARK: Home Assistant's birth

    /// Where Home Assistant tells that it started; `nil` when nobody listens.
    var birthTopic: String? { self.isAnnouncing ? self.settings.homeAssistant.statusTopic : nil }

    func birthReceived(_ message: IncomingMessage) {
        guard !message.retain, String(decoding: message.payload, as: UTF8.self) == "online" else { return }
        self.logger.debug("home assistant started")
        self.announcer.birth(now: self.now.monotonic, random: self.random())
        self.armAnnouncer()
    }

    // MARK: Sending

    func armAnnouncer() {
        guard let deadline = self.announcer.deadline else { return self.announcerTimer.cancel() }
        self.announcerTimer.set(deadline, on: self.eventLoop) { [weak self] in
            self?.assumeIsolated { bridge in
                bridge.announcerTimer.cancel()
                bridge.announceNext()
                bridge.armAnnouncer()
            }
        }
    }

    private func announceNext() {
        switch self.announcer.next(now: self.now.monotonic) {
        case .announce(let subject, let isAgain):
            let owner = subject.owner
            isAgain ? self.publisher.settleAnew(owner) : self.publisher.settle(owner)
        case .republishState: self.publisher.republish()
        case nil: return
        }
        self.schedulePump()
    }

    /// Forms what an owner's announcement is in its present step.
    func formAnnouncement(of owner: DocumentOwner) {
        guard let subject = Announcer.Subject(owner) else { return }
        guard self.isAnnouncing, self.clearance == nil else { return self.publisher.formed(owner, []) }
        var device: AnnouncedDevice?
        if let id = owner.device {
            guard self.removals[id] == nil, let agent = self.agents[id],
                !agent.state.link.isDetermined || self.mapper.lists(agent.state.device)
            else { return self.publisher.formed(owner, []) }
            device = agent.announced
            guard device != nil else {
                // It is due again as soon as something is known of it, and goes on with the step it is in.
                self.announcer.postponed(subject)
                return self.publisher.formed(owner, [], leftovers: .kept)
            }
        }
        let announcement = self.discoveryMapper.messages(of: device, in: self.announcer.step(of: subject))
        self.publisher.formed(owner, announcement.messages, leftovers: announcement.isComplete ? .cleared : .kept)
    }

    /// The broker has answered for an announcement.
    func announcementSettled(_ owner: DocumentOwner) {
        guard let subject = Announcer.Subject(owner) else { return }
        self.announcer.sent(subject, now: self.now.monotonic)
        if case .device(let id) = subject, self.announcer.step(of: subject) == .settled, let device = self.agents[id]?.announced {
            self.remember(self.discoveryMapper.optionalEntities(of: device), of: id)
        }
        self.armAnnouncer()
    }

    /// Every topic of an announcement that is on record, or about to be.
    var announcementTopics: Set<String> {
        var topics = self.bridgeDiscoveryTopics
        for known in self.known.values { topics.formUnion(known.discoveryTopics) }
        guard self.settings.homeAssistant.mode == .device else { return topics }
        let prefix = self.settings.homeAssistant.prefix
        topics.insert(DiscoveryNames.deviceTopic(prefix: prefix, DiscoveryNames.bridge(instance: self.settings.instance)))
        for id in self.agents.keys { topics.insert(DiscoveryNames.deviceTopic(prefix: prefix, DiscoveryNames.device(id))) }
        return topics
    }
}

extension Announcer.Subject {
    fileprivate init?(_ owner: DocumentOwner) {
        switch owner {
        case .bridgeDiscovery: self = .bridge
        case .discovery(let id): self = .device(id)
        case .bridge, .device: return nil
        }
    }

    fileprivate var owner: DocumentOwner {
        switch self {
        case .bridge: .bridgeDiscovery
        case .device(let id): .discovery(id)
        }
    }
}
