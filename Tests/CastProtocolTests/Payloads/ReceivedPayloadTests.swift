@_spi(JSON) import CastModels
import Testing

@testable import CastProtocol

@Suite("Received payloads")
struct ReceivedPayloadTests {
    static let requestIDs: [(String, Int?)] = [
        (#"{"requestId":7}"#, 7), (#"{"requestId":7.0}"#, 7), (#"{"requestId":0}"#, nil), ("{}", nil), (#"{"requestId":null}"#, nil),
        (#"{"requestId":"7"}"#, nil), (#"{"requestId":7.5}"#, nil), (#"{"requestId":1e300}"#, nil), (#"{"launchRequestId":8}"#, 8),
        (#"{"requestId":0,"launchRequestId":8}"#, 8), (#"{"request_id":9}"#, 9), (#"{"requestId":99999999999999999999}"#, nil),
        (#"{"requestId":-3}"#, -3),
    ]

    @Test("the request a payload answers is found under all of its names", arguments: Self.requestIDs)
    func requestID(json: String, id: Int?) throws { #expect(try received(CastNamespace.receiver, json).requestID == id) }

    @Test("unread namespaces and binary payloads are left to the message")
    func other() throws {
        #expect(try received("urn:x-cast:com.example", "not JSON") == ReceivedPayload(content: .other))
        var memory = PayloadMemory()
        #expect(try received(CastNamespace.media, .binary([1]), &memory) == ReceivedPayload(content: .other))
    }

    static let namespaces = [
        CastNamespace.connection, CastNamespace.heartbeat, CastNamespace.receiver, CastNamespace.media, CastNamespace.multizone,
        CastNamespace.discovery, CastNamespace.setup,
    ]

    @Test(
        "text that is no JSON object is an invalid response", arguments: namespaces,
        ["", "[]", "3", "{", "NaN", #"{"a":1e999}"#, "\u{FEFF}{}"])
    func malformed(namespace: String, json: String) {
        let error = #expect(throws: CastError.self) { try received(namespace, json) }
        #expect(error?.code == .invalidResponse)
        #expect(error?.detail.contains("FEFF") == false)
    }

    @Test("an unknown type is kept", arguments: namespaces)
    func unknownType(namespace: String) throws {
        let content = try received(namespace, #"{"type":"NEW_THING","requestId":4}"#).content
        let isKept =
            switch content {
            case .connection(.unknown("NEW_THING")), .heartbeat(.unknown("NEW_THING")), .receiver(.unknown("NEW_THING")),
                .media(.unknown("NEW_THING")), .multizone(.unknown("NEW_THING")), .deviceInformation(.unknown("NEW_THING")):
                true
            default: false
            }
        #expect(isKept)
    }

    static let failures: [(String, CastError.Code, String?, Int?)] = [
        (#"{"type":"LAUNCH_ERROR","reason":"NOT_FOUND"}"#, .applicationNotFound, "NOT_FOUND", nil),
        (#"{"type":"LAUNCH_ERROR","reason":"CANCELLED"}"#, .launchRequestCancelled, "CANCELLED", nil),
        (#"{"type":"LAUNCH_ERROR","reason":"CANCELLED","extendedError":"USER_NOT_ALLOWED"}"#, .notAllowed, "USER_NOT_ALLOWED", nil),
        (#"{"type":"LAUNCH_ERROR","reason":"BAD_PARAMETER"}"#, .invalidRequest, "BAD_PARAMETER", nil),
        (#"{"type":"LAUNCH_ERROR","reason":"TIMEOUT"}"#, .timeout, "TIMEOUT", nil),
        (#"{"type":"LAUNCH_ERROR","reason":"SYSTEM_ERROR"}"#, .unknown, "SYSTEM_ERROR", nil),
        (#"{"type":"LAUNCH_ERROR"}"#, .unknown, nil, nil),
        (#"{"type":"INVALID_REQUEST","reason":"INVALID_COMMAND"}"#, .unsupportedFeature, "INVALID_COMMAND", nil),
        (#"{"type":"INVALID_REQUEST","reason":"INVALID_SESSION_ID"}"#, .invalidApplicationSessionID, "INVALID_SESSION_ID", nil),
        (#"{"type":"INVALID_REQUEST","reason":"INVALID_MEDIA_SESSION_ID"}"#, .noMediaSession, "INVALID_MEDIA_SESSION_ID", nil),
        (#"{"type":"INVALID_PLAYER_STATE"}"#, .invalidMediaPlayerState, nil, nil),
        (#"{"type":"LOAD_FAILED","detailedErrorCode":104}"#, .mediaLoadFailed, nil, 104),
        (#"{"type":"LOAD_CANCELLED","itemId":3}"#, .replaced, nil, nil),
        (#"{"type":"ERROR","detailedErrorCode":321404.0,"reason":"APP_ERROR"}"#, .mediaError, "APP_ERROR", 321_404),
        (#"{"type":"SOMETHING"}"#, .unknown, nil, nil),
    ]

    @Test("a failure becomes the error a caller gets", arguments: Self.failures)
    func failure(json: String, code: CastError.Code, reason: String?, detailedErrorCode: Int?) throws {
        let error = try read(json, RequestFailure.init(_:)).error
        #expect(error.code == code)
        #expect(error.reason == reason)
        #expect(error.detailedErrorCode == detailedErrorCode)
    }
}
