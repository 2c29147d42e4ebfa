import CastModels
import CastProtocol
import NIOCore

/// Decides what a session does after each event of its link: when it is ready, and what becomes of the media. What concerns the application
/// is decided by `ApplicationStateMachine`. Does no I/O and owns no timer.
struct SessionStateMachine {
    /// How often the platform may close our connection before the link is given up.
    static let closeLimit = 2

    private(set) var application: ApplicationStateMachine
    private(set) var isReady = false
    private(set) var identity: IdentityCheck
    private var merger = MediaStatusMerger()
    private var platformCloses = 0

    /// - Parameter memory: the values of the session over the link before.
    init(identity: IdentityCheck, memory: SessionMemory = SessionMemory()) {
        self.identity = identity
        self.application = ApplicationStateMachine(participation: memory.participation, newest: memory.newest)
    }

    var receiver: ReceiverStatus? { self.application.receiver }

    var transport: ApplicationStateMachine.Transport? { self.application.transport }

    var media: MediaStatus? { self.merger.status }

    var memory: SessionMemory {
        SessionMemory(
            participation: self.application.participation, newest: self.application.newest,
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

    // MARK: - The application

    mutating func receiverStatus(_ status: ReceiverStatus, now: NIODeadline) -> [Effect] {
        [.reportReceiver] + self.change { $0.receiverStatus(status, now: now) } + [.observeReceiver] + self.becomeReady()
    }

    /// Changes our part in the application. The media of a connection that ends with it is no more.
    mutating func change(_ change: (inout ApplicationStateMachine) -> [Effect]) -> [Effect] {
        var effects = change(&self.application)
        guard let index = effects.firstIndex(where: \.endsTransport) else { return effects }
        let hadMedia = self.media != nil
        self.merger.reset()
        effects.insert(contentsOf: hadMedia ? Self.mediaEffects : [.observeMedia], at: index)
        return effects
    }

    /// The peer closed a virtual connection.
    mutating func virtualConnectionClosed(by id: String, now: NIODeadline) -> [Effect] {
        guard id == CastMessage.platformReceiverID else { return self.change { $0.connectionClosed(by: id, now: now) } }
        self.platformCloses += 1
        guard self.platformCloses <= Self.closeLimit else {
            return [.fail(CastError(.networkError, detail: "the device keeps closing its platform connection"))]
        }
        return [.connectPlatform, .askReceiverStatus]
    }

    // MARK: - Media

    mutating func mediaStatus(_ updates: [MediaStatusUpdate], from id: String, isBroadcast: Bool, now: NIODeadline) -> [Effect] {
        guard self.transport?.id == id, let sessionID = self.transport?.sessionID else {
            return self.change { $0.heard(from: id, now: now) }
        }
        let outcome = self.merger.merge(updates, sessionID: sessionID, receivedAt: MonotonicTime(now))
        self.application.mediaStatusArrived(isBroadcast: isBroadcast, isWhole: !self.merger.lacksMedia)
        var effects = Self.mediaEffects
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
        self.application.mediaStatusUnanswered()
        return self.becomeReady()
    }

    // MARK: -

    private mutating func becomeReady() -> [Effect] {
        guard !self.isReady, self.receiver != nil, self.identity.isSettled,
            self.transport.map({ $0.isStatusKnown || !$0.speaksMedia }) ?? true
        else { return [] }
        self.isReady = true
        return [.becomeReady]
    }
}

/// The values that a session passes to the session over the next link.
struct SessionMemory {
    /// Our part in the application session that ran last.
    var participation: Participation?
    /// The application session that appeared last.
    var newest: ApplicationStateMachine.NewestSession?
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
