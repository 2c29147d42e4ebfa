/// Our part in the application session that a device runs. The link to the device owns it and reports it whole with each change; everybody
/// else reads it.
public struct ApplicationSession: Sendable, Hashable {
    public var role: Role
    /// The id of the running application session; `nil` when none runs.
    public var id: String?
    /// The transport that we are connected to; `nil` without a connection.
    public var transportID: String?
    public var connection: Connection
    /// Whether we launched it; kept after we left it.
    public var isLaunched: Bool

    public init(
        _ role: Role = .none, id: String? = nil, transportID: String? = nil, connection: Connection = .none, isLaunched: Bool = false
    ) {
        self.role = role
        self.id = id
        self.transportID = transportID
        self.connection = connection
        self.isLaunched = isLaunched
    }

    /// What of it outlasts the link; `nil` when we have no part in it.
    public var participation: Participation? {
        let isHeld = self.role == .ours || self.role == .joined || self.role == .stopping && self.isLaunched
        guard let id, isHeld || self.isLaunched else { return nil }
        return Participation(sessionID: id, isLaunched: self.isLaunched, isHeld: isHeld)
    }

    /// What we are to the running application session.
    public enum Role: Sendable, Hashable, CaseIterable {
        /// No application runs.
        case none
        /// A launch of ours has no result yet. We have no part in the application that runs meanwhile.
        case launching
        /// A launch of ours waits for the viewers' permission.
        case waitingForPermission
        /// We launched it, and it counts us as a sender.
        case ours
        /// Another sender launched it, and it counts us as a sender.
        case joined
        /// We are no sender; it may be that we observe.
        case watched
        /// We asked the device to end it.
        case stopping
    }

    /// The kind of our virtual connection; the raw values are the words of the bridge's `app` document.
    public enum Connection: String, Sendable, Hashable {
        /// No application is running, it has no player to connect to, or it closed the connection.
        case none
        /// We only observe; the application does not see us as a sender.
        case invisible
        /// The application counts us as a sender and stays open.
        case strong
    }
}

/// Our part in one application session, which outlasts links and, where a program keeps it, runs of the program.
public struct Participation: Sendable, Hashable {
    public var sessionID: String
    /// Whether we launched it; kept after we left it.
    public var isLaunched: Bool
    /// Whether we are its sender; `false` after we left it, so that no later link joins it again.
    public var isHeld: Bool

    public init(sessionID: String, isLaunched: Bool = false, isHeld: Bool = true) {
        self.sessionID = sessionID
        self.isLaunched = isLaunched
        self.isHeld = isHeld
    }
}
