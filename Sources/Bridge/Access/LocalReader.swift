import BridgeCore
import CastSender

/// The reader of documents and events beside MQTT. Hands changes to it at most 20 times a second, with or without a broker.
///
/// Documents that the publisher forms are reused; only those that it does not form in time, because there is no link, no room or a slower pace,
/// are formed here. Without a reader a change costs one comparison. Documents are those of MQTT with `status.split` `none`.
final class LocalReader {
    /// The time between two rounds.
    static let interval = Duration.milliseconds(50)
    /// The most owners whose documents are formed in one turn of the loop: a large household must not delay heartbeats.
    static let ownersPerTurn = 32
    /// Events that make a round begin early, because more might not fit into the mailbox of the reader.
    static let eventsPerRound = ChangeMailbox.maximumEvents / 2

    private let context: BridgeContext
    private unowned let fleet: DeviceFleet
    private let bridgeMessages: () -> [OutgoingMessage]
    private let mapper: TopicMapper
    /// `nil` without a reader.
    private var feed: ChangeFeed?
    private var watchCount = 0
    /// Owners whose documents the reader has not received yet.
    private var missing: Set<DocumentOwner> = []
    private var formed = FormedDocuments()
    private var slugs: [Device.ID: String] = [:]
    /// Documents that may differ from what was formed.
    private var dirty: [DocumentOwner: DeviceDocuments] = [:]
    private var batch = MessageBatch()
    private var pending: (documents: [DocumentChange], events: [DirectEvent]) = ([], [])
    private var lastRound: MonotonicTime?
    private var isRoundDue = false
    private lazy var deadline = self.context.loop.deadline { [weak self] in self?.round() }

    /// - Parameter bridgeMessages: returns the documents of the bridge itself, without `bridge/state`.
    init(_ context: BridgeContext, fleet: DeviceFleet, bridgeMessages: @escaping () -> [OutgoingMessage]) {
        self.context = context
        self.fleet = fleet
        self.bridgeMessages = bridgeMessages
        var options = context.mapper.options
        options.status.split = .none
        options.includesArtworkImage = false
        self.mapper = TopicMapper(tree: context.topics, options: options)
    }

    // MARK: The reader

    /// Begins a watch and ends the former one. The reader first receives every document.
    func watch() -> ChangeFeed {
        self.end()
        self.watchCount += 1
        let forget = self.context.loop.entrance { [weak self] in if self?.watchCount == $0 { self?.forget() } }
        let feed = ChangeFeed(
            history: self.context.program.logTap?.history, redaction: self.context.settings.redaction,
            onEnd: { [watchCount] in forget(watchCount) })
        self.feed = feed
        self.missing = Set([DocumentOwner.bridge] + self.fleet.devices.map { .device($0.id) })
        for owner in self.missing { self.mark(owner, .all) }
        return feed
    }

    /// Whether nothing is kept or formed, because there is no reader.
    var isIdle: Bool { self.feed == nil && self.dirty.isEmpty && self.slugs.isEmpty }

    private func forget() {
        self.deadline.cancel()
        self.formed.removeAll()
        (self.feed, self.missing, self.slugs, self.dirty, self.pending) = (nil, [], [:], [:], ([], []))
    }

    func end() {
        self.feed?.end()
        self.forget()
    }

    // MARK: What changes

    func changed(_ device: DeviceAgent, _ documents: DeviceDocuments) {
        guard self.feed != nil else { return }
        let documents = documents.intersection(Self.formable)
        if !documents.isEmpty { self.mark(.device(device.id), documents) }
    }

    /// Notes that the documents of the bridge may differ.
    func bridgeChanged() { if self.feed != nil { self.mark(.bridge, .all) } }

    /// Passes on a queued message that is not retained, if it is an event of a device or of the bridge.
    func happened(_ message: OutgoingMessage) {
        guard self.feed != nil, !message.retain, message.topic.hasSuffix("/event") else { return }
        let topic = String(Substring(message.topic.utf8.dropFirst(self.context.topics.base.utf8.count + 1)))
        self.pending.events.append(DirectEvent(topic: topic, payload: message.payload(at: self.context.now.wall)))
        if self.pending.events.count >= Self.eventsPerRound { self.handOut() }
        self.schedule()
    }

