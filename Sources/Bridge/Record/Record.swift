import BridgeCore
import CastSender

/// The bridge's memory over restarts: known devices, every topic that was ever published retained, the broker's MQTT version.
///
/// A topic is on disk before it is used for the first time, so that it can be cleared after any kill.
final class Record {
    private let context: BridgeContext
    private let keeper: StateKeeper
    /// `bridge/state`, which no owner's documents hold: the publisher sends it, and the broker, as the will.
    private let stateTopic: String
    /// These owners' topics are on disk, or could not be written.
    private let onRecorded: (Set<DocumentOwner>) -> Void
    private var devices: [Device.ID: KnownDevice] = [:]
    /// Topics of the bridge itself that are or were published.
    private var bridgeTopics: Set<String> = []
    private var bridgeDiscoveryTopics: Set<String> = []
    private var storedProtocol: RememberedProtocol?
    /// Owners whose topics wait for the next write.
    private var unrecorded: Set<DocumentOwner> = []
    private var isUnsaved = false
    private var saving: Task<Void, Never>?

    init(_ context: BridgeContext, onRecorded: @escaping (Set<DocumentOwner>) -> Void) {
        self.context = context
        self.keeper = StateKeeper(directory: context.program.stateDirectory, logger: context.logger)
        self.stateTopic = context.topics.bridge("state")
        self.onRecorded = onRecorded
    }

    /// Reads what an earlier run left.
    /// - Returns: the known devices in the order of the file.
    func load() -> [KnownDevice] {
        let file = self.keeper.load()
        self.storedProtocol = file.rememberedProtocol
        self.bridgeTopics = file.topics
        self.bridgeDiscoveryTopics = file.discoveryTopics
        for device in file.devices { self.devices[device.id] = device }
        return file.devices
    }

    // MARK: Devices

    /// What is known of a device; `nil` when nothing is.
    subscript(id: Device.ID) -> KnownDevice? { self.devices[id] }

    var knownDevices: Dictionary<Device.ID, KnownDevice>.Values { self.devices.values }

    /// Changes what is known of a device, if anything is, and writes it.
    func update(_ id: Device.ID, _ change: (inout KnownDevice) -> Void) {
        guard var known = self.devices[id] else { return }
        change(&known)
        self.set(known)
    }

    /// Takes a device in, or replaces what is known of it.
    func set(_ known: KnownDevice) {
        guard known != self.devices[known.id] else { return }
        self.devices[known.id] = known
        self.save()
    }

    func remove(_ id: Device.ID) {
        self.devices[id] = nil
        self.save()
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

    /// These topics are about to be used; `onRecorded` reports when they are on disk.
    func add(_ topics: Set<String>, to owner: DocumentOwner) {
        self.change(owner) { $0.formUnion(topics) }
        self.unrecorded.insert(owner)
        self.save()
    }

    /// The broker holds only these topics of the owner.
    func replace(_ topics: Set<String>, of owner: DocumentOwner) {
        self.change(owner) { $0 = topics }
        self.save()
    }

    /// Gives the topics of one device below `prefix` to another; the caller saves.
    /// - Returns: whether there were any.
    func handOver(topicsBelow prefix: String, from former: Device.ID, to id: Device.ID) -> Bool {
        guard let topics = self.devices[former]?.topics.filter({ $0.utf8.starts(with: prefix.utf8) }), !topics.isEmpty else { return false }
        self.devices[former]?.topics.subtract(topics)
        self.devices[id]?.topics.formUnion(topics)
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
        case .discovery(let id):
            guard var known = self.devices.removeValue(forKey: id) else { return }
            body(&known.discoveryTopics)
            self.devices[id] = known
        }
    }

    // MARK: The broker

    /// The MQTT version that the broker turned out to need.
    var rememberedProtocol: RememberedProtocol? {
        get { self.storedProtocol }
        set {
            self.storedProtocol = newValue
            self.save()
        }
    }

    // MARK: Writing

    /// Whether a write is under way.
    var isSaving: Bool { self.saving != nil }

    /// Owners whose topics wait for a write.
    var waitingOwners: Int { self.unrecorded.count }

    /// Writes the file; what changes meanwhile is written right after.
    func save() {
        self.isUnsaved = true
        guard self.saving == nil else { return }
        self.saving = self.context.loop.start(self) { record in
            while let work = record.takeUnsaved() {
                await record.keeper.save(work.file)
                record.onRecorded(work.recorded)
            }
        }
    }

    /// Waits for a write that is under way.
    nonisolated(nonsending) func finish() async { await self.saving?.value }

    private func takeUnsaved() -> (file: StateFile, recorded: Set<DocumentOwner>)? {
        guard self.isUnsaved else {
            self.saving = nil
            return nil
        }
        self.isUnsaved = false
        let recorded = self.unrecorded
        self.unrecorded = []
        let file = StateFile(
            rememberedProtocol: self.storedProtocol, topics: self.bridgeTopics, discoveryTopics: self.bridgeDiscoveryTopics,
            devices: self.devices.values.sorted { $0.id < $1.id })
        return (file, recorded)
    }
}
