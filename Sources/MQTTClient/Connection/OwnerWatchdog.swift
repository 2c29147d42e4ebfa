/// Detects that the owner of the client no longer handles events: it sends checks regularly and gives up when one stays unanswered.
///
/// A link without a working owner would keep the broker from publishing the will. The link ends `limit` to one and a half times `limit`
/// after the owner's last answer.
struct OwnerWatchdog: Sendable {
    enum Action { case ask, giveUp }

    private let interval: Duration
    /// When `tick` is due.
    private(set) var deadline: Duration
    /// The number of ticks since the last unanswered check.
    private var unanswered = 0

    /// - Parameter limit: the longest time for an answer.
    init(limit: Duration, now: Duration) {
        self.interval = limit / 2
        self.deadline = now + self.interval
    }

    /// - Parameter hasAnswered: whether the last check was answered; also `true` before the first check.
    mutating func tick(now: Duration, hasAnswered: Bool) -> Action? {
        guard now >= self.deadline else { return nil }
        // This process was stopped, or got no processor time, so the owner could not answer either.
        let isLate = now >= self.deadline + self.interval
        self.deadline = now + self.interval
        guard !hasAnswered else {
            self.unanswered = 0
            return .ask
        }
        if !isLate { self.unanswered += 1 }
        return self.unanswered < 2 ? nil : .giveUp
    }
}
