import CastModels

/// The data of a device that is kept across restarts.
public struct KnownDevice: Sendable, Hashable, Identifiable {
    public var id: Device.ID
    public var slug: String
    public var name: String
    /// The model; empty when it was never reported.
    public var model: String
    /// The last known endpoints; tried at once after a start.
    public var endpoints: [DeviceEndpoint]
    public var capabilities: DeviceCapabilities?
    public var identity: Device.Identity
    /// Every topic ever published retained for the device, so that each can be cleared later.
    public var topics: Set<String>
    /// Every topic of its Home Assistant announcements, outside the tree.
    public var discoveryTopics: Set<String>
    /// The optional entities that Home Assistant may have of the device; `nil` when it was never announced, or an older version wrote the
    /// record.
    public var announcedEntities: OptionalEntities?
    /// Whether a user chose the slug. A chosen slug does not follow the name.
    public var isSlugChosen = false
    /// The choices made by requests, without those of the configuration.
    public var preferences = DevicePreferences()
    /// The fingerprint of the first key that the device proved to have: SHA-256, hexadecimal.
    public var keyFingerprint: String?
    /// The bridge's part in the application session that it launched, until that ends.
    public var launched: Participation?
    /// The day when the device was last available; `nil` when never, or when an older version wrote the record.
    public var lastSeen: Timestamp?
    /// The pending removal: its topics are being cleared, and the device is ignored until it is seen again. `nil` when it is not being
    /// removed.
    public var removal: Removal?

    /// Whether its last answer listed none of the required applications. The device then has no topics and keeps its slug.
    public var isExcluded = false

    /// The data of a removed device that is kept after its topics are cleared.
    public enum Removal: String, Sendable, Hashable, CaseIterable {
        /// The slug, in case the device returns.
        case keepingSlug = "keep_slug"
        /// Nothing is kept.
        case forgetting = "forget"
    }

    public init(
        id: Device.ID, slug: String, name: String, model: String = "", endpoints: [DeviceEndpoint] = [],
        capabilities: DeviceCapabilities? = nil, identity: Device.Identity = .announced, topics: Set<String> = [],
        discoveryTopics: Set<String> = []
    ) {
        self.id = id
        self.slug = slug
        self.name = name
        self.model = model
        self.endpoints = endpoints
        self.capabilities = capabilities
        self.identity = identity
        self.topics = topics
        self.discoveryTopics = discoveryTopics
    }
}

/// The MQTT version that a broker required.
public struct RememberedProtocol: Sendable, Hashable {
    /// The version to remember; only 3.1.1 matters, because 5 is tried anyway.
    public enum Version: String, Sendable, Hashable { case v5 = "5", v311 = "3.1.1" }

    public var version: Version
    /// The time after which the version is determined again.
    public var until: Timestamp

    public init(version: Version, until: Timestamp) { (self.version, self.until) = (version, until) }
}

extension KnownDevice {
    /// Reads a record; `nil` without a usable id and slug. Everything else is optional, and values that do not parse are left out.
    init?(json: JSONObject) {
        guard let id = json["id"]?.stringValue, (1...64).contains(id.utf8.count),
            id.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }),
            let slug = json["slug"]?.stringValue, Slug.isValid(slug)
        else { return nil }
        self.init(id: id, slug: slug, name: json["name"]?.stringValue ?? slug, model: json["model"]?.stringValue ?? "")
        for element in json["endpoints"]?.arrayValue ?? [] {
            guard let host = element["host"]?.stringValue, !host.isEmpty, let port = element["port"]?.intValue,
                (1...65_535).contains(port)
            else { continue }
            self.endpoints.append(DeviceEndpoint(host: host, port: port))
        }
        self.capabilities = json["capabilities"]?.intValue.flatMap { UInt64(exactly: $0) }.map(DeviceCapabilities.init(rawValue:))
        self.identity = json["identity"]?.stringValue.flatMap(Device.Identity.init(rawValue:)) ?? .announced
        self.topics = TopicRecord.read(json["topics"])
        self.discoveryTopics = TopicRecord.read(json["discovery"])
        self.announcedEntities = json["entities"]?.arrayValue.map(OptionalEntities.init(json:))
        self.isSlugChosen = json["slug_chosen"]?.boolValue ?? false
        self.preferences = DevicePreferences(json: json["options"]?.objectValue ?? [:])
        self.keyFingerprint = json["key"]?.stringValue.flatMap { (1...128).contains($0.utf8.count) ? $0 : nil }
        let held = Self.sessionID(json["owned_session"])
        self.launched = (held ?? Self.sessionID(json["launched_session"])).map {
            Participation(sessionID: $0, isLaunched: true, isHeld: held != nil)
        }
        self.lastSeen = json["last_seen"]?.stringValue.flatMap { Timestamp(rfc3339: $0) }
        self.isExcluded = json["excluded"]?.boolValue ?? false
        self.removal = json["removed"]?.stringValue.flatMap(Removal.init(rawValue:))
    }

    private static func sessionID(_ value: JSONValue?) -> String? {
        value?.stringValue.flatMap { (1...256).contains($0.utf8.count) ? $0 : nil }
    }

    /// One line of the state file, without its newline. Topics are grouped by their common prefix.
    var json: [UInt8] {
        var writer = JSONWriter(capacity: 640)
        writer.beginObject()
        writer.member("id", self.id)
        writer.member("slug", self.slug)
        writer.member("name", self.name)
        writer.member("model", self.model)
        writer.beginArray("endpoints")
        for endpoint in self.endpoints {
            writer.value(.object(["host": .string(endpoint.host), "port": .integer(Int64(endpoint.port))]))
        }
        writer.endArray()
        writer.member("capabilities", self.capabilities.flatMap { Int(exactly: $0.rawValue) })
        writer.member("identity", self.identity.rawValue)
        TopicRecord.write(self.topics, as: "topics", below: self.slug, to: &writer)
        TopicRecord.write(self.discoveryTopics, as: "discovery", below: self.id, to: &writer)
        if let announcedEntities { writer.member("entities", announcedEntities.json) }
        if self.isSlugChosen { writer.member("slug_chosen", true) }
        if !self.preferences.isEmpty { writer.member("options", JSONValue.object(self.preferences.json)) }
        if let keyFingerprint { writer.member("key", keyFingerprint) }
        if let launched { writer.member(launched.isHeld ? "owned_session" : "launched_session", launched.sessionID) }
        if let lastSeen { writer.member("last_seen", lastSeen.text) }
        if self.isExcluded { writer.member("excluded", true) }
        if let removal { writer.member("removed", removal.rawValue) }
        writer.endObject()
        return writer.bytes
    }
}
