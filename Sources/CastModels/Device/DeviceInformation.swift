/// The information that a device reports about itself over its control link. Every field may be missing.
public struct DeviceInformation: Sendable, Hashable {
    public var id: Device.ID?
    public var friendlyName: String?
    public var modelName: String?
    public var manufacturer: String?
    public var capabilities: DeviceCapabilities?
    /// The revision of the Cast software (`1.56.281627`).
    public var castBuildRevision: String?
    /// The build number of the operating system.
    public var systemBuildNumber: String?
    public var macAddress: String?

    public init(id: Device.ID? = nil, friendlyName: String? = nil, modelName: String? = nil, capabilities: DeviceCapabilities? = nil) {
        self.id = id
        self.friendlyName = friendlyName
        self.modelName = modelName
        self.capabilities = capabilities
    }
}
