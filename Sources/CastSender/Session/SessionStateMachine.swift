import CastModels
import CastProtocol
import NIOCore

/// Decides which requests to send to a receiver, and which application to connect to and how. Does no I/O and owns no timer.
///
/// Observing is invisible: the connection to an application that another sender launched is of the invisible kind, except while a command
/// of ours needs a strong one and shortly after.
struct SessionStateMachine {
    /// How long a strong connection to another sender's application is kept after our last command.
    static let holdTime = TimeAmount.seconds(5)
    /// How often one transport may close our connection before we stop connecting to it.
    static let closeLimit = 2

    /// How long an application that another sender launched is left alone after we saw it appear: some of their senders give up when it
    /// reports a status that they did not ask for.
    static let foreignLaunchTime = TimeAmount.seconds(1)

    /// How long after a LAUNCH of ours an application is taken for its result.
    static let launchMemory = TimeAmount.minutes(3)

    private(set) var receiver: ReceiverStatus?
    private(set) var transport: Transport?
    private(set) var isReady = false
    private(set) var identity: IdentityCheck
    /// The id of the application session that we launched.
    private(set) var ownedSessionID: String?
    /// The id of the application session that another sender launched and we joined.
    private(set) var joinedSessionID: String?
    /// When a strong connection may become invisible again.
    private(set) var holdUntil: NIODeadline?
    /// The application session that appeared last.
    private var newest: NewestSession?

    private var merger = MediaStatusMerger()
    private var commandsInProgress = 0
    private var launch: (applicationID: String, formerSessionID: String?, at: NIODeadline, isOverdue: Bool)?
    private var closed: (transportID: String, count: Int)?
    private var platformCloses = 0
    /// The namespaces of the custom channels to the application.
    private var channelNamespaces: Set<String> = []

    /// - Parameters:
    ///   - ownedSessionID: the application session that we launched over an earlier link.
    ///   - joinedSessionID: the application session that we joined over an earlier link.
    ///   - newest: the application session that appeared last on an earlier link.
    init(
        identity: IdentityCheck, ownedSessionID: String? = nil, joinedSessionID: String? = nil, newest: NewestSession? = nil
    ) {
        self.identity = identity
        self.ownedSessionID = ownedSessionID
        self.joinedSessionID = joinedSessionID
        self.newest = newest
    }

    var media: MediaStatus? { self.merger.status }

    var memory: SessionMemory {
        SessionMemory(
            ownedSessionID: self.ownedSessionID, joinedSessionID: self.joinedSessionID, newest: self.newest,
            isEurekaWanted: self.isReady ? self.identity.source != .deviceInformation : self.identity.isEurekaWanted)
    }

    mutating func opened() -> [Effect] {
        [.connectPlatform] + self.identity.start().map(Effect.ask) + [.askReceiverStatus]
    }

    // MARK: - Identity

    /// - Parameter information: `nil` when the device refused or did not answer.
    mutating func identityAnswered(_ information: DeviceInformation?, to question: IdentityCheck.Question) -> [Effect] {
        switch self.identity.answered(information, to: question) {
        case .wait: []
        case .ask(let next): [.ask(next)]
        case .identified(let identity): [.identified(identity)] + self.becomeReady()
        case .unknown: self.becomeReady()
        }
    }

    // MARK: - Receiver

    mutating func receiverStatus(_ status: ReceiverStatus, now: NIODeadline) -> [Effect] {
        var status = status
        if status.volume == nil { status.volume = self.receiver?.volume }
        let former = self.receiver
        self.receiver = status
        let formerlyOwned = self.ownedSessionID
        self.updateOwnership(status.application, now: now)
        self.notice(status.application, isFirstStatus: former == nil, now: now)
        var effects: [Effect] = [.reportReceiver]
        effects += self.follow(status.application, former: former?.application, now: now)
        // What we launched is ours before it has reported the namespaces that a connection needs.
        if let owned = self.ownedSessionID, owned != formerlyOwned, self.transport == nil { effects.append(self.connectionReport) }
        effects.append(.observeReceiver)
        effects += self.becomeReady()
        return effects
    }

