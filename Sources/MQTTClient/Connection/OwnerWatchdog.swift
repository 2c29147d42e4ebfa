/// Notices that the owner of the client no longer handles events: asks it again and again, and gives up when a question stays unanswered.
///
/// A link that outlives the work of its owner would keep the will from saying so. The link ends `limit` to one and a half times `limit` after the owner's last turn.
struct OwnerWatchdog: Sendable {
    enum Action: Equatable {
        case none
        case ask
        case giveUp
    }

    private let interval: Duration
    /// When `tick` wants to be called next.
    private(set) var deadline: Duration
    /// Ticks since the last question without an answer.
    private var unanswered = 0

    /// - Parameter limit: longest time for an answer.
    init(limit: Duration, now: Duration) {
        self.interval = limit / 2
        self.deadline = now + self.interval
    }

    /// - Parameter hasAnswered: also `true` when nothing was asked yet.
    mutating func tick(now: Duration, hasAnswered: Bool) -> Action {
        guard now >= self.deadline else { return .none }
        // This process was stopped, or got no processor: the owner could not turn either.
        let isLate = now >= self.deadline + self.interval
        self.deadline = now + self.interval
        guard !hasAnswered else {
            self.unanswered = 0
            return .ask
        }
        if !isLate { self.unanswered += 1 }
        return self.unanswered < 2 ? .none : .giveUp
    }
}
