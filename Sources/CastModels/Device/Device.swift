/// One Cast device or speaker group, as discovery and its control link describe it (SDK: `GCKDevice`).
public struct Device: Sendable, Hashable, Identifiable {
    /// The TXT key `id`, in lower case without hyphens: 1 to 64 characters of `[0-9a-z]`. An id is never an address and never a name.
    public typealias ID = String

    public var id: ID
    /// The name that the owner gave the device (`fn`). It is not unique and can change at any time.
    public var friendlyName: String
    /// The model name (`md`), empty when not announced.
    public var modelName: String
    /// The capability bits (`ca`); `nil` when the device announced no bits that parse.
    public var capabilities: DeviceCapabilities?
    /// The addresses and ports of the control link; several while a group moves. Never empty for a device that can be connected to.
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

    /// The source of the id: only an announcement, or the control link.
    public enum Identity: String, Sendable, Hashable { case announced, verified }

    /// The kind of device (SDK: `GCKDeviceType`).
    public enum Kind: String, Sendable, Hashable { case cast, audio, group, stereoPair = "stereo_pair" }

    /// The kind, derived from capabilities, port and model. Any sign of a group makes the device a group, since groups omit keys.
    public var kind: Kind {
        if let capabilities, capabilities.contains(.multichannelGroup) { return .stereoPair }
        if self.isGroup { return .group }
        if let capabilities, capabilities.contains(.audioOut), !capabilities.contains(.videoOut) { return .audio }
        return .cast
    }

    /// Whether the group was formed for one playback ("play on more speakers"). Such a group has no lasting identity.
    public var isDynamicGroup: Bool { self.capabilities?.contains(.dynamicGroup) ?? false }

    /// Whether the device is one half of a stereo pair. Commands go to the pair.
    public var isStereoPairMember: Bool { self.capabilities?.contains(.multichannelMember) ?? false }

    /// Whether the device plays on several speakers. A group's address moves with its leader.
    public var isGroup: Bool {
        if let capabilities, !capabilities.isDisjoint(with: [.multizoneGroup, .dynamicGroup]) { return true }
        return self.modelName == "Google Cast Group"
    }
}
