import CastModels

extension Publisher {
    /// Queues an event; dropped and counted while there is no link.
    package mutating func enqueue(event: OutgoingMessage) {
        self.isUp ? self.waiting.append(event: event) : self.waiting.dropEvent()
    }

    /// Queues what an application says; dropped and counted when there is no link, or so much waits that events might be lost to it.
    package mutating func enqueue(passing message: OutgoingMessage) {
        self.isUp ? self.waiting.append(passing: message) : self.waiting.dropEvent()
    }

    /// Queues an answer; dropped and counted while there is no link, since it belongs to the link that brought the command.
    package mutating func enqueue(answer: OutgoingMessage, tooLarge: OutgoingMessage) {
        guard self.isUp else { return self.waiting.dropAnswer() }
        for lost in self.waiting.append(answer: WaitingMessages.Answer(message: answer, tooLarge: tooLarge)) {
            self.notices.append(.report(.answerLost(topic: lost.topic)))
        }
    }

    /// Sends a passing value (a position tick) now or never: `nil` while there is no room, or while newer documents of its owner wait.
    package mutating func tick(_ message: OutgoingMessage, of owner: DocumentOwner) -> Action? {
        guard self.phase == .online, self.hasRoom(reserve: 2), !self.dirty.contains(owner), self.current?.owner != owner,
            self.forming?.owner != owner, self.fits(message.packetSizeBound)
        else { return nil }
        self.published.overtaken(message.topic, of: owner)
        return self.send(message, .event)
    }

    /// Clears stale topics of an earlier run; those that hold a document of this run are kept. Ends with the action `staleCleared`.
    package mutating func clear(stale topics: [String]) {
        guard self.isUp, !topics.isEmpty else { return }
        self.isClearingWatched = true
        self.clearings += topics.reversed().map { Clearing(topic: $0, refused: nil) }
    }

    /// The documents of `owner` that `form` asked for. Those that are to be sent now get a token, as many as there is room for.
    /// - Parameters:
    ///   - batch: the documents.
    ///   - remaining: what becomes of the owner's topics that are not among them.
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
    /// - Returns: the others.
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

    /// The record of an owner is on disk, or can't be written and the bridge goes on without.
    package mutating func recorded(_ owner: DocumentOwner) {
        guard let topics = self.awaitingRecord.removeValue(forKey: owner) else { return }
        self.published.record(topics, for: owner)
        self.dirty.markFirst(owner)
    }

    /// Everything below `prefix` is another owner's from now on: `former`, who had it before, neither sends there nor clears there any more,
    /// and whatever of it the new owner does not want is for that to clear.
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

    /// Forgets an owner; its documents must have been cleared by `formed` with none wanted.
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
