import NIOCore

/// How far a request has come: whether it was answered, whether the peer shows the state that it asks for, and when it ends. Does no I/O
/// and owns no timer.
///
/// ```
/// waiting ──(answer: the state shows, or is not reported)──► done with that answer
///    ├──(answer: another state)──► confirming ──(it shows)──► ending(observed)
///    │                                 ├──(`patience` passes)──► notApplied, overtaken; unsettled while the player loads
///    │                                 └──(its media ends)──► ending(mediaEnded)
///    ├──(the state shows)──► ending(observed) ──(answer, or `grace` passes)──► done
///    └──(`deadline` passes)──► timedOut, ignored, silent
/// ```
struct RequestProgress {
    /// How a request ends without its own answer.
    enum End: Equatable {
        case timedOut
        /// The request was ignored, like an earlier one of its type: no answer came, and the peer sent nothing else.
        case ignored
        /// The peer sent nothing at all, not even its status when it was asked for.
        case silent
        case observed
        /// It was answered, and the peer shows another state.
        case notApplied
        /// It was answered, and the player still loads or buffers.
        case unsettled
        /// It was answered, and then another sender replaced what it asked for.
        case overtaken
        /// It was answered, and its media session has ended.
        case mediaEnded
    }

    enum Phase: Equatable {
        case waiting
        /// The request was answered, and its state does not show.
        /// - rest: the time that is left once the player has loaded; `nil` while it counts.
        case confirming(rest: TimeAmount?)
        /// The request ends at its deadline, unless its own answer comes first.
        case ending(End)
    }

    /// How long an answered request waits for its state. Some receivers answer with the former level, some change it in steps.
    static let patience = TimeAmount.seconds(2)
    /// How long after the answer the peer is asked for its state, because some report a change only on request.
    static let questionDelay = TimeAmount.milliseconds(100)
    /// The smallest change of a level.
    private static let change = 0.001

    private(set) var phase = Phase.waiting
    private var deadline: NIODeadline
    /// The deadline once the peer has shown that it works.
    private let limit: NIODeadline
    private let grace: TimeAmount
    /// When to ask the peer, unless the request was answered, since the answer may be lost.
    private var probe: NIODeadline?
    private let isProbed: Bool
    /// The deadline that applies until the peer sends a broadcast, where an earlier request of this type was ignored, or any message, where
    /// the peer may be dead.
    private var silence: (deadline: NIODeadline, end: End)?
    /// Whether the peer has sent any message since the request.
    private var isHeard = false
    /// Whether the peer has sent a broadcast, so that it may be working on the request.
    private(set) var isPeerActive = false
    /// How far the level last was from the wanted one.
    private var distance: Double?
    /// Whether the level last moved away from the wanted one.
    private var movesAway = false
    private var question: Question

    /// The one question to the peer for its state.
    private enum Question: Equatable {
        /// - afterStatus: whether a status that does not show the state causes it before the answer does.
        case none(afterStatus: Bool)
        case due(NIODeadline)
        case asked
    }

    init(_ terms: RequestTerms, now: NIODeadline) {
        self.deadline = now + terms.timeout
        self.limit = now + max(terms.timeout, terms.limit ?? terms.timeout)
        self.grace = terms.grace
        self.probe = terms.probe.map { now + $0 }
        self.isProbed = terms.probe != nil
        self.silence = terms.silence.map { (now + $0, .silent) }
        // Statuses may leave the queue out, so that one that does not show it is reason enough to ask.
        self.question = .none(afterStatus: terms.observed.source == .queue)
    }

    /// An earlier request of this type was ignored, so that silence means the same.
    mutating func expectSilence(until deadline: NIODeadline) { self.silence = (deadline, .ignored) }

    var endTime: NIODeadline { self.silence?.deadline ?? self.deadline }

    /// Whether the peer lives, as far as is known, and has shown nothing of the request.
    var isUnnoticed: Bool { self.phase == .waiting && !self.isPeerActive && (self.isHeard || !self.isProbed) }

