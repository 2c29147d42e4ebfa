import BridgeCore
import CastSender
import LogKeys
import Logging
import MQTTClient

/// Appends the documents of their owners to a batch when the publisher has room for them. Returns what to do with the owner's other topics.
typealias DocumentSource = (DeviceDocuments, DocumentOwner, inout MessageBatch) -> RemainingTopics

/// Receives formed documents, without secrets.
typealias DocumentReader = (DeviceDocuments, DocumentOwner, borrowing MessageBatch) -> Void

/// Carries out what `Publisher` decides: asks for documents, sends messages, reports outcomes.
///
/// All messages of one turn of the loop are sent together.
final class PublisherRunner {
    /// The actions that other parts must do.
    enum Event {
        /// Add these topics of the owner to the record, write it and call `recorded`.
        case record(DocumentOwner, Set<String>)
        /// The broker holds fewer topics of the owner: these.
        case recordShrank(DocumentOwner, Set<String>)
        /// The broker has answered for everything that `settle` asked for.
        case settled(DocumentOwner)
        /// The broker has answered for everything that `clear` was given, and refused to clear these topics.
        case cleared(refused: Set<String>)
        /// The retained state is complete and `online` is acknowledged.
        case online
        /// An event was queued. Contains no secrets.
        case event(OutgoingMessage)
    }

    private let context: BridgeContext
    private let logTopic: String
    private let sender: BrokerConnection
    private let form: DocumentSource
    private let onFormed: DocumentReader
    private let onEvent: (Event) -> Void
    private var publisher: Publisher
    private var isPumping = false
    private var isPumpDue = false
    /// Holds the documents that are compared; reused for each owner.
    private var batch = MessageBatch()
    /// Called when nothing is left to send before the end.
    private var onLeft: (() -> Void)?
    /// A pause for a broker that takes few messages a second.
    private lazy var restDeadline = self.context.loop.deadline { [weak self] in self?.pump() }
    private lazy var wakeDeadline = self.context.loop.deadline { [weak self] in self?.wake() }

    init(
        _ context: BridgeContext, sender: BrokerConnection, form: @escaping DocumentSource, onFormed: @escaping DocumentReader,
        onEvent: @escaping (Event) -> Void
    ) {
        self.context = context
        self.logTopic = context.topics.bridge("log")
        self.sender = sender
        self.form = form
        self.onFormed = onFormed
        self.onEvent = onEvent
        self.publisher = Publisher(bridgeState: context.topics.bridge("state"))
        context.loop.onTurnEnd { [weak self] in self?.pumpIfDue() }
    }

    // MARK: The link

    func linkUp(_ limits: Publisher.LinkLimits) { self.publisher.linkUp(limits) }

    /// Notes that the broker retains this message of a device.
    /// - Returns: whether the message was received before the state is published.
    func found(_ message: OutgoingMessage, of owner: DocumentOwner) -> Bool {
        self.publisher.found(message, of: owner)
    }

    func subscribed() { self.publisher.subscriptionsAcknowledged() }

    /// - Parameter cut: how the broker ended the link; `nil` when it did not.
    /// - Returns: whether the next link will differ, so that it need not wait.
    func linkDown(_ cut: Publisher.Cut?) -> Bool { self.publisher.linkDown(cut) }

    /// Notes a message of the broker, which may have overwritten the bridge's state.
    func received(_ message: IncomingMessage) {
        if self.publisher.received(message.topic, message.payload, now: self.context.time) { self.schedulePump() }
    }

    /// Sends the waiting answers, then `offline`. Returns when the broker has acknowledged it, when there is no link, or after `limit`.
    /// - Parameter handsOver: whether another bridge goes on, so that the state stays `online`.
    nonisolated(nonsending) func leave(within limit: Duration, handsOver: Bool) async {
        let deadline = self.context.loop.deadline { [weak self] in self?.left() }
        deadline.set(self.context.time + limit)
        await withCheckedContinuation { continuation in
            self.onLeft = { continuation.resume() }
            self.publisher.leave(handsOver: handsOver)
            self.pump()
        }
        deadline.cancel()
    }

    private func left() {
        self.onLeft?()
        self.onLeft = nil
    }

