import CastModels

extension Publisher {
    /// The broker accepted the connection.
    package mutating func linkUp(sessionResumed: Bool, limits: LinkLimits) {
        guard self.phase == .down else { return }
        self.link = limits
        if !sessionResumed { self.published.beginEpoch() }
        self.phase = .subscribing
    }

    /// The broker has retained this message, so an equal one is not sent again in this epoch.
    /// - Returns: `false`, without an effect, once the state is being sent.
    package mutating func found(_ message: OutgoingMessage, of owner: DocumentOwner) -> Bool {
        guard self.phase == .subscribing else { return false }
        self.published.found(message, of: owner)
        return true
    }

    /// All subscriptions are acknowledged, so commands can arrive and the state is sent.
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
            // Earlier comparisons with the broker's content are no longer valid.
            self.current = nil
            self.dirty.markAll()
            self.phase = .filling(FullRound(self.dirty.owners))
        case .down, .subscribing, .leaving, .left: break
        }
    }

    /// The link ended, and with it every unacknowledged message.
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

    /// The program ends: pending answers are still sent, then `offline`.
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