    private mutating func follow(_ application: ReceiverApplication?, former: ReceiverApplication?, now: NIODeadline) -> [Effect] {
        var effects: [Effect] = []
        if let transport, transport.id != application?.transportID || transport.sessionID != application?.sessionID {
            effects += self.dropTransport()
        }
        guard let application, let id = application.transportID, let sessionID = application.sessionID,
            self.isConnectionWanted(to: application), self.foreignLaunchEnds == nil
        else { return effects }
        let speaksMedia = application.namespaces.contains(CastNamespace.media)
        if let transport {
            if speaksMedia, !transport.speaksMedia {
                self.transport?.speaksMedia = true
                effects.append(.askMediaStatus(transportID: id))
                return effects
            }
            // The application answers only the sender that asks, so its entry in the receiver status is the only sign of a change.
            if !transport.hasBroadcast, transport.isStatusKnown, application != former { effects.append(.askMediaStatus(transportID: id)) }
            return effects
        }
        if let closed, closed.transportID == id, closed.count >= Self.closeLimit { return effects }
        let kind: VirtualConnectionKind = self.isStrongWanted(for: sessionID) ? .strong : .invisible
        self.transport = Transport(
            id: id, sessionID: sessionID, applicationID: application.applicationID, speaksMedia: speaksMedia, kind: kind, openedAt: now)
        effects.append(.connect(transportID: id, kind))
        if speaksMedia { effects.append(.askMediaStatus(transportID: id)) }
        return effects + [self.connectionReport]
    }

    private mutating func updateOwnership(_ application: ReceiverApplication?, now: NIODeadline) {
        if let launch, now > launch.at + Self.launchMemory { self.launch = nil }
        if let launch, let application, application.matches(launch.applicationID), let sessionID = application.sessionID,
            sessionID != launch.formerSessionID
        {
            self.ownedSessionID = sessionID
            self.launch = nil
        }
        if self.ownedSessionID != application?.sessionID { self.ownedSessionID = nil }
        if self.joinedSessionID != application?.sessionID { self.joinedSessionID = nil }
    }

    /// Notes which application session runs. One that runs already when the first status arrives is connected to at once.
    private mutating func notice(_ application: ReceiverApplication?, isFirstStatus: Bool, now: NIODeadline) {
        if let end = self.newest?.waitsUntil, now >= end { self.newest?.waitsUntil = nil }
        guard let sessionID = application?.sessionID, sessionID != self.newest?.sessionID else { return }
        let isForeignLaunch = !isFirstStatus && sessionID != self.ownedSessionID
        self.newest = NewestSession(sessionID: sessionID, waitsUntil: isForeignLaunch ? now + Self.foreignLaunchTime : nil)
    }

    /// When the running application may be connected to; `nil` when it may be now.
    var foreignLaunchEnds: NIODeadline? {
        guard let newest, self.receiver?.application?.sessionID == newest.sessionID else { return nil }
        return newest.waitsUntil
    }

    private mutating func dropTransport() -> [Effect] {
        guard let transport else { return [] }
        self.transport = nil
        let hadMedia = self.media != nil
        self.merger.reset()
        let effects: [Effect] = [.observeMedia, .abandon(transportID: transport.id), self.connectionReport]
        return hadMedia ? [.reportMedia] + effects : effects
    }

    // MARK: - Media

    mutating func mediaStatus(_ updates: [MediaStatusUpdate], from id: String, isBroadcast: Bool, now: NIODeadline) -> [Effect] {
        guard self.transport?.id == id, let sessionID = self.transport?.sessionID else { return [] }
        if isBroadcast { self.transport?.hasBroadcast = true }
        let outcome = self.merger.merge(updates, sessionID: sessionID, receivedAt: MonotonicTime(now))
        var effects = Self.mediaEffects
        // A broadcast may arrive before the answer and contain only changes. Without its media the device would be reported as idle.
        if !isBroadcast || !self.merger.lacksMedia { self.transport?.isStatusKnown = true }
        if outcome.needsStatus { effects.append(.askMediaStatus(transportID: id)) }
        if !self.isReady { effects += self.becomeReady() }
        return effects
    }

