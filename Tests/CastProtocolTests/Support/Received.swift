import CastModels
import Testing

@testable import CastProtocol

/// The payload `json` as it would arrive in `namespace`.
func received(_ namespace: String, _ json: String) throws(CastError) -> ReceivedPayload {
    try ReceivedPayload(CastMessage(sourceID: "receiver-0", destinationID: "*", namespace: namespace, payload: .text(json)))
}

/// The element of a MEDIA_STATUS made of `fields`.
func update(_ fields: String) throws -> MediaStatusUpdate { try #require(try updates("[{\(fields)}]").first) }

/// The elements of a MEDIA_STATUS whose `status` is `json`.
func updates(_ json: String) throws -> [MediaStatusUpdate] {
    let payload = try received(CastNamespace.media, #"{"type":"MEDIA_STATUS","requestId":0,"status":\#(json)}"#)
    guard case .media(.status(let updates)) = payload.content else { throw NoStatus() }
    return updates
}

struct NoStatus: Error {}

/// `text` read again, for comparisons that don't depend on the order of keys.
func tree(_ text: String) throws -> [String: JSONValue] {
    let object = try #require(try JSONParser.parse(text).objectValue)
    return Dictionary(object.members.map { ($0.key, $0.value) }) { _, last in last }
}