    func end() {
        self.wakeDeadline.cancel()
        self.restDeadline.cancel()
    }

    // MARK: Documents

    func restore(_ topics: Set<String>, for owner: DocumentOwner) { self.publisher.restore(topics, for: owner) }

    func changed(_ owner: DocumentOwner, _ documents: DeviceDocuments = .all) {
        self.publisher.changed(owner, documents)
        self.schedulePump()
    }

    /// Sends what differs of these owners and reports each with the event `settled`.
    func settle(_ owners: [DocumentOwner]) {
        for owner in owners { self.publisher.settle(owner) }
        self.schedulePump()
    }

    /// Sends all documents of the owner, changed or not, and reports it with the event `settled`.
    func settleAgain(_ owner: DocumentOwner) {
        self.publisher.settleAgain(owner)
        self.schedulePump()
    }

    func republish() {
        self.publisher.republish()
        self.schedulePump()
    }

    /// Clears topics that no owner publishes; ends with the event `cleared`.
    func clear(_ topics: [String]) { self.publisher.clear(stale: topics) }

    var retained: [String] { self.publisher.retained }

    /// Sends the messages of these topics again, because the broker has lost them.
    func vanished(_ topics: Set<String>) {
        self.publisher.vanished(topics, now: self.context.time)
        self.schedulePump()
    }

    func holds(_ topic: String) -> Bool { self.publisher.holds(topic) }

    func handOver(topicsBelow prefix: String, from former: DocumentOwner, to owner: DocumentOwner) {
        self.publisher.handOver(topicsBelow: prefix, from: former, to: owner)
    }

    /// Notes that the record of these owners is on disk, or that it can't be written and the bridge continues without.
    func recorded(_ owners: Set<DocumentOwner>) {
        for owner in owners { self.publisher.recorded(owner) }
        self.pump()
    }

    func forget(_ owner: DocumentOwner) { self.publisher.forget(owner) }

    /// Sends short-lived values of one owner now; those without room are dropped.
    func tick(_ messages: [OutgoingMessage], of owner: DocumentOwner) {
        guard self.restDeadline.time == nil, self.context.mayAct else { return }
        self.takeOutcomes()
        for message in messages {
            if let action = self.publisher.tick(message, of: owner) { self.perform(action) }
        }
        self.flush()
    }

    var backlog: Int { self.publisher.backlog }
    var isOnline: Bool { self.publisher.isOnline }
    /// The number of messages dropped since the start.
    var dropped: Publisher.Counts { self.publisher.counts }

    // MARK: Sending

    /// Sends what is due at the end of this turn, so that simultaneous changes are sent together.
    func schedulePump() {
        // A pump continues until there is nothing to send.
        guard !self.isPumping, !self.isPumpDue else { return }
        self.isPumpDue = true
        if !self.context.loop.isInTurn { self.context.loop.later { [weak self] in self?.pumpIfDue() } }
    }

    private func pumpIfDue() { if self.isPumpDue { self.pump() } }

    /// Carries out the publisher's decisions until there are none left, then sends all messages.
    func pump() {
        guard !self.isPumping, self.restDeadline.time == nil, self.context.mayAct else { return }
        self.isPumping = true
        self.isPumpDue = false
        self.takeOutcomes()
        var room = self.publisher.burst ?? .max
        while room > 0, let action = self.publisher.next() {
            if case .send = action { room -= 1 }
            self.perform(action)
        }
        if room == 0 { self.restDeadline.set(self.context.time + .milliseconds(250)) }
        self.isPumping = false
        self.flush()
        self.wakeDeadline.set(self.publisher.nextWake)
    }

    private func flush() { self.sender.flush(isAwaited: self.publisher.awaitsOutcomes) }

    /// Frees room: most acknowledgements were not reported in a turn of their own.
    private func takeOutcomes() {
        guard self.publisher.backlog > 0 else { return }
        for message in self.sender.takeOutcomes() { self.report(message.outcome, of: Publisher.Token(number: message.token)) }
    }

