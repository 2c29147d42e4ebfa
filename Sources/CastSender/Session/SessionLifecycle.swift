import CastModels

/// Decides the transitions of one session after requests of the caller and events of its link and application. Does no I/O and owns no
/// timer.
///
/// A session lasts longer than its links. It begins with `start` or `resumeStored`, and ends with `didFailToStart`, `didFailToResume` or
/// `didEnd`.
struct SessionLifecycle {
    private enum Phase: Equatable {
        case new
        case starting(isAsking: Bool)
        case started
        /// The link broke and is being reconnected without limit.
        case interrupted
        /// The application ended during playback; the stream is searched for on other devices.
        case searching
        /// Suspended by `suspend`; resumes only by `resume`.
        case suspended(SuspendReason)
        case resuming
        case ending
        case over
    }

    enum Action: Equatable {
        case report(SessionTransition)
        case openLink
        /// Disconnect from the device; applications keep running.
        case closeLink
        /// Search for the stream on other devices.
        case search
    }

    private var phase = Phase.new

    /// The state; `nil` before the session begins and after it has ended.
    var state: SessionState? {
        switch self.phase {
        case .new, .over: nil
        case .starting(let isAsking): isAsking ? .waitingForPermission : .starting
        case .started: .started
        case .interrupted: .suspended(.networkError)
        case .searching: .suspended(.streamLost)
        case .suspended(let reason): .suspended(reason)
        case .resuming: .resuming
        case .ending: .ending
        }
    }

    var isOver: Bool { self.phase == .over }

    // MARK: - Requests of the caller

    mutating func start() -> [Action] {
        guard self.phase == .new else { return [] }
        self.phase = .starting(isAsking: false)
        return [.report(.willStart), .openLink]
    }

    /// Resumes a session that an earlier run of the program stored.
    mutating func resumeStored() -> [Action] {
        guard self.phase == .new else { return [] }
        self.phase = .resuming
        return [.report(.willResume), .openLink]
    }

    mutating func suspend(_ reason: SuspendReason) -> [Action] {
        switch self.phase {
        case .started, .interrupted:
            self.phase = .suspended(reason)
            return [.closeLink, .report(.didSuspend(reason))]
        case .new, .starting, .searching, .suspended, .resuming, .ending, .over: return []
        }
    }

    /// Resumes a suspended session. An interrupted one resumes by itself.
    mutating func resume() -> [Action] {
        guard case .suspended = self.phase else { return [] }
        self.phase = .resuming
        return [.report(.willResume), .openLink]
    }

    mutating func end() -> [Action] {
        switch self.phase {
        case .started, .interrupted, .suspended:
            self.phase = .ending
            return [.report(.willEnd)]
        // There is no running application to stop.
        case .searching: return [.report(.willEnd)] + self.finish(.didEnd(nil))
        case .starting, .resuming: return self.failed(CastError(.cancelled, detail: "the session was ended before it began"))
        case .new, .ending, .over: return []
        }
    }

    /// Completes `end`, after the attempt to stop the application if one was requested.
    /// - Parameter error: the error of stopping the application; `nil` if it succeeded or was not requested.
    mutating func ended(_ error: CastError?) -> [Action] {
        guard self.phase == .ending else { return [] }
        return self.finish(.didEnd(error))
    }

    // MARK: - Events of the link and the application

    /// Handles the receiver's request for the viewers' permission (`isAsking`), or their answer.
    mutating func permission(isAsking: Bool) -> [Action] {
        guard case .starting(let wasAsking) = self.phase, wasAsking != isAsking else { return [] }
        self.phase = .starting(isAsking: isAsking)
        return isAsking ? [.report(.waitsForPermission)] : []
    }

    /// Handles a successful start: the application is running and counts us as a sender.
    mutating func started() -> [Action] {
        guard case .starting = self.phase else { return [] }
        self.phase = .started
        return [.report(.didStart)]
    }

    /// Handles a failed attempt to start or resume the session.
    mutating func failed(_ error: CastError) -> [Action] {
        switch self.phase {
        case .starting: self.finish(.didFailToStart(error))
        case .resuming: self.finish(.didFailToResume(error))
        case .searching: self.finish(.didEnd(error))
        case .new, .started, .interrupted, .suspended, .ending, .over: []
        }
    }

    /// Handles a lost link. Its supervisor reconnects it; the session waits for that if `mayResume`, and otherwise ends.
    mutating func linkLost(_ error: CastError, mayResume: Bool) -> [Action] {
        guard self.phase == .started else { return [] }
        guard mayResume else { return self.finish(.didEnd(error)) }
        self.phase = .interrupted
        return [.report(.didSuspend(.networkError))]
    }

    /// Handles a ready link, over which the receiver has reported its application.
    /// - Parameter isStillRunning: whether the application session of this session is running.
    mutating func linkReady(isStillRunning: Bool) -> [Action] {
        let applicationEndedError = CastError(.applicationNotRunning, detail: "the application ended meanwhile")
        switch self.phase {
        case .interrupted:
            guard isStillRunning else { return [.report(.willResume)] + self.finish(.didFailToResume(applicationEndedError)) }
            self.phase = .started
            return [.report(.willResume), .report(.didResume)]
        case .resuming:
            guard isStillRunning else { return self.finish(.didFailToResume(applicationEndedError)) }
            self.phase = .started
            return [.report(.didResume)]
        case .new, .starting, .started, .searching, .suspended, .ending, .over: return []
        }
    }

    /// Handles the end of the application session, which the receiver's status no longer shows.
    /// - Parameter mayHaveMoved: whether media was playing that may continue on another device.
    mutating func applicationStopped(mayHaveMoved: Bool = false) -> [Action] {
        guard self.phase == .started else { return [] }
        guard mayHaveMoved else { return self.finish(.didEnd(Self.applicationEnded)) }
        self.phase = .searching
        return [.closeLink, .report(.didSuspend(.streamLost)), .search]
    }

    /// Handles the end of the search for the stream. If `isFound`, the session now belongs to another device.
    mutating func searched(isFound: Bool) -> [Action] {
        guard self.phase == .searching else { return [] }
        guard isFound else { return self.finish(.didEnd(Self.applicationEnded)) }
        self.phase = .resuming
        return [.report(.willResume), .openLink]
    }

    private static var applicationEnded: CastError { CastError(.applicationNotRunning, detail: "the application ended") }

    /// Handles the end of the time limit for resuming.
    mutating func resumeTimedOut() -> [Action] {
        guard self.phase == .interrupted || self.phase == .resuming else { return [] }
        return self.finish(.didFailToResume(CastError(.timeout, detail: "the device could not be reached in time")))
    }

    private mutating func finish(_ transition: SessionTransition) -> [Action] {
        self.phase = .over
        return [.closeLink, .report(transition)]
    }
}
