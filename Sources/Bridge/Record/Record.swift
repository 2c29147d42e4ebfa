import BridgeCore
import CastSender

/// The state that the bridge keeps across restarts: known devices, every topic that was ever published retained, the broker's MQTT version.
///
/// A topic is on disk before its first use, so that it can be cleared after any kill.
final class Record {
    private let context: BridgeContext
    private let writer: RecordWriter
    private let onWrite: (StateFile) -> Void
    /// `bridge/state`, which belongs to no owner's documents: the publisher sends it, and the broker as the will.
    private let stateTopic: String
    private var devices: [Device.ID: KnownDevice] = [:]
    /// The topics of the bridge itself, current and former ones.
    private var bridgeTopics: Set<String> = []
    private var bridgeDiscoveryTopics: Set<String> = []
    private var storedProtocol: RememberedProtocol?
    private var version: PairVersion?

    /// - Parameters:
    ///   - onRecorded: called for owners whose topics from `add` are on disk, or could not be written.
    ///   - onWrite: called with what is about to be written.
    init(
        _ context: BridgeContext, onRecorded: @escaping (Set<DocumentOwner>) -> Void, onWrite: @escaping (StateFile) -> Void
    ) {
        self.context = context
        self.stateTopic = context.topics.bridge("state")
        self.writer = RecordWriter(context, onRecorded: onRecorded)
        self.onWrite = onWrite
        self.writer.setSource { [weak self] in self?.handOver() ?? StateFile() }
    }

    /// Reads the state file of an earlier run.
    /// - Parameters:
    ///   - takenOver: the record of another bridge, which replaces this one's.
    ///   - version: the version from which changes are counted; `nil` for a bridge alone.
    /// - Returns: the known devices in the order of the file.
    func load(takenOver: StateFile?, as version: PairVersion?) -> [KnownDevice] {
        let own = self.writer.load()
        let file = takenOver ?? own
        self.version = version
        if takenOver != nil || own.version != version { self.writer.save(.soon) }
        self.storedProtocol = own.rememberedProtocol
        self.bridgeTopics = file.topics
        self.bridgeDiscoveryTopics = file.discoveryTopics
        for device in file.devices { self.devices[device.id] = device }
        return file.devices
    }

    // MARK: Devices

    subscript(id: Device.ID) -> KnownDevice? { self.devices[id] }

    var knownDevices: Dictionary<Device.ID, KnownDevice>.Values { self.devices.values }

    /// Changes the record of a device, if there is one, and schedules a write.
    func update(_ id: Device.ID, _ urgency: WritePace.Urgency = .soon, _ change: (inout KnownDevice) -> Void) {
        guard var known = self.devices[id] else { return }
        change(&known)
        self.set(known, urgency)
    }

    func set(_ known: KnownDevice, _ urgency: WritePace.Urgency) {
        guard known != self.devices[known.id] else { return }
        self.devices[known.id] = known
        self.save(known.id, urgency)
    }

    /// Records the endpoints and the name of a device for the next start.
    func note(_ device: Device, of agent: DeviceAgent, publishedBy mapper: TopicMapper) {
        // A dynamic group gets another id the next time.
        guard agent.isPublished(by: mapper) else { return }
        var known = self[device.id] ?? KnownDevice(id: device.id, slug: agent.state.slug, name: device.friendlyName)
        (known.name, known.model, known.capabilities) = (device.friendlyName, device.modelName, device.capabilities)
        known.identity = agent.state.device.identity
        if !device.endpoints.isEmpty { known.endpoints = device.endpoints }
        self.set(known, .later)
    }

    /// Records that a device is available, or was until now.
    func noteSeen(_ id: Device.ID, at now: Timestamp) {
        let action = Absence.action(lastSeen: self[id]?.lastSeen, isAvailable: true, now: now, forgetAfterDays: nil)
        if case .note(let time) = action { self.update(id, .later) { $0.lastSeen = time } }
    }

    func remove(_ id: Device.ID) {
        self.devices[id] = nil
        self.save(id, .soon)
    }

    /// Schedules a write of what is known of a device.
    func save(_ id: Device.ID, _ urgency: WritePace.Urgency) { self.writer.save(urgency, of: id) }

    // MARK: Topics

    func topics(of owner: DocumentOwner) -> Set<String> {
        switch owner {
        case .bridge: self.bridgeTopics.subtracting([self.stateTopic])
        case .bridgeDiscovery: self.bridgeDiscoveryTopics
        case .device(let id): self.devices[id]?.topics ?? []
        case .discovery(let id): self.devices[id]?.discoveryTopics ?? []
        }
    }

    var announcementTopics: Set<String> {
        self.devices.values.reduce(into: self.bridgeDiscoveryTopics) { $0.formUnion($1.discoveryTopics) }
    }

    /// Records topics that are about to be used. `onRecorded` is called when they are on disk, at once if they already are.
    func add(_ topics: Set<String>, to owner: DocumentOwner) {
        self.reserve(topics, for: owner)
        self.writer.report(owner)
    }

    /// Records topics that will be used soon. Written now, they need no separate write later.
    func reserve(_ topics: Set<String>, for owner: DocumentOwner) {
        guard !topics.isSubset(of: self.topics(of: owner)) else { return }
        self.change(owner) { $0.formUnion(topics) }
        self.writer.saveTopics(of: owner)
    }

    /// Replaces the topics of an owner, because the broker holds only these.
    func replace(_ topics: Set<String>, of owner: DocumentOwner) {
        self.change(owner) { $0 = topics }
        self.writer.save(.later)
    }

    /// Moves the topics of one device below `prefix` to another device.
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
        case .discovery(let id):
            guard var known = self.devices.removeValue(forKey: id) else { return }
            body(&known.discoveryTopics)
            self.devices[id] = known
        }
    }

    // MARK: The broker

    /// The MQTT version that the broker required; `nil` when unknown.
    var rememberedProtocol: RememberedProtocol? {
        get { self.storedProtocol }
        set {
            self.storedProtocol = newValue
            self.writer.save(.later)
        }
    }

    // MARK: Writing

    /// What belongs to the version of the record differs.
    func settingsChanged() { self.writer.save(.soon) }

    /// Passes on what would be written now, as the next version.
    @discardableResult
    func handOver() -> StateFile {
        self.version?.change += 1
        let file = self.file
        self.onWrite(file)
        return file
    }

    var isSaving: Bool { self.writer.isWriting }

    /// The number of owners whose topics wait for a write.
    var waitingOwners: Int { self.writer.waitingOwners }

    /// Returns when the changes of a device that must not be lost are on disk, at the latest after a second.
    /// - Returns: the fault because of which they are not.
    nonisolated(nonsending) func faultOfUrgentChanges(of id: Device.ID) async -> StateDirectory.Problem? {
        await self.writer.faultOfUrgentChanges(of: id)
    }

    /// Writes all unsaved changes and waits for it, at most two seconds. Later changes are not written.
    nonisolated(nonsending) func end() async { await self.writer.end() }

    private var file: StateFile {
        var file = StateFile(
            rememberedProtocol: self.storedProtocol, topics: self.bridgeTopics, discoveryTopics: self.bridgeDiscoveryTopics,
            devices: Array(self.devices.values))
        file.version = self.version
        return file
    }
}
