import CastModels

/// The session of the bridge with the running application.
extension DeviceState {
    /// The id of the application session in which the bridge takes part; `nil` when there is none.
    public var senderSessionID: String? { self.session.id }

    /// Whether the bridge launched the running application.
    var isApplicationOurs: Bool { self.launchedSessionID != nil && self.receiver?.application?.sessionID == self.launchedSessionID }

    /// Returns whether `command` launches an application, according to the last status.
    public func needsLaunch(for command: DeviceCommand) -> Bool {
        let (applicationID, relaunches): (String, Bool)
        switch command {
        case .launch(let id, let options): (applicationID, relaunches) = (id, options.relaunchIfRunning)
        case .show: (applicationID, relaunches) = (WebPage.applicationID, false)
        case .load(let load): (applicationID, relaunches) = (load.applicationID, load.launchOptions.relaunchIfRunning)
        case .queue(.load(let load)): (applicationID, relaunches) = (load.applicationID, load.launchOptions.relaunchIfRunning)
        case .set(let changes):
            guard case .launch(let id)? = changes.application else { return false }
            (applicationID, relaunches) = (id, false)
        default: return false
        }
        guard let running = self.receiver?.application, !relaunches else { return true }
        return running.applicationID != applicationID && running.universalApplicationID != applicationID
    }

    mutating func connectionReported(_ connection: ApplicationConnection, isFirst: Bool, _ effects: inout Effects) {
        if connection != self.applicationConnection { effects.documents.insert(.app) }
        self.applicationConnection = connection
        // Before a device is read, reports are about an application that no document shows yet.
        guard self.link == .online else { return }
        let application = self.receiver?.application
        if connection.isOurs, let sessionID = application?.sessionID { self.launchedSessionID = sessionID }
        let isOurs = self.isApplicationOurs
        self.changeSession(of: application, &effects) {
            $0.connectionReported(connection, to: application?.sessionID, isOurs: isOurs, isFirst: isFirst)
        }
    }

    /// Changes the session and reports the resulting event.
    mutating func changeSession(_ effects: inout Effects, _ change: (inout SenderSession) -> SenderSession.Transition?) {
        self.changeSession(of: self.receiver?.application, &effects, change)
    }

    /// - Parameter application: the application of the session.
    mutating func changeSession(
        of application: ReceiverApplication?, _ effects: inout Effects, _ change: (inout SenderSession) -> SenderSession.Transition?
    ) {
        let former = self.session
        let transition = change(&self.session)
        if self.session.phase != former.phase { effects.documents.insert(.app) }
        guard let transition else { return }
        let session = former.id == nil ? self.session : former
        var facts: JSONObject = ["session": session.id.map { .string($0) } ?? .null, "ours": .bool(session.isOurs)]
        let kind: PublishedEvent.Kind
        switch transition {
        case .started: kind = .sessionStarted
        case .resumed: kind = .sessionResumed
        case .suspended: kind = .sessionSuspended
        case .ended(let reason):
            kind = .sessionEnded
            facts["reason"] = .string(reason.rawValue)
        }
        effects.report(PublishedEvent(kind, app: application?.displayName, facts: facts))
    }

    /// Changes the session without an event.
    mutating func updateSession(_ effects: inout Effects, _ change: (inout SenderSession) -> Void) {
        self.changeSession(of: nil, &effects) { session in
            change(&session)
            return nil
        }
    }
}
