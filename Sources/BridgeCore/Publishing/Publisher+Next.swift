import CastModels

extension Publisher {
    /// Returns the next action; `nil` until the next event.
    public mutating func next() -> Action? {
        if !self.notices.isEmpty { return self.notices.removeFirst() }
        guard self.isUp, self.window.hasRoom(reserve: 0) else { return nil }
        if let action = self.nextAnswer() ?? self.nextEvent() { return action }
        // Answers must not wait behind a thousand documents.
        switch self.phase {
        case .filling where self.fullRound.isFinished:
            self.phase = .announcing
            return self.send(self.state.online, .online)
        case .online where self.state.takeDue(): return self.send(self.state.online, .online)
        case .filling, .announcing, .online: return self.window.hasRoom(reserve: 2) ? self.nextDocument() : nil
        case .leaving(isOfflineSent: false):
            self.phase = .leaving(isOfflineSent: true)
            return self.send(self.state.offline, .offline)
        case .down, .subscribing, .leaving(isOfflineSent: true), .left: return nil
        }
    }

    var isUp: Bool {
        switch self.phase {
        case .down, .left: false
        case .subscribing, .filling, .announcing, .online, .leaving: true
        }
    }

    var isSendingState: Bool {
        switch self.phase {
        case .filling, .announcing, .online: true
        case .down, .subscribing, .leaving, .left: false
        }
    }

    mutating func send(
        _ message: OutgoingMessage, _ kind: MessageWindow.Kind, isAsWanted: Bool = true, shortAnswer: [OutgoingMessage] = []
    ) -> Action {
        var message = message
        if !self.window.lessons.isEmpty { self.window.prepare(&message) }
        return .send(message, self.window.add(message.topic, kind, isAsWanted: isAsWanted, shortAnswer: shortAnswer))
    }

    private func tooLarge(_ message: OutgoingMessage) -> Action {
        let limit = self.window.maximumPacketSize ?? self.window.lessons.limit(of: message.topic) ?? 0
        return .report(.tooLarge(topic: message.topic, bytes: message.packetSizeBound, limit: limit))
    }

    private mutating func nextAnswer() -> Action? {
        guard let answer = self.waiting.popAnswer() else { return nil }
        if self.window.fits(answer.message) {
            return self.send(answer.message, .answer, shortAnswer: answer.message == answer.tooLarge ? [] : [answer.tooLarge])
        }
        self.notices.append(self.tooLarge(answer.message))
        if self.window.fits(answer.tooLarge) { return self.send(answer.tooLarge, .answer) }
        self.waiting.dropAnswer()
        self.notices.append(.report(.answerLost(topic: answer.message.topic)))
        return self.notices.removeFirst()
    }

    private mutating func nextEvent() -> Action? {
        guard let event = self.waiting.popEvent() else { return nil }
        guard !self.window.fits(event) else { return self.send(event, .event) }
        self.waiting.dropEvent()
        return self.tooLarge(event)
    }

    private mutating func nextDocument() -> Action? {
        // While the full state is being sent, a round is completed; later, newer documents replace it.
        if let owner = self.round.owner, self.phase == .online, self.dirty.contains(owner), let due = self.round.stopSending() {
            // Documents that were formed and not sent are due together with the newer ones.
            self.dirty.markFirst(due.owner, due.documents)
        }
        if let (owner, document) = self.round.next() {
            if let action = self.send(document, of: owner) { return action }
            // While it waited, an older clearing of the topic was confirmed and removed it from the record.
            self.dirty.markFirst(owner)
        }
        self.round.stopSending()
        while let clearing = self.clearings.next() {
            if self.published.allows(clearing) { return self.send(.clearing(clearing.topic), .clearing, isAsWanted: false) }
        }
        self.checkClearings()
        if !self.notices.isEmpty { return self.notices.removeFirst() }
        guard !self.round.isForming, let due = self.dirty.popFirst(where: { self.awaitingRecord[$0] == nil }) else { return nil }
        self.round.beginForming(due)
        return .form(due.owner, due.documents)
    }

    /// - Returns: `nil` for a document whose topic is not recorded.
    private mutating func send(_ document: PublishedState.Document, of owner: DocumentOwner) -> Action? {
        let message = document.message
        guard self.published.sent(document, token: self.window.nextToken, for: owner) else { return nil }
        let kind = MessageWindow.Kind.document(owner, isClearing: document.isClearing)
        if self.window.fits(message) { return self.send(message, kind) }
        if self.refused.isFirst(message.topic) { self.notices.append(self.tooLarge(message)) }
        return self.send(.clearing(message.topic, qos: message.qos), kind, isAsWanted: false)
    }
}