    /// The receiver confirmed a shuffle that its status does not report.
    mutating func shuffleConfirmed(_ isShuffled: Bool) -> [Effect] { self.merger.confirmShuffle(isShuffled) ? Self.mediaEffects : [] }

    /// The number of statuses that reported a text style.
    var textStyleReports: Int { self.merger.textStyleReports }

    /// The receiver confirmed a text style that its status does not report.
    mutating func textStyleConfirmed(_ style: TextTrackStyle) -> [Effect] { self.merger.confirmTextStyle(style) ? Self.mediaEffects : [] }

    private static let mediaEffects: [Effect] = [.reportMedia, .observeMedia]

    /// The application refused to report its status, or did not answer.
    mutating func mediaStatusUnanswered(by id: String) -> [Effect] {
        guard self.transport?.id == id else { return [] }
        self.transport?.isStatusKnown = true
        return self.becomeReady()
    }

    // MARK: - Virtual connections

    /// The peer closed a virtual connection.
    mutating func virtualConnectionClosed(by id: String) -> [Effect] {
        if id == CastMessage.platformReceiverID {
            self.platformCloses += 1
            guard self.platformCloses <= Self.closeLimit else {
                return [.fail(CastError(.networkError, detail: "the device keeps closing its platform connection"))]
            }
            return [.connectPlatform, .askReceiverStatus]
        }
        guard self.transport?.id == id else { return [] }  // a late message of an earlier application
        self.closed = (id, (self.closed?.transportID == id ? self.closed?.count ?? 0 : 0) + 1)
        return self.dropTransport() + [.askReceiverStatus]
    }

    /// A command to the application begins and needs a strong connection.
    mutating func commandBegan() -> [Effect] {
        self.commandsInProgress += 1
        self.holdUntil = nil
        guard let transport, transport.kind != .strong else { return [] }
        return self.reconnect(transport, as: .strong)
    }

    mutating func commandEnded(now: NIODeadline) -> [Effect] {
        self.commandsInProgress -= 1
        if self.commandsInProgress == 0 { self.holdUntil = now + Self.holdTime }
        guard let transport, transport.speaksMedia, !transport.hasBroadcast, transport.isStatusKnown else { return [] }
        return [.askMediaStatus(transportID: transport.id)]
    }

    /// When `tick` is due.
    var nextDeadline: NIODeadline? {
        guard let end = self.foreignLaunchEnds else { return self.holdUntil }
        return min(end, self.holdUntil ?? end)
    }

    /// Call at `nextDeadline`.
    mutating func tick(now: NIODeadline) -> [Effect] {
        var effects: [Effect] = []
        if let end = self.foreignLaunchEnds, now >= end {
            self.newest?.waitsUntil = nil
            effects = self.strengthen(now: now)
        }
        guard let holdUntil, now >= holdUntil else { return effects }
        self.holdUntil = nil
        guard let transport, transport.kind == .strong, !self.isHeld(transport.sessionID) else { return effects }
        return effects + self.reconnect(transport, as: .invisible)
    }

    // MARK: - Joining and custom channels

    /// Makes the application session `sessionID` count us as a sender, as if we had launched it. Does nothing when another one is running.
    ///
    /// - Parameter isOwned: whether we launched it over an earlier link.
    mutating func join(_ sessionID: String, isOwned: Bool = false, now: NIODeadline) -> [Effect] {
        guard let application = self.receiver?.application, application.sessionID == sessionID else { return [] }
        let former = (self.ownedSessionID, self.joinedSessionID)
        if isOwned { self.ownedSessionID = sessionID } else { self.joinedSessionID = sessionID }
        let effects = self.strengthen(now: now)
        // A connection that was already strong is kept, but the owner of the session has changed.
        return effects.isEmpty && former != (self.ownedSessionID, self.joinedSessionID) ? [self.connectionReport] : effects
    }

