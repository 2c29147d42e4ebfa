import BridgeCore
import CastSender

/// Readers of documents and events beside MQTT. Hands each change to all of them at once, at most 20 times a second, with or without a broker.
///
/// Documents that the publisher forms are reused; only those that it does not form in time, because there is no link, no room or a slower pace,
/// are formed here. Without readers a change costs one comparison. Documents are those of MQTT with `status.split` `none`.
final class Watchers {
    static let maximumCount = 16
    /// The time between two rounds.
    static let interval = Duration.milliseconds(50)
    /// The most owners whose documents are formed in one turn of the loop: a large household must not delay heartbeats.
    static let ownersPerTurn = 32
    /// Events that make a round begin early, because more might not fit into the mailboxes of the readers.
    static let eventsPerRound = ChangeMailbox.maximumEvents / 2

    private final class Reader {
        let feed: ChangeFeed
        /// Owners whose documents the reader has not received yet.
        var missing: Set<DocumentOwner>

        init(_ feed: ChangeFeed, missing: Set<DocumentOwner>) { (self.feed, self.missing) = (feed, missing) }
    }

    private let context: BridgeContext
    private unowned let directory: any DeviceDirectory
    private let bridgeMessages: () -> [OutgoingMessage]
    private let mapper: TopicMapper
    private var readers: [Int: Reader] = [:]
    private var nextReader = 0
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
    init(_ context: BridgeContext, directory: any DeviceDirectory, bridgeMessages: @escaping () -> [OutgoingMessage]) {
        self.context = context
        self.directory = directory
        self.bridgeMessages = bridgeMessages
        var options = context.mapper.options
        options.status.split = .none
        options.includesArtworkImage = false
        self.mapper = TopicMapper(tree: context.topics, options: options)
    }

    // MARK: Readers

    /// Adds a reader. It first receives every document.
    func watch() -> ChangeFeed {
        let number = self.nextReader
        self.nextReader += 1
        let remove = self.context.loop.entrance { [weak self] (_: Void) in self?.remove(number) }
        let feed = ChangeFeed(history: self.context.program.logTap?.history, redaction: self.context.settings.redaction) { remove(()) }
        guard self.readers.count < Self.maximumCount else {
            feed.end()
            return feed
        }
        let owners = Set([DocumentOwner.bridge] + self.directory.devices.map { .device($0.id) })
        self.readers[number] = Reader(feed, missing: owners)
        for owner in owners { self.mark(owner, .all) }
        return feed
    }

    private func remove(_ number: Int) {
        guard self.readers.removeValue(forKey: number) != nil, self.readers.isEmpty else { return }
        self.forget()
    }

    /// Whether nothing is kept or formed, because there is no reader.
    var isIdle: Bool { self.readers.isEmpty && self.dirty.isEmpty && self.slugs.isEmpty }

    private func forget() {
        self.deadline.cancel()
        self.formed.removeAll()
        (self.slugs, self.dirty, self.pending) = ([:], [:], ([], []))
    }

    func end() {
        for reader in self.readers.values { reader.feed.end() }
        self.readers = [:]
        self.forget()
    }

    // MARK: What changes

    func changed(_ device: DeviceAgent, _ documents: DeviceDocuments) {
        guard !self.readers.isEmpty else { return }
        let documents = documents.intersection(Self.formable)
        if !documents.isEmpty { self.mark(.device(device.id), documents) }
    }

    /// Notes that the documents of the bridge may differ.
    func bridgeChanged() { if !self.readers.isEmpty { self.mark(.bridge, .all) } }

    /// Passes on a queued message that is not retained, if it is an event of a device or of the bridge.
    func happened(_ message: OutgoingMessage) {
        guard !self.readers.isEmpty, !message.retain, message.topic.hasSuffix("/event") else { return }
        let topic = String(Substring(message.topic.utf8.dropFirst(self.context.topics.base.utf8.count + 1)))
        self.pending.events.append(DirectEvent(topic: topic, payload: message.payload(at: self.context.now.wall)))
        if self.pending.events.count >= Self.eventsPerRound { self.handOut() }
        self.schedule()
    }

    /// The publisher formed these documents of a device, without secrets; readers get those that may differ.
    func formed(_ documents: DeviceDocuments, of owner: DocumentOwner, _ batch: borrowing MessageBatch) {
        // A reader that has no document of the owner yet gets all in a round, as do all readers after a change of the slug.
        guard let due = self.dirty[owner], !due.isDisjoint(with: documents), case .device(let id) = owner, !batch.messages.isEmpty,
            let device = self.directory.device(id), self.slugs[id] == device.state.slug,
            !self.readers.values.contains(where: { $0.missing.contains(owner) })
        else { return }
        let rest = due.subtracting(documents)
        self.dirty[owner] = rest.isEmpty ? nil : rest
        self.pending.documents +=
            self.formed.update(
                owner, with: batch, below: self.context.topics.base, isWhole: documents.isSuperset(of: Self.formable), returnsAll: false
            ).changes
    }

    func dismiss(_ device: DeviceAgent) {
        guard !self.readers.isEmpty else { return }
        let owner = DocumentOwner.device(device.id)
        self.dirty[owner] = nil
        self.slugs[device.id] = nil
        self.handOut()
        let changes = self.formed.remove(owner)
        for reader in self.readers.values {
            reader.feed.put(changes)
            self.delivered(owner, to: reader)
        }
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
        guard !self.readers.isEmpty else { return }
        self.lastRound = self.context.time
        let owners = self.dirty.keys.sorted { $0.order < $1.order }.prefix(Self.ownersPerTurn)
        for owner in owners { if let documents = self.dirty.removeValue(forKey: owner) { self.form(documents, of: owner) } }
        self.handOut()
        if !self.dirty.isEmpty { self.beginRound() }
    }

    private func form(_ documents: DeviceDocuments, of owner: DocumentOwner) {
        let newcomers = self.readers.values.filter { $0.missing.contains(owner) }
        self.batch.removeAll()
        let isWhole = self.append(newcomers.isEmpty ? documents : .all, of: owner)
        self.batch.redact(self.context.settings.redaction)
        let round = self.formed.update(
            owner, with: self.batch, below: self.context.topics.base, isWhole: isWhole, returnsAll: !newcomers.isEmpty)
        guard !newcomers.isEmpty else {
            self.pending.documents += round.changes
            return
        }
        self.handOut()
        for reader in self.readers.values {
            reader.feed.put(reader.missing.contains(owner) ? round.documents : round.changes)
            self.delivered(owner, to: reader)
        }
    }

    private func handOut() {
        let (documents, events) = self.pending
        self.pending = ([], [])
        for reader in self.readers.values { reader.feed.put(documents, events) }
    }

    private func delivered(_ owner: DocumentOwner, to reader: Reader) {
        if reader.missing.remove(owner) != nil, reader.missing.isEmpty { reader.feed.complete() }
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
        guard let device = self.directory.device(id) else { return true }
        // A device with a new slug is sent as a whole.
        let documents = self.slugs.updateValue(device.state.slug, forKey: id) == device.state.slug ? documents : .all
        device.write(documents, with: self.mapper, at: now, to: &self.batch)
        return documents.isSuperset(of: Self.formable)
    }
}
