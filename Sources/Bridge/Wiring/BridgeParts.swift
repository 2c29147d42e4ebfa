import BridgeCore
import CastSender
import LogKeys
import Logging
import MQTTClient

/// Creates the parts of a bridge and passes the events of each part to the others. Decides nothing; `docs/ARCHITECTURE.md` has a
/// picture. Each part is created at its first use, because the parts refer to each other.
final class BridgeParts {
    let context: BridgeContext
    private(set) lazy var record: Record = Record(
        self.context, onRecorded: { [weak self] in self?.publisher.recorded($0) }, onWrite: { [weak self] in self?.pair?.handOver($0) })
    private(set) lazy var connection: BrokerConnection = BrokerConnection(
        self.context, devices: { [weak self] in self?.fleet.devices.map(\.state) ?? [] }, onEvent: { [weak self] in self?.handle($0) })
    private(set) lazy var publisher: PublisherRunner = PublisherRunner(
        self.context, sender: self.connection, form: { [weak self] in self?.form($0, of: $1, &$2) ?? .kept },
        onFormed: { [weak self] documents, owner, batch in self?.reader.formed(documents, of: owner, batch) },
        onEvent: { [weak self] in self?.handle($0) })
    private(set) lazy var topicPlans: TopicPlans = TopicPlans(
        self.context, record: self.record, publisher: self.publisher, connection: self.connection,
        onEvent: { [weak self] in self?.handle($0) })
    private lazy var staleTopics: StaleTopics = StaleTopics(
        self.context, connection: self.connection, publisher: self.publisher, names: self.fleet.names,
        announcements: self.announcements,
        onCleaned: { [weak self] in self?.requests.finish(.cleaning, $0) })
    private(set) lazy var fleet: DeviceFleet = DeviceFleet(
        self.context, record: self.record, plans: self.topicPlans, onEvent: { [weak self] in self?.handle($0) })
    private lazy var announcements: Announcements = Announcements(
        self.context, record: self.record, publisher: self.publisher, publications: self.publications, fleet: self.fleet)
    private lazy var publications = DevicePublications(self.context, publisher: self.publisher)
    private(set) lazy var artwork: ArtworkImages = ArtworkImages(
        self.context, fleet: self.fleet, apply: { [weak self] in self?.fleet.reduce($0, of: $1) })
    private(set) lazy var reporting: Reporting = Reporting(
        self.context, connection: self.connection, publisher: self.publisher, fleet: self.fleet,
        pair: { [weak self] in self?.pair?.status }, onChanged: { [weak self] in self?.reader.bridgeChanged() },
        onEvent: { [weak self] in self?.publish($0) },
        onClockStep: { [weak self] in self?.commands.memory.clockStepped(by: $0) })
    private(set) lazy var commands: CommandRouter = CommandRouter(
        self.context, record: self.record, publications: self.publications, queue: self.publisher, fleet: self.fleet,
        onRequest: { [weak self] in self?.requested($0, $1) })
    private(set) lazy var reader: LocalReader = LocalReader(
        self.context, fleet: self.fleet, bridgeMessages: { [weak self] in self?.reporting.documents.messages() ?? [] })
    private lazy var channels = ChannelRelay(self.context, queue: self.publisher)
    private lazy var requests: BridgeRequests = BridgeRequests(
        self.context, fleet: self.fleet, plans: self.topicPlans, log: self.reporting.log, staleTopics: self.staleTopics, bridge: self)

    init(_ context: BridgeContext) { self.context = context }

    /// This bridge's part in a pair; `nil` for a bridge alone.
    var pair: Pair? { self.connection.others.pair }

    // MARK: Start and end

    /// Restores the devices and topics of an earlier run, or of the leader before this bridge. Its devices are connected to at once.
    func restore() {
        let known = self.record.load(takenOver: self.pair?.takenOver, as: self.pair?.version)
        for owner in [DocumentOwner.bridge, .bridgeDiscovery] + known.flatMap({ [.device($0.id), .discovery($0.id)] }) {
            let topics = self.record.topics(of: owner)
            if !topics.isEmpty || !owner.isAnnouncement { self.publisher.restore(topics, for: owner) }
        }
        self.announcements.restore()
        self.fleet.restore(known)
        self.topicPlans.takeOverAfterRestart(owner: self.fleet.names.registry.owner)
    }

    /// Starts with the devices, and reporting.
    func begin() {
        // Before anything else, so that no line is missing.
        self.reporting.log.begin()
        self.context.begin(takesOver: self.pair?.takenOver != nil)
        self.fleet.begin()
        self.reporting.begin()
        guard let pair else { return }
        self.publish(
            BridgeEvent(.leaderChanged, data: ["owner": .string(pair.owner), "former": pair.former.map { .string($0.owner) } ?? .null]))
        self.record.handOver()
        self.handOverSettings()
    }

