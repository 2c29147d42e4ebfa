import CastModels

/// Decides whether this member of a pair leads. Does no I/O and owns no timer.
///
/// ```
///  standby ─ three renewals missed, or released ─► claiming ─ own claim read back, the former lease over ─► leader ─ higher claim ─► deposed
///     ▲                                               │
///     └────────── another's claim came first ─────────┘
/// ```
///
/// A leader whose renewals the broker acknowledges too late can't act: it releases its claim each second in place of renewing it, so that a
/// standby with a better link leads, and renews it again once one of these messages is acknowledged in time. A standby claims only after
/// the broker has acknowledged a message of its own in time, so that two members with slow links don't end each other.
///
/// Safe without clocks in common, as long as the broker sends in the order in which it receives: a leader acts for `lease` after it *sent* a
/// renewal that was acknowledged, and a new one begins when `lease` has passed since it *received* the last renewal that the broker took
/// before its own claim. A renewal that overtakes the claim of a new leader, and so is retained in its place, is put right by that leader.
public struct PairElection: Sendable {
    public static let renewalInterval = Duration.seconds(1)
    /// How long an acknowledged renewal lets its sender act.
    public static let lease = Duration.seconds(2)
    /// How long a standby waits for a renewal: three are missed.
    public static let patience = Duration.seconds(3)
    /// After this time without an acknowledgement that comes in time, a leader releases its claim.
    static let unfitness = Self.lease + Self.patience
    /// After a deadline that is later than this, the standby has slept itself: renewals may wait to be read.
    static let lateness = Duration.milliseconds(400)

    public enum Role: String, Sendable, Hashable { case standby, claiming, leader, deposed }

    public enum Action: Sendable, Hashable {
        case publish(PairClaim)
        /// Send anything that the broker acknowledges.
        case probe
        /// Act from now on. `former` is the claim of the last leader, if there was one.
        case lead(former: PairClaim?)
        /// Another member leads: act no more.
        case standBack(by: PairClaim)
    }

    public private(set) var role = Role.standby
    /// The newest claim that was received from another run; `nil` before the first.
    public private(set) var foreign: PairClaim?
    /// How many claims in a row did not come back: the broker takes them and does not deliver them.
    public private(set) var unread = 0
    /// When the next `wake` is due; `nil` without a link.
    public private(set) var deadline: MonotonicTime?
    /// The claim of this run; its term counts while it claims or leads.
    public private(set) var own: PairClaim
    /// When this run's claim or its last acknowledged renewal was sent. Nobody claims the next term before `patience` has passed since.
    private var renewedAt: MonotonicTime?
    /// When the last renewal of another run was received; `nil` when its owner has released it.
    private var heardAt: MonotonicTime?
    /// When the broker last acknowledged in time what this member sent.
    private var fitAt: MonotonicTime?
    /// Whether a standby would claim, if its link were fit.
    private var isProbing = false
    /// The last renewal that did not say that this member leads.
    private var lastReleased = 0

    /// - Parameters:
    ///   - owner: the name of this member.
    ///   - run: any text that no other run has.
    public init(owner: String, run: String) { self.own = PairClaim(term: 0, owner: owner, run: run) }

    /// The link is up, and what the broker retained was received.
    public mutating func subscribed(now: MonotonicTime) -> [Action] {
        switch self.role {
        case .leader:
            self.fitAt = now
            if let renewedAt, now < renewedAt + Self.patience { return self.renew(now: now) }
            // What is retained may be an old renewal of our own, after the claim of a leader that acts.
            self.deadline = now + Self.lease
            return []
        case .standby, .claiming:
            self.role = .standby
            self.deadline = self.foreign?.isReleased == true ? now : now + Self.patience
            return []
        case .deposed: return []
        }
    }

    /// Nothing more is heard.
    public mutating func linkDown() {
        if self.role == .claiming { self.role = .standby }
        (self.deadline, self.isProbing) = (nil, false)
    }

