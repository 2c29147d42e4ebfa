import CastModels

/// The applications of a device as the bridge may use them: its part in the running one, and the names and ids to launch.
public struct ApplicationStanding: Sendable, Equatable {
    /// The bridge's part in the running application, as the link reported it last.
    public private(set) var part = ApplicationSession()
    private(set) var session = SenderSession()
    /// The namespaces of the running application that can receive messages.
    @Shared private(set) var channels: ChannelStates
    /// The ids of queried applications that the device reported as unavailable.
    public private(set) var unavailable: Set<String> = []
    /// The names of applications that the device was seen running.
    @Shared public private(set) var recent = RecentApplications()

    init(_ namespaces: NamespacePolicy) { self._channels = Shared(wrappedValue: ChannelStates(namespaces)) }

    /// The device answered which applications are not available.
    mutating func queried(unavailable: Set<String>, _ reduction: inout Reduction) {
        self.unavailable = unavailable
        reduction.documents.formUnion([.info, .app])
    }

    /// The device now runs another application, or the same one with other values.
    mutating func changed(to application: ReceiverApplication?, _ reduction: inout Reduction) {
        if let application { self.recent.note(application) }
        reduction.documents.insert(.app)
    }

    /// - Parameter spoken: the namespaces of the running application; empty while the link is down.
    mutating func updateChannels(_ spoken: [String], _ reduction: inout Reduction) {
        guard !self.channels.isOff else { return }
        switch self.channels.update(spoken) {
        case .none: break
        case .values: reduction.documents.insert(.channels)
        // Only a complete round clears topics that it does not contain.
        case .topics: reduction.documents.formUnion(.all)
        }
    }

    // MARK: The session with the running application

    mutating func reported(_ part: ApplicationSession, app: String?, _ reduction: inout Reduction) {
        if part != self.part { reduction.documents.insert(.app) }
        self.part = part
        self.changeSession(app, &reduction) { $0.reported(part) }
    }

    /// - Parameter former: the name of the application that ran before.
    mutating func replaced(_ former: String?, by application: ReceiverApplication?, _ reduction: inout Reduction) {
        self.changeSession(former, &reduction) { $0.applicationChanged(to: application) }
    }

    mutating func linkReady() { self.session.connected() }

    /// A device that was offline answers again.
    mutating func deviceAnswered(_ reduction: inout Reduction) { self.updateSession(&reduction) { $0.answered() } }

    mutating func linkLost(_ reduction: inout Reduction) { self.updateSession(&reduction) { $0.linkLost() } }

    mutating func wentOffline(app: String?, _ reduction: inout Reduction) { self.changeSession(app, &reduction) { $0.wentOffline() } }

    private mutating func updateSession(_ reduction: inout Reduction, _ change: (inout SenderSession) -> Void) {
        let former = self.session.phase
        change(&self.session)
        if self.session.phase != former { reduction.documents.insert(.app) }
    }

    /// Changes the session and reports the resulting event.
    /// - Parameter app: the name of the application of the session.
    private mutating func changeSession(
        _ app: String?, _ reduction: inout Reduction, _ change: (inout SenderSession) -> SenderSession.Transition?
    ) {
        let former = self.session
        let transition = change(&self.session)
        if self.session.phase != former.phase { reduction.documents.insert(.app) }
        guard let transition else { return }
        let session = former.id == nil ? self.session : former
        var facts: EventFacts = ["session": session.id.map { .string($0) } ?? .null, "ours": .bool(session.isOurs)]
        let kind: PublishedEvent.Kind
        switch transition {
        case .started: kind = .sessionStarted
        case .resumed: kind = .sessionResumed
        case .suspended: kind = .sessionSuspended
        case .ended(let reason):
            kind = .sessionEnded
            facts.append("reason", .string(reason.rawValue))
        }
        reduction.report(PublishedEvent(kind, app: app, facts: facts))
    }
}
