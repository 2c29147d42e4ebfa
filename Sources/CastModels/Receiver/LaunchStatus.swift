/// The progress of a launch: LAUNCH_STATUS of the receiver namespace. It never reports the success itself.
public struct LaunchStatus: RawRepresentable, Sendable, Hashable {
    /// The word on the wire.
    public var rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The device asks the viewers for permission; the launch then has two minutes.
    public static let userPendingAuthorization = Self(rawValue: "USER_PENDING_AUTHORIZATION")
    /// The launch is permitted. Some receivers report this at once, without asking.
    public static let userAllowed = Self(rawValue: "USER_ALLOWED")
}
