import CastModels

/// The keys that many namespaces share.
enum PayloadKey {
    static let type: StaticString = "type"
    /// GET_APP_AVAILABILITY answers with this instead of `type`.
    static let responseType: StaticString = "responseType"
    static let requestID: StaticString = "requestId"
    /// LAUNCH_STATUS names its request so.
    static let launchRequestID: StaticString = "launchRequestId"
    /// The setup namespace names its requests so.
    static let setupRequestID: StaticString = "request_id"
    static let status: StaticString = "status"
    static let reason: StaticString = "reason"
    static let customData: StaticString = "customData"
}

/// The text of payloads that are sent.
enum PayloadText {
    /// An object with `type`, `requestId` and what `members` writes.
    static func make(type: String, requestID: Int? = nil, _ members: (inout JSONWriter) -> Void = { _ in }) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member(PayloadKey.type, type)
        writer.optional(PayloadKey.requestID, requestID)
        members(&writer)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
