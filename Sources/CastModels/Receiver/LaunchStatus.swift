/// How far a launch has come: LAUNCH_STATUS of the receiver namespace. Never the success itself.
public struct LaunchStatus: RawRepresentable, Sendable, Hashable {
    /// The word on the wire.
    public var rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The people before the screen are being asked; a launch then has two minutes.
    public static let userPendingAuthorization = Self(rawValue: "USER_PENDING_AUTHORIZATION")
    /// Nobody objects, or nobody was asked: some receivers say so at once.
    public static let userAllowed = Self(rawValue: "USER_ALLOWED")
}
