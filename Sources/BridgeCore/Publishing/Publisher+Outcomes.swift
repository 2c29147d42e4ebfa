import CastModels

extension Publisher {
    public mutating func acknowledged(_ token: Token) {
        guard let message = self.window.take(token) else { return }
        let wasRefused = message.isAsWanted && self.refused.accepted(message.topic)
        switch message.kind {
        case .document(let owner, let isClearing):
            self.postponed.accepted()
            if wasRefused { self.sendAgain(self.refused.takeAll()) }
            if isClearing, self.published.cleared(message.topic, token: token, for: owner) { self.notices.append(.shrinkRecord(owner)) }
            self.checkRest(of: owner)
        case .online: self.announced()
        case .offline: self.left()
        case .clearing: self.checkClearings()
        case .answer, .event: break
        }
    }

    /// The broker refused the message, or the library did not send it.
    /// - Parameter reasonCode: the MQTT 5 reason code (section 2.4): 0x87 not authorized, 0x95 packet too large, 0x97 quota exceeded …
    public mutating func refused(_ token: Token, reasonCode: UInt8, now: MonotonicTime) {
        guard let message = self.window.take(token) else { return }
        if self.refused.isFirst(message.topic) { self.notices.append(.report(.refused(topic: message.topic, reasonCode: reasonCode))) }
        switch message.kind {
        case .document(let owner, let isClearing):
            if reasonCode == 0x97 {
                // The broker is temporarily full: the topic counts as unsent, and its owner is sent again later.
                self.published.lost(message.topic, token: token, for: owner)
                self.postponed.append(owner, now: now)
            } else if reasonCode == 0x95, !isClearing {
                // An older value must not remain when the new one is too large.
                self.clearings.append(message.topic, of: owner, token: token)
            } else if reasonCode != 0x95 {
                self.refused.append(message.topic, token: token, of: owner, now: now)
            }
            self.checkRest(of: owner)
        case .answer:
            if reasonCode == 0x95, let short = message.shortAnswer.first { return self.enqueue(answer: short, tooLarge: short) }
            self.waiting.dropAnswer()
            self.notices.append(.report(.answerLost(topic: message.topic)))
        case .event: self.waiting.dropEvent()
        case .online:
            self.state.refused(now: now)
            self.announced()
        case .offline: self.left()
        case .clearing:
            self.clearings.noteRefusal(of: message.topic)
            self.checkClearings()
        }
    }

    /// Performs what is due; call it at `nextWake`.
    public mutating func wake(now: MonotonicTime) {
        for owner in self.postponed.take(now: now) { self.dirty.mark(owner) }
        self.sendAgain(self.refused.take(now: now))
        self.state.wake(now: now)
        if let time = self.window.lessons.forgetAt, time <= now { self.window.lessons.forget() }
    }

    /// Marks refused topics as unsent, unless a newer value was sent since.
    mutating func sendAgain(_ refused: [RefusedTopics.Owner]) {
        for refused in refused {
            for (topic, token) in refused.tokens { self.published.lost(topic, token: token, for: refused.owner) }
            self.dirty.mark(refused.owner)
        }
    }

    /// Reports when the broker has answered for every stale topic.
    mutating func checkClearings() {
        guard self.clearings.isSent, !self.window.contains(where: { $0 == .clearing }) else { return }
        self.notices.append(.staleCleared(refused: self.clearings.finish()))
    }

    private mutating func announced() {
        guard self.phase == .announcing else { return }
        (self.phase, self.hasBeenOnline) = (.online, true)
        self.notices.append(.becameOnline)
    }

    private mutating func left() {
        guard case .leaving = self.phase else { return }
        self.phase = .left
        self.notices.append(.finishedLeaving)
    }

    /// Completes an owner's part of the full round, and reports `settled` if requested, when none of its messages waits or is in flight.
    mutating func checkRest(of owner: DocumentOwner) {
        let isDueInRound = self.fullRound.awaitsEnd(of: owner)
        let isWatched = self.watched.contains(owner) && !self.dirty.contains(owner) && !self.postponed.contains(owner)
        guard isDueInRound || isWatched, self.awaitingRecord[owner] == nil, self.round.owner != owner,
            !self.window.contains(where: { if case .document(owner, _) = $0 { true } else { false } })
        else { return }
        if isDueInRound { self.fullRound.finished(owner) }
        if isWatched {
            self.watched.remove(owner)
            self.notices.append(.settled(owner))
        }
    }
}
