import CastModels
import CastProtocol
import NIOCore

/// Owns the question which application session a device runs and what we are to it: whether a launch of ours has no result, whether we
/// launched, joined or left what runs, and how we are connected to it. Does no I/O and owns no timer.
///
/// Observing is invisible: the connection to an application that another sender launched is of the invisible kind, except while a command
/// of ours needs a strong one and shortly after.
///
/// ```
///                 launch                 it runs
///   none, watched ──────► launching ───────────────► ours ──(leave)──► watched   launched by us until it ends
///        │            (a person is asked:            ▲  │
///        │             waitingForPermission)         │  └──(stop)──► stopping ──► none
///        └──(join)──► joined ──(leave)──► watched    └──(the stop failed)
/// ```
struct ApplicationStateMachine {
    typealias Effect = SessionStateMachine.Effect

    /// How long a strong connection to another sender's application is kept after our last command.
    static let holdTime = TimeAmount.seconds(5)
    /// How long an application that another sender launched is left alone after we saw it appear: some of their senders give up when it
    /// reports a status that they did not ask for.
    static let foreignLaunchTime = TimeAmount.seconds(1)

    /// The last status of the device, with the last volume that it reported.
    private(set) var receiver: ReceiverStatus?
    private(set) var transport: Transport?
    /// Our part in the running application session; over a new link, in the one that ran last.
    private(set) var participation: Participation?
    /// The application session that appeared last.
    private(set) var newest: NewestSession?
    /// When a strong connection may become invisible again.
    private(set) var holdUntil: NIODeadline?
    private(set) var launch: Launch?
    private var attempts: ConnectionAttempts?
    /// The application session that we asked the device to end.
    private var stopping: String?
    private var commandsInProgress = 0
    /// The namespaces of the custom channels to the application.
    private var channelNamespaces: Set<String> = []
    private var reported = ApplicationSession()

    /// - Parameters:
    ///   - participation: our part in an application session over an earlier link.
    ///   - newest: the application session that appeared last on an earlier link.
    init(participation: Participation?, newest: NewestSession?) {
        self.participation = participation
        self.newest = newest
    }

    var application: ReceiverApplication? { self.receiver?.application }

    /// What the link reports.
    var session: ApplicationSession {
        let connection: ApplicationSession.Connection = self.transport.map { $0.kind == .strong ? .strong : .invisible } ?? .none
        return ApplicationSession(
            self.role, id: self.application?.sessionID, transportID: self.transport?.id, connection: connection,
            isLaunched: self.running?.isLaunched ?? false)
    }

    private var role: ApplicationSession.Role {
        if let stopping, stopping == self.application?.sessionID { return .stopping }
        if let running, running.isHeld { return running.isLaunched ? .ours : .joined }
        if let launch, launch.phase == .pending {
            if launch.isAsking { return .waitingForPermission }
            if self.application?.matches(launch.applicationID) != true { return .launching }
        }
        return self.application.map { $0.isIdleScreen ? .none : .watched } ?? .none
    }

    /// Our part in what runs now.
    private var running: Participation? {
        self.participation.flatMap { $0.sessionID == self.application?.sessionID ? $0 : nil }
    }

    /// Whether we launched or joined the running application session, or have channels to it.
    private var isHeld: Bool {
        self.running?.isHeld == true || self.application.map { !self.channelNamespaces.isDisjoint(with: $0.namespaces) } ?? false
    }

    private var isStrongWanted: Bool { self.isHeld || self.commandsInProgress > 0 || self.holdUntil != nil }

    private var isConnectionWanted: Bool {
        guard let application, !application.namespaces.isEmpty else { return false }
        return application.namespaces.contains(CastNamespace.media) || self.isHeld
    }

    /// Adds the report of our part, if it changed.
    private mutating func reporting(_ effects: [Effect]) -> [Effect] {
        let session = self.session
        guard session != self.reported else { return effects }
        self.reported = session
        return effects + [.reportApplication(session)]
    }

    // MARK: - The device's status

