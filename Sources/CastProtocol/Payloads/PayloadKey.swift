import CastModels

/// The keys that many namespaces share.
enum PayloadKey {
    static let type: StaticString = "type"
    /// The key that GET_APP_AVAILABILITY answers use in place of `type`.
    static let responseType: StaticString = "responseType"
    static let requestID: StaticString = "requestId"
    static let launchRequestID: StaticString = "launchRequestId"
    /// The key of request ids in the setup namespace.
    static let setupRequestID: StaticString = "request_id"
    static let status: StaticString = "status"
    static let reason: StaticString = "reason"
    static let customData: StaticString = "customData"
}

/// Builds the text of sent payloads.
enum PayloadText {
    /// Returns an object with `type`, `requestId` and the members that `members` writes.
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
