import CastModels

/// Decides which media status is shown. It hides the idle state that some receivers report between two items of a queue. Owns no timer.
struct ShownMediaStatus {
    /// How long a probably false end is held back.
    static let holdTime = Duration.seconds(3)

    private enum State {
        case shown
        /// The receiver reported the end of the shown session, but its queue may continue.
        case held(end: MediaStatus, until: MonotonicTime)
    }

    /// The status that readers see.
    private(set) var status: MediaStatus?
    private var state = State.shown

    enum Action: Equatable {
        /// `status` has changed.
        case show
        case none
        /// Call `tick` at this time.
        case wait(until: MonotonicTime)
    }

    mutating func update(_ status: MediaStatus?, at now: MonotonicTime) -> Action {
        switch self.state {
        case .shown:
            if let end = status, let shown = self.status, self.isGap(end, after: shown) {
                let until = now + Self.holdTime
                self.state = .held(end: end, until: until)
                return .wait(until: until)
            }
        case .held(_, let until):
            // A second end of the same session neither extends nor shortens the wait.
            if let end = status, end.isEnded, end.mediaSessionID == self.status?.mediaSessionID, Self.mayContinue(end) {
                self.state = .held(end: end, until: until)
                return .wait(until: until)
            }
        }
        self.state = .shown
        guard status != self.status else { return .none }
        self.status = status
        return .show
    }

    mutating func tick(at now: MonotonicTime) -> Action {
        guard case .held(let end, let until) = self.state else { return .none }
        guard now >= until else { return .wait(until: until) }
        self.state = .shown
        self.status = end
        return .show
    }

    private func isGap(_ end: MediaStatus, after shown: MediaStatus) -> Bool {
        end.isEnded && !shown.isEnded && end.mediaSessionID == shown.mediaSessionID && Self.mayContinue(end) && shown.queueContinues
    }

    /// Returns whether the queue may continue after this end. A stop and an error are final.
    private static func mayContinue(_ end: MediaStatus) -> Bool { end.idleReason == .finished || end.idleReason == nil }
}
