/// One Cast device or speaker group, as discovery and its control link describe it (SDK: `GCKDevice`).
public struct Device: Sendable, Hashable, Identifiable {
    /// The TXT key `id`, lower case without hyphens: 1 to 64 characters of `[0-9a-z]`. Never an address, never a name.
    public typealias ID = String

    public var id: ID
    /// The name its owner gave it (`fn`); not unique, changes at any time.
    public var friendlyName: String
    /// The model name (`md`), empty when not announced.
    public var modelName: String
    /// `nil` when the device announced none that parses.
    public var capabilities: DeviceCapabilities?
    /// Where its control link listens; several while a group moves. Never empty for a device that can be connected to.
    public var endpoints: [DeviceEndpoint]
    /// Whether the control link confirmed the id, or only an announcement claims it.
    public var identity: Identity
    /// TXT entries that have no field here, kept for diagnostics.
    public var unknownText: [String: String]

    public init(
        id: ID, friendlyName: String, modelName: String = "", capabilities: DeviceCapabilities? = nil, endpoints: [DeviceEndpoint] = [],
        identity: Identity = .announced, unknownText: [String: String] = [:]
    ) {
        self.id = id
        self.friendlyName = friendlyName
        self.modelName = modelName
        self.capabilities = capabilities
        self.endpoints = endpoints
        self.identity = identity
        self.unknownText = unknownText
    }

    /// How sure the id is.
    public enum Identity: String, Sendable, Hashable { case announced, verified }

    /// What kind of thing it is (SDK: `GCKDeviceType`).
    public enum Kind: String, Sendable, Hashable { case cast, audio, group, stereoPair = "stereo_pair" }

    /// Derived from capabilities, port and model: any sign of a group makes it one, since groups omit keys.
    public var kind: Kind {
        if let capabilities, capabilities.contains(.multichannelGroup) { return .stereoPair }
        if self.isGroup { return .group }
        if let capabilities, capabilities.contains(.audioOut), !capabilities.contains(.videoOut) { return .audio }
        return .cast
    }

    /// A group made on the fly ("play on more speakers"): it has no lasting identity.
    public var isDynamicGroup: Bool { self.capabilities?.contains(.dynamicGroup) ?? false }

    /// One half of a stereo pair, which is addressed as the pair.
    public var isStereoPairMember: Bool { self.capabilities?.contains(.multichannelMember) ?? false }

    /// Whether it plays on several devices; a group's address moves with its leader.
    public var isGroup: Bool {
        if let capabilities, !capabilities.isDisjoint(with: [.multizoneGroup, .dynamicGroup]) { return true }
        return self.modelName == "Google Cast Group"
    }
}
