/// How we are connected to the running application.
public struct ApplicationConnection: Sendable, Hashable {
    public var kind: Kind
    /// Whether we launched the application.
    public var isOurs: Bool

    public init(_ kind: Kind, isOurs: Bool = false) {
        self.kind = kind
        self.isOurs = isOurs
    }

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
