/// Whether a device can run an application: the answer to GET_APP_AVAILABILITY of the receiver namespace.
public struct ApplicationAvailability: RawRepresentable, Sendable, Hashable {
    /// The word on the wire.
    public var rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let available = Self(rawValue: "APP_AVAILABLE")
    /// The device cannot run it (for example video on a speaker), or the id is unknown.
    public static let unavailable = Self(rawValue: "APP_UNAVAILABLE")
}
