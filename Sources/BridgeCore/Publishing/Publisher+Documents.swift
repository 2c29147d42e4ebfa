import CastModels

extension Publisher {
    /// Queues an event. Those of the start wait for the first link; later, without a link, an event is dropped and counted.
    public mutating func enqueue(event: OutgoingMessage) {
        self.isUp || !self.hasBeenOnline ? self.waiting.append(event: event) : self.waiting.dropEvent()
    }

    /// Queues a message of an application. Without a link, or when so many messages wait that events might be lost, it is dropped and
    /// counted.
    public mutating func enqueue(passing message: OutgoingMessage) {
        self.isUp ? self.waiting.append(passing: message) : self.waiting.dropEvent()
    }

    /// Queues an answer. Without a link it is dropped and counted, because it belongs to the link of its command.
    public mutating func enqueue(answer: OutgoingMessage, tooLarge: OutgoingMessage) {
        guard self.isUp else { return self.waiting.dropAnswer() }
        for lost in self.waiting.append(answer: WaitingMessages.Answer(message: answer, tooLarge: tooLarge)) {
            self.notices.append(.report(.answerLost(topic: lost.topic)))
        }
    }

    /// Sends a passing value (a position tick) at once, or not at all: `nil` while there is no room, or while newer documents of its owner
    /// wait.
    public mutating func tick(_ message: OutgoingMessage, of owner: DocumentOwner) -> Action? {
        guard self.phase == .online, self.window.hasRoom(reserve: 2), !self.dirty.contains(owner), self.round.owner != owner,
            self.window.fits(message)
        else { return nil }
        self.published.overtaken(message.topic, of: owner)
        return self.send(message, .event)
    }

    /// Clears stale topics of an earlier run; topics with a document of this run are kept. Ends with the action `staleCleared`.
    public mutating func clear(stale topics: [String]) {
        if self.isUp, !topics.isEmpty { self.clearings.append(stale: topics) }
    }

    /// Handles the documents of `owner` that `form` requested. As many as there is room for get a token and are sent now.
    /// - Parameters:
    ///   - batch: the documents.
    ///   - remaining: the treatment of other topics of the owner.
    public mutating func formed(_ owner: DocumentOwner, _ batch: inout MessageBatch, remaining: RemainingTopics = .cleared) {
        guard let documents = self.round.endForming(owner) else { return }
        guard self.isSendingState else { return self.dirty.mark(owner) }
        let difference = self.published.difference(for: owner, batch, remaining: remaining)
        if let topics = difference.topicsToRecord {
            self.awaitingRecord[owner] = topics
            self.notices.append(.record(owner, topics))
            return
        }
        self.round.wait(owner, documents, self.send(difference.changed, of: owner, in: &batch) + difference.cleared)
        self.fullRound.formed(owner)
        self.checkRest(of: owner)
    }

    /// Sends changed documents as far as there is room.
    /// - Returns: the remaining ones.
    private mutating func send(
        _ changes: [PublishedState.Difference.Change], of owner: DocumentOwner, in batch: inout MessageBatch
    ) -> [PublishedState.Document] {
        var waiting: [PublishedState.Document] = []
        for change in changes {
            let message = batch.messages[change.message]
            guard waiting.isEmpty, self.window.hasRoom(reserve: 2), self.window.fits(message.packetSizeBound), self.window.lessons.isEmpty
            else {
                waiting.append(PublishedState.Document(message: batch.outgoing(message), fingerprint: change.fingerprint))
                continue
            }
            let topic = self.published.sent(change, token: self.window.nextToken, moment: message.moment)
            batch.setToken(self.window.add(topic, .document(owner, isClearing: false)), at: change.message)
        }
        return waiting
    }

    /// The record of an owner is on disk, or cannot be written and the bridge continues without it.
    public mutating func recorded(_ owner: DocumentOwner) {
        guard let topics = self.awaitingRecord.removeValue(forKey: owner) else { return }
        self.published.record(topics, for: owner)
        self.dirty.markFirst(owner)
    }

    /// Gives all topics below `prefix` to another owner. `former` no longer sends to them or clears them, and the new owner clears those
    /// that it does not want.
    public mutating func handOver(topicsBelow prefix: String, from former: DocumentOwner, to owner: DocumentOwner) {
        let isMeant = { (topic: String) in topic.utf8.starts(with: prefix.utf8) }
        self.published.handOver(isMeant, from: former, to: owner)
        self.refused.handOver(isMeant, from: former, to: owner)
        if let topics = self.awaitingRecord[former] { self.awaitingRecord[former] = topics.filter { !isMeant($0) } }
        self.window.handOver(isMeant, from: former, to: owner)
        self.clearings.handOver(isMeant, from: former, to: owner)
        self.round.removeAll(of: former, where: isMeant)
        self.checkRest(of: former)
    }

    /// Removes an owner; its documents must have been cleared with an empty round of `formed`.
    public mutating func forget(_ owner: DocumentOwner) {
        self.watched.remove(owner)
        self.dirty.remove(owner)
        self.published.remove(owner)
        self.awaitingRecord[owner] = nil
        self.round.remove(owner)
        self.postponed.remove(owner)
        self.refused.remove(owner)
        self.fullRound.finished(owner)
    }
}