    /// The publisher formed these documents of a device, without secrets; the reader gets those that may differ.
    func formed(_ documents: DeviceDocuments, of owner: DocumentOwner, _ batch: borrowing MessageBatch) {
        // A reader that has no document of the owner yet gets all in a round, as it does after a change of the slug.
        guard let due = self.dirty[owner], !due.isDisjoint(with: documents), case .device(let id) = owner, !batch.messages.isEmpty,
            let device = self.fleet.device(id), self.slugs[id] == device.state.slug,
            !self.missing.contains(owner)
        else { return }
        let rest = due.subtracting(documents)
        self.dirty[owner] = rest.isEmpty ? nil : rest
        self.pending.documents += self.formed.update(
            owner, with: batch, below: self.context.topics.base, isWhole: documents.isSuperset(of: Self.formable))
    }

    func dismiss(_ device: DeviceAgent) {
        guard self.feed != nil else { return }
        let owner = DocumentOwner.device(device.id)
        self.dirty[owner] = nil
        self.slugs[device.id] = nil
        self.pending.documents += self.formed.remove(owner)
        self.delivered(owner)
        self.handOut()
    }

    private static let formable: DeviceDocuments = [.availability, .info, .state, .media, .app, .queue, .tracks, .group, .channels]

    private func mark(_ owner: DocumentOwner, _ documents: DeviceDocuments) {
        self.dirty[owner, default: []].formUnion(documents)
        self.schedule()
    }

    private func schedule() {
        guard !self.isRoundDue, self.deadline.time == nil else { return }
        if let last = self.lastRound, self.context.time < last + Self.interval {
            self.deadline.set(last + Self.interval)
        } else {
            self.beginRound()
        }
    }

    // MARK: Rounds

    /// Begins a round in the next turn of the loop, so that publishing goes first.
    private func beginRound() {
        self.isRoundDue = true
        self.context.loop.later { [weak self] in self?.round() }
    }

    private func round() {
        self.isRoundDue = false
        guard self.feed != nil else { return }
        self.lastRound = self.context.time
        let owners = self.dirty.keys.sorted().prefix(Self.ownersPerTurn)
        for owner in owners { if let documents = self.dirty.removeValue(forKey: owner) { self.form(documents, of: owner) } }
        self.handOut()
        if !self.dirty.isEmpty { self.beginRound() }
    }

    private func form(_ documents: DeviceDocuments, of owner: DocumentOwner) {
        self.batch.removeAll()
        let isWhole = self.append(self.missing.contains(owner) ? .all : documents, of: owner)
        self.batch.redact(self.context.settings.redaction)
        self.pending.documents += self.formed.update(owner, with: self.batch, below: self.context.topics.base, isWhole: isWhole)
        self.delivered(owner)
    }

    private func handOut() {
        self.feed?.put(self.pending.documents, self.pending.events)
        self.pending = ([], [])
    }

    private func delivered(_ owner: DocumentOwner) {
        guard self.missing.remove(owner) != nil, self.missing.isEmpty else { return }
        self.handOut()
        self.feed?.complete()
    }

    /// Appends documents of an owner to the batch.
    /// - Returns: whether they are all documents of the owner.
    private func append(_ documents: DeviceDocuments, of owner: DocumentOwner) -> Bool {
        let now = self.context.now.wall
        guard case .device(let id) = owner else {
            self.batch.append(self.mapper.bridgeState(isOnline: true), at: now)
            for message in self.bridgeMessages() { self.batch.append(message, at: now) }
            return true
        }
        guard let device = self.fleet.device(id) else { return true }
        // A device with a new slug is sent as a whole.
        let documents = self.slugs.updateValue(device.state.slug, forKey: id) == device.state.slug ? documents : .all
        device.write(documents, with: self.mapper, at: now, to: &self.batch)
        return documents.isSuperset(of: Self.formable)
    }
}
