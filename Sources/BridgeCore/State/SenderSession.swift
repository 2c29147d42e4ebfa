import CastModels

/// The session of the bridge with an application on a device: the bridge launched or joined it, and the application counts it as a sender.
///
/// ```
///              launch begins                 launched or joined
///    none ◄──────────────────► connecting ─────────────────────► connected ◄─┐ the application still runs
///     ▲                                                              │       │
///     │ left, or the application is no more                          │ offline: suspended ─► resuming
///     └──────────────────────────────────────────────────────────────┘
/// ```
///
/// Does no I/O. Losses of the link within the grace period of availability are not reported to it.
struct SenderSession: Sendable, Hashable {
    /// The values of `app.session.phase`.
    enum Phase: String, Sendable, Hashable, CaseIterable {
        /// The bridge is not a sender; it may observe.
        case none
        /// An application is being launched.
        case connecting
        /// The application counts the bridge as a sender.
        case connected
        /// The device is offline; the session continues if the application is still running when the device is online again.
        case suspended
        /// The device is connected again and its state is being read.
        case resuming
    }

    /// A change of a session that is reported as an event.
    enum Transition: Sendable, Hashable {
        case started, resumed, suspended
        case ended(EndReason)
    }

    /// The reasons in the event `session_ended`.
    enum EndReason: String, Sendable, Hashable, CaseIterable {
        /// The bridge left the application.
        case left
        /// The bridge ended the application.
        case quit
        /// Another application, or another session of it, replaced it.
        case replaced
        /// Another sender or the device ended the application.
        case ended
    }

    private(set) var phase = Phase.none
    /// The id of the application session; `nil` in the phases `none` and `connecting`.
    private(set) var id: String?
    /// Whether the bridge launched the application; otherwise it joined it.
    private(set) var isOurs = false
    /// Whether the bridge has ended the application.
    private var isStopped = false
    /// The number of pending launches.
    private var launches = 0

    mutating func launchBegan() {
        self.launches += 1
        if self.phase == .none { self.phase = .connecting }
    }

    mutating func launchEnded() {
        self.launches = max(0, self.launches - 1)
        if self.phase == .connecting, self.launches == 0 { self.phase = .none }
    }

    /// The bridge ended the application; its end is not reported yet.
    mutating func stopped() { self.isStopped = true }

    /// The device reports how the bridge is connected to the application session `sessionID`.
    /// - Parameters:
    ///   - isOurs: whether the bridge launched it.
    ///   - isFirst: whether it is the first report over a link.
    mutating func connectionReported(
        _ connection: ApplicationConnection, to sessionID: String?, isOurs: Bool, isFirst: Bool
    ) -> Transition? {
        guard connection.isHeld, let sessionID else {
            return self.id == nil ? nil : self.end(.left)
        }
        self.isOurs = isOurs
        let former = self.phase
        (self.phase, self.id) = (.connected, sessionID)
        switch former {
        case .connected: return nil
        case .suspended, .resuming: return .resumed
        case .none, .connecting: return isFirst ? .resumed : .started
        }
    }

    /// The device now runs `application`.
    mutating func applicationChanged(to application: ReceiverApplication?) -> Transition? {
        guard let id, application?.sessionID != id else { return nil }
        if self.isStopped { return self.end(.quit) }
        return self.end(application.map { !$0.isIdleScreen } ?? false ? .replaced : .ended)
    }

    /// The link is lost: launches are no longer pending.
    mutating func linkLost() {
        self.launches = 0
        if self.phase == .connecting { self.phase = .none }
    }

    /// The device is offline.
    mutating func wentOffline() -> Transition? {
        switch self.phase {
        case .connected:
            self.phase = .suspended
            return .suspended
        case .resuming:
            self.phase = .suspended
            return nil
        case .none, .connecting, .suspended: return nil
        }
    }

    /// A device that was offline is connected again.
    mutating func answered() { if self.phase == .suspended { self.phase = .resuming } }

    private mutating func end(_ reason: EndReason) -> Transition {
        self = Self(phase: self.launches > 0 ? .connecting : .none, launches: self.launches)
        return .ended(reason)
    }

    init() {}

    private init(phase: Phase, launches: Int) { (self.phase, self.launches) = (phase, launches) }
}