    mutating func receiverStatus(_ status: ReceiverStatus, now: NIODeadline) -> [Effect] {
        var status = status
        if status.volume == nil { status.volume = self.receiver?.volume }
        let former = self.receiver
        self.receiver = status
        if self.stopping != self.application?.sessionID { self.stopping = nil }
        var effects = self.launched(now: now)
        if self.running == nil { self.participation = nil }
        self.notice(isFirstStatus: former == nil, now: now)
        if let transport, self.application?.transportID != transport.id || self.application?.sessionID != transport.sessionID {
            effects += self.dropTransport()
        }
        if former?.application != self.application {
            // A changed entry of an application is a sign of its life.
            self.restartAttempts(now: now)
            // An application that answers only the sender that asks shows a change there and nowhere else.
            if let transport, transport.speaksMedia, transport.isStatusKnown, !transport.hasBroadcast {
                effects.append(.askMediaStatus(transportID: transport.id))
            }
        }
        return self.reporting(effects + self.follow(now: now))
    }

    /// Takes a new application session for the result of our launch.
    private mutating func launched(now: NIODeadline) -> [Effect] {
        if let launch, now > launch.at + Launch.memory { self.launch = nil }
        guard let launch, let application, application.matches(launch.applicationID), let sessionID = application.sessionID,
            sessionID != launch.formerSessionID
        else { return [] }
        self.launch = nil
        self.participation = Participation(sessionID: sessionID, isLaunched: true, isHeld: launch.phase != .left)
        guard launch.phase == .unwanted else { return [] }
        self.stopping = sessionID
        return [.stopApplication(sessionID: sessionID)]
    }

    /// Notes which application session runs. One that runs already when the first status arrives is connected to at once.
    private mutating func notice(isFirstStatus: Bool, now: NIODeadline) {
        if let end = self.newest?.waitsUntil, now >= end { self.newest?.waitsUntil = nil }
        guard let sessionID = self.application?.sessionID, sessionID != self.newest?.sessionID else { return }
        let isForeignLaunch = !isFirstStatus && self.running?.isLaunched != true
        self.newest = NewestSession(sessionID: sessionID, waitsUntil: isForeignLaunch ? now + Self.foreignLaunchTime : nil)
    }

    /// When another sender's launch may be disturbed; `nil` when that is so now.
    var foreignLaunchEnds: NIODeadline? {
        guard let newest, self.application?.sessionID == newest.sessionID else { return nil }
        return newest.waitsUntil
    }

    // MARK: - The connection

    /// Connects to the application if that is wanted and may be done now, with a strong connection if one is needed.
    private mutating func follow(now: NIODeadline) -> [Effect] {
        guard let application, let id = application.transportID, let sessionID = application.sessionID, self.isConnectionWanted else {
            return []
        }
        let speaksMedia = application.namespaces.contains(CastNamespace.media)
        if let transport {
            var effects = transport.kind != .strong && self.isStrongWanted ? self.reconnect(transport, as: .strong, now: now) : []
            if speaksMedia, !transport.speaksMedia {
                self.transport?.speaksMedia = true
                effects.append(.askMediaStatus(transportID: id))
            }
            return effects
        }
        guard self.foreignLaunchEnds == nil else { return [] }
        if let attempts, attempts.transportID == id {
            guard let due = attempts.due, now >= due else { return [] }
        }
        let kind: VirtualConnectionKind = self.isStrongWanted ? .strong : .invisible
        self.transport = Transport(
            id: id, sessionID: sessionID, applicationID: application.applicationID, speaksMedia: speaksMedia, kind: kind, openedAt: now)
        return [.connect(transportID: id, kind)] + (speaksMedia ? [.askMediaStatus(transportID: id)] : [])
    }

    /// A receiver keeps the kind of a connection that is opened twice, so the old connection is closed first.
    private mutating func reconnect(_ transport: Transport, as kind: VirtualConnectionKind, now: NIODeadline) -> [Effect] {
        self.transport?.reopened(as: kind, at: now)
        return [.disconnect(transportID: transport.id), .connect(transportID: transport.id, kind)]
    }

