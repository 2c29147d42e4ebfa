/// How we are connected to the application that runs.
public enum ApplicationConnection: String, Sendable, Hashable {
    /// Nothing runs, or it has no player to talk to.
    case none
    /// We watch; the application doesn't know of us.
    case invisible
    /// The application counts us as a sender and stays open for us.
    case strong
}
