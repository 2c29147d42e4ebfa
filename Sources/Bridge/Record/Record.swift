import BridgeCore
import CastSender

/// The bridge's memory over restarts: known devices, every topic that was ever published retained, the broker's MQTT version.
///
/// A topic is on disk before it is used for the first time, so that it can be cleared after any kill.
final class Record {
    private let context: BridgeContext
    private let writer: RecordWriter
    /// `bridge/state`, which no owner's documents hold: the publisher sends it, and the broker, as the will.
    private let stateTopic: String
    private var devices: [Device.ID: KnownDevice] = [:]
    /// Topics of the bridge itself that are or were published.
    private var bridgeTopics: Set<String> = []
    private var bridgeDiscoveryTopics: Set<String> = []
    private var storedProtocol: RememberedProtocol?
    /// Devices whose line may differ from the file's.
    private var changed: Set<Device.ID> = []

    /// - Parameter onRecorded: called for owners whose topics were given to `add` and are on disk, or could not be written.
    init(_ context: BridgeContext, onRecorded: @escaping (Set<DocumentOwner>) -> Void) {
        self.context = context
        self.stateTopic = context.topics.bridge("state")
        self.writer = RecordWriter(context, onRecorded: onRecorded)
        self.writer.source = { [weak self] in self?.takeChanges() ?? StateFileLines.Changes(header: StateFile()) }
    }

    /// Reads what an earlier run left.
    /// - Returns: the known devices in the order of the file.
    func load() -> [KnownDevice] {
        let file = self.writer.load()
        self.storedProtocol = file.rememberedProtocol
        self.bridgeTopics = file.topics
        self.bridgeDiscoveryTopics = file.discoveryTopics
        for device in file.devices { self.devices[device.id] = device }
        self.changed = Set(self.devices.keys)
        return file.devices
    }

    // MARK: Devices

    /// What is known of a device; `nil` when nothing is.
    subscript(id: Device.ID) -> KnownDevice? { self.devices[id] }

    var knownDevices: Dictionary<Device.ID, KnownDevice>.Values { self.devices.values }

    /// Changes what is known of a device, if anything is, and has it written.
    func update(_ id: Device.ID, _ urgency: WritePace.Urgency = .soon, _ change: (inout KnownDevice) -> Void) {
        guard var known = self.devices[id] else { return }
        change(&known)
        self.set(known, urgency)
    }

    /// Takes a device in, or replaces what is known of it.
    func set(_ known: KnownDevice, _ urgency: WritePace.Urgency) {
        guard known != self.devices[known.id] else { return }
        self.devices[known.id] = known
        self.save(known.id, urgency)
    }

    func remove(_ id: Device.ID) {
        self.devices[id] = nil
        self.save(id, .soon)
    }

    private func save(_ id: Device.ID, _ urgency: WritePace.Urgency) {
        self.changed.insert(id)
        self.writer.save(urgency)
    }

    // MARK: Topics

    /// Every topic on record for an owner.
    func topics(of owner: DocumentOwner) -> Set<String> {
        switch owner {
        case .bridge: self.bridgeTopics.subtracting([self.stateTopic])
        case .bridgeDiscovery: self.bridgeDiscoveryTopics
        case .device(let id): self.devices[id]?.topics ?? []
        case .discovery(let id): self.devices[id]?.discoveryTopics ?? []
        }
    }

    /// Every topic of an announcement on record.
    var announcementTopics: Set<String> {
        self.devices.values.reduce(into: self.bridgeDiscoveryTopics) { $0.formUnion($1.discoveryTopics) }
    }

    /// These topics are about to be used; `onRecorded` reports when they are on disk, at once if they are already.
    func add(_ topics: Set<String>, to owner: DocumentOwner) {
        self.reserve(topics, for: owner)
        self.writer.report(owner)
    }

    /// These topics will be used soon. Written now, they cost no write of their own later.
    func reserve(_ topics: Set<String>, for owner: DocumentOwner) {
        guard !topics.isSubset(of: self.topics(of: owner)) else { return }
        self.change(owner) { $0.formUnion(topics) }
        self.writer.saveTopics(of: owner)
    }

    /// The broker holds only these topics of the owner.
    func replace(_ topics: Set<String>, of owner: DocumentOwner) {
        self.change(owner) { $0 = topics }
        self.writer.save(.later)
    }

    /// Gives the topics of one device below `prefix` to another.
    /// - Returns: whether there were any.
    func handOver(topicsBelow prefix: String, from former: Device.ID, to id: Device.ID) -> Bool {
        guard let topics = self.devices[former]?.topics.filter({ $0.utf8.starts(with: prefix.utf8) }), !topics.isEmpty else { return false }
        self.update(former) { $0.topics.subtract(topics) }
        self.update(id) { $0.topics.formUnion(topics) }
        return true
    }

    private func change(_ owner: DocumentOwner, _ body: (inout Set<String>) -> Void) {
        switch owner {
        case .bridge:
            body(&self.bridgeTopics)
            self.bridgeTopics.insert(self.stateTopic)
        case .bridgeDiscovery: body(&self.bridgeDiscoveryTopics)
        case .device(let id):
            guard var known = self.devices.removeValue(forKey: id) else { return }
            body(&known.topics)
            self.devices[id] = known
            self.changed.insert(id)
        case .discovery(let id):
            guard var known = self.devices.removeValue(forKey: id) else { return }
            body(&known.discoveryTopics)
            self.devices[id] = known
            self.changed.insert(id)
        }
    }

    // MARK: The broker

    /// The MQTT version that the broker turned out to need.
    var rememberedProtocol: RememberedProtocol? {
        get { self.storedProtocol }
        set {
            self.storedProtocol = newValue
            self.writer.save(.later)
        }
    }

    // MARK: Writing

    /// Whether a write is under way.
    var isSaving: Bool { self.writer.isWriting }

    /// Owners whose topics wait for a write.
    var waitingOwners: Int { self.writer.waitingOwners }

    /// Writes what is not on disk yet and waits for it, at most two seconds. Nothing is written later.
    nonisolated(nonsending) func finish() async { await self.writer.finish() }

    private func takeChanges() -> StateFileLines.Changes {
        defer { self.changed = [] }
        return StateFileLines.Changes(
            header: StateFile(
                rememberedProtocol: self.storedProtocol, topics: self.bridgeTopics, discoveryTopics: self.bridgeDiscoveryTopics),
            devices: self.changed.compactMap { self.devices[$0] }, removed: self.changed.filter { self.devices[$0] == nil })
    }
}