    /// Answers every waiting command and request. Later commands to devices are refused; later requests are answered by another call.
    func closeCommandsAndRequests() {
        self.commands.close()
        self.requests.close()
    }

    /// Ends all parts. Afterwards no timer of a part fires.
    func end() {
        self.requests.close()
        self.commands.end()
        self.reader.end()
        self.channels.end()
        self.fleet.end()
        self.topicPlans.end()
        self.staleTopics.end()
        self.publications.end()
        self.artwork.end()
        self.announcements.end()
        self.reporting.end()
        self.publisher.end()
        self.connection.end()
    }

    // MARK: Events

    private func handle(_ event: BrokerConnection.Event) {
        switch event {
        case .connected(let limits, let isFirst):
            self.reporting.connected()
            // Announcements follow in each link.
            self.context.renewPage()
            self.publisher.linkUp(limits)
            guard !isFirst, let version = self.connection.session?.protocolVersion else { return }
            self.publish(BridgeEvent(.mqttReconnected, data: ["protocol": .integer(Int64(version.rawValue))]))
        case .subscribed:
            self.publisher.subscribed()
            self.staleTopics.subscribed()
            self.publisher.pump()
        case .disconnected(let cut):
            if self.publisher.linkDown(cut) { self.connection.wake() }
            self.reporting.disconnected()
            self.announcements.linkDown()
            self.staleTopics.linkDown()
            self.topicPlans.linkDown()
            self.publisher.pump()
        case .message(let message):
            self.publisher.received(message)
            if self.readBack(message) || self.staleTopics.received(message) || self.announcements.received(message) { return }
            self.commands.received(message)
        case .published(let published): self.publisher.published(published)
        case .protocolChosen(let version): self.protocolChosen(version)
        case .pair(let event): self.handle(event)
        }
    }

    /// Passes retained artwork to the publisher, which then does not send an equal message again. The connection subscribes to artwork
    /// only until the state is published.
    /// - Returns: whether the publisher accepted the message.
    private func readBack(_ message: IncomingMessage) -> Bool {
        guard message.retain, let (slug, name) = self.context.topics.deviceDocument(message.topic),
            let found = TopicMapper.artwork(message.payload, at: message.topic, name: name),
            let id = self.fleet.names.registry.owner(of: slug)
        else { return false }
        return self.publisher.found(found, of: .device(id))
    }

    private func protocolChosen(_ version: MQTTProtocolVersion) {
        let chosen: RememberedProtocol.Version = version == .v5 ? .v5 : .v311
        self.record.rememberedProtocol = RememberedProtocol(version: chosen, until: self.context.now.wall.adding(seconds: 86_400))
    }

    private func handle(_ event: PublisherRunner.Event) {
        switch event {
        case .record(let owner, let topics):
            if owner == .bridge { self.announcements.reserveOwn() }
            self.record.add(topics, to: owner)
        case .recordShrank(let owner, let topics): self.record.replace(topics, of: owner)
        case .settled(let owner):
            self.announcements.settled(owner)
            self.topicPlans.settled(owner)
        case .cleared(let refused): self.staleTopics.cleared(refused: refused)
        case .event(let message): self.reader.happened(message)
        case .online:
            self.reporting.online()
            self.staleTopics.online()
            self.announcements.online()
            self.context.logger.info(
                "bridge online",
                metadata: [
                    .broker: "\(self.context.settings.mqtt.host):\(self.context.settings.mqtt.port)",
                    .protocol: "\(self.connection.session?.protocolVersion.description ?? "-")", .devices: "\(self.fleet.devices.count)",
                ])
        }
    }

    private func handle(_ event: Pair.Event) {
        switch event {
        case .resumed:
            self.connection.wake()
            self.publisher.pump()
            self.informationChanged()
        case .deposed: self.context.program.onRestart?()
        case .changed: self.informationChanged()
        case .settings(let chosen):
            guard let access = self.context.program.settings else { return }
            let restart = self.context.program.onRestart
            // A standby has no link that a restart would end.
            Task { if await access.adopt(chosen) { restart?() } }
        }
    }

    /// Tells the other member of a pair what was chosen here.
    func handOverSettings() {
        guard self.pair?.role == .leader, let access = self.context.program.settings else { return }
        let enter = self.context.loop.entrance { [weak self] (chosen: JSONObject) in
            self?.pair?.handOver(settings: chosen)
            self?.record.settingsChanged()
        }
        Task { enter(await access.chosen()) }
    }

