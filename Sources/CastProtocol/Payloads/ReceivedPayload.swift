@_spi(JSON) import CastModels

/// The payload of a received message, parsed by the rules of its namespace, with the id of the request that it answers.
package struct ReceivedPayload: Sendable, Hashable {
    /// The request that this answers; `nil` for an unsolicited message, which receivers mark with 0 or without an id.
    package var requestID: Int?
    package var content: Content

    package init(requestID: Int? = nil, content: Content) { (self.requestID, self.content) = (requestID, content) }

    package enum Content: Sendable, Hashable {
        case connection(ConnectionMessage)
        case heartbeat(HeartbeatMessage)
        case receiver(ReceiverMessage)
        case media(MediaMessage)
        case multizone(MultizoneMessage)
        case deviceInformation(DeviceInformationMessage)
        /// The payload of a namespace that this module does not read, or a binary payload; use the message itself.
        case other
    }

    /// Parses the payload of `message`. Unknown types and words are kept; fields of the wrong type count as missing.
    ///
    /// - Parameter memory: the memory of the link, for repeated objects.
    /// - Throws: `invalidResponse` when the text of a platform namespace is not a JSON object.
    package init(_ message: CastMessagePiece, _ memory: inout PayloadMemory) throws(CastError) {
        guard message.isText, let namespace = ReadNamespace(of: message) else {
            self.init(content: .other)
            return
        }
        let payload: Self?
        do throws(JSONError) {
            payload = try message.withPayload { bytes throws(JSONError) in try Self.read(bytes, namespace, &memory) }
        } catch {
            throw CastError(.invalidResponse, detail: "not JSON: \(error.kind) at byte \(error.offset)")
        }
        guard let payload else { throw CastError(.invalidResponse, detail: "JSON, but not an object") }
        self = payload
    }

    /// - Returns: `nil` for JSON that is not an object.
    private static func read(
        _ text: UnsafeRawBufferPointer, _ namespace: ReadNamespace, _ memory: inout PayloadMemory
    ) throws(JSONError) -> Self? {
        do throws(JSONError) {
            return try JSONReader.read(text, repeated: memory.object) { $0.objectView.map { Self($0, namespace, &memory) } }
        } catch {
            // Bytes that are not UTF-8 become U+FFFD. Only a damaged text contains such bytes, so only that is copied.
            let repaired = Array(String(decoding: text, as: UTF8.self).utf8)
            return try repaired.span.withUnsafeBytes { text throws(JSONError) in
                try JSONReader.read(text) { $0.objectView.map { Self($0, namespace, &memory) } }
            }
        }
    }

    private init(_ object: JSONView, _ namespace: ReadNamespace, _ memory: inout PayloadMemory) {
        let content: Content =
            switch namespace {
            case .connection: .connection(ConnectionMessage(object))
            case .heartbeat: .heartbeat(HeartbeatMessage(object))
            case .receiver: .receiver(ReceiverMessage(object))
            case .media: .media(MediaMessage(object, &memory))
            case .multizone: .multizone(MultizoneMessage(object))
            case .deviceInformation: .deviceInformation(DeviceInformationMessage(object))
            }
        self.init(requestID: Self.requestID(in: object), content: content)
    }

    /// Returns the id of the request that `object` answers, under the key of its namespace.
    private static func requestID(in object: JSONView) -> Int? {
        Self.id(object.whole(PayloadKey.requestID)) ?? Self.id(object.whole(PayloadKey.launchRequestID))
            ?? Self.id(object.whole(PayloadKey.setupRequestID))
    }

    private static func id(_ id: Int?) -> Int? { id == 0 ? nil : id }

    /// Returns the type of the message; empty when it has none.
    static func type(of object: JSONView) -> String { object.text(PayloadKey.type) ?? object.text(PayloadKey.responseType) ?? "" }
}

/// The namespaces whose payloads are parsed.
private enum ReadNamespace {
    case connection, heartbeat, receiver, media, multizone, deviceInformation

    /// - Returns: `nil` for other namespaces.
    init?(of message: CastMessagePiece) {
        if message.isIn(CastNamespace.media) {
            self = .media
        } else if message.isIn(CastNamespace.heartbeat) {
            self = .heartbeat
        } else if message.isIn(CastNamespace.receiver) {
            self = .receiver
        } else if message.isIn(CastNamespace.multizone) {
            self = .multizone
        } else if message.isIn(CastNamespace.connection) {
            self = .connection
        } else if message.isIn(CastNamespace.discovery) || message.isIn(CastNamespace.setup) {
            self = .deviceInformation
        } else {
            return nil
        }
    }
}
