import CastModels

extension Publisher {
    /// Queues an event; without a link it is dropped and counted.
    package mutating func enqueue(event: OutgoingMessage) {
        self.isUp ? self.waiting.append(event: event) : self.waiting.dropEvent()
    }

    /// Queues a message of an application. Without a link, or when so many messages wait that events might be lost, it is dropped and
    /// counted.
    package mutating func enqueue(passing message: OutgoingMessage) {
        self.isUp ? self.waiting.append(passing: message) : self.waiting.dropEvent()
    }

    /// Queues an answer. Without a link it is dropped and counted, because it belongs to the link of its command.
    package mutating func enqueue(answer: OutgoingMessage, tooLarge: OutgoingMessage) {
        guard self.isUp else { return self.waiting.dropAnswer() }
        for lost in self.waiting.append(answer: WaitingMessages.Answer(message: answer, tooLarge: tooLarge)) {
            self.notices.append(.report(.answerLost(topic: lost.topic)))
        }
    }

    /// Sends a passing value (a position tick) at once, or not at all: `nil` while there is no room, or while newer documents of its owner
    /// wait.
    package mutating func tick(_ message: OutgoingMessage, of owner: DocumentOwner) -> Action? {
        guard self.phase == .online, self.hasRoom(reserve: 2), !self.dirty.contains(owner), self.current?.owner != owner,
            self.forming?.owner != owner, self.fits(message.packetSizeBound)
        else { return nil }
        self.published.overtaken(message.topic, of: owner)
        return self.send(message, .event)
    }

    /// Clears stale topics of an earlier run; topics with a document of this run are kept. Ends with the action `staleCleared`.
    package mutating func clear(stale topics: [String]) {
        guard self.isUp, !topics.isEmpty else { return }
        self.isClearingWatched = true
        self.clearings += topics.reversed().map { Clearing(topic: $0, refused: nil) }
    }

    /// Handles the documents of `owner` that `form` requested. As many as there is room for get a token and are sent now.
    /// - Parameters:
    ///   - batch: the documents.
    ///   - remaining: the treatment of other topics of the owner.
    package mutating func formed(_ owner: DocumentOwner, _ batch: inout MessageBatch, remaining: RemainingTopics = .cleared) {
        guard let forming, forming.owner == owner else { return }
        self.forming = nil
        let isSending =
            switch self.phase {
            case .filling, .announcing, .online: true
            case .down, .subscribing, .leaving, .left: false
            }
        guard isSending else { return self.dirty.mark(owner) }
        let difference = self.published.difference(for: owner, batch, remaining: remaining)
        if let topics = difference.topicsToRecord {
            self.awaitingRecord[owner] = topics
            self.notices.append(.record(owner, topics))
            return
        }
        let waiting = self.send(difference.changed, of: owner, in: &batch) + difference.cleared
        self.current = waiting.isEmpty ? nil : Sending(owner: owner, documents: forming.documents, waiting)
        if case .filling(var round) = self.phase {
            round.formed(owner)
            self.phase = .filling(round)
        }
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
            guard waiting.isEmpty, self.hasRoom(reserve: 2), self.fits(message.packetSizeBound) else {
                waiting.append(PublishedState.Document(message: batch.outgoing(message), fingerprint: change.fingerprint))
                continue
            }
            let token = self.newToken()
            let topic = self.published.sent(change, token: token, moment: message.moment)
            self.inFlight.append(InFlight(token: token, topic: topic, kind: .document(owner, isClearing: false), isAsWanted: true))
            batch.setToken(token, at: change.message)
        }
        return waiting
    }

    /// The record of an owner is on disk, or cannot be written and the bridge continues without it.
    package mutating func recorded(_ owner: DocumentOwner) {
        guard let topics = self.awaitingRecord.removeValue(forKey: owner) else { return }
        self.published.record(topics, for: owner)
        self.dirty.markFirst(owner)
    }

    /// Gives all topics below `prefix` to another owner. `former` no longer sends to them or clears them, and the new owner clears those
    /// that it does not want.
    package mutating func handOver(topicsBelow prefix: String, from former: DocumentOwner, to owner: DocumentOwner) {
        let isMeant = { (topic: String) in topic.utf8.starts(with: prefix.utf8) }
        self.published.handOver(isMeant, from: former, to: owner)
        self.refused.handOver(isMeant, from: former, to: owner)
        if let topics = self.awaitingRecord[former] { self.awaitingRecord[former] = topics.filter { !isMeant($0) } }
        for index in self.inFlight.indices where isMeant(self.inFlight[index].topic) {
            if case .document(former, let isClearing) = self.inFlight[index].kind {
                self.inFlight[index].kind = .document(owner, isClearing: isClearing)
            }
        }
        for index in self.clearings.indices where isMeant(self.clearings[index].topic) && self.clearings[index].refused?.owner == former {
            self.clearings[index].refused?.owner = owner
        }
        if self.current?.owner == former {
            self.current?.removeAll(where: isMeant)
            if self.current?.isEmpty == true { self.current = nil }
        }
        self.checkRest(of: former)
    }

    /// Removes an owner; its documents must have been cleared with an empty round of `formed`.
    package mutating func forget(_ owner: DocumentOwner) {
        self.watched.remove(owner)
        self.dirty.remove(owner)
        self.published.remove(owner)
        self.awaitingRecord[owner] = nil
        if self.current?.owner == owner { self.current = nil }
        if self.forming?.owner == owner { self.forming = nil }
        self.postponed.remove(owner)
        self.refused.remove(owner)
        if case .filling(var round) = self.phase {
            round.finished(owner)
            self.phase = .filling(round)
        }
    }
}
