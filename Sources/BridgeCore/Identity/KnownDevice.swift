import CastModels

/// The data of a device that is kept across restarts.
package struct KnownDevice: Sendable, Hashable, Identifiable {
    package var id: Device.ID
    package var slug: String
    package var name: String
    /// The model; empty when it was never reported.
    package var model: String
    /// The last known endpoints; tried at once after a start.
    package var endpoints: [DeviceEndpoint]
    package var capabilities: DeviceCapabilities?
    package var identity: Device.Identity
    /// Every topic ever published retained for the device, so that each can be cleared later.
    package var topics: Set<String>
    /// Every topic of its Home Assistant announcements, outside the tree.
    package var discoveryTopics: Set<String>
    /// The optional entities that Home Assistant may have of the device; `nil` when it was never announced, or an older version wrote the
    /// record.
    package var announcedEntities: OptionalEntities?
    /// Whether a user chose the slug. A chosen slug does not follow the name.
    package var isSlugChosen = false
    /// The choices made by requests, without those of the configuration.
    package var preferences = DevicePreferences()
    /// The fingerprint of the first key that the device proved to have: SHA-256, hexadecimal.
    package var keyFingerprint: String?
    /// The id of the application session that the bridge launched; it remains the bridge's across a restart.
    package var ownedSessionID: String?
    /// The day when the device was last available; `nil` when never, or when an older version wrote the record.
    package var lastSeen: Timestamp?
    /// The pending removal: its topics are being cleared, and the device is ignored until it is seen again. `nil` when it is not being
    /// removed.
    package var removal: Removal?

    /// Whether its last answer listed none of the required applications. The device then has no topics and keeps its slug.
    package var isExcluded = false

    /// The data of a removed device that is kept after its topics are cleared.
    package enum Removal: String, Sendable, Hashable, CaseIterable {
        /// The slug, in case the device returns.
        case keepingSlug = "keep_slug"
        /// Nothing is kept.
        case forgetting = "forget"
    }

    package init(
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
package struct RememberedProtocol: Sendable, Hashable {
    /// The version to remember; only 3.1.1 matters, because 5 is tried anyway.
    package enum Version: String, Sendable, Hashable { case v5 = "5", v311 = "3.1.1" }

    package var version: Version
    /// The time after which the version is determined again.
    package var until: Timestamp

    package init(version: Version, until: Timestamp) {
        self.version = version
        self.until = until
    }
}
