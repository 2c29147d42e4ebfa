import CastModels

public struct CommandAnswer: Sendable, Hashable {
    public var envelope: CommandEnvelope
    public var result: CommandResult
    /// The time from the command's arrival to its end.
    public var elapsed: Duration

    public init(envelope: CommandEnvelope, result: CommandResult, elapsed: Duration) {
        (self.envelope, self.result, self.elapsed) = (envelope, result, elapsed)
    }

    /// Creates the answer at `now`.
    public init(to envelope: CommandEnvelope, _ result: CommandResult, now: MonotonicTime) {
        self.init(envelope: envelope, result: result, elapsed: max(.zero, now - envelope.received.monotonic))
    }
}

extension PublishedEvent {
    /// The event of a command that failed.
    /// - Parameter application: the running application.
    public convenience init(failureOf answer: CommandAnswer, application: ReceiverApplication?) {
        self.init(
            .commandFailed, app: application?.displayName,
            facts: [
                "cmd": .string(answer.envelope.name), "code": .string(answer.result.code.rawValue),
                "message": answer.result.message.map { .string($0) } ?? .null,
            ])
    }
}

public struct AnswerMessages: Sendable, Hashable {
    public var answer: OutgoingMessage
    /// Replaces `answer` when that is above the broker's maximum packet size; equal to it when it is short already.
    public var tooLarge: OutgoingMessage
    /// The message to `<dev>/error`, if one is due.
    public var error: OutgoingMessage?
    public var errorCode: ErrorCodeChange

    /// The effect of an answer on the device's `status/error_code`.
    public enum ErrorCodeChange: Sendable, Hashable {
        case keep, clear
        case set(String)
    }
}

public struct AnswerWriter: Sendable, Hashable {
    /// The MQTT 5 expiry of an answer, in seconds.
    public static let answerExpirySeconds: UInt32 = 60
    /// The MQTT 5 expiry of an error message, in seconds.
    public static let errorExpirySeconds: UInt32 = 300

    private let topics: TopicTree

    public init(topics: TopicTree) { self.topics = topics }

    /// Returns the messages for `answer`.
    /// - Parameter slug: the slug of the device; `nil` for the bridge and for unknown devices, because no topic is made from
    ///   the sender's text.
    public func messages(for answer: CommandAnswer, slug: String?) -> AnswerMessages {
        let destination = answer.envelope.responseTopic ?? self.defaultTopic(of: answer.envelope.target, slug: slug)
        let message = self.message(answer, slug: slug, to: destination)
        var messages = AnswerMessages(answer: message, tooLarge: message, error: nil, errorCode: .keep)
        // The shorter answer is only needed when this one has more content.
        if !answer.result.data.isEmpty || (answer.result.message?.utf8.count ?? 0) > 64 {
            var tooLarge = answer
            tooLarge.result = CommandResult(
                .tooLarge, message: "The answer is larger than the broker accepts; the command ended with \(answer.result.code.rawValue).")
            messages.tooLarge = self.message(tooLarge, slug: slug, to: destination)
        }
        guard let slug, case .device = answer.envelope.target else { return messages }
        if !answer.result.isError {
            messages.errorCode = answer.result.code == .accepted ? .keep : .clear
        } else if answer.envelope.responseTopic == nil, answer.envelope.direct == nil {
            messages.error = self.error(answer, slug: slug)
            messages.errorCode = .set(answer.result.code.rawValue)
        }
        return messages
    }

    private func defaultTopic(of target: CommandTarget, slug: String?) -> String {
        switch target {
        case .device: slug.map { self.topics.device($0, "response") } ?? self.topics.bridgeResponse("command")
        case .all: self.topics.bridgeResponse("command")
        case .bridge(let verb): self.topics.bridgeResponse(verb?.rawValue ?? "command")
        }
    }

    private func message(_ answer: CommandAnswer, slug: String?, to topic: String) -> OutgoingMessage {
        var writer = JSONWriter(capacity: 320)
        let offset = self.begin(&writer, answer, slug: slug)
        writer.member("elapsed_ms", Int(clamping: answer.elapsed.wholeNanoseconds / 1_000_000))
        writer.member("data", .object(answer.result.data))
        writer.member("hint", answer.result.hint.isEmpty ? nil : answer.result.hint)
        writer.endObject()
        return OutgoingMessage(
            topic: topic, payload: writer.bytes, timestampOffset: offset, qos: answer.envelope.answerQoS, retain: false,
            content: .document(schema: 1), expirySeconds: Self.answerExpirySeconds, correlationData: answer.envelope.correlationData)
    }

    private func error(_ answer: CommandAnswer, slug: String) -> OutgoingMessage {
        var writer = JSONWriter(capacity: 480)
        let offset = self.begin(&writer, answer, slug: slug)
        writer.member("data", .object(answer.result.data))
        writer.member("topic", answer.envelope.topic.shortened(to: 256))
        writer.member("hint", answer.result.hint)
        writer.member("incident", answer.result.incident)
        writer.endObject()
        return OutgoingMessage(
            topic: self.topics.device(slug, "error"), payload: writer.bytes, timestampOffset: offset, qos: 1, retain: false,
            content: .document(schema: 1), expirySeconds: Self.errorExpirySeconds)
    }

    /// Writes what answers and errors have in common. Returns where the duration is inserted.
    private func begin(_ writer: inout JSONWriter, _ answer: CommandAnswer, slug: String?) -> Int {
        writer.beginObject()
        writer.member("schema", 1)
        let offset = writer.bytes.count + 1
        writer.member("id", answer.envelope.id?.json ?? .null)
        writer.member("device", answer.envelope.target == .all ? "all" : slug)
        writer.member("cmd", answer.envelope.name)
        writer.member("status", answer.result.isError ? "error" : "ok")
        writer.member("code", answer.result.code.rawValue)
        writer.member("message", answer.result.message)
        return offset
    }
}