    private func perform(_ action: Publisher.Action) {
        switch action {
        case .send(let message, let token):
            guard self.publisher.isHeldBack(message.topic) else { return self.sender.append(message, token) }
            self.publisher.refused(token, reasonCode: MQTTReasonCode.notAuthorized.rawValue, now: self.context.time)
        case .form(let owner, let documents):
            self.batch.removeAll()
            let remaining = self.form(documents, owner, &self.batch)
            self.batch.redact(self.context.settings.redaction)
            self.onFormed(documents, owner, self.batch)
            self.publisher.formed(owner, &self.batch, remaining: remaining)
            self.sender.append(self.batch)
        case .record(let owner, let topics): self.onEvent(.record(owner, topics))
        case .shrinkRecord(let owner): self.onEvent(.recordShrank(owner, self.publisher.record(of: owner)))
        case .settled(let owner): self.onEvent(.settled(owner))
        case .staleCleared(let refused): self.onEvent(.cleared(refused: refused))
        case .report(let report): self.log(report)
        case .becameOnline: self.onEvent(.online)
        case .finishedLeaving: self.left()
        }
    }

    /// Handles the outcomes of messages that were sent over the current link.
    func published(_ published: [MQTTPublished]) {
        for message in published { self.report(message.outcome, of: Publisher.Token(number: message.token)) }
        self.schedulePump()
    }

    private func report(_ outcome: MQTTPublishOutcome, of token: Publisher.Token) {
        func refused(_ code: MQTTReasonCode) { self.publisher.refused(token, reasonCode: code.rawValue, now: self.context.time) }
        switch outcome {
        case .acknowledged(let code) where code.isFailure:
            self.context.count { $0.mqttRefused += 1 }
            refused(code)
        case .acknowledged: self.publisher.acknowledged(token)
        case .refused(.tooLarge): refused(.packetTooLarge)
        case .refused(.queueFull): refused(.quotaExceeded)
        case .refused(.notConnected), .connectionLost: return
        case .refused(.invalid), .refused(.library): refused(.unspecifiedError)
        }
    }

    private func wake() {
        self.publisher.wake(now: self.context.time)
        self.pump()
    }

    private func log(_ report: Publisher.Report) {
        switch report {
        // A line about the log's own topic would cause the next line.
        case .refused(self.logTopic, _), .tooLarge(self.logTopic, _, _): break
        case .refused(let topic, let code):
            self.context.logger.warning(
                "broker refused topic",
                metadata: [.topic: "\(topic)", .reasonCode: "\(code)", .remedy: "check its access rules and limits"])
        case .tooLarge(let topic, let bytes, let limit):
            self.context.logger.warning(
                "message larger than the broker accepts", metadata: [.topic: "\(topic)", .bytes: "\(bytes)", .limit: "\(limit)"])
        case .heldBack(let topic, let code):
            self.context.count { $0.mqttRefused += 1 }
            self.context.logger.warning(
                "broker ends the link when it gets this; it is held back",
                metadata: [
                    .topic: "\(topic)", .reasonCode: "\(code.map { "\($0)" } ?? "-")",
                    .remedy: "check the broker's access rules and its limit of packets, then send the request republish",
                ])
        case .overwritten(let topic):
            self.context.logger.warning(
                "another program overwrites the state of this bridge again and again",
                metadata: [.topic: "\(topic)", .remedy: "stop it, or give one of the two its own mqtt.base"])
        case .answerLost(let topic): self.context.logger.warning("answer could not be sent", metadata: [.topic: "\(topic)"])
        }
    }

    // MARK: Messages that are sent once

    /// Queues an event; it is sent when there is room.
    func enqueue(event: OutgoingMessage) {
        let event = self.context.settings.redaction.redacted(event)
        self.publisher.enqueue(event: event)
        self.onEvent(.event(event))
        self.schedulePump()
    }

    /// Queues a message of an application; it is dropped when the queue is so full that events might be lost.
    func enqueue(passing message: OutgoingMessage) {
        self.publisher.enqueue(passing: message)
        self.schedulePump()
    }

    /// Queues an answer.
    /// - Parameter tooLarge: replaces `answer` when that is above the broker's limit.
    func enqueue(answer: OutgoingMessage, tooLarge: OutgoingMessage) {
        let redaction = self.context.settings.redaction
        self.publisher.enqueue(answer: redaction.redacted(answer), tooLarge: redaction.redacted(tooLarge))
        self.schedulePump()
    }
}
