import CastModels

/// The one answer of a command.
package struct CommandAnswer: Sendable, Hashable {
    package var envelope: CommandEnvelope
    package var result: CommandResult
    /// From the command's arrival to its end.
    package var elapsed: Duration

    package init(envelope: CommandEnvelope, result: CommandResult, elapsed: Duration) {
        self.envelope = envelope
        self.result = result
        self.elapsed = elapsed
    }

    /// An answer given at `now`.
    package init(to envelope: CommandEnvelope, _ result: CommandResult, now: MonotonicTime) {
        self.init(envelope: envelope, result: result, elapsed: max(.zero, now - envelope.received.monotonic))
    }
}

extension PublishedEvent {
    /// The event of a command that failed.
    /// - Parameter application: the running one.
    package convenience init(failureOf answer: CommandAnswer, application: ReceiverApplication?) {
        self.init(
            .commandFailed, app: application?.displayName,
            facts: [
                "cmd": .string(answer.envelope.name), "code": .string(answer.result.code.rawValue),
                "message": answer.result.message.map { .string($0) } ?? .null,
            ])
    }
}

/// The messages that tell an answer.
package struct AnswerMessages: Sendable, Hashable {
    /// Goes to whoever asked.
    package var answer: OutgoingMessage
    /// Takes the place of `answer` when that is above the broker's maximum packet size; the same where that is short already.
    package var tooLarge: OutgoingMessage
    /// `<dev>/error`, where one is due.
    package var error: OutgoingMessage?
    /// What becomes of `status/error_code`.
    package var errorCode: ErrorCodeChange

    /// What an answer does to the device's `status/error_code`.
    package enum ErrorCodeChange: Sendable, Hashable {
        case keep, clear
        case set(String)
    }
}

/// Forms the messages of answers.
package struct AnswerWriter: Sendable, Hashable {
    /// MQTT 5 expiry of an answer, in seconds.
    package static let answerExpirySeconds: UInt32 = 60
    /// MQTT 5 expiry of an error message, in seconds.
    package static let errorExpirySeconds: UInt32 = 300

    private let topics: TopicTree

    package init(topics: TopicTree) { self.topics = topics }

    /// The messages for `answer`.
    /// - Parameter slug: of the device it belongs to; `nil` for the bridge and for unknown devices, whose answers never go to a topic made
    ///   from the sender's text.
    package func messages(for answer: CommandAnswer, slug: String?) -> AnswerMessages {
        let destination = answer.envelope.responseTopic ?? self.defaultTopic(of: answer.envelope.target, slug: slug)
        let message = self.message(answer, slug: slug, to: destination)
        var messages = AnswerMessages(answer: message, tooLarge: message, error: nil, errorCode: .keep)
        // Otherwise nothing shorter could be said.
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
        writer.endObject()
        return OutgoingMessage(
            topic: topic, payload: writer.bytes, timestampOffset: offset, qos: answer.envelope.answerQoS, retain: false,
            content: .document(schema: 1), expirySeconds: Self.answerExpirySeconds, correlationData: answer.envelope.correlationData)
    }

    private func error(_ answer: CommandAnswer, slug: String) -> OutgoingMessage {
        var writer = JSONWriter(capacity: 480)
        let offset = self.begin(&writer, answer, slug: slug)
        writer.member("data", .object(answer.result.data))
        writer.member("topic", String(answer.envelope.topic.prefix(256)))
        writer.member("hint", answer.result.hint)
        writer.member("incident", answer.result.incident)
        writer.endObject()
        return OutgoingMessage(
            topic: self.topics.device(slug, "error"), payload: writer.bytes, timestampOffset: offset, qos: 1, retain: false,
            content: .document(schema: 1), expirySeconds: Self.errorExpirySeconds)
    }

    /// Writes what answer and error have in common; returns where the time goes in.
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
