/// Our connection to the running application.
public struct ApplicationConnection: Sendable, Hashable {
    public var kind: Kind
    /// Whether we launched the application.
    public var isOurs: Bool
    /// Whether another sender launched the application and we joined it.
    public var isJoined: Bool

    public init(_ kind: Kind, isOurs: Bool = false, isJoined: Bool = false) {
        self.kind = kind
        self.isOurs = isOurs
        self.isJoined = isJoined
    }

    /// Whether we launched or joined the application. It then stays open as long as we are connected.
    public var isHeld: Bool { self.isOurs || self.isJoined }

    /// The kind of virtual connection; the raw values are the words of the bridge's `app` document.
    public enum Kind: String, Sendable, Hashable {
        /// No application is running, or it has no player to connect to.
        case none
        /// We only observe; the application does not see us as a sender.
        case invisible
        /// The application counts us as a sender and stays open.
        case strong
    }
}
