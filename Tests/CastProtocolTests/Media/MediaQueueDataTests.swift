@_spi(JSON) import CastModels
import Testing

@testable import CastProtocol

@Suite("Queues and ads on the wire")
struct MediaQueueDataTests {
    private static let queue = #"""
        {"id":"q1","name":"Evening","description":"Calm","entity":"app://q1","queueType":"AUDIOBOOK","repeatMode":"REPEAT_ALL","shuffle":false,
        "items":[{"media":{"contentId":"a"},"autoplay":true,"preloadTime":20},{"media":{"contentId":"b"},"startTime":3}],"startIndex":1,
        "startTime":4.5,"containerMetadata":{"containerType":1,"title":"Book","containerDuration":3600,
        "containerImages":[{"url":"http://h/c.jpg","width":300,"height":300}],
        "sections":[{"metadataType":5,"chapterTitle":"One","sectionDuration":60,"sectionStartTimeInContainer":0}],
        "authors":["A","B"],"narrators":["N"],"publisher":"P","releaseDate":"2020-05-01"}}
        """#

    private func queueData(_ json: String) throws -> MediaQueueData { try read(json, MediaQueueData.init(wire:)) }

    @Test("every field of a queue survives reading and writing")
    func queue() throws {
        let queue = try self.queueData(Self.queue)
        #expect(queue.queueType == .audiobook)
        #expect(queue.text == "Calm")
        #expect(queue.items.map { $0.media?.contentID } == ["a", "b"])
        #expect(queue.startIndex == 1)
        #expect(queue.startTime == 4.5)
        #expect(queue.containerMetadata?.type == .audiobook)
        #expect(queue.containerMetadata?.sections.first?[.chapterTitle] == "One")
        #expect(queue.containerMetadata?.sections.first?[.sectionDuration] == 60)
        #expect(queue.containerMetadata?.releaseDate == MediaDate(year: 2020, month: 5, day: 1))
        var writer = JSONWriter()
        queue.writeValue(to: &writer)
        let written = String(decoding: writer.bytes, as: UTF8.self)
        #expect(try tree(written) == tree(Self.queue))
        #expect(try self.queueData(written) == queue)
    }

    static let types = [
        "ALBUM", "PLAYLIST", "AUDIOBOOK", "RADIO_STATION", "PODCAST_SERIES", "TV_SERIES", "VIDEO_PLAYLIST", "LIVE_TV", "MOVIE", "MIXTAPE",
    ]

    @Test("every type of queue is read and written, and unknown ones kept", arguments: Self.types)
    func type(word: String) throws {
        let type = try self.queueData(#"{"queueType":"\#(word)"}"#).queueType
        #expect(type?.wireValue == word)
        #expect((type == .unknown(word)) == (word == "MIXTAPE"))
    }

    @Test(
        "fields of the wrong type are left out",
        arguments: [#"{"items":{},"shuffle":1,"startIndex":"1","startTime":-1,"containerMetadata":[]}"#, "{}"])
    func wrong(json: String) throws { #expect(try self.queueData(json) == MediaQueueData()) }

    @Test("a load carries its queue, and new items go out without an id")
    func load() throws {
        var item = MediaQueueItem(itemID: 7, media: MediaInformation(contentID: "a"))
        item.autoplay = false
        var request = MediaLoadRequest(queueData: MediaQueueData(items: [item], repeatMode: .single, startIndex: 0, startTime: 2))
        request.contentFilteringMode = .filterExplicit
        request.atvCredentials = "secret"
        request.atvCredentialsType = "android"
        #expect(
            try MediaRequest(.load(request, sessionID: "s")).text(requestID: 3)
                == #"{"type":"LOAD","requestId":3,"sessionId":"s","queueData":{"repeatMode":"REPEAT_SINGLE","#
                + #""items":[{"media":{"contentId":"a"},"autoplay":false}],"startIndex":0,"startTime":2},"#
                + #""atvCredentials":"secret","atvCredentialsType":"android","loadOptions":{"contentFilteringMode":"FILTER_EXPLICIT"}}"#)
    }

    @Test("VAST, VMAP and the data of companion ads survive reading and writing")
    func ads() throws {
        let json = #"""
            {"contentId":"a","vmapAdsRequest":{"adTagUrl":"http://ads/vmap"},"hlsVideoSegmentFormat":"mpeg2_ts",
            "breaks":[{"id":"b","breakClipIds":["c"],"position":0,"isEmbedded":false,"isWatched":true}],
            "breakClips":[{"id":"c","clickThroughUrl":"http://shop","whenSkippable":5,
            "vastAdsRequest":{"adTagUrl":"http://ads/vast","adsResponse":"<VAST/>"},"hlsSegmentFormat":"ts_aac","customData":{"companions":[{"url":"http://ads/banner.png"}]}}]}
            """#
        let media = try read(json, MediaInformation.init(wire:))
        #expect(media.vmapAdsRequest == VASTAdsRequest(adTagURL: "http://ads/vmap"))
        #expect(media.hlsVideoSegmentFormat == .mpeg2TS)
        #expect(media.adBreaks.first?.isWatched == true)
        let clip = try #require(media.adBreakClips.first)
        #expect(clip.vastAdsRequest == VASTAdsRequest(adTagURL: "http://ads/vast", adsResponse: "<VAST/>"))
        #expect(clip.hlsSegmentFormat == .tsAAC)
        #expect(clip.clickThroughURL == "http://shop")
        #expect(clip.customData == ["companions": [["url": "http://ads/banner.png"]]])
        var writer = JSONWriter()
        media.writeValue(to: &writer)
        #expect(try tree(String(decoding: writer.bytes, as: UTF8.self)) == tree(json))
    }

    @Test(
        "the dynamic range of video is named",
        arguments: [
            ("sdr", VideoInfo.HDRType.sdr), ("hdr", .hdr10), ("hdr10", .hdr10), ("HLG", .hlg), ("dv", .dolbyVision),
            ("hdr11", .unknown("hdr11")),
        ])
    func video(word: String, type: VideoInfo.HDRType) throws {
        let video = try update(#""mediaSessionId":1,"videoInfo":{"width":3840,"height":2160,"hdrType":"\#(word)"}"#).videoInfo
        #expect(video == VideoInfo(width: 3840, height: 2160, hdrType: type))
    }

    @Test("metadata never contains its type or its pictures twice")
    func reserved() throws {
        let metadata = MediaMetadata(type: .movie, images: [MediaImage(url: "u")], fields: ["metadataType": 3, "images": [], "title": "T"])
        var writer = JSONWriter()
        metadata.writeValue(to: &writer)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"metadataType":1,"title":"T","images":[{"url":"u"}]}"#)
    }
}
