import CastModels

/// The payload of a received message, read by the rules of its namespace, with what ties it to a request.
package struct ReceivedPayload: Sendable, Hashable {
    /// The request this answers; `nil` for what nobody asked for, which receivers mark with 0 or not at all.
    package var requestID: Int?
    package var content: Content

    package init(requestID: Int? = nil, content: Content) {
        self.requestID = requestID
        self.content = content
    }

    package enum Content: Sendable, Hashable {
        case connection(ConnectionMessage)
        case heartbeat(HeartbeatMessage)
        case receiver(ReceiverMessage)
        case media(MediaMessage)
        case multizone(MultizoneMessage)
        case deviceInformation(DeviceInformationMessage)
        /// A namespace this module doesn't read, or a binary payload: the message itself says all there is.
        case other
    }

    /// Reads `message`. Types and words nobody knows are kept as such; fields of the wrong type count as absent.
    ///
    /// - Throws: `invalidResponse` when the text of a platform namespace is not a JSON object.
    package init(_ message: CastMessage) throws(CastError) {
        var memory = PayloadMemory()
        try self.init(message, &memory)
    }

    /// The same, quicker where the message repeats what `memory` has.
    package init(_ message: CastMessage, _ memory: inout PayloadMemory) throws(CastError) {
        guard let text = message.text, Self.isRead(message.namespace) else {
            self.init(content: .other)
            return
        }
        let object = try Self.object(text, &memory)
        let content: Content =
            switch message.namespace {
            case CastNamespace.connection: .connection(ConnectionMessage(object))
            case CastNamespace.heartbeat: .heartbeat(HeartbeatMessage(object))
            case CastNamespace.receiver: .receiver(ReceiverMessage(object))
            case CastNamespace.media: .media(MediaMessage(object, &memory))
            case CastNamespace.multizone: .multizone(MultizoneMessage(object))
            default: .deviceInformation(DeviceInformationMessage(object))
            }
        self.init(requestID: Self.requestID(in: object), content: content)
    }

    private static func isRead(_ namespace: String) -> Bool {
        switch namespace {
        case CastNamespace.connection, CastNamespace.heartbeat, CastNamespace.receiver, CastNamespace.media, CastNamespace.multizone,
            CastNamespace.discovery, CastNamespace.setup:
            true
        default: false
        }
    }

    private static func object(_ text: String, _ memory: inout PayloadMemory) throws(CastError) -> JSONObject {
        do throws(JSONError) {
            if case .object(let object) = try memory.parse(text) { return object }
        } catch {
            throw CastError(.invalidResponse, detail: "not JSON: \(error.kind) at byte \(error.offset)")
        }
        throw CastError(.invalidResponse, detail: "JSON, but not an object")
    }

    /// The id of the request that `object` answers, whatever its namespace calls it.
    package static func requestID(in object: JSONObject) -> Int? {
        for key in [PayloadKey.requestID, PayloadKey.launchRequestID, PayloadKey.setupRequestID] {
            if let id = object.whole(key), id != 0 { return id }
        }
        return nil
    }

    /// What kind of message `object` is; empty when it doesn't say.
    static func type(of object: JSONObject) -> String { object.text(PayloadKey.type) ?? object.text(PayloadKey.responseType) ?? "" }
}
