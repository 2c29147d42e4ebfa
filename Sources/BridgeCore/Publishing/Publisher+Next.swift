import CastModels

extension Publisher {
    /// Returns the next action; `nil` until the next event.
    package mutating func next() -> Action? {
        if !self.notices.isEmpty { return self.notices.removeFirst() }
        guard self.isUp, self.hasRoom(reserve: 0) else { return nil }
        if let action = self.nextAnswer() ?? self.nextEvent() { return action }
        // Answers must not wait behind a thousand documents.
        switch self.phase {
        case .filling(let round) where round.isFinished:
            self.phase = .announcing
            return self.send(self.onlineMessage, .online)
        case .online where self.stateRetry.takeDue(): return self.send(self.onlineMessage, .online)
        case .filling, .announcing, .online: return self.hasRoom(reserve: 2) ? self.nextDocument() : nil
        case .leaving(isOfflineSent: false):
            self.phase = .leaving(isOfflineSent: true)
            return self.send(self.offlineMessage, .offline)
        case .down, .subscribing, .leaving(isOfflineSent: true), .left: return nil
        }
    }

    var isUp: Bool {
        switch self.phase {
        case .down, .left: false
        case .subscribing, .filling, .announcing, .online, .leaving: true
        }
    }

    /// Returns whether one more message may be in flight, with `reserve` places left free if the limit permits.
    func hasRoom(reserve: Int) -> Bool {
        let places = max(1, min(self.limits.unacknowledged - 1, self.link.receiveMaximum))
        return self.inFlight.count < max(1, places - reserve)
    }

    /// Returns whether the broker accepts a packet of this size.
    func fits(_ size: Int) -> Bool { self.link.maximumPacketSize.map { size <= $0 } ?? true }

    mutating func newToken() -> Token {
        defer { self.nextToken += 1 }
        return Token(number: self.nextToken)
    }

    mutating func send(
        _ message: OutgoingMessage, _ kind: InFlight.Kind, isAsWanted: Bool = true, shortAnswer: OutgoingMessage? = nil
    ) -> Action {
        let token = self.newToken()
        self.inFlight.append(
            InFlight(token: token, topic: message.topic, kind: kind, isAsWanted: isAsWanted, shortAnswer: shortAnswer.map { [$0] } ?? []))
        return .send(message, token)
    }

    private func tooLarge(_ message: OutgoingMessage) -> Action {
        .report(.tooLarge(topic: message.topic, bytes: message.packetSizeBound, limit: self.link.maximumPacketSize ?? 0))
    }

    private mutating func nextAnswer() -> Action? {
        guard let answer = self.waiting.popAnswer() else { return nil }
        if self.fits(answer.message.packetSizeBound) {
            return self.send(answer.message, .answer, shortAnswer: answer.message == answer.tooLarge ? nil : answer.tooLarge)
        }
        self.notices.append(self.tooLarge(answer.message))
        if self.fits(answer.tooLarge.packetSizeBound) { return self.send(answer.tooLarge, .answer) }
        self.waiting.dropAnswer()
        self.notices.append(.report(.answerLost(topic: answer.message.topic)))
        return self.notices.removeFirst()
    }

    private mutating func nextEvent() -> Action? {
        guard let event = self.waiting.popEvent() else { return nil }
        guard !self.fits(event.packetSizeBound) else { return self.send(event, .event) }
        self.waiting.dropEvent()
        return self.tooLarge(event)
    }

    private mutating func nextDocument() -> Action? {
        // While the full state is being sent, a round is completed; later, newer documents replace it.
        if let current, self.phase == .online, self.dirty.contains(current.owner) {
            self.current = nil
            // Documents that were formed and not sent are due together with the newer ones.
            self.dirty.markFirst(current.owner, current.documents)
        }
        if let (owner, document) = self.current?.next() {
            if self.current?.isEmpty == true { self.current = nil }
            if let action = self.send(document, of: owner) { return action }
            // While it waited, an older clearing of the topic was confirmed and removed it from the record.
            self.dirty.markFirst(owner)
        }
        self.current = nil
        while let clearing = self.clearings.popLast() {
            if self.published.allows(clearing) { return self.send(.clearing(clearing.topic), .clearing, isAsWanted: false) }
        }
        self.checkClearings()
        if !self.notices.isEmpty { return self.notices.removeFirst() }
        guard self.forming == nil, let due = self.dirty.popFirst(where: { self.awaitingRecord[$0] == nil }) else { return nil }
        self.forming = due
        return .form(due.owner, due.documents)
    }

    /// - Returns: `nil` for a document whose topic is not recorded.
    private mutating func send(_ document: PublishedState.Document, of owner: DocumentOwner) -> Action? {
        let message = document.message
        let token = Token(number: self.nextToken)
        guard self.published.sent(document, token: token, for: owner) else { return nil }
        let kind = InFlight.Kind.document(owner, isClearing: document.isClearing)
        if self.fits(message.packetSizeBound) { return self.send(message, kind) }
        if self.isFirstRefusal(of: message.topic) { self.notices.append(self.tooLarge(message)) }
        return self.send(.clearing(message.topic, qos: message.qos), kind, isAsWanted: false)
    }

    /// Returns whether a refusal of this topic is new. Clients choose response topics, so the number of remembered topics is bounded.
    mutating func isFirstRefusal(of topic: String) -> Bool {
        if self.refusedTopics.count >= 1024 { self.refusedTopics.removeAll() }
        return self.refusedTopics.insert(topic).inserted
    }
}