    private mutating func dropTransport() -> [Effect] {
        guard let transport else { return [] }
        self.transport = nil
        return [.abandon(transportID: transport.id)]
    }

    /// The application closed our connection.
    mutating func connectionClosed(by id: String, now: NIODeadline) -> [Effect] {
        guard let transport, transport.id == id else { return [] }  // a late message of an earlier application
        if transport.hasSpoken, now >= transport.openedAt + ConnectionAttempts.shortest {
            self.attempts = nil
        } else {
            let former = self.attempts.flatMap { $0.transportID == id ? $0 : nil }
            self.attempts = (former ?? ConnectionAttempts(transportID: id, first: transport.openedAt)).failed(at: transport.openedAt)
        }
        return self.reporting(self.dropTransport() + [.askReceiverStatus])
    }

    /// A message of the application behind `id` arrived.
    mutating func heard(from id: String, now: NIODeadline) -> [Effect] {
        if self.transport?.id == id {
            self.transport?.hasSpoken = true
            return []
        }
        return self.transport == nil && self.attempts?.transportID == id ? self.connectAgain(now: now) : []
    }

    private mutating func restartAttempts(now: NIODeadline) {
        let id = self.application?.transportID
        self.attempts?.restart(at: now, of: id)
    }

    /// Restarts the attempts to connect, because the application sent a message or a user's command needs it.
    mutating func connectAgain(now: NIODeadline) -> [Effect] {
        guard self.transport == nil else { return [] }
        self.restartAttempts(now: now)
        return self.reporting(self.follow(now: now))
    }

    /// A command to the application begins and needs a strong connection.
    mutating func commandBegan(now: NIODeadline) -> [Effect] {
        self.commandsInProgress += 1
        self.holdUntil = nil
        guard let transport, transport.kind != .strong else { return [] }
        return self.reporting(self.reconnect(transport, as: .strong, now: now))
    }

    mutating func commandEnded(now: NIODeadline) -> [Effect] {
        self.commandsInProgress -= 1
        if self.commandsInProgress == 0 { self.holdUntil = now + Self.holdTime }
        guard let transport, transport.speaksMedia, !transport.hasBroadcast, transport.isStatusKnown else { return [] }
        return [.askMediaStatus(transportID: transport.id)]
    }

    /// - Parameter namespaces: the namespaces of all open custom channels to the application.
    mutating func channelsChanged(_ namespaces: Set<String>, now: NIODeadline) -> [Effect] {
        self.channelNamespaces = namespaces
        if self.transport?.kind == .strong, !self.isHeld, self.commandsInProgress == 0 { self.holdUntil = now + Self.holdTime }
        return self.reporting(self.follow(now: now))
    }

    /// When `tick` is due.
    var nextDeadline: NIODeadline? {
        var next = self.holdUntil
        if let end = self.foreignLaunchEnds { next = min(end, next ?? end) }
        if let due = self.attemptDue { next = min(due, next ?? due) }
        return next
    }

    /// When the next attempt to connect to the running application is due; `nil` when none is.
    var attemptDue: NIODeadline? {
        guard let attempts, self.transport == nil, attempts.transportID == self.application?.transportID else { return nil }
        return attempts.due
    }

    /// Call at `nextDeadline`.
    mutating func tick(now: NIODeadline) -> [Effect] {
        if let end = self.foreignLaunchEnds, now >= end { self.newest?.waitsUntil = nil }
        let isHoldOver = self.holdUntil.map { now >= $0 } ?? false
        if isHoldOver { self.holdUntil = nil }
        var effects = self.follow(now: now)
        if isHoldOver, let transport, transport.kind == .strong, !self.isStrongWanted {
            effects += self.reconnect(transport, as: .invisible, now: now)
        }
        return self.reporting(effects)
    }

    // MARK: - The status of the application

