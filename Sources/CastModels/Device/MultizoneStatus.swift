/// The members of a speaker group, as its leader reports them (SDK: `GCKMultizoneStatus`).
public struct MultizoneStatus: Sendable, Hashable {
    public var devices: [MultizoneDevice]
    /// Whether the group is a stereo pair; `nil` when not reported.
    public var isMultichannel: Bool?
    /// How playback may move between devices; `nil` when not reported.
    public var playbackSession: PlaybackSession?

    public init(devices: [MultizoneDevice] = [], isMultichannel: Bool? = nil, playbackSession: PlaybackSession? = nil) {
        self.devices = devices
        self.isMultichannel = isMultichannel
        self.playbackSession = playbackSession
    }

    /// How playback may move between devices. Each field is `nil` when not reported.
    public struct PlaybackSession: Sendable, Hashable {
        /// Whether the application lets speakers join while it plays.
        public var appAllowsGrouping: Bool?
        public var isVideoContent: Bool?
        /// Whether the application can continue on another device.
        public var streamTransferSupported: Bool?

        public init(appAllowsGrouping: Bool? = nil, isVideoContent: Bool? = nil, streamTransferSupported: Bool? = nil) {
            self.appAllowsGrouping = appAllowsGrouping
            self.isVideoContent = isVideoContent
            self.streamTransferSupported = streamTransferSupported
        }
    }
}

/// A group that a speaker belongs to.
public struct CastingGroup: Sendable, Hashable, Identifiable {
    public var id: Device.ID
    public var friendlyName: String?

    public init(id: Device.ID, friendlyName: String? = nil) { (self.id, self.friendlyName) = (id, friendlyName) }
}

/// One member of a speaker group (SDK: `GCKMultizoneDevice`).
public struct MultizoneDevice: Sendable, Hashable, Identifiable {
    public var id: Device.ID
    public var friendlyName: String?
    public var capabilities: DeviceCapabilities?
    public var volume: DeviceVolume?
    /// The id as the group spells it (with hyphens, in capitals), where that differs from `id`.
    package var spelledID: String?

    public init(id: Device.ID, friendlyName: String? = nil, capabilities: DeviceCapabilities? = nil, volume: DeviceVolume? = nil) {
        self.id = id
        self.friendlyName = friendlyName
        self.capabilities = capabilities
        self.volume = volume
    }
}
