import CastModels

/// Decides what goes to the broker when. Does no I/O and owns no timer.
///
/// After each event its owner asks `next` for actions until there is none. Documents are conflated: only that an owner's state changed is
/// kept, and they are formed when there is room to send them. Answers and events have bounded queues of their own. While the link is down
/// nothing is kept but what changed.
public struct Publisher: Sendable {
    private let limits: Limits
    private let onlineMessage: OutgoingMessage
    private let offlineMessage: OutgoingMessage
    private var link = LinkLimits()
    private var phase = Phase.down
    private var published = PublishedState()
    private var dirty = DirtyOwners()
    private var waiting: WaitingMessages
    /// Topics to clear beside the owners' documents, last first.
    private var sweep: [Sweep] = []
    private var inFlight: [Token: InFlight] = [:]
    private var notices: [Action] = []
    private var nextToken: UInt64 = 1
    /// The owner whose documents are being sent.
    private var current: Sending?
    private var forming: (owner: DocumentOwner, documents: DeviceDocuments)?
    private var awaitingRecord: [DocumentOwner: Set<String>] = [:]
    private var postponed = PostponedOwners()
    private var refusedTopics: Set<String> = []

    /// - Parameter bridgeState: the topic of the bridge's `online` and `offline`.
    public init(bridgeState: String, limits: Limits = Limits()) {
        self.limits = limits
        self.waiting = WaitingMessages(limits: limits)
        let message = { (text: String) in
            OutgoingMessage(topic: bridgeState, payload: Array(text.utf8), qos: 1, retain: true, content: .text)
        }
        self.onlineMessage = message("online")
        self.offlineMessage = message("offline")
        self.dirty.mark(.bridge)
    }

    /// Takes in the topics the record names for a device, before its first document.
    public mutating func restore(_ topics: Set<String>, for device: Device.ID) {
        self.published.restore(topics, for: device)
        self.dirty.mark(.device(device))
    }

    /// Something in these documents of the owner may have changed; the others are as they were formed last. The bridge's go together.
    public mutating func changed(_ owner: DocumentOwner, _ documents: DeviceDocuments = .all) { self.dirty.mark(owner, documents) }

    /// Waiting and unacknowledged messages, without what was only marked as changed.
    public var backlog: Int { self.waiting.count + self.inFlight.count }

    /// What was dropped since the start.
    public var counts: Counts { self.waiting.counts }

    /// When `wake` wants to be called, if at all.
    public var nextWake: MonotonicTime? { self.postponed.nextTurn }
}

// MARK: - The link

extension Publisher {
    /// The broker accepted us.
    public mutating func linkUp(sessionResumed: Bool, limits: LinkLimits) {
        guard self.phase == .down else { return }
        self.link = limits
        if !sessionResumed { self.published.beginEpoch() }
        self.phase = .subscribing
    }

    /// Every subscription is acknowledged: commands can reach us, so the state goes out.
    public mutating func subscriptionsAcknowledged() {
        guard self.phase == .subscribing else { return }
        self.dirty.markAll()
        self.phase = .filling(FullRound(self.dirty.owners))
    }

    /// Sends the full retained state again, and `online` after it, whatever the broker holds.
    public mutating func republish() {
        switch self.phase {
        case .filling, .announcing, .online:
            self.published.beginEpoch()
            // What was compared with the broker before says nothing now.
            self.current = nil
            self.dirty.markAll()
            self.phase = .filling(FullRound(self.dirty.owners))
        case .down, .subscribing, .leaving, .left: break
        }
    }

    /// The link is gone, and with it every message that was not acknowledged.
    public mutating func linkDown() {
        for (token, message) in self.inFlight.sorted(by: { $0.key.number < $1.key.number }) {
            if case .document(let owner, _) = message.kind {
                self.published.lost(message.topic, token: token, for: owner)
                self.dirty.mark(owner)
            }
        }
        self.waiting.dropAll()
        (self.sweep, self.inFlight) = ([], [:])
        if let owner = self.current?.owner { self.dirty.mark(owner) }
        self.current = nil
        for owner in self.postponed.takeAll() { self.dirty.mark(owner) }
        switch self.phase {
        case .leaving:
            self.phase = .left
            self.notices.append(.finishedLeaving)
        case .down, .subscribing, .filling, .announcing, .online: self.phase = .down
        case .left: break
        }
    }

