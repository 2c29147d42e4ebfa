import CastModels
import CastProtocol
import NIOCore
import Synchronization

/// Sends messages that no other call covers. Ids are filled in, all other members are sent unchanged, and the answer is returned unchanged.
extension CastSession {
    /// The types of the media namespace that do not refer to a media session.
    private static let sessionlessTypes: Set<String> = ["LOAD", "QUEUE_LOAD", "GET_STATUS", "RESUME_SESSION", "PRECACHE"]

    /// Sends a message of the media namespace to the running application and waits for its answer.
    ///
    /// - Parameter message: contains `type`; `requestId` is replaced, and a missing `mediaSessionId`, or `sessionId` of a load, is added.
    /// - Returns: the answer of the application.
    /// - Throws: the errors of `RemoteMediaClient`; a refusal has the receiver's `reason`.
    public func sendMediaMessage(_ message: JSONObject) async throws(CastError) -> JSONObject {
        let type = try Self.type(of: message)
        let transport = try await self.mediaTransport(of: nil, timeout: self.configuration.applicationTimeout)
        let exchange = RawExchange(message)
        try await self.withStrongConnection { session throws(CastError) in
            if Self.sessionlessTypes.contains(type) {
                if type == "LOAD" || type == "QUEUE_LOAD" { exchange.add("sessionId", .string(transport.sessionID)) }
            } else {
                exchange.add("mediaSessionId", .integer(Int64(try await session.currentMediaStatus().mediaSessionID)))
            }
            let isLoad = type == "LOAD" || type == "QUEUE_LOAD"
            let timeout = isLoad ? session.configuration.loadTimeout : session.configuration.commandTimeout
            try await session.exchange(
                exchange, namespace: CastNamespace.media, to: transport.id, timeout: timeout,
                limit: isLoad ? session.configuration.loadLimit : nil)
        }
        return exchange.answer
    }

    /// Sends a message of the receiver namespace to the platform and waits for its answer.
    ///
    /// - Parameter message: contains `type`; `requestId` is replaced, and a missing `sessionId` of a STOP is added.
    /// - Returns: the answer of the platform.
    public func sendReceiverMessage(_ message: JSONObject) async throws(CastError) -> JSONObject {
        let type = try Self.type(of: message)
        let exchange = RawExchange(message)
        if type == "STOP", let sessionID = self.receiverStatus?.application?.sessionID { exchange.add("sessionId", .string(sessionID)) }
        try await self.exchange(
            exchange, namespace: CastNamespace.receiver, to: CastMessage.platformReceiverID,
            timeout: type == "LAUNCH" ? self.configuration.launchTimeout : self.configuration.commandTimeout,
            limit: type == "LAUNCH" ? self.configuration.loadLimit : nil)
        return exchange.answer
    }

    private static func type(of message: JSONObject) throws(CastError) -> String {
        guard let type = message["type"]?.stringValue, !type.isEmpty else { throw .invalidArgument("type", "a message has one") }
        return type
    }

    private func exchange(_ exchange: RawExchange, namespace: String, to id: String, timeout: TimeAmount, limit: TimeAmount?)
        async throws(CastError)
    {
        let observer = self.addMessageObserver { exchange.received($0) }
        defer { self.removeMessageObserver(observer) }
        var terms = RequestTerms(namespace, to: id, timeout: timeout)
        terms.limit = limit
        _ = try await self.request(terms) { id throws(CastError) in exchange.text(requestID: id) }
    }
}

/// A message and its answer, in wire form.
private final class RawExchange: Sendable {
    private struct State {
        var message: JSONObject
        var requestID: Int?
        var answer = JSONObject()
    }

    private let state: Mutex<State>

    init(_ message: JSONObject) { self.state = Mutex(State(message: message)) }

    var answer: JSONObject { self.state.withLock { $0.answer } }

    /// Adds a member if it is missing.
    func add(_ key: String, _ value: JSONValue) {
        self.state.withLock { if $0.message[key] == nil { $0.message.append(key, value) } }
    }

    func text(requestID: Int) -> String {
        self.state.withLock {
            $0.requestID = requestID
            var message = $0.message
            message["requestId"] = nil
            message.append("requestId", .integer(Int64(requestID)))
            return JSONWriter.string(of: .object(message))
        }
    }

    /// Stores an answer to the request; several may arrive, and the last one is used.
    func received(_ received: ReceivedMessage) {
        guard let answered = received.answers, let text = received.piece.message.text else { return }
        self.state.withLock {
            guard $0.requestID == answered, case .object(let object)? = try? JSONParser.parse(text) else { return }
            $0.answer = object
        }
    }
}