    public mutating func received(_ claim: PairClaim, now: MonotonicTime) -> [Action] {
        guard claim.run != self.own.run else { return self.readBack(claim, now: now) }
        // An older leader that comes back will read the newer claim.
        guard claim.term >= self.foreign?.term ?? 0, self.role != .deposed else { return [] }
        let isCandidate = self.role != .standby
        if isCandidate, claim.term < self.own.term {
            // The former leader's last renewals: taken before our claim, or retained in its place.
            if !self.isTaken, !claim.isReleased { self.heardAt = now }
            return self.isTaken ? [.publish(self.own)] : []
        }
        if self.isTaken, claim.term == self.own.term {
            // A broker of several nodes lets both claims be the first; or ours was retained no more, and another one leads meanwhile. A claim
            // that was not renewed is that of a loser.
            let isAbsent = self.renewedAt.map { now >= $0 + Self.patience } ?? true
            guard claim.renewal > 0, isAbsent || (claim.owner, claim.run) > (self.own.owner, self.own.run) else { return [] }
        }
        self.foreign = claim
        self.heardAt = claim.isReleased ? nil : now
        guard self.role == .leader else {
            (self.role, self.isProbing) = (.standby, false)
            if self.deadline != nil { self.deadline = claim.isReleased ? now : now + Self.patience }
            return []
        }
        (self.role, self.deadline) = (.deposed, nil)
        return [.standBack(by: claim)]
    }

    /// Whether the broker took our claim before any other of its term.
    private var isTaken: Bool { self.role == .leader || self.role == .claiming && self.own.renewal > 0 }

    /// Our own claim came back: the broker has taken it, and all that it took before was received.
    private mutating func readBack(_ claim: PairClaim, now: MonotonicTime) -> [Action] {
        guard self.role == .claiming, claim.term == self.own.term, !self.isTaken else { return [] }
        if let heardAt, now < heardAt + Self.lease {
            // The leader may not have read the claim yet.
            self.deadline = heardAt + Self.lease
            self.own.renewal = 1
            return []
        }
        return self.lead(now: now)
    }

    public mutating func wake(now: MonotonicTime) -> [Action] {
        guard let deadline, now >= deadline else { return [] }
        switch self.role {
        case .leader:
            // After a sleep of its own a leader tries again.
            if now >= deadline + Self.lateness { self.fitAt = now }
            self.own.isReleased = self.own.isReleased || !self.isFit(now, within: Self.unfitness)
            return self.renew(now: now)
        case .claiming where self.isTaken: return self.lead(now: now)
        case .standby where now >= deadline + Self.lateness:
            self.deadline = now + Self.renewalInterval + Self.lateness
            return []
        case .standby where !self.isFit(now, within: Self.renewalInterval):
            (self.isProbing, self.deadline) = (true, now + Self.renewalInterval)
            return [.probe]
        case .standby, .claiming:
            self.isProbing = false
            // A claim that never came back is made again, with the same term: who can't read must not end leader after leader.
            if self.role == .claiming { self.unread += 1 }
            self.role = .claiming
            self.own.term = max(self.own.term, (self.foreign?.term ?? 0) + 1)
            self.own.renewal = 0
            (self.deadline, self.renewedAt) = (now + Self.patience, now)
            return [.publish(self.own)]
        case .deposed: return []
        }
    }

    private func isFit(_ now: MonotonicTime, within limit: Duration) -> Bool { self.fitAt.map { now < $0 + limit } ?? false }

    /// The broker has acknowledged what this member sent.
    /// - Parameters:
    ///   - renewal: that of the claim; `nil` for a probe.
    ///   - time: when it was sent.
    /// - Returns: whether it lets its sender act, for `lease` from `time`.
    public mutating func acknowledged(_ renewal: Int?, sentAt time: MonotonicTime, now: MonotonicTime) -> Bool {
        if now < time + Self.lease {
            self.fitAt = now
            self.own.isReleased = false
            if self.isProbing { self.deadline = now }
        }
        guard self.role == .leader, let renewal, renewal > self.lastReleased else { return false }
        self.renewedAt = max(self.renewedAt ?? time, time)
        return true
    }

    private mutating func lead(now: MonotonicTime) -> [Action] {
        (self.role, self.unread, self.fitAt) = (.leader, 0, now)
        return [.lead(former: self.foreign)] + self.renew(now: now)
    }

    private mutating func renew(now: MonotonicTime) -> [Action] {
        self.own.renewal += 1
        // Another member may claim at once.
        if self.own.isReleased { (self.lastReleased, self.renewedAt) = (self.own.renewal, nil) }
        self.deadline = now + Self.renewalInterval
        return [.publish(self.own)]
    }

    /// Gives up the leadership, because the process ends.
    /// - Returns: the last claim to publish; `nil` when this run does not lead.
    public mutating func release() -> PairClaim? {
        guard self.role == .leader else { return nil }
        (self.role, self.deadline) = (.deposed, nil)
        self.own.isReleased = true
        return self.own
    }
}
