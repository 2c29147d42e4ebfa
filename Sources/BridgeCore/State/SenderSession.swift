import CastModels

/// The session of the bridge with an application on a device: the bridge launched or joined it, and the application counts it as a sender.
///
/// ```
///              launch begins                 launched or joined
///    none ◄──────────────────► connecting ─────────────────────► connected ◄─┐ the application still runs
///     ▲                        │ a person is asked:                  │       │
///     │                        waiting_for_permission                │       │
///     │ left, or the application is no more                          │ offline: suspended ─► resuming
///     └──────────────────────────────────────────────────────────────┘
/// ```
///
/// Reads the reports of the link and adds only the absences of the device. Does no I/O. Losses of the link within the grace period of
/// availability are not reported to it.
struct SenderSession: Sendable, Hashable {
    /// The values of `app.session.phase`.
    enum Phase: String, Sendable, Hashable, CaseIterable {
        /// The bridge is not a sender; it may observe.
        case none
        case connecting
        /// A launch waits until a person at the device permits it.
        case waitingForPermission = "waiting_for_permission"
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
        case left
        case quit
        case replaced
        /// Another sender or the device ended the application.
        case ended
    }

    private(set) var phase = Phase.none
    /// The id of the application session; `nil` unless the bridge is its sender.
    private(set) var id: String?
    /// Whether the bridge launched the application; otherwise it joined it.
    private(set) var isOurs = false
    private var isStopped = false
    /// Whether the next report is the first of a link, so that what it shows began earlier.
    private var isNew = true

    /// A link is ready; its reports follow.
    mutating func connected() { self.isNew = true }

    mutating func reported(_ part: ApplicationSession) -> Transition? {
        let isFirst = self.isNew
        self.isNew = false
        self.isStopped = part.role == .stopping
        switch part.role {
        case .stopping where self.id == part.id: return nil
        case .ours, .joined:
            let former = self.phase
            (self.phase, self.id, self.isOurs) = (.connected, part.id, part.isLaunched)
            switch former {
            case .connected: return nil
            case .suspended, .resuming: return .resumed
            case .none, .connecting, .waitingForPermission: return isFirst ? .resumed : .started
            }
        case .none, .watched, .stopping: return self.become(.none)
        case .launching: return self.become(.connecting)
        case .waitingForPermission: return self.become(.waitingForPermission)
        }
    }

    /// The device now runs `application`.
    mutating func applicationChanged(to application: ReceiverApplication?) -> Transition? {
        guard let id, application?.sessionID != id else { return nil }
        return self.end(self.isStopped ? .quit : application.map { !$0.isIdleScreen } ?? false ? .replaced : .ended)
    }

    /// The link is lost: launches are no longer pending.
    mutating func linkLost() { if self.id == nil { self.phase = .none } }

    mutating func wentOffline() -> Transition? {
        switch self.phase {
        case .connected:
            self.phase = .suspended
            return .suspended
        case .resuming:
            self.phase = .suspended
            return nil
        case .none, .connecting, .waitingForPermission, .suspended: return nil
        }
    }

    /// A device that was offline is connected again.
    mutating func answered() { if self.phase == .suspended { self.phase = .resuming } }

    private mutating func become(_ phase: Phase) -> Transition? {
        let transition = self.id.map { _ in self.end(.left) }
        self.phase = phase
        return transition
    }

    private mutating func end(_ reason: EndReason) -> Transition {
        (self.phase, self.id) = (.none, nil)
        return .ended(reason)
    }
}
