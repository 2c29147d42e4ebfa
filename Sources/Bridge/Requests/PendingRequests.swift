import BridgeCore
import CastSender

/// Requests that are answered later, and the answers to all.
final class PendingRequests {
    private let context: BridgeContext
    private unowned let bridge: any BridgeOperations
    private var requests = OpenRequests()

    init(_ context: BridgeContext, bridge: any BridgeOperations) {
        self.context = context
        self.bridge = bridge
    }

    func answer(_ envelope: CommandEnvelope, _ result: CommandResult) {
        self.bridge.answer(CommandAnswer(to: envelope, result, now: self.context.time))
    }

    func append(_ envelope: CommandEnvelope, about subject: OpenRequests.Subject) { self.requests.append(envelope, about: subject) }

    /// Whether there is no room for one more; the request is refused then.
    func refusesMore(_ envelope: CommandEnvelope) -> Bool {
        guard self.requests.isFull else { return false }
        self.answer(envelope, CommandResult(.rateLimited, message: "Too many requests are under way."))
        return true
    }

    /// Keeps a request until `finish`; refuses it when there are too many.
    /// - Parameter data: what is known already, and goes before what the end reports.
    func hold(_ envelope: CommandEnvelope, about subject: OpenRequests.Subject, data: JSONObject = [:]) -> Bool {
        guard !self.refusesMore(envelope) else { return false }
        self.requests.append(envelope, about: subject, data: data)
        return true
    }

    /// Answers the requests that waited for this.
    func finish(_ subject: OpenRequests.Subject, _ result: CommandResult) {
        for answer in self.requests.finish(subject, result, now: self.context.time) { self.bridge.answer(answer) }
    }

    /// Answers whatever still waits.
    func close() { for answer in self.requests.close(now: self.context.time) { self.bridge.answer(answer) } }
}
