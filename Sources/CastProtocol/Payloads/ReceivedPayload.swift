@_spi(JSON) import CastModels

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

    /// Reads the payload of `message`. Unknown types and words are kept as such; fields of the wrong type count as absent.
    ///
    /// - Parameter memory: of the link, for what devices repeat.
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
            // Bytes that are not UTF-8 count as U+FFFD. Only damaged text has any, so only that is copied.
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

    /// The id of the request that `object` answers, whatever its namespace calls it.
    private static func requestID(in object: JSONView) -> Int? {
        Self.id(object.whole(PayloadKey.requestID)) ?? Self.id(object.whole(PayloadKey.launchRequestID))
            ?? Self.id(object.whole(PayloadKey.setupRequestID))
    }

    private static func id(_ id: Int?) -> Int? { id == 0 ? nil : id }

    /// What kind of message `object` is; empty when it doesn't say.
    static func type(of object: JSONView) -> String { object.text(PayloadKey.type) ?? object.text(PayloadKey.responseType) ?? "" }
}

/// The namespaces whose payloads are read.
private enum ReadNamespace {
    case connection, heartbeat, receiver, media, multizone, deviceInformation

    /// - Returns: `nil` for any other.
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
