/// Finds a dead link within a limit, whatever the keep-alive: pings after half of it in silence, gives up at its end.
///
/// Any inbound bytes count as life. Silence is measured from the last of them, so the limit holds from the moment the link died.
struct LinkWatchdog: Sendable {
    enum Action: Equatable {
        case none
        case ping
        case giveUp
    }

    /// Longest time in which a dead link goes unnoticed.
    let limit: Duration
    /// Silence after which we ping.
    let interval: Duration
    /// When `tick` wants to be called next, without traffic.
    private(set) var deadline: Duration

    private var lastHeard: Duration
    private var pinged = false

    init(limit: Duration, now: Duration) {
        self.limit = limit
        self.interval = limit / 2
        self.lastHeard = now
        self.deadline = now + self.interval
    }

    mutating func heard(now: Duration) {
        self.lastHeard = now
        self.pinged = false
        self.deadline = now + self.interval
    }

    /// Something happened that links often do not survive (the network changed, the machine slept): ask at once, and wait a third of the limit.
    mutating func suspect(now: Duration) -> Action {
        let answerBy = now + self.limit / 3
        self.deadline = self.pinged ? min(self.deadline, answerBy) : answerBy
        self.pinged = true
        return .ping
    }

    mutating func tick(now: Duration) -> Action {
        guard now >= self.deadline else { return .none }
        if self.pinged { return .giveUp }
        self.pinged = true
        // A sixteenth of the limit is left for the caller's own delays. A tick that comes late (this process was stopped) still gives
        // the broker time to answer.
        self.deadline = max(self.lastHeard + self.limit * 15 / 16, now + self.limit / 3)
        return .ping
    }
}
