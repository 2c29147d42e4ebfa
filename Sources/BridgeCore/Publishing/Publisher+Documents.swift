import CastModels

extension Publisher {
    /// Queues an event; dropped and counted while there is no link.
    public mutating func enqueue(event: OutgoingMessage) {
        self.isUp ? self.waiting.append(event: event) : self.waiting.dropEvent()
    }

    /// Queues what an application says; dropped and counted when there is no link, or so much waits that events might be lost to it.
    public mutating func enqueue(passing message: OutgoingMessage) {
        self.isUp ? self.waiting.append(passing: message) : self.waiting.dropEvent()
    }

    /// Queues an answer; dropped and counted while there is no link, since it belongs to the link that brought the command.
    public mutating func enqueue(answer: OutgoingMessage, tooLarge: OutgoingMessage) {
        guard self.isUp else { return self.waiting.dropAnswer() }
        for lost in self.waiting.append(answer: WaitingMessages.Answer(message: answer, tooLarge: tooLarge)) {
            self.notices.append(.report(.answerLost(topic: lost.topic)))
        }
    }

    /// Sends a passing value (a position tick) now or never: `nil` while there is no room, or while newer documents of its owner wait.
    public mutating func tick(_ message: OutgoingMessage, of owner: DocumentOwner) -> Action? {
        guard self.phase == .online, self.hasRoom(reserve: 2), !self.dirty.contains(owner), self.current?.owner != owner,
            self.forming?.owner != owner, self.fits(message)
        else { return nil }
        self.published.overtaken(message.topic, of: owner)
        return self.send(message, .event)
    }

    /// Clears leftovers of a former life; topics that hold something of this one are left alone. Told with `leftoversCleared` at the end.
    public mutating func clear(leftovers topics: [String]) {
        guard self.isUp, !topics.isEmpty else { return }
        self.isSweepWatched = true
        self.sweep += topics.reversed().map { Sweep(topic: $0, refused: nil) }
    }

    /// The documents of `owner` that `form` asked for.
    /// - Parameter leftovers: what becomes of the owner's topics that are not among them.
    public mutating func formed(_ owner: DocumentOwner, _ wanted: [OutgoingMessage], leftovers: LeftoverTopics = .cleared) {
        guard let forming, forming.owner == owner else { return }
        self.forming = nil
        let isSending =
            switch self.phase {
            case .filling, .announcing, .online: true
            case .down, .subscribing, .leaving, .left: false
            }
        guard isSending else { return self.dirty.mark(owner) }
        let difference = self.published.difference(for: owner, wanted: wanted, leftovers: leftovers)
        if let topics = difference.topicsToRecord {
            self.awaitingRecord[owner] = topics
            self.notices.append(.record(owner, topics))
            return
        }
        self.current = Sending(owner: owner, documents: forming.documents, difference)
        if case .filling(var round) = self.phase {
            round.formed(owner)
            self.phase = .filling(round)
        }
        self.checkRest(of: owner)
    }

    /// The record of an owner is on disk, or can't be written and the bridge goes on without.
    public mutating func recorded(_ owner: DocumentOwner) {
        guard let topics = self.awaitingRecord.removeValue(forKey: owner) else { return }
        self.published.record(topics, for: owner)
        self.dirty.markFirst(owner)
    }

    /// Everything below `prefix` is another owner's from now on: `former`, who had it before, neither sends there nor clears there any more,
    /// and whatever of it the new owner does not want is for that to clear.
    public mutating func handOver(topicsBelow prefix: String, from former: DocumentOwner, to owner: DocumentOwner) {
        let isMeant = { (topic: String) in topic.utf8.starts(with: prefix.utf8) }
        self.published.handOver(isMeant, from: former, to: owner)
        if let topics = self.awaitingRecord[former] { self.awaitingRecord[former] = topics.filter { !isMeant($0) } }
        for (token, message) in self.inFlight where isMeant(message.topic) {
            if case .document(former, let isClearing) = message.kind {
                self.inFlight[token]?.kind = .document(owner, isClearing: isClearing)
            }
        }
        for index in self.sweep.indices where isMeant(self.sweep[index].topic) && self.sweep[index].refused?.owner == former {
            self.sweep[index].refused?.owner = owner
        }
        if self.current?.owner == former {
            self.current?.removeAll(where: isMeant)
            if self.current?.isEmpty == true { self.current = nil }
        }
        self.checkRest(of: former)
    }

    /// Forgets an owner; its documents must have been cleared by `formed` with none wanted.
    public mutating func forget(_ owner: DocumentOwner) {
        self.watched.remove(owner)
        self.dirty.remove(owner)
        self.published.remove(owner)
        self.awaitingRecord[owner] = nil
        if self.current?.owner == owner { self.current = nil }
        if self.forming?.owner == owner { self.forming = nil }
        self.postponed.remove(owner)
        if case .filling(var round) = self.phase {
            round.finished(owner)
            self.phase = .filling(round)
        }
    }
}
