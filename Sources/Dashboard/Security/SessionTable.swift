import BridgeCore

/// The sessions of browsers that have signed in, by the SHA-256 of their ids: the content of the memory can't be used to sign in.
struct SessionTable {
    private struct Session {
        let role: WebRole
        /// The household from which the browser signed in.
        let client: NetworkAddress?
        let begun: Duration
        var used: Duration
    }

    /// The most sessions. A further one replaces the one used longest ago.
    static let maximumCount = 256
    /// The most sessions of one household and role. A further one replaces one of its own, so that repeated logins end no session of others.
    static let maximumPerClient = 16
    /// The longest time between two requests.
    static let idleLimit = Duration.seconds(7 * 86_400)
    /// The longest time after signing in.
    static let limit = Duration.seconds(30 * 86_400)

    private var sessions: [[UInt8]: Session] = [:]

    var count: Int { self.sessions.count }

    /// - Parameter client: the household that signs in; `nil` when it is not known, so that only the limit of all sessions applies.
    mutating func add(_ digest: [UInt8], role: WebRole, client: NetworkAddress? = nil, now: Duration) {
        self.sessions = self.sessions.filter { !Self.isOver($0.value, now) }
        let own = self.sessions.filter { client != nil && $0.value.client == client && $0.value.role == role }
        if own.count >= Self.maximumPerClient { self.removeOldest(of: own) }
        if self.sessions.count >= Self.maximumCount { self.removeOldest(of: self.sessions) }
        self.sessions[digest] = Session(role: role, client: client, begun: now, used: now)
    }

    private mutating func removeOldest(of sessions: [[UInt8]: Session]) {
        if let oldest = sessions.min(by: { $0.value.used < $1.value.used }) { self.sessions[oldest.key] = nil }
    }

    /// - Returns: the role of a valid session; `nil` when it is unknown or has expired.
    mutating func use(_ digest: [UInt8], now: Duration) -> WebRole? {
        guard var session = self.sessions[digest] else { return nil }
        guard !Self.isOver(session, now) else {
            self.sessions[digest] = nil
            return nil
        }
        session.used = now
        self.sessions[digest] = session
        return session.role
    }

    /// Returns whether there is such a session. Does not count as a use of it.
    func holds(_ digest: [UInt8], now: Duration) -> Bool { self.sessions[digest].map { !Self.isOver($0, now) } ?? false }

    mutating func remove(_ digest: [UInt8]) { self.sessions[digest] = nil }

    mutating func remove(all role: WebRole) { self.sessions = self.sessions.filter { $0.value.role != role } }

    private static func isOver(_ session: Session, _ now: Duration) -> Bool {
        now - session.begun >= self.limit || now - session.used >= self.idleLimit
    }
}
