/// The members of a speaker group, as its leader tells them (SDK: `GCKMultizoneStatus`).
public struct MultizoneStatus: Sendable, Hashable {
    public var devices: [MultizoneDevice]
    /// Whether the group is a stereo pair; `nil` when not told.
    public var isMultichannel: Bool?

    public init(devices: [MultizoneDevice] = [], isMultichannel: Bool? = nil) {
        self.devices = devices
        self.isMultichannel = isMultichannel
    }
}

/// One member of a speaker group (SDK: `GCKMultizoneDevice`).
public struct MultizoneDevice: Sendable, Hashable, Identifiable {
    public var id: Device.ID
    public var friendlyName: String?
    public var capabilities: DeviceCapabilities?
    public var volume: DeviceVolume?

    public init(id: Device.ID, friendlyName: String? = nil, capabilities: DeviceCapabilities? = nil, volume: DeviceVolume? = nil) {
        self.id = id
        self.friendlyName = friendlyName
        self.capabilities = capabilities
        self.volume = volume
    }
}
