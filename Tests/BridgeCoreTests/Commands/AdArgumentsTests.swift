import BridgeCore
import CastModels
import Testing

@Suite("Ads in a load")
struct AdArgumentsTests {
    private static let ads =
        #""breaks":[{"id":"start","position":0,"clips":["a","b"],"duration":40,"watched":true},"#
        + #"{"id":"middle","position":"10:00","clips":["a"],"embedded":true},{"id":"end","position":-1,"clips":["b"]}],"#
        + #""break_clips":[{"id":"a","title":"A","url":"http://h/a.mp4","duration":15.5,"skippable_after":5,"poster":"http://h/a.jpg","#
        + #""click_url":"https://shop.example/a","vast_ads_request":{"ad_tag_url":"http://h/vast"},"hls_segment_format":"ts","custom_data":{"n":[1]}},"#
        + #"{"id":"b","url":"http://h/b","content_type":"video/mp4","skippable_after":0},{"id":"c"}],"vmap_ads_request":{"ads_response":"<vmap/>"}"#

    private static let breaks = [
        AdBreak(id: "start", clipIDs: ["a", "b"], position: 0, duration: 40, isWatched: true),
        AdBreak(id: "middle", clipIDs: ["a"], position: 600, isEmbedded: true), AdBreak(id: "end", clipIDs: ["b"], position: -1),
    ]

    private static let clips = {
        var (first, second) = (AdBreakClip(id: "a"), AdBreakClip(id: "b"))
        (first.title, first.contentID, first.contentType) = ("A", "http://h/a.mp4", "video/mp4")
        (first.duration, first.whenSkippable) = (15.5, 5)
        (first.posterURL, first.clickThroughURL, first.customData) = ("http://h/a.jpg", "https://shop.example/a", ["n": [1]])
        (first.vastAdsRequest, first.hlsSegmentFormat) = (VASTAdsRequest(adTagURL: "http://h/vast"), .ts)
        (second.contentID, second.contentType, second.whenSkippable) = ("http://h/b", "video/mp4", 0)
        return [first, second, AdBreakClip(id: "c")]
    }()

    @Test("are read with every member, in cmd/load and in items of a queue")
    func everything() {
        #expect(BridgeInfo.features.contains("ads"))
        let object = #"{"url":"http://h/film.mp4",\#(Self.ads)}"#
        for (tail, payload) in [
            ("load", object), ("queue_load", "[\(object)]"), ("queue_load", #"{"items":[\#(object)]}"#), ("queue_insert", object),
            ("queue_insert", #"{"items":[\#(object)]}"#),
        ] {
            let media: MediaInformation? =
                switch device("cmd/\(tail)", payload).device {
                case .load(let load): load.request.media
                case .queue(.load(let load)): load.items[0].media
                case .queue(.insert(let insertion)): insertion.items[0].media
                default: nil
                }
            #expect(media?.adBreaks == Self.breaks, "\(tail)")
            #expect(media?.adBreakClips == Self.clips, "\(tail)")
            #expect(media?.vmapAdsRequest == VASTAdsRequest(adsResponse: "<vmap/>"), "\(tail)")
        }
    }

    /// Payloads that must be refused, and the words of each message.
    static let refused: [HostileCase] =
        [
            (#""breaks":{}"#, "breaks"), (#""breaks":[1]"#, "breaks[0]"), (#""breaks":[{"position":0,"clips":["a"]}]"#, "id"),
            (#""breaks":[{"id":"x","clips":["a"]}]"#, "position"), (#""breaks":[{"id":"x","position":-2,"clips":["a"]}]"#, "position"),
            (#""breaks":[{"id":"x","position":0}]"#, "clips"), (#""breaks":[{"id":"x","position":0,"clips":[]}]"#, "clips"),
            (#""breaks":[{"id":"x","position":0,"clips":[1]}]"#, "clips"), (Self.foreignClip, #"clip "b" is missing in break_clips"#),
            (Self.sameBreak, "twice"), (#""breaks":[{"id":"x","position":0,"clips":["a"],"duration":0}]"#, "duration"),
            (#""breaks":[{"id":"x","position":0,"clips":["a"],"seen":true}]"#, #"unknown argument "seen""#),
            (#""break":[]"#, "did you mean breaks?"),
        ].map { (members: String, naming: String) in
            HostileCase("cmd/load", #"{"url":"http://h/f.mp4","break_clips":[{"id":"a"}],\#(members)}"#, naming: naming)
        }
        + [
            (#"{}"#, "id"), (#"{"id":""}"#, "id"), (#"{"id":"a","url":"a.mp4"}"#, "url"), (Self.untypedClip, "content_type"),
            (#"{"id":"a","content_type":"video"}"#, "content_type"), (#"{"id":"a","skippable_after":-1}"#, "skippable_after"),
            (#"{"id":"a","poster":"a.jpg"}"#, "poster"), (#"{"id":"a","click_url":"javascript:x"}"#, "click_url"),
            (#"{"id":"a","vast_ads_request":{}}"#, "ad_tag_url"), (#"{"id":"a","vast_ads_request":"http://h"}"#, "vast_ads_request"),
            (#"{"id":"a","vast_ads_request":{"ad_tag_url":"http://h","ads_response":"x"}}"#, "ads_response"),
            (#"{"id":"a","vast_ads_request":{"ad_tag_url":"x"}}"#, "ad_tag_url"), (#"{"id":"a","hls_segment_format":"wav"}"#, "hls"),
            (Self.sameClip, "twice"), (#"{"id":"a","skippable":5}"#, #"unknown argument "skippable""#),
        ].map { (clips: String, naming: String) in
            HostileCase("cmd/load", #"{"url":"http://h/f.mp4","break_clips":[\#(clips)]}"#, naming: naming)
        }

    private static let foreignClip = #""breaks":[{"id":"x","position":0,"clips":["b"]}]"#
    private static let sameBreak = #""breaks":[{"id":"x","position":0,"clips":["a"]},{"id":"x","position":5,"clips":["a"]}]"#
    private static let untypedClip = #"{"id":"a","url":"http://h/a"}"#
    private static let sameClip = #"{"id":"a"},{"id":"a"}"#

    /// Those of them that no schema can refuse, since they depend on other members or on the path of a URL.
    static let unsaid: [String] =
        [Self.foreignClip, Self.sameBreak].map { #"cmd/load {"url":"http://h/f.mp4","break_clips":[{"id":"a"}],\#($0)}"# }
        + [Self.untypedClip, Self.sameClip].map { #"cmd/load {"url":"http://h/f.mp4","break_clips":[\#($0)]}"# }
}
