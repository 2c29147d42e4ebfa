import CastModels

/// What is remembered of a device over restarts.
package struct KnownDevice: Sendable, Hashable, Identifiable {
    package var id: Device.ID
    package var slug: String
    package var name: String
    /// Empty when it never told.
    package var model: String
    /// Where it was last; tried at once after a start.
    package var endpoints: [DeviceEndpoint]
    package var capabilities: DeviceCapabilities?
    package var identity: Device.Identity
    /// Every topic ever published retained for it, so that each can be cleared some day.
    package var topics: Set<String>
    /// The same for what announces it to Home Assistant, outside the tree.
    package var discoveryTopics: Set<String>
    /// What Home Assistant may have of it beside what every device has; `nil` when it was never told, or an older version wrote the record.
    package var announcedEntities: OptionalEntities?
    /// Whether somebody chose the slug: then no new name changes it.
    package var isSlugChosen = false
    /// What requests chose for it; the configuration's choices are not among them.
    package var preferences = DevicePreferences()
    /// The key that it proved to have first: SHA-256, hexadecimal.
    package var keyFingerprint: String?
    /// The run of an application that the bridge launched there: it stays the bridge's over a restart.
    package var ownedSessionID: String?
    /// When it was last available, to a day; `nil` when never, or when an older version wrote the record.
    package var lastSeen: Timestamp?
    /// Somebody removed it: its topics are being cleared, and it is left alone until it is heard of again.
    package var removal: Removal?

    /// Whether it could run none of the required applications when it was asked last. Then it has no topics, but keeps its slug.
    package var isExcluded = false

    /// What stays of a removed device when its topics are cleared.
    package enum Removal: String, Sendable, Hashable, CaseIterable {
        /// Its slug, should it come back.
        case keepingSlug = "keep_slug"
        /// Nothing.
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

/// The MQTT version a broker turned out to need.
package struct RememberedProtocol: Sendable, Hashable {
    /// Only the older version needs remembering: the newer one is tried anyway.
    package enum Version: String, Sendable, Hashable { case v5 = "5", v311 = "3.1.1" }

    package var version: Version
    /// After this it is found out anew.
    package var until: Timestamp

    package init(version: Version, until: Timestamp) {
        self.version = version
        self.until = until
    }
}
