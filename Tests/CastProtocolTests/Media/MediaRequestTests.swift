import CastModels
import Testing

@testable import CastProtocol

@Suite("Media namespace requests")
struct MediaRequestTests {
    private static let item: MediaQueueItem = {
        var item = MediaQueueItem(itemID: 9, media: MediaInformation(contentID: "a"))
        (item.autoplay, item.startTime, item.preloadTime, item.playbackDuration) = (true, 1, 20, -5)
        (item.activeTrackIDs, item.customData) = ([2], ["k": 1])
        return item
    }()
    private static let itemFields =
        #""media":{"contentId":"a"},"autoplay":true,"startTime":1,"preloadTime":20,"playbackDuration":-5,"activeTrackIds":[2],"customData":{"k":1}"#

    private static let load: MediaLoadRequest = {
        let metadata = MediaMetadata(type: .movie, images: [MediaImage(url: "http://h/p")], fields: ["title": "T", "gone": nil])
        let media = MediaInformation(contentID: "http://h/a", contentType: "video/mp4", streamType: .buffered, metadata: metadata)
        var load = MediaLoadRequest(media: media, autoplay: false, startTime: 12.5)
        (load.playbackRate, load.activeTrackIDs, load.customData) = (1.25, [], ["k": 1])
        (load.credentials, load.credentialsType) = ("c", "web")
        return load
    }()

    private static let style: TextTrackStyle = {
        var style = TextTrackStyle()
        style.fontScale = 1.2
        return style
    }()

    /// The action, the wire's type and the fields beyond type, request and media session.
    static let requests: [(MediaRequest.Action, String, String)] = [
        (.getStatus([]), "GET_STATUS", ""), (.getStatus([.noMetadata, .noQueueItems]), "GET_STATUS", #","options":3"#), (.play, "PLAY", ""),
        (.pause, "PAUSE", ""), (.stop, "STOP", ""), (.seek(position: 30.5, resumeState: .unchanged), "SEEK", #","currentTime":30.5"#),
        (.seek(position: 0, resumeState: .play), "SEEK", #","currentTime":0,"resumeState":"PLAYBACK_START""#),
        (.seek(position: 1e9, resumeState: .pause), "SEEK", #","currentTime":1000000000,"resumeState":"PLAYBACK_PAUSE""#),
        (.setStreamVolume(level: 0.5), "SET_VOLUME", #","volume":{"level":0.5}"#),
        (.setStreamMuted(false), "SET_VOLUME", #","volume":{"muted":false}"#),
        (.setPlaybackRate(1.5), "SET_PLAYBACK_RATE", #","playbackRate":1.5"#),
        (.editTracks(.init(activeTrackIDs: [1, 3])), "EDIT_TRACKS_INFO", #","activeTrackIds":[1,3]"#),
        (.editTracks(.init(activeTrackIDs: [])), "EDIT_TRACKS_INFO", #","activeTrackIds":[]"#),
        (
            .editTracks(.init(textTrackStyle: style)), "EDIT_TRACKS_INFO", #","textTrackStyle":{"fontScale":1.2}"#
        ),
        (.skipAd, "SKIP_AD", ""),
        (
            .load(load, sessionID: "s-1"), "LOAD",
            #","sessionId":"s-1","media":{"contentId":"http://h/a","contentType":"video/mp4","streamType":"BUFFERED","#
                + #""metadata":{"metadataType":1,"title":"T","images":[{"url":"http://h/p"}]}},"autoplay":false,"currentTime":12.5,"#
                + #""playbackRate":1.25,"activeTrackIds":[],"credentials":"c","credentialsType":"web","customData":{"k":1}"#
        ),
        (.load(MediaLoadRequest(media: MediaInformation(contentID: "a")), sessionID: nil), "LOAD", #","media":{"contentId":"a"}"#),
        (
            .queueLoad(.init(items: [item], startIndex: 0, repeatMode: .single, startTime: 3)), "QUEUE_LOAD",
            #","items":[{\#(itemFields)}],"startIndex":0,"repeatMode":"REPEAT_SINGLE","currentTime":3"#
        ),
        (
            .queueInsert(.init(items: [item], insertBefore: 2, currentItemIndex: 0, startTime: 3)), "QUEUE_INSERT",
            #","items":[{\#(itemFields)}],"insertBefore":2,"currentItemIndex":0,"currentTime":3"#
        ),
        (.queueUpdate(.init(jump: -1)), "QUEUE_UPDATE", #","jump":-1"#),
        (
            .queueUpdate(.init(items: [MediaQueueItem(itemID: 9)], currentItemID: 9, startTime: 4, repeatMode: .off, shuffle: true)),
            "QUEUE_UPDATE",
            #","items":[{"itemId":9}],"currentItemId":9,"currentTime":4,"repeatMode":"REPEAT_OFF","shuffle":true"#
        ),
        (.queueRemove(itemIDs: [1, 2], currentItemID: 3), "QUEUE_REMOVE", #","itemIds":[1,2],"currentItemId":3"#),
        (.queueReorder(itemIDs: [4, 5], insertBefore: 1), "QUEUE_REORDER", #","itemIds":[4,5],"insertBefore":1"#),
        (.queueGetItemIDs, "QUEUE_GET_ITEM_IDS", ""),
        (.queueGetItems(itemIDs: [1]), "QUEUE_GET_ITEMS", #","itemIds":[1]"#),
        (.storeSession, "STORE_SESSION", ""), (.resumeSession(["a": 1]), "RESUME_SESSION", #","sessionState":{"a":1}"#),
    ]

    @Test("requests are written strictly", arguments: Self.requests)
    func writes(action: MediaRequest.Action, type: String, fields: String) throws {
        #expect(
            try MediaRequest(action, mediaSessionID: 8).text(requestID: 5)
                == #"{"type":"\#(type)","requestId":5,"mediaSessionId":8\#(fields)}"#)
    }

    @Test("a request without a media session leaves it out, and custom data comes last")
    func envelope() throws {
        #expect(try MediaRequest(.getStatus([])).text(requestID: 1) == #"{"type":"GET_STATUS","requestId":1}"#)
        #expect(
            try MediaRequest(.play, mediaSessionID: 2, customData: ["a": nil]).text(requestID: 1)
                == #"{"type":"PLAY","requestId":1,"mediaSessionId":2,"customData":{"a":null}}"#)
    }

    static let refused: [MediaRequest.Action] = [
        .seek(position: -1, resumeState: .unchanged), .seek(position: .nan, resumeState: .play),
        .seek(position: .infinity, resumeState: .play),
        .setStreamVolume(level: 1.1), .setStreamVolume(level: .nan), .setPlaybackRate(0), .setPlaybackRate(-1), .setPlaybackRate(.infinity),
    ]

    @Test("numbers that no receiver could take are refused", arguments: Self.refused)
    func refuses(action: MediaRequest.Action) {
        let error = #expect(throws: CastError.self) { try MediaRequest(action, mediaSessionID: 1).text(requestID: 1) }
        #expect(error?.code == .invalidRequest)
    }
}
