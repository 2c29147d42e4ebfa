@_spi(JSON) import CastModels
import Testing

@testable import CastProtocol

/// The payload `json` as it would arrive in `namespace`.
func received(_ namespace: String, _ json: String) throws(CastError) -> ReceivedPayload {
    var memory = PayloadMemory()
    return try received(namespace, .text(json), &memory)
}

/// The same over a link that remembers previous messages.
func received(_ namespace: String, _ payload: CastMessage.Payload, _ memory: inout PayloadMemory) throws(CastError) -> ReceivedPayload {
    let message = CastMessage(sourceID: "receiver-0", destinationID: "*", namespace: namespace, payload: payload)
    return try ReceivedPayload(CastMessagePiece(decoding: message.encoded()), &memory)
}

/// Returns the result of `read` for the object `json`.
func read<Value>(_ json: String, _ read: (JSONView) -> Value) throws -> Value {
    try #require(try Array(json.utf8).withUnsafeBytes { try JSONReader.read($0) { $0.objectView.map(read) } })
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
