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

    public init(version: Version, until: Timestamp) {
        self.version = version
        self.until = until
    }
}