    /// Leaves the running application, which no longer counts us as a sender and keeps running; `nil` when we neither launched nor joined
    /// it.
    ///
    /// A pending command or an open channel keeps the connection strong for as long as it needs it.
    mutating func leave() -> [Effect]? {
        guard let application = self.receiver?.application, let sessionID = application.sessionID,
            sessionID == self.ownedSessionID || sessionID == self.joinedSessionID
        else { return nil }
        (self.ownedSessionID, self.joinedSessionID) = (nil, nil)
        guard let transport, transport.kind == .strong, self.commandsInProgress == 0, !self.isHeld(sessionID) else {
            return [self.connectionReport]
        }
        self.holdUntil = nil
        guard self.isConnectionWanted(to: application) else { return [.disconnect(transportID: transport.id)] + self.dropTransport() }
        return self.reconnect(transport, as: .invisible)
    }

    /// - Parameter namespaces: the namespaces of all open custom channels to the application.
    mutating func channelsChanged(_ namespaces: Set<String>, now: NIODeadline) -> [Effect] {
        self.channelNamespaces = namespaces
        if let transport, transport.kind == .strong, !self.isHeld(transport.sessionID), self.commandsInProgress == 0 {
            self.holdUntil = now + Self.holdTime
        }
        return self.strengthen(now: now)
    }

    /// Connects to the application if that is wanted, with a strong connection if one is needed.
    private mutating func strengthen(now: NIODeadline) -> [Effect] {
        let application = self.receiver?.application
        let effects = self.follow(application, former: application, now: now)
        guard let transport, transport.kind != .strong, self.isStrongWanted(for: transport.sessionID) else { return effects }
        return effects + self.reconnect(transport, as: .strong)
    }

    private func isConnectionWanted(to application: ReceiverApplication) -> Bool {
        if application.namespaces.contains(CastNamespace.media) { return true }
        guard !application.namespaces.isEmpty, let sessionID = application.sessionID else { return false }
        return self.isHeld(sessionID)
    }

    /// Returns whether we launched or joined this application session, or have channels to it.
    private func isHeld(_ sessionID: String) -> Bool {
        if sessionID == self.ownedSessionID || sessionID == self.joinedSessionID { return true }
        guard let application = self.receiver?.application, application.sessionID == sessionID else { return false }
        return !self.channelNamespaces.isDisjoint(with: application.namespaces)
    }

    /// Returns the destination of messages on a custom channel; `nil` when no application is running or it does not support the namespace.
    func channelTransport(_ namespace: String) -> Transport? {
        guard let transport, let application = self.receiver?.application, application.sessionID == transport.sessionID,
            application.namespaces.contains(namespace)
        else { return nil }
        return transport
    }

    /// Returns whether `usableTransport` may become available: the application has a player, has not reported its namespaces yet, is being
    /// launched, or has just been launched by another sender.
    ///
    /// - Parameter applicationID: `nil` accepts any application.
    func mayGetTransport(of applicationID: String?) -> Bool {
        let running = applicationID.map(self.runningApplication) ?? self.receiver?.application
        guard let running, !running.isIdleScreen else { return self.isLaunchPending && applicationID.map(self.isLaunching) ?? true }
        guard let transport, transport.sessionID == running.sessionID else {
            return running.namespaces.isEmpty || (self.foreignLaunchEnds != nil && running.namespaces.contains(CastNamespace.media))
        }
        return transport.speaksMedia && !self.isFollower
    }

    /// Whether the device plays for a group, and has no media session of its own.
    var isFollower: Bool { self.media == nil && self.receiver?.application?.isGroupPlaceholder == true }

    /// Returns the connection to the application once it has reported its status.
    ///
    /// - Parameter applicationID: `nil` accepts any application.
    func usableTransport(of applicationID: String?) -> Transport? {
        guard let transport = self.transport(of: applicationID), transport.speaksMedia, transport.isStatusKnown else { return nil }
        return transport
    }

