import CastModels

extension Publisher {
    /// A new epoch begins: what the broker holds is unknown.
    public mutating func linkUp(_ limits: LinkLimits) {
        guard self.phase == .down else { return }
        self.window.open(limits)
        self.published.beginEpoch()
        self.phase = .subscribing
    }

    /// The broker has retained this message, so an equal one is not sent again in this epoch.
    /// - Returns: `false`, without an effect, once the state is being sent.
    public mutating func found(_ message: OutgoingMessage, of owner: DocumentOwner) -> Bool {
        guard self.phase == .subscribing else { return false }
        self.published.found(message, of: owner)
        return true
    }

    /// All subscriptions are acknowledged, so commands can arrive and the state is sent.
    public mutating func subscriptionsAcknowledged() {
        guard self.phase == .subscribing else { return }
        self.beginFilling()
    }

    private mutating func beginFilling() {
        self.dirty.markAll()
        self.fullRound.begin(self.dirty.owners)
        self.phase = .filling
    }

    /// The broker retains this; on the topic of the bridge's state only `online` is right.
    /// - Returns: whether there is something to do.
    public mutating func received(_ topic: String, _ payload: [UInt8], now: MonotonicTime) -> Bool {
        guard topic == self.state.online.topic, payload != self.state.online.payload, self.phase == .online || self.phase == .announcing
        else { return false }
        if self.state.overwritten(now: now) { self.notices.append(.report(.overwritten(topic: topic))) }
        return true
    }

    /// Sends the full retained state again, and `online` after it, whatever the broker holds or held against it.
    public mutating func republish() {
        guard self.isSendingState else { return }
        self.published.beginEpoch()
        self.window.lessons.forget()
        _ = self.refused.takeAll()
        self.state.forgetRefusal()
        // Earlier comparisons with the broker's content are no longer valid.
        self.round.stopSending()
        self.beginFilling()
    }

    /// The link ended, and with it every unacknowledged message.
    /// - Parameter cut: how the broker ended it; `nil` when it did not.
    /// - Returns: whether the next link will differ, so that it need not wait.
    @discardableResult
    public mutating func linkDown(_ cut: Cut? = nil) -> Bool {
        let (lost, isNew, held) = self.window.close(cut)
        if let held { self.notices.append(.report(.heldBack(topic: held, reasonCode: cut?.reasonCode))) }
        for message in lost {
            if case .document(let owner, _) = message.kind { self.dirty.mark(owner) }
        }
        self.waiting.dropAll(keepingEvents: !self.hasBeenOnline)
        self.clearings = TopicClearings()
        if let owner = self.round.stopSending()?.owner { self.dirty.mark(owner) }
        for owner in self.postponed.takeAll() { self.dirty.mark(owner) }
        self.sendAgain(self.refused.takeAll())
        self.state.forgetRefusal()
        switch self.phase {
        case .leaving:
            self.phase = .left
            self.notices.append(.finishedLeaving)
        case .down, .subscribing, .filling, .announcing, .online: (self.phase, self.fullRound) = (.down, FullRound())
        case .left: break
        }
        return isNew
    }

    /// The program ends: pending answers are still sent, then `offline`.
    /// - Parameter handsOver: whether another program goes on, so that `online` is sent in its place.
    public mutating func leave(handsOver: Bool = false) {
        if handsOver { self.state.staysOnline() }
        switch self.phase {
        case .down:
            self.phase = .left
            self.notices.append(.finishedLeaving)
        case .subscribing, .filling, .announcing, .online:
            self.round.stopSending()
            self.phase = .leaving(isOfflineSent: false)
        case .leaving, .left: break
        }
    }
}
