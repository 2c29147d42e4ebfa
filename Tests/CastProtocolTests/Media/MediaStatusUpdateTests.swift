import CastModels
import Testing

@testable import CastProtocol

@Suite("MEDIA_STATUS elements")
struct MediaStatusUpdateTests {
    @Test("a full element is read completely")
    func full() throws {
        let update = try update(
            #"""
            "mediaSessionId":3,"playerState":"PLAYING","currentTime":12.34,"playbackRate":1.5,"supportedMediaCommands":274447,
            "volume":{"level":0.5,"muted":true},"activeTrackIds":[1,2],"currentItemId":2,"loadingItemId":3,"preloadedItemId":4,
            "repeatMode":"REPEAT_ALL_AND_SHUFFLE","media":{"contentId":"a"},"items":[{"itemId":2,"orderId":1}],
            "videoInfo":{"width":3840,"height":2160,"hdrType":"dv"},"liveSeekableRange":{"start":1,"end":2.5,"isMovingWindow":true},
            "breakStatus":{"breakId":"b","breakClipId":"c","currentBreakTime":4,"currentBreakClipTime":3,"whenSkippable":5},
            "queueData":{"id":"q","name":"N","queueType":"ALBUM","repeatMode":"REPEAT_ALL","shuffle":true,"startIndex":1},
            "customData":{"x":[1]}
            """#)
        var wanted = MediaStatusUpdate(mediaSessionID: 3, playerState: .playing)
        (wanted.currentTime, wanted.playbackRate, wanted.supportedMediaCommands) = (12.34, 1.5, MediaCommands(rawValue: 274_447))
        (wanted.streamVolume, wanted.activeTrackIDs) = (DeviceVolume(level: 0.5, isMuted: true), [1, 2])
        (wanted.currentItemID, wanted.loadingItemID, wanted.preloadedItemID) = (2, 3, 4)
        (wanted.repeatMode, wanted.media) = (.allAndShuffle, MediaInformation(contentID: "a"))
        var item = MediaQueueItem(itemID: 2)
        item.orderID = 1
        wanted.items = [item]
        wanted.videoInfo = VideoInfo(width: 3840, height: 2160, hdrType: .dolbyVision)
        wanted.liveSeekableRange = LiveSeekableRange(start: 1, end: 2.5, isMovingWindow: true)
        wanted.adBreakStatus = AdBreakStatus(
            breakID: "b", breakClipID: "c", currentBreakTime: 4, currentBreakClipTime: 3, whenSkippable: 5)
        var queueData = MediaQueueData()
        (queueData.queueID, queueData.name, queueData.queueType) = ("q", "N", .album)
        (queueData.repeatMode, queueData.shuffle, queueData.startIndex) = (.all, true, 1)
        wanted.queueData = queueData
        wanted.customData = ["x": [1]]
        #expect(update == wanted)
    }

    @Test(
        "a status comes as an array, as one object or flat",
        arguments: [
            #""status":[{"mediaSessionId":1,"playerState":"PAUSED"}]"#, #""status":{"mediaSessionId":1,"playerState":"PAUSED"}"#,
            #""mediaSessionId":1,"playerState":"PAUSED""#, #""status":[null,"x",{"mediaSessionId":1.0,"playerState":"PAUSED"}]"#,
        ])
    func shapes(fields: String) throws {
        let content = try received(CastNamespace.media, #"{"type":"MEDIA_STATUS","requestId":0,\#(fields)}"#).content
        #expect(content == .media(.status([MediaStatusUpdate(mediaSessionID: 1, playerState: .paused)])))
    }

    @Test("an empty status is distinguished from none")
    func empty() throws {
        #expect(try received(CastNamespace.media, #"{"type":"MEDIA_STATUS","status":[]}"#).content == .media(.status([])))
        #expect(try received(CastNamespace.media, #"{"type":"MEDIA_STATUS"}"#).content == .media(.unknown(type: "MEDIA_STATUS")))
    }

    static let ignored = [
        #""playerState":7"#, #""currentTime":"3""#, #""currentTime":1e300"#, #""currentTime":null"#, #""playbackRate":1e9"#,
        #""playbackRate":true"#, #""supportedMediaCommands":-1"#, #""supportedMediaCommands":"15""#, #""supportedMediaCommands":1.5"#,
        #""supportedMediaCommands":1e25"#, #""volume":0.5"#, #""activeTrackIds":7"#, #""media":[]"#, #""media":null"#, #""items":{}"#,
        #""items":null"#, #""currentItemId":"2""#, #""currentItemId":1e99"#, #""repeatMode":1"#, #""breakStatus":null"#,
        #""liveSeekableRange":{"start":5}"#, #""liveSeekableRange":{"start":5,"end":4}"#, #""liveSeekableRange":{"start":5,"end":1e200}"#,
        #""videoInfo":"4K""#, #""extendedStatus":{}"#, #""extendedStatus":"LOADING""#, #""idleReason":null"#, #""idleReason":"""#,
        #""customData":null"#, #""queueData":[]"#, #""nobodyKnows":{"a":1}"#,
    ]

    @Test("a field of the wrong type or size is ignored and the rest is read", arguments: Self.ignored)
    func ignores(field: String) throws { #expect(try update(#""mediaSessionId":5,\#(field)"#) == MediaStatusUpdate(mediaSessionID: 5)) }

    static let words: [(String, PlayerState)] = [
        ("IDLE", .idle), ("LOADING", .loading), ("BUFFERING", .buffering), ("PLAYING", .playing), ("PAUSED", .paused),
        ("ODD", .unknown("ODD")),
    ]

    @Test("player states are read and unknown ones kept", arguments: Self.words)
    func playerStates(word: String, state: PlayerState) throws { #expect(try update(#""playerState":"\#(word)""#).playerState == state) }

    @Test("an empty list and null both mean no active tracks")
    func activeTracks() throws {
        #expect(try update(#""activeTrackIds":[]"#).activeTrackIDs == [])
        #expect(try update(#""activeTrackIds":null"#).activeTrackIDs == [])
        #expect(try update(#""activeTrackIds":[1,"2",3.0,4.5]"#).activeTrackIDs == [1, 3])
    }

    @Test("a position before the start is the start")
    func negativePosition() throws { #expect(try update(#""currentTime":-0.02"#).currentTime == 0) }

    @Test("the item that is being loaded is read from the extended status")
    func extendedStatus() throws {
        let update = try update(
            #""playerState":"IDLE","extendedStatus":{"playerState":"LOADING","mediaSessionId":4,"media":{"contentId":"n"}}"#)
        #expect(update.extendedStatus == .init(playerState: .loading, mediaSessionID: 4, media: MediaInformation(contentID: "n")))
    }
}