    /// Returns the connection to the application.
    ///
    /// - Parameter applicationID: `nil` accepts any application.
    func transport(of applicationID: String?) -> Transport? {
        guard let transport, let applicationID else { return self.transport }
        return self.runningApplication(applicationID)?.sessionID == transport.sessionID ? transport : nil
    }

    // MARK: - Launching

    /// A LAUNCH is about to be sent; the resulting application session will be ours.
    mutating func launchBegan(_ applicationID: String, now: NIODeadline) {
        self.launch = (applicationID, self.receiver?.application?.sessionID, now, false)
    }

    /// The launch failed, or resulted in a join. A launch that is still pending stays remembered, because its application session will be
    /// ours.
    mutating func launchEnded() { self.launch = nil }

    /// Returns whether this launch is still the newest one.
    func isLaunching(_ applicationID: String) -> Bool { self.launch?.applicationID == applicationID }

    /// Whether the result of a launch is waited for.
    var isLaunchPending: Bool { self.launch.map { !$0.isOverdue } ?? false }

    /// The launch was permitted and showed no application in time. One that starts later is ours, but no caller waits for it.
    mutating func launchOverdue() { self.launch?.isOverdue = true }

    /// Returns whether a launch of the last seconds has no result yet.
    func isLaunchUnderWay(at now: NIODeadline) -> Bool { self.launch.map { now < $0.at + .seconds(10) } ?? false }

    /// Returns the running application with this id.
    func runningApplication(_ applicationID: String) -> ReceiverApplication? {
        self.receiver?.application.flatMap { $0.matches(applicationID) ? $0 : nil }
    }

    /// Returns the running application unless it is the application session `sessionID`; `nil` for the idle screen.
    func application(startedAfter sessionID: String?) -> ReceiverApplication? {
        self.receiver?.application.flatMap { $0.isIdleScreen || $0.sessionID == sessionID ? nil : $0 }
    }

    // MARK: -

    private mutating func becomeReady() -> [Effect] {
        guard !self.isReady, self.receiver != nil, self.identity.isSettled,
            self.transport.map({ $0.isStatusKnown || !$0.speaksMedia }) ?? true
        else { return [] }
        self.isReady = true
        return [.becomeReady]
    }

    private func isStrongWanted(for sessionID: String) -> Bool {
        self.isHeld(sessionID) || self.commandsInProgress > 0 || self.holdUntil != nil
    }

    /// A receiver keeps the kind of a connection that is opened twice, so the old connection is closed first.
    private mutating func reconnect(_ transport: Transport, as kind: VirtualConnectionKind) -> [Effect] {
        self.transport?.kind = kind
        return [.disconnect(transportID: transport.id), .connect(transportID: transport.id, kind), self.connectionReport]
    }

    private var connectionReport: Effect {
        let kind: ApplicationConnection.Kind = self.transport.map { $0.kind == .strong ? .strong : .invisible } ?? .none
        // The application session lasts without a connection; it is connected to again.
        let sessionID = self.transport?.sessionID ?? self.receiver?.application?.sessionID
        return .reportConnection(
            ApplicationConnection(
                kind, isOurs: sessionID != nil && sessionID == self.ownedSessionID,
                isJoined: sessionID != nil && sessionID == self.joinedSessionID))
    }
}

/// The values that a session passes to the session over the next link.
struct SessionMemory {
    /// The id of the application session that we launched.
    var ownedSessionID: String?
    /// The id of the application session that another sender launched and we joined.
    var joinedSessionID: String?
    /// The application session that appeared last.
    var newest: SessionStateMachine.NewestSession?
    /// The types of requests that applications of the device ignore.
    var ignored: Set<IgnoredRequest> = []
    /// Whether to request `eureka_info` in any case.
    var isEurekaWanted = true
}

extension ReceiverApplication {
    /// Returns whether the application has that id. Android TV applications report another one as their own.
    func matches(_ id: String) -> Bool { self.applicationID == id || self.universalApplicationID == id }
}

extension MonotonicTime {
    /// Creates the time of an event loop.
    init(_ deadline: NIODeadline) { self.init(nanoseconds: Int64(clamping: deadline.uptimeNanoseconds)) }
}
