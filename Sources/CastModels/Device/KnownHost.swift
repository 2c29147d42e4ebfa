/// A device's host that the user names because discovery doesn't reach it.
public struct KnownHost: Sendable, Hashable, CustomStringConvertible {
    public var endpoint: DeviceEndpoint
    /// Used only when the device itself doesn't tell its id.
    public var id: Device.ID?

    public init(endpoint: DeviceEndpoint, id: Device.ID? = nil) {
        self.endpoint = endpoint
        self.id = id
    }

    /// Reads what `DeviceEndpoint` reads; `nil` for anything else.
    public init?(_ text: String) {
        guard let endpoint = DeviceEndpoint(text) else { return nil }
        self.init(endpoint: endpoint)
    }

    public var description: String { self.endpoint.description }
}
