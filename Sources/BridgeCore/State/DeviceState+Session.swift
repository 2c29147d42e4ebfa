import CastModels

/// The session of the bridge with the running application.
extension DeviceState {
    /// Whether the bridge launched the running application.
    var isApplicationOurs: Bool { self.application.isLaunched && self.receiver?.application?.sessionID == self.application.id }

    mutating func applicationReported(_ part: ApplicationSession, _ effects: inout Effects) {
        if part != self.application { effects.documents.insert(.app) }
        self.application = part
        self.changeSession(of: self.receiver?.application, &effects) { $0.reported(part) }
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
