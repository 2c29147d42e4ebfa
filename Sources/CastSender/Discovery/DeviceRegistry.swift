import MulticastDNS

/// The devices that discovery has found, by id. Does no I/O.
///
/// A device may have several service instances (a moving group has two), each with several addresses. All are kept, newest first. An
/// expired instance is removed with its addresses, except the last ones: a device whose announcements stopped is often still reachable.
struct DeviceRegistry {
    /// The largest number of devices. A new device replaces the one whose announcements ended first.
    static let deviceLimit = 4096
    /// The largest number of service instances and known hosts of one device; the oldest are removed.
    static let sourceLimit = 8
    /// The largest number of endpoints reported for one device.
    static let endpointLimit = 16

    private struct Source: Equatable {
        var endpoints: [DeviceEndpoint]
        var text: AnnouncedText?
        /// The number of the last change: larger is newer.
        var age: UInt64
    }

    private struct Entry {
        var device: Device
        var sources: [SourceKey: Source] = [:]
        var learned: DeviceIdentity?
        var isReported = false
        /// The number of the change that removed the last source; meaningless while the device has a source.
        var endedAge: UInt64 = 0
    }

    private enum SourceKey: Hashable {
        case instance(String)
        case knownHost(DeviceEndpoint)
    }

    private var entries: [Device.ID: Entry] = [:]
    private var owners: [SourceKey: Device.ID] = [:]
    private var claims: [DeviceEndpoint: (id: Device.ID, age: UInt64)] = [:]
    private var age: UInt64 = 0
    private var criteria: DiscoveryCriteria

    init(criteria: DiscoveryCriteria = DiscoveryCriteria()) { self.criteria = criteria }

    /// Reports from now on the devices that meet other criteria.
    /// - Returns: the devices that are found and lost by that.
    mutating func setCriteria(_ criteria: DiscoveryCriteria) -> [DeviceChange] {
        self.criteria = criteria
        var changes: [DeviceChange] = []
        for (id, entry) in self.entries.sorted(by: { $0.key < $1.key }) {
            let isWanted = !entry.device.endpoints.isEmpty && criteria.matches(entry.device)
            guard isWanted != entry.isReported else { continue }
            self.entries[id]?.isReported = isWanted
            changes.append(isWanted ? .found(entry.device) : .lost(id))
        }
        return changes
    }

    /// The reason why an announcement was ignored, for the log.
    enum Omission: Error, Equatable {
        /// It is the answer to a sub-type enumeration, not a device.
        case subtype
        case noUsableID
        /// `deviceLimit` devices announce themselves at the same time.
        case tableFull
    }

    /// The devices that meet the criteria, sorted by name and, for equal names, by id.
    var devices: [Device] {
        self.entries.values.lazy.filter(\.isReported).map(\.device)
            .sorted { ($0.friendlyName.lowercased(), $0.id) < ($1.friendlyName.lowercased(), $1.id) }
    }

    /// Returns whether the device is announced, or answers at a known host.
    func isPresent(_ id: Device.ID) -> Bool { self.entries[id].map { !$0.sources.isEmpty } ?? false }

    /// Whether no device was ever found.
    var isEmpty: Bool { self.entries.isEmpty }

    func device(_ id: Device.ID) -> Device? { self.entries[id].flatMap { $0.isReported ? $0.device : nil } }

    mutating func apply(_ change: ServiceChange) throws(Omission) -> [DeviceChange] {
        switch change {
        case .found(let service), .updated(let service): return try self.received(service)
        case .sighted(let service):
            guard let id = self.owners[.instance(service.instanceName)], self.entries[id]?.isReported == true else { return [] }
            return [.sighted(id)]
        case .removed(let service): return self.remove(.instance(service.instanceName))
        case .networkChanged: return [.networkChanged]
        }
    }

    /// The current point in the order of announcements; see `dropSources(lastSeenUpTo:)`.
    var present: Moment { Moment(age: self.age) }

    /// A point in the order of announcements.
    struct Moment {
        fileprivate let age: UInt64
    }

    /// Removes announcements that were not received again since `moment`, when browsing restarted.
    mutating func dropSources(lastSeenUpTo moment: Moment) -> [DeviceChange] {
        var changes: [DeviceChange] = []
        for (key, id) in self.owners.sorted(by: { $0.value < $1.value }) {
            guard case .instance = key, let source = self.entries[id]?.sources[key], source.age <= moment.age else { continue }
            changes += self.remove(key)
        }
        return changes
    }

    /// A known host was identified as this device, or its configured id is used.
    mutating func locate(_ identity: DeviceIdentity, at endpoint: DeviceEndpoint, isVerified: Bool) -> [DeviceChange] {
        let key = SourceKey.knownHost(endpoint)
        var changes: [DeviceChange] = []
        if let owner = self.owners[key], owner != identity.id { changes += self.remove(key) }
        guard let removed = self.makeRoom(for: identity.id) else { return changes }
        changes += removed
        let known = self.entries[identity.id]?.sources[key]
        let source = Source(endpoints: [endpoint], text: nil, age: known?.age ?? self.nextAge())
        return changes + self.update(identity.id, key: key, source: source, learned: isVerified ? identity : nil, fallback: identity)
    }

    /// The known hosts at which the device was found, at most `sourceLimit`.
    func knownHosts(of id: Device.ID) -> [DeviceEndpoint] {
        (self.entries[id]?.sources.keys).map { $0.compactMap { if case .knownHost(let endpoint) = $0 { endpoint } else { nil } } } ?? []
    }

    /// The device reported its identity over its control link.
    mutating func verify(_ identity: DeviceIdentity) -> [DeviceChange] {
        guard self.entries[identity.id] != nil else { return [] }
        return self.refresh(identity.id) { entry in entry.learned = entry.learned?.merged(with: identity) ?? identity }
    }