    /// When `asks` or the end is due.
    var dueTime: NIODeadline {
        let end = min(self.endTime, self.probe ?? .distantFuture)
        return if case .due(let time) = self.question { min(time, end) } else { end }
    }

    /// How the request ends at `endTime`.
    var end: End {
        switch self.phase {
        case .waiting: self.silence?.end ?? (self.isProbed && !self.isHeard ? .silent : .timedOut)
        case .confirming(let rest): rest != nil ? .unsettled : self.movesAway ? .overtaken : .notApplied
        case .ending(let end): end
        }
    }

    /// The receiver reported that it needs longer.
    mutating func extend(to deadline: NIODeadline) {
        guard self.phase == .waiting, deadline > self.deadline else { return }
        self.deadline = deadline
        self.silence = nil
    }

    /// The peer sent a message. A broadcast means that it may be working on the request.
    mutating func heard(isBroadcast: Bool) {
        self.isHeard = true
        if isBroadcast || self.silence?.end == .silent { self.silence = nil }
        guard isBroadcast else { return }
        self.isPeerActive = true
        if self.phase == .waiting { self.deadline = max(self.deadline, self.limit) }
    }

    /// Handles the answer.
    ///
    /// - Parameter evidence: what the peer shows, the answer included.
    /// - Returns: whether the request is done.
    mutating func answered(_ evidence: ObservedState.Evidence, now: NIODeadline) -> Bool {
        if self.phase == .ending(.observed) || evidence == .shown || evidence == .unreported { return true }
        if self.phase == .waiting {
            self.phase = .confirming(rest: nil)
            self.probe = nil
            self.deadline = now + Self.patience
            self.silence = nil
            if case .none = self.question { self.question = .due(now + Self.questionDelay) }
        }
        self.follow(evidence, now: now)
        return false
    }

    /// Handles a status.
    mutating func follow(_ evidence: ObservedState.Evidence, now: NIODeadline) {
        switch (self.phase, evidence) {
        case (.ending, _): break
        case (.waiting, .shown): self.end(as: .observed, at: min(self.deadline, now + self.grace))
        case (.waiting, .other(let distance)):
            self.distance = distance
            if self.question == .none(afterStatus: true) { self.question = .due(now + Self.questionDelay) }
        case (.waiting, _): break
        case (.confirming, .shown), (.confirming, .unreported): self.end(as: .observed, at: now)
        case (.confirming, .overtaken): self.end(as: .overtaken, at: now)
        case (.confirming, .ended): self.end(as: .mediaEnded, at: now)
        case (.confirming(rest: nil), .onTheWay):
            self.phase = .confirming(rest: self.deadline - now)
            self.deadline = max(self.limit, self.deadline)
        case (.confirming, .onTheWay): break
        case (.confirming(let rest), .other(let distance)):
            if let rest {
                self.phase = .confirming(rest: nil)
                self.deadline = now + rest
            }
            self.approach(distance, now: now)
        }
    }

    /// Returns whether to ask the peer for its state now; once for a request.
    mutating func asks(now: NIODeadline) -> Bool {
        if let probe, probe <= now {
            self.probe = nil
            return true
        }
        guard case .due(let time) = self.question, time <= now else { return false }
        self.question = .asked
        return true
    }

    private mutating func end(as end: End, at time: NIODeadline) {
        self.phase = .ending(end)
        self.probe = nil
        self.question = .asked
        self.deadline = time
        self.silence = nil
    }

    /// A level that moves towards the wanted one gets more time. One that moves away and stays there was set by another sender; before that,
    /// it may come from an earlier request.
    private mutating func approach(_ distance: Double?, now: NIODeadline) {
        defer { self.distance = distance }
        guard let distance, let former = self.distance, abs(distance - former) > Self.change else { return }
        self.movesAway = distance > former
        if !self.movesAway { self.deadline = min(now + Self.patience, max(self.limit, self.deadline)) }
    }
}
