import CastModels

/// Decides what happens to one session when its link, its application or its user act. Does no I/O and owns no timer.
///
/// A session lasts longer than its links: it begins with `start` or `resumeStored` and is over after a transition that says so.
struct SessionLifecycle {
    private enum Phase: Equatable {
        case new
        case starting(isAsking: Bool)
        case started
        /// The link broke and is being made anew without end.
        case interrupted
        /// The application ended while it played; the stream is looked for on other devices.
        case searching
        /// We left; nothing happens by itself.
        case left(SuspendReason)
        case resuming
        case ending
        case over
    }

    enum Action: Equatable {
        case tell(SessionTransition)
        case openLink
        /// Leave the device; applications keep running.
        case closeLink
        /// Take the application's run up again over the new link.
        case attach
        /// Look for the stream on other devices.
        case search
    }

    private var phase = Phase.new

    /// `nil` before the session begins and when it is over.
    var state: SessionState? {
        switch self.phase {
        case .new, .over: nil
        case .starting(let isAsking): isAsking ? .waitingForPermission : .starting
        case .started: .started
        case .interrupted: .suspended(.networkError)
        case .searching: .suspended(.streamLost)
        case .left(let reason): .suspended(reason)
        case .resuming: .resuming
        case .ending: .ending
        }
    }

    var isOver: Bool { self.phase == .over }

    // MARK: - What the user wants

    mutating func start() -> [Action] {
        guard self.phase == .new else { return [] }
        self.phase = .starting(isAsking: false)
        return [.tell(.willStart), .openLink]
    }

    /// Takes up a session that another run of the program left.
    mutating func resumeStored() -> [Action] {
        guard self.phase == .new else { return [] }
        self.phase = .resuming
        return [.tell(.willResume), .openLink]
    }

    mutating func suspend(_ reason: SuspendReason) -> [Action] {
        switch self.phase {
        case .started, .interrupted:
            self.phase = .left(reason)
            return [.closeLink, .tell(.didSuspend(reason))]
        case .new, .starting, .searching, .left, .resuming, .ending, .over: return []
        }
    }

    /// One that was interrupted resumes by itself.
    mutating func resume() -> [Action] {
        guard case .left = self.phase else { return [] }
        self.phase = .resuming
        return [.tell(.willResume), .openLink]
    }

    mutating func end() -> [Action] {
        switch self.phase {
        case .started, .interrupted, .left:
            self.phase = .ending
            return [.tell(.willEnd)]
        // Nothing runs that could be stopped.
        case .searching: return [.tell(.willEnd)] + self.finish(.didEnd(nil))
        case .starting, .resuming: return self.failed(CastError(.cancelled, detail: "the session was ended before it began"))
        case .new, .ending, .over: return []
        }
    }

    /// What `end` had to do is done, or failed.
    mutating func ended(_ error: CastError?) -> [Action] {
        guard self.phase == .ending else { return [] }
        return self.finish(.didEnd(error))
    }

    // MARK: - What the link and the application do

    /// The receiver asks the people before the screen, or they have answered.
    mutating func permission(isAsking: Bool) -> [Action] {
        guard case .starting(let wasAsking) = self.phase, wasAsking != isAsking else { return [] }
        self.phase = .starting(isAsking: isAsking)
        return isAsking ? [.tell(.waitsForPermission)] : []
    }

    /// The application runs and knows us.
    mutating func started() -> [Action] {
        guard case .starting = self.phase else { return [] }
        self.phase = .started
        return [.tell(.didStart)]
    }

    /// Starting or resuming came to nothing.
    mutating func failed(_ error: CastError) -> [Action] {
        switch self.phase {
        case .starting: self.finish(.didFailToStart(error))
        case .resuming: self.finish(.didFailToResume(error))
        case .searching: self.finish(.didEnd(error))
        case .new, .started, .interrupted, .left, .ending, .over: []
        }
    }

    /// The link is gone; it is being made anew as long as `mayResume`.
    mutating func linkLost(_ error: CastError, mayResume: Bool) -> [Action] {
        guard self.phase == .started else { return [] }
        guard mayResume else { return self.finish(.didEnd(error)) }
        self.phase = .interrupted
        return [.tell(.didSuspend(.networkError))]
    }

    /// There is a link, over which the receiver has told what runs.
    mutating func linkReady(isStillRunning: Bool) -> [Action] {
        let gone = CastError(.applicationNotRunning, detail: "the application ended meanwhile")
        switch self.phase {
        case .interrupted:
            guard isStillRunning else { return [.tell(.willResume)] + self.finish(.didFailToResume(gone)) }
            self.phase = .started
            return [.tell(.willResume), .attach, .tell(.didResume)]
        case .resuming:
            guard isStillRunning else { return self.finish(.didFailToResume(gone)) }
            self.phase = .started
            return [.attach, .tell(.didResume)]
        case .new, .starting, .started, .searching, .left, .ending, .over: return []
        }
    }

    /// The receiver's status no longer shows the application's run.
    /// - Parameter mayHaveMoved: whether it played, and what it played may go on elsewhere.
    mutating func applicationGone(mayHaveMoved: Bool = false) -> [Action] {
        guard self.phase == .started else { return [] }
        guard mayHaveMoved else { return self.finish(.didEnd(Self.applicationEnded)) }
        self.phase = .searching
        return [.closeLink, .tell(.didSuspend(.streamLost)), .search]
    }

    /// The stream was found on another device, whose session this is from now on; or it was not.
    mutating func searched(isFound: Bool) -> [Action] {
        guard self.phase == .searching else { return [] }
        guard isFound else { return self.finish(.didEnd(Self.applicationEnded)) }
        self.phase = .resuming
        return [.tell(.willResume), .openLink]
    }

    private static var applicationEnded: CastError { CastError(.applicationNotRunning, detail: "the application ended") }

    /// An interrupted session, or one of an earlier run, has waited long enough.
    mutating func resumeTimedOut() -> [Action] {
        guard self.phase == .interrupted || self.phase == .resuming else { return [] }
        return self.finish(.didFailToResume(CastError(.timeout, detail: "the device could not be reached in time")))
    }

    private mutating func finish(_ transition: SessionTransition) -> [Action] {
        self.phase = .over
        return [.closeLink, .tell(transition)]
    }
}
