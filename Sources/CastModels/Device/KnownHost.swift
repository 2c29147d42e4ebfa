/// The host of a device that the user names because discovery does not reach it.
public struct KnownHost: Sendable, Hashable, CustomStringConvertible {
    public var endpoint: DeviceEndpoint
    /// The id to use when the device itself does not report one.
    public var id: Device.ID?

    public init(endpoint: DeviceEndpoint, id: Device.ID? = nil) { (self.endpoint, self.id) = (endpoint, id) }

    /// Parses the same forms as `DeviceEndpoint`; `nil` for any other text.
    public init?(_ text: String) {
        guard let endpoint = DeviceEndpoint(text) else { return nil }
        self.init(endpoint: endpoint)
    }

    public var description: String { self.endpoint.description }
}