    mutating func mediaStatusArrived(isBroadcast: Bool, isWhole: Bool) {
        self.transport?.hasSpoken = true
        if isBroadcast { self.transport?.hasBroadcast = true }
        // A broadcast may arrive before the answer and contain only changes. Without its media the device would be reported as idle.
        if !isBroadcast || isWhole { self.transport?.isStatusKnown = true }
    }

    /// The application answered nothing for a while, not even the question for its status.
    mutating func fellSilent() -> [Effect] {
        self.transport?.hasSpoken = false
        return []
    }

    /// The application refused to report its status, or did not answer.
    mutating func mediaStatusUnanswered() { self.transport?.isStatusKnown = true }

    // MARK: - Joining and leaving

    /// Makes the application session `sessionID` count us as a sender, as if we had launched it. Does nothing when another one is running.
    ///
    /// - Parameter isLaunched: whether we launched it over an earlier link, or another device's stream moved into it.
    mutating func join(_ sessionID: String, isLaunched: Bool = false, now: NIODeadline) -> [Effect] {
        guard let application, application.sessionID == sessionID else { return [] }
        let wasLaunched = self.running?.isLaunched ?? false
        self.participation = Participation(sessionID: sessionID, isLaunched: isLaunched || wasLaunched)
        self.restartAttempts(now: now)
        return self.reporting(self.follow(now: now))
    }

    /// Leaves the running application, which no longer counts us as a sender and keeps running, or the result of a launch that waits for
    /// permission; `nil` when there is neither.
    ///
    /// A pending command or an open channel keeps the connection strong for as long as it needs it.
    mutating func leave(now: NIODeadline) -> [Effect]? {
        if self.launch?.isAsking == true { return self.launchGivenUp(.left) }
        guard self.running?.isHeld == true else { return nil }
        self.participation?.isHeld = false
        guard let transport, transport.kind == .strong, self.commandsInProgress == 0, !self.isHeld else { return self.reporting([]) }
        self.holdUntil = nil
        guard self.isConnectionWanted else { return self.reporting([.disconnect(transportID: transport.id)] + self.dropTransport()) }
        return self.reporting(self.reconnect(transport, as: .invisible, now: now))
    }

    // MARK: - Launching and stopping

    /// A LAUNCH is about to be sent; an application session that it begins will be ours.
    mutating func launchBegan(_ applicationID: String, now: NIODeadline) -> [Effect] {
        self.launch = Launch(applicationID: applicationID, formerSessionID: self.application?.sessionID, at: now)
        return self.reporting([])
    }

    /// The device asks the viewers for permission, or got it.
    mutating func permission(isAsking: Bool) -> [Effect] {
        self.launch?.isAsking = isAsking
        return self.reporting([])
    }

    /// The launch failed, or resulted in a session that ran already. A silent application is connected to again, since a launch may have
    /// brought it back to life.
    mutating func launchEnded(now: NIODeadline) -> [Effect] {
        self.launch = nil
        return self.reporting(self.revive(now: now))
    }

    private mutating func revive(now: NIODeadline) -> [Effect] {
        guard let transport, !transport.hasSpoken else { return self.follow(now: now) }
        let kind: VirtualConnectionKind = self.isStrongWanted ? .strong : .invisible
        return self.reconnect(transport, as: kind, now: now) + (transport.speaksMedia ? [.askMediaStatus(transportID: transport.id)] : [])
    }

    /// No caller waits for the launch any more; `phase` says what becomes of an application that it starts later.
    mutating func launchGivenUp(_ phase: Launch.Phase) -> [Effect] {
        guard self.launch?.isUnderWay == true else { return [] }
        self.launch?.phase = phase
        if phase == .left || phase == .unwanted { self.launch?.isAsking = false }
        return self.reporting(phase == .left || phase == .unwanted ? [.endLaunch] : [])
    }

    /// A STOP of the application session is about to be sent, or failed (`nil`).
    mutating func stops(_ sessionID: String?) -> [Effect] {
        self.stopping = sessionID
        return self.reporting([])
    }
}
