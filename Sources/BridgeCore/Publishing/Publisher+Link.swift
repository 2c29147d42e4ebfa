import CastModels

extension Publisher {
    /// The broker accepted us.
    package mutating func linkUp(sessionResumed: Bool, limits: LinkLimits) {
        guard self.phase == .down else { return }
        self.link = limits
        if !sessionResumed { self.published.beginEpoch() }
        self.phase = .subscribing
    }

    /// The broker retains this message: an equal one is not sent again in this epoch.
    /// - Returns: `false`, with nothing done, once the state goes out.
    package mutating func found(_ message: OutgoingMessage, of owner: DocumentOwner) -> Bool {
        guard self.phase == .subscribing else { return false }
        self.published.found(message, of: owner)
        return true
    }

    /// Every subscription is acknowledged: commands can reach us, so the state goes out.
    package mutating func subscriptionsAcknowledged() {
        guard self.phase == .subscribing else { return }
        self.dirty.markAll()
        self.phase = .filling(FullRound(self.dirty.owners))
    }

    /// Sends the full retained state again, and `online` after it, whatever the broker holds.
    package mutating func republish() {
        switch self.phase {
        case .filling, .announcing, .online:
            self.published.beginEpoch()
            _ = self.refused.takeAll()
            self.stateRetry = StateRetry()
            // What was compared with the broker before says nothing now.
            self.current = nil
            self.dirty.markAll()
            self.phase = .filling(FullRound(self.dirty.owners))
        case .down, .subscribing, .leaving, .left: break
        }
    }

    /// The link is gone, and with it every message that was not acknowledged.
    package mutating func linkDown() {
        for message in self.inFlight {
            if case .document(let owner, _) = message.kind {
                self.published.lost(message.topic, token: message.token, for: owner)
                self.dirty.mark(owner)
            }
        }
        self.waiting.dropAll()
        (self.clearings, self.inFlight, self.isClearingWatched, self.refusedClearings) = ([], [], false, [])
        if let owner = self.current?.owner { self.dirty.mark(owner) }
        self.current = nil
        for owner in self.postponed.takeAll() { self.dirty.mark(owner) }
        self.sendAgain(self.refused.takeAll())
        self.stateRetry = StateRetry()
        switch self.phase {
        case .leaving:
            self.phase = .left
            self.notices.append(.finishedLeaving)
        case .down, .subscribing, .filling, .announcing, .online: self.phase = .down
        case .left: break
        }
    }

    /// The program ends: what is answered goes out still, then `offline`.
    package mutating func leave() {
        switch self.phase {
        case .down:
            self.phase = .left
            self.notices.append(.finishedLeaving)
        case .subscribing, .filling, .announcing, .online:
            self.current = nil
            self.phase = .leaving(isOfflineSent: false)
        case .leaving, .left: break
        }
    }
}
