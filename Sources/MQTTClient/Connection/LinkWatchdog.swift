/// Detects a dead link within a limit, independently of the keep-alive: it pings after half the limit of silence and closes the link at its
/// end.
///
/// Any inbound bytes count as a sign of life. Silence is measured from the last of them, so the limit applies from the moment the link
/// died.
struct LinkWatchdog: Sendable {
    enum Action { case ping, giveUp }

    /// The longest time in which a dead link goes unnoticed.
    let limit: Duration
    /// The silence after which we ping.
    let interval: Duration
    /// When `tick` is due without traffic.
    private(set) var deadline: Duration

    private var lastReceived: Duration
    private var pinged = false

    init(limit: Duration, now: Duration) {
        self.limit = limit
        self.interval = limit / 2
        self.lastReceived = now
        self.deadline = now + self.interval
    }

    mutating func received(now: Duration) {
        self.lastReceived = now
        self.pinged = false
        self.deadline = now + self.interval
    }

    /// Pings at once and waits a third of the limit, after an event that links often do not survive (the network changed, the machine
    /// slept).
    mutating func suspect(now: Duration) -> Action {
        let answerBy = now + self.limit / 3
        self.deadline = self.pinged ? min(self.deadline, answerBy) : answerBy
        self.pinged = true
        return .ping
    }

    mutating func tick(now: Duration) -> Action? {
        guard now >= self.deadline else { return nil }
        if self.pinged { return .giveUp }
        self.pinged = true
        // A sixteenth of the limit is left for the caller's own delays. A late tick (this process was stopped) still gives the broker time
        // to answer.
        self.deadline = max(self.lastReceived + self.limit * 15 / 16, now + self.limit / 3)
        return .ping
    }
}
