import CastModels
import CastProtocol
import NIOCore

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
        self.commandBegan()
        defer { self.commandEnded() }
        var message = message
        let isLoad = type == "LOAD" || type == "QUEUE_LOAD"
        if isLoad {
            message.complete("sessionId", .string(transport.sessionID))
        } else if !Self.sessionlessTypes.contains(type) {
            message.complete("mediaSessionId", .integer(Int64(try await self.currentMediaStatus().mediaSessionID)))
        }
        return try await self.exchange(
            message, namespace: CastNamespace.media, to: transport.id,
            timeout: isLoad ? self.configuration.loadTimeout : self.configuration.commandTimeout, isLong: isLoad)
    }

    /// Sends a message of the receiver namespace to the platform and waits for its answer.
    ///
    /// - Parameter message: contains `type`; `requestId` is replaced, and a missing `sessionId` of a STOP is added.
    /// - Returns: the answer of the platform.
    public func sendReceiverMessage(_ message: JSONObject) async throws(CastError) -> JSONObject {
        let type = try Self.type(of: message)
        var message = message
        if type == "STOP", let sessionID = self.machine.receiver?.application?.sessionID {
            message.complete("sessionId", .string(sessionID))
        }
        return try await self.exchange(
            message, namespace: CastNamespace.receiver, to: CastMessage.platformReceiverID,
            timeout: type == "LAUNCH" ? self.configuration.launchTimeout : self.configuration.commandTimeout, isLong: type == "LAUNCH")
    }

    private static func type(of message: JSONObject) throws(CastError) -> String {
        guard let type = message["type"]?.stringValue, !type.isEmpty else { throw .invalidArgument("type", "a message has one") }
        return type
    }

    /// - Parameter isLong: whether it has the time of a load while the receiver shows life.
    private func exchange(_ message: JSONObject, namespace: String, to id: String, timeout: TimeAmount, isLong: Bool)
        async throws(CastError) -> JSONObject
    {
        var request = CastRequest(namespace, to: id, timeout: timeout) { requestID in
            var message = message
            message["requestId"] = nil
            message.append("requestId", .integer(Int64(requestID)))
            return JSONWriter.string(of: .object(message))
        }
        if isLong { request.terms.limit = self.configuration.loadLimit }
        guard let text = try await self.request(request)?.piece.message.text, case .object(let answer)? = try? JSONParser.parse(text) else {
            return JSONObject()
        }
        return answer
    }
}

extension JSONObject {
    /// Adds a member if it is missing.
    fileprivate mutating func complete(_ key: String, _ value: JSONValue) { if self[key] == nil { self.append(key, value) } }
}
