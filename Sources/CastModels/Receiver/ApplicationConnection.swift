/// How we are connected to the running application.
public struct ApplicationConnection: Sendable, Hashable {
    public var kind: Kind
    /// Whether we launched the application.
    public var isOurs: Bool
    /// Whether others launched the application and we joined it.
    public var isJoined: Bool

    public init(_ kind: Kind, isOurs: Bool = false, isJoined: Bool = false) {
        self.kind = kind
        self.isOurs = isOurs
        self.isJoined = isJoined
    }

    /// Whether we launched or joined the application, so that it stays open for us.
    public var isHeld: Bool { self.isOurs || self.isJoined }

    /// The kind of the virtual connection; the raw values are the words of the bridge's `app` document.
    public enum Kind: String, Sendable, Hashable {
        /// Nothing runs, or it has no player to connect to.
        case none
        /// We watch; the application doesn't know of us.
        case invisible
        /// The application counts us as a sender and stays open for us.
        case strong
    }
}
