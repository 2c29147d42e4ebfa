@_spi(JSON) import CastModels
import Testing

@testable import CastProtocol

@Suite("Media namespace answers")
struct MediaMessageTests {
    static let answers: [(String, Int?, MediaMessage)] = [
        (
            #"{"type":"LOAD_FAILED","requestId":3,"itemId":4,"detailedErrorCode":311404,"customData":{"a":1}}"#, 3,
            .requestFailed(RequestFailure(type: "LOAD_FAILED", detailedErrorCode: 311_404, itemID: 4, customData: ["a": 1]))
        ),
        (#"{"type":"LOAD_CANCELLED","requestId":3}"#, 3, .requestFailed(RequestFailure(type: "LOAD_CANCELLED"))),
        (
            #"{"type":"INVALID_PLAYER_STATE","requestId":3,"customData":null}"#, 3,
            .requestFailed(RequestFailure(type: "INVALID_PLAYER_STATE"))
        ),
        (
            #"{"type":"INVALID_REQUEST","requestId":3,"reason":"INVALID_MEDIA_SESSION_ID"}"#, 3,
            .requestFailed(RequestFailure(type: "INVALID_REQUEST", reason: "INVALID_MEDIA_SESSION_ID"))
        ),
        (
            #"{"type":"ERROR","detailedErrorCode":104,"itemId":1,"reason":"APP_ERROR"}"#, nil,
            .error(RequestFailure(type: "ERROR", reason: "APP_ERROR", detailedErrorCode: 104, itemID: 1))
        ),
        (
            #"{"type":"QUEUE_ITEM_IDS","requestId":5,"itemIds":[1,2.0,"3"],"sequenceNumber":7}"#, 5,
            .queueItemIDs([1, 2], sequenceNumber: 7)
        ),
        (#"{"type":"QUEUE_ITEM_IDS","requestId":5}"#, 5, .queueItemIDs([], sequenceNumber: nil)),
        (
            #"{"type":"QUEUE_ITEMS","requestId":5,"items":[{"itemId":1,"media":{"contentId":"a"}},null]}"#, 5,
            .queueItems([MediaQueueItem(itemID: 1, media: MediaInformation(contentID: "a"))], sequenceNumber: nil)
        ),
        (
            #"{"type":"QUEUE_CHANGE","requestId":0,"changeType":"INSERT","itemIds":[4,5],"insertBefore":2,"sequenceNumber":3}"#, nil,
            .queueChange(.init(changeType: "INSERT", itemIDs: [4, 5], insertBefore: 2, sequenceNumber: 3))
        ),
        (
            #"{"type":"SESSION_STATE","requestId":5,"sessionState":{"loadRequestData":{"media":{}}}}"#, 5,
            .sessionState(["loadRequestData": ["media": [:]]])
        ),
        (#"{"type":"SESSION_STATE","requestId":5,"sessionState":null}"#, 5, .unknown(type: "SESSION_STATE")),
    ]

    @Test("answers are read", arguments: Self.answers)
    func reads(json: String, requestID: Int?, message: MediaMessage) throws {
        #expect(try received(CastNamespace.media, json) == ReceivedPayload(requestID: requestID, content: .media(message)))
    }

    @Test("a queue change keeps unknown words")
    func queueChange() throws {
        let payload = try received(
            CastNamespace.media, #"{"type":"QUEUE_CHANGE","changeType":"SHRED","itemIds":null,"insertBefore":"2"}"#)
        #expect(payload == ReceivedPayload(content: .media(.queueChange(.init(changeType: "SHRED", itemIDs: [], insertBefore: nil)))))
    }
}
