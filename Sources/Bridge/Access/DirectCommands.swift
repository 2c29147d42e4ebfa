import BridgeCore
import CastSender

/// Commands that were not received over MQTT and wait for their final answers. They are handled like all others.
final class DirectCommands {
    /// The most commands that wait at once.
    static let maximumCount = 256

    private let context: BridgeContext
    private let receive: (IncomingMessage) -> Void
    private let answers: AnswerWriter
    private var waiting: [DirectTicket: CheckedContinuation<DirectAnswer, Never>] = [:]
    private var nextNumber: UInt64 = 1
    private var hasEnded = false
    /// Answers a waiting command, because its caller was cancelled; the command continues. Any thread may call it.
    private(set) lazy var cancel = self.context.loop.entrance { [weak self] (ticket: DirectTicket) in self?.cancelled(ticket) }

    /// - Parameter receive: handles a message like one from the broker.
    init(_ context: BridgeContext, receive: @escaping (IncomingMessage) -> Void) {
        self.context = context
        self.receive = receive
        self.answers = AnswerWriter(topics: context.topics)
    }

    /// - Parameters:
    ///   - topic: the topic below the base.
    ///   - ticket: a value of `nextTicket`.
    /// - Returns: the final answer, or that of `cancel`.
    nonisolated(nonsending) func perform(_ topic: String, payload: [UInt8], as ticket: DirectTicket) async -> DirectAnswer {
        let message = IncomingMessage(topic: "\(self.context.topics.base)/\(topic)", payload: payload, direct: ticket)
        guard self.context.parser.isCommandTopic(message.topic) else {
            return self.refusal(of: topic, CommandResult(.unknownCommand, message: "This is no command topic."))
        }
        guard !self.hasEnded else {
            return self.refusal(of: topic, CommandResult(CastError(.cancelled, detail: "the bridge ended")))
        }
        // No caller has more places than are still free.
        let own = self.waiting.keys.count { $0.caller == ticket.caller }
        guard own < Self.maximumCount - self.waiting.count else {
            return self.refusal(of: topic, CommandResult(.rateLimited, message: "\(own) commands of this caller are waiting."))
        }
        return await withCheckedContinuation { continuation in
            self.waiting[ticket] = continuation
            self.context.loop.turn { self.receive(message) }
        }
    }

    func nextTicket(for caller: String) -> DirectTicket {
        defer { self.nextNumber += 1 }
        return DirectTicket(number: self.nextNumber, caller: caller)
    }

    /// Handles the answer of a command; `accepted` is followed by the final answer.
    func answered(_ ticket: DirectTicket, _ result: CommandResult, _ message: OutgoingMessage) {
        guard result.code != .accepted else { return }
        self.waiting.removeValue(forKey: ticket)?.resume(returning: self.answer(result, message))
    }

    private func cancelled(_ ticket: DirectTicket) {
        self.waiting.removeValue(forKey: ticket)?.resume(returning: self.cancellation("the caller was cancelled"))
    }

    func end() {
        self.hasEnded = true
        let waiting = self.waiting.values
        self.waiting = [:]
        for continuation in waiting { continuation.resume(returning: self.cancellation("the bridge ended")) }
    }

    private func cancellation(_ detail: String) -> DirectAnswer {
        self.refusal(of: "", CommandResult(CastError(.cancelled, detail: detail)))
    }

    private func refusal(of topic: String, _ result: CommandResult) -> DirectAnswer {
        let name = topic.shortened(to: CommandParser.maximumNameLength)
        let envelope = CommandEnvelope(target: .bridge(nil), name: name, topic: topic, received: self.context.now)
        let messages = self.answers.messages(for: CommandAnswer(to: envelope, result, now: self.context.time), slug: nil)
        return self.answer(result, messages.answer)
    }

    private func answer(_ result: CommandResult, _ message: OutgoingMessage) -> DirectAnswer {
        DirectAnswer(
            code: result.code, isError: result.isError,
            body: self.context.settings.redaction.redacted(message).payload(at: self.context.now.wall))
    }
}