    private func handle(_ event: DeviceFleet.Event) {
        switch event {
        case .changed(let device, let documents):
            if documents.contains(.listing) { self.reporting.documents.listChanged() }
            self.announcements.changed(device, documents)
            self.publications.changed(device, documents)
            self.reader.changed(device, documents)
            self.artwork.changed(device, documents)
            self.commands.stateChanged(device)
        case .reduced(let device):
            self.publications.reduced(device)
            self.commands.stateChanged(device)
        case .deviceEvent(let event, let device, let time):
            self.reporting.history.happened(event, on: device, at: time)
            self.publisher.enqueue(event: self.context.mapper.event(event, of: device.state.slug, at: time))
        case .bridgeEvent(let event): self.publish(event)
        case .connected(let device): self.commands.connected(device)
        case .disconnected(let device): self.commands.disconnected(device)
        case .applicationChanged(let device): self.channels.applicationChanged(device)
        case .volumeReported(let device, let volume): self.commands.volumeReported(volume, by: device)
        case .slugAssigned(let device):
            self.connection.slugAssigned(device.state.slug)
            self.announcements.changed(device, .info)
            self.reader.changed(device, .all)
        case .listChanged: self.reporting.documents.listChanged()
        case .networkChanged:
            self.connection.wake()
            if self.context.renewPage() { self.announcements.announceAll() }
        case .dismissed(let device):
            self.commands.dismiss(device)
            self.channels.dismiss(device)
            self.publications.dismiss(device)
            self.reader.dismiss(device)
            self.artwork.dismiss(device)
            self.announcements.dismiss(device)
        case .excluded(let id):
            self.requests.finish(
                .rename(id), CommandResult(.unknownDevice, message: "The device was left out before its topics had moved."))
            self.publisher.changed(.device(id))
            self.publisher.changed(.discovery(id))
        case .removalBegan(let id):
            self.requests.finish(
                .rename(id), CommandResult(.unknownDevice, message: "The device was removed before its topics had moved."))
        case .removalEnded(let id, let kept): self.requests.finish(.removal(id), of: id, .done(["kept": .integer(Int64(kept))]))
        case .topicsRemoved(let id):
            self.publisher.forget(.device(id))
            self.publisher.forget(.discovery(id))
        }
    }

    private func handle(_ event: TopicPlans.Event) {
        switch event {
        case .removed(let id): self.fleet.removals.finish(id)
        case .moved(let id): self.requests.finish(.rename(id), of: id, .done(["slug": .string(self.fleet.slug(of: id) ?? "")]))
        }
    }

    /// Appends the current documents of an owner to a batch.
    /// - Returns: what to do with the owner's other topics.
    private func form(_ documents: DeviceDocuments, of owner: DocumentOwner, _ batch: inout MessageBatch) -> RemainingTopics {
        switch (self.topicPlans.policy(of: owner), owner) {
        case (.nothing(let remaining), _): return remaining
        case (.documents, .bridge):
            self.reporting.documents.messages().forEach { batch.append($0, at: self.context.now.wall) }
            return .cleared
        case (.documents, .bridgeDiscovery), (.documents, .discovery):
            let (messages, remaining) = self.announcements.form(owner)
            messages.forEach { batch.append($0, at: self.context.now.wall) }
            return remaining
        case (.documents(let keepsOldTopics), .device(let id)):
            // A device of an earlier run that the configuration excludes has no documents any more.
            guard let device = self.fleet.device(id) else { return .cleared }
            return self.publications.form(documents, of: device, keepsOldTopics: keepsOldTopics, &batch)
        }
    }

    private func requested(_ command: BridgeCommand, _ envelope: CommandEnvelope) {
        self.reporting.received(envelope)
        guard self.context.hasBegun || command.isForStandby else {
            let result = CommandResult(.notSupported, message: self.pair?.refusal ?? "This bridge has not begun.")
            return self.answer(CommandAnswer(to: envelope, result, now: self.context.time))
        }
        self.requests.run(command, for: envelope)
    }

    // MARK: For `BridgeRequests`

    /// Sends the full retained state again, and every announcement.
    func republish() {
        self.publisher.republish()
        self.announcements.announceAll()
    }

    /// Returns every retained message of the bridge and its devices in its current form.
    func retainedMessages() -> [OutgoingMessage] {
        let devices = self.fleet.devices.sorted { $0.state.slug < $1.state.slug }
        return self.reporting.documents.messages() + devices.flatMap { $0.messages(with: self.context.mapper) }
    }

    /// Home Assistant offers other presets, or other entities.
    func announcedSettingsChanged() { for device in self.fleet.devices { self.announcements.changed(device, .info) } }

    func informationChanged() { self.reporting.documents.changed() }

    func publish(_ event: BridgeEvent) {
        self.reporting.history.happened(event, at: self.context.now.wall)
        self.publisher.enqueue(event: self.context.mapper.bridgeEvent(event, at: self.context.now.wall))
    }

    func answer(_ answer: CommandAnswer) { self.commands.answer(answer) }
}