    private mutating func received(_ service: DiscoveredService) throws(Omission) -> [DeviceChange] {
        guard !service.instanceName.hasSuffix("._sub") else { throw .subtype }
        guard let id = service.text.string("id").flatMap(Device.id(normalizing:)), service.port > 0 else { throw .noUsableID }
        let key = SourceKey.instance(service.instanceName)
        var changes: [DeviceChange] = []
        if let owner = self.owners[key], owner != id { changes += self.remove(key) }
        guard let removed = self.makeRoom(for: id) else { throw .tableFull }
        changes += removed
        let endpoints = service.addresses.map { DeviceEndpoint(host: $0.description, port: Int(service.port)) }
        let source = Source(endpoints: endpoints, text: AnnouncedText(service.text), age: self.nextAge())
        return changes + self.update(id, key: key, source: source, learned: nil, fallback: DeviceIdentity(id: id))
    }

    private mutating func update(
        _ id: Device.ID, key: SourceKey, source: Source, learned: DeviceIdentity?, fallback: DeviceIdentity
    ) -> [DeviceChange] {
        if self.entries[id] == nil {
            let information = fallback.information
            let name = information.friendlyName ?? information.modelName ?? id
            self.entries[id] = Entry(device: Device(id: id, friendlyName: name, modelName: information.modelName ?? ""))
        }
        self.owners[key] = id
        self.dropClaims(of: id, key)
        // Ports and addresses are reused: the newest claim applies (chromium `cast_media_sink_service_impl.cc`).
        let robbed = Set(source.endpoints.compactMap { self.claims[$0]?.id }).subtracting([id])
        for endpoint in source.endpoints { self.claims[endpoint] = (id, source.age) }
        var changes = self.refresh(id) { entry in
            entry.sources[key] = source
            if let learned { entry.learned = entry.learned?.merged(with: learned) ?? learned }
        }
        self.dropOldestSources(of: id)
        for other in robbed.sorted() { changes += self.refresh(other) { _ in }.filter { $0 != .sighted(other) } }
        return changes
    }

    private mutating func remove(_ key: SourceKey) -> [DeviceChange] {
        guard let id = self.owners.removeValue(forKey: key) else { return [] }
        self.dropClaims(of: id, key)
        let age = self.nextAge()
        // The end of an announcement is not a sighting.
        let changes = self.refresh(id) { entry in
            entry.sources[key] = nil
            entry.endedAge = age
        }.filter { $0 != .sighted(id) }
        return self.isPresent(id) || self.device(id) == nil ? changes : changes + [.lost(id)]
    }

    /// Makes room for one more device, unless it is already known. Temporary groups have a new id each time.
    /// - Returns: the changes for the removed device; `nil` when every device has a source.
    private mutating func makeRoom(for id: Device.ID) -> [DeviceChange]? {
        if self.entries[id] != nil || self.entries.count < Self.deviceLimit { return [] }
        let ended = self.entries.lazy.filter(\.value.sources.isEmpty)
        guard let oldest = ended.min(by: { $0.value.endedAge < $1.value.endedAge })?.key else { return nil }
        let entry = self.entries.removeValue(forKey: oldest)
        return entry?.isReported == true ? [.lost(oldest)] : []
    }

    private mutating func dropClaims(of id: Device.ID, _ key: SourceKey) {
        for endpoint in self.entries[id]?.sources[key]?.endpoints ?? [] where self.claims[endpoint]?.id == id {
            self.claims[endpoint] = nil
        }
    }

    private mutating func dropOldestSources(of id: Device.ID) {
        while let sources = self.entries[id]?.sources, sources.count > Self.sourceLimit,
            let oldest = sources.min(by: { $0.value.age < $1.value.age })
        {
            _ = self.remove(oldest.key)
        }
    }

    /// Changes an entry and returns the resulting changes of the device.
    private mutating func refresh(_ id: Device.ID, _ change: (inout Entry) -> Void) -> [DeviceChange] {
        guard var entry = self.entries[id] else { return [] }
        change(&entry)
        let before = entry.device
        entry.device = self.merged(entry)
        let isNew = !entry.isReported && !entry.device.endpoints.isEmpty && self.criteria.matches(entry.device)
        if isNew { entry.isReported = true }
        self.entries[id] = entry
        if isNew { return [.found(entry.device)] }
        guard entry.isReported else { return [] }
        guard entry.device != before else { return [.sighted(id)] }
        var moved = before
        moved.endpoints = entry.device.endpoints
        return [moved == entry.device ? .addressesChanged(entry.device) : .changed(entry.device)]
    }

    private func merged(_ entry: Entry) -> Device {
        var device = entry.device
        let sources = entry.sources.values.sorted { $0.age > $1.age }
        if let text = sources.lazy.compactMap(\.text).first {
            text.apply(to: &device)
        } else if let learned = entry.learned?.information {
            device.friendlyName = learned.friendlyName ?? device.friendlyName
            device.modelName = learned.modelName ?? device.modelName
            device.capabilities = learned.capabilities ?? device.capabilities
        }
        device.identity = entry.learned == nil ? .announced : .verified
        var endpoints: [DeviceEndpoint] = []
        for endpoint in sources.lazy.flatMap(\.endpoints) where endpoints.count < Self.endpointLimit {
            let isOurs = self.claims[endpoint].map { $0.id == device.id } ?? true
            if isOurs, !endpoints.contains(endpoint) { endpoints.append(endpoint) }
        }
        if !endpoints.isEmpty { device.endpoints = endpoints }
        return device
    }

    private mutating func nextAge() -> UInt64 {
        self.age += 1
        return self.age
    }
}