    /// The program ends: what is answered goes out still, then `offline`.
    public mutating func leave() {
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

// MARK: - What is to be sent

extension Publisher {
    /// Queues an event; dropped and counted while there is no link.
    public mutating func enqueue(event: OutgoingMessage) {
        self.isUp ? self.waiting.append(event: event) : self.waiting.dropEvent()
    }

    /// Queues an answer; dropped and counted while there is no link, since it belongs to the link that brought the command.
    public mutating func enqueue(answer: OutgoingMessage, tooLarge: OutgoingMessage) {
        guard self.isUp else { return self.waiting.dropAnswer() }
        if let lost = self.waiting.append(answer: WaitingMessages.Answer(message: answer, tooLarge: tooLarge)) {
            self.notices.append(.report(.answerLost(topic: lost.topic)))
        }
    }

    /// Sends a passing value (a position tick) now or never: `nil` while there is no room, or while newer documents of its owner wait.
    public mutating func tick(_ message: OutgoingMessage, of owner: DocumentOwner) -> Action? {
        guard self.phase == .online, self.hasRoom(reserve: 2), !self.dirty.contains(owner), self.current?.owner != owner,
            self.forming?.owner != owner, self.fits(message)
        else { return nil }
        return self.send(message, .event)
    }

    /// Clears leftovers of a former life; topics that hold something of this one are left alone.
    public mutating func clear(leftovers topics: [String]) {
        guard self.isUp else { return }
        self.sweep += topics.reversed().map { Sweep(topic: $0, refused: nil) }
    }

    /// The documents of `owner` that `form` asked for.
    /// - Parameter isComplete: `false` leaves topics that are not among them as they are; see `PublishedState.difference`.
    public mutating func formed(_ owner: DocumentOwner, _ wanted: [OutgoingMessage], isComplete: Bool = true) {
        guard let forming, forming.owner == owner else { return }
        self.forming = nil
        let isSending =
            switch self.phase {
            case .filling, .announcing, .online: true
            case .down, .subscribing, .leaving, .left: false
            }
        guard isSending else { return self.dirty.mark(owner) }
        let difference = self.published.difference(for: owner, wanted: wanted, isComplete: isComplete)
        if let topics = difference.topicsToRecord, case .device(let device) = owner {
            self.awaitingRecord[owner] = topics
            self.notices.append(.record(device, topics))
            return
        }
        self.current = Sending(owner: owner, documents: forming.documents, difference)
        if case .filling(var round) = self.phase {
            round.formed(owner)
            self.phase = .filling(round)
        }
        self.settle(owner)
    }

    /// The record of a device is on disk, or can't be written and the bridge goes on without.
    public mutating func recorded(_ device: Device.ID) {
        guard let topics = self.awaitingRecord.removeValue(forKey: .device(device)) else { return }
        self.published.record(topics, for: .device(device))
        self.dirty.markFirst(.device(device))
    }

    /// Forgets a device; its documents must have been cleared by `formed` with none wanted.
    public mutating func forget(_ device: Device.ID) {
        let owner = DocumentOwner.device(device)
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

// MARK: - What became of it

extension Publisher {
    /// The broker took the message.
    public mutating func acknowledged(_ token: Token) {
        guard let message = self.inFlight.removeValue(forKey: token) else { return }
        if message.isAsWanted { self.refusedTopics.remove(message.topic) }
        switch message.kind {
        case .document(let owner, let isClearing):
            self.postponed.accepted()
            if isClearing, let topics = self.published.cleared(message.topic, token: token, for: owner),
                case .device(let device) = owner
            {
                self.notices.append(.shrinkRecord(device, topics))
            }
            self.settle(owner)
        case .online: self.announced()
        case .offline: self.left()
        case .answer, .event, .sweep: break
        }
    }

    /// The broker refused the message, or the library would not send it.
    /// - Parameter reasonCode: of MQTT 5 (section 2.4): 0x87 not authorized, 0x95 packet too large, 0x97 quota exceeded …
    public mutating func refused(_ token: Token, reasonCode: UInt8, now: MonotonicTime) {
        guard let message = self.inFlight.removeValue(forKey: token) else { return }
        if self.isFirstRefusal(of: message.topic) {
            self.notices.append(.report(.refused(topic: message.topic, reasonCode: reasonCode)))
        }
        switch message.kind {
        case .document(let owner, let isClearing):
            if reasonCode == 0x97 {
                // The broker is full for now: the topic counts as unsent and its owner gets another turn later.
                self.published.lost(message.topic, token: token, for: owner)
                self.postponed.append(owner, now: now)
            } else if reasonCode == 0x95, !isClearing {
                // An older value must not stay where the new one is too large for.
                self.sweep.append(Sweep(topic: message.topic, refused: (owner, token)))
            }
            self.settle(owner)
        case .answer:
            self.waiting.dropAnswer()
            self.notices.append(.report(.answerLost(topic: message.topic)))
        case .event: self.waiting.dropEvent()
        case .online: self.announced()
        case .offline: self.left()
        case .sweep: break
        }
    }

    /// Looks at the time; call it at `nextWake`.
    public mutating func wake(now: MonotonicTime) {
        for owner in self.postponed.take(now: now) { self.dirty.mark(owner) }
    }

    private mutating func announced() {
        guard self.phase == .announcing else { return }
        self.phase = .online
        self.notices.append(.becameOnline)
    }

    private mutating func left() {
        guard case .leaving = self.phase else { return }
        self.phase = .left
        self.notices.append(.finishedLeaving)
    }

    /// Counts an owner as done with the first full round once nothing of it waits or is on its way.
    private mutating func settle(_ owner: DocumentOwner) {
        guard case .filling(var round) = self.phase, round.awaitsEnd(of: owner), self.awaitingRecord[owner] == nil else { return }
        if let current, current.owner == owner, !current.isEmpty { return }
        let isUnderWay = self.inFlight.values.contains { if case .document(owner, _) = $0.kind { true } else { false } }
        guard !isUnderWay else { return }
        round.finished(owner)
        self.phase = .filling(round)
    }
}

// MARK: - The next action

extension Publisher {
    /// The next thing to do; `nil` until the next event.
    public mutating func next() -> Action? {
        if !self.notices.isEmpty { return self.notices.removeFirst() }
        guard self.isUp, self.hasRoom(reserve: 0) else { return nil }
        if let action = self.nextAnswer() ?? self.nextEvent() { return action }
        // A reader of answers must not wait behind a thousand documents.
        switch self.phase {
        case .filling(let round) where round.isFinished:
            self.phase = .announcing
            return self.send(self.onlineMessage, .online)
        case .filling, .announcing, .online: return self.hasRoom(reserve: 2) ? self.nextDocument() : nil
        case .leaving(isOfflineSent: false):
            self.phase = .leaving(isOfflineSent: true)
            return self.send(self.offlineMessage, .offline)
        case .down, .subscribing, .leaving(isOfflineSent: true), .left: return nil
        }
    }

    private var isUp: Bool {
        switch self.phase {
        case .down, .left: false
        case .subscribing, .filling, .announcing, .online, .leaving: true
        }
    }

    /// Whether one more message may be under way, with `reserve` places left free where there are that many.
    private func hasRoom(reserve: Int) -> Bool {
        let places = max(1, min(self.limits.unacknowledged - 1, self.link.receiveMaximum))
        return self.inFlight.count < max(1, places - reserve)
    }

    private func fits(_ message: OutgoingMessage) -> Bool { self.link.maximumPacketSize.map { message.packetSizeBound <= $0 } ?? true }

    private mutating func send(_ message: OutgoingMessage, _ kind: InFlight.Kind, isAsWanted: Bool = true) -> Action {
        let token = Token(number: self.nextToken)
        self.nextToken += 1
        self.inFlight[token] = InFlight(topic: message.topic, kind: kind, isAsWanted: isAsWanted)
        return .send(message, token)
    }

    private func tooLarge(_ message: OutgoingMessage) -> Action {
        .report(.tooLarge(topic: message.topic, bytes: message.packetSizeBound, limit: self.link.maximumPacketSize ?? 0))
    }

    private mutating func nextAnswer() -> Action? {
        guard let answer = self.waiting.popAnswer() else { return nil }
        if self.fits(answer.message) { return self.send(answer.message, .answer) }
        self.notices.append(self.tooLarge(answer.message))
        if self.fits(answer.tooLarge) { return self.send(answer.tooLarge, .answer) }
        self.waiting.dropAnswer()
        self.notices.append(.report(.answerLost(topic: answer.message.topic)))
        return self.notices.removeFirst()
    }

    private mutating func nextEvent() -> Action? {
        guard let event = self.waiting.popEvent() else { return nil }
        guard !self.fits(event) else { return self.send(event, .event) }
        self.waiting.dropEvent()
        return self.tooLarge(event)
    }

    private mutating func nextDocument() -> Action? {
        // A round that began stays whole while the state is filled in; later, newer documents take its place.
        if let current, self.phase == .online, self.dirty.contains(current.owner) {
            self.current = nil
            // What was formed and not sent yet is due with what is newer.
            self.dirty.markFirst(current.owner, current.documents)
        }
        if let (owner, document) = self.current?.next() {
            if self.current?.isEmpty == true { self.current = nil }
            return self.send(document, of: owner)
        }
        self.current = nil
        while let sweep = self.sweep.popLast() {
            if self.published.allows(sweep) { return self.send(.clearing(sweep.topic), .sweep, isAsWanted: false) }
        }
        guard self.forming == nil, let due = self.dirty.popFirst(where: { self.awaitingRecord[$0] == nil }) else { return nil }
        self.forming = due
        return .form(due.owner, due.documents)
    }

    private mutating func send(_ document: PublishedState.Document, of owner: DocumentOwner) -> Action {
        let message = document.message
        let token = Token(number: self.nextToken)
        self.published.sent(message.topic, fingerprint: document.fingerprint, token: token, for: owner)
        let kind = InFlight.Kind.document(owner, isClearing: document.isClearing)
        if self.fits(message) { return self.send(message, kind) }
        if self.isFirstRefusal(of: message.topic) { self.notices.append(self.tooLarge(message)) }
        return self.send(.clearing(message.topic, qos: message.qos), kind, isAsWanted: false)
    }

    /// Whether a refusal of this topic is news. Clients choose response topics, so what is remembered has a bound.
    private mutating func isFirstRefusal(of topic: String) -> Bool {
        if self.refusedTopics.count >= 1024 { self.refusedTopics.removeAll() }
        return self.refusedTopics.insert(topic).inserted
    }
}
