import CastModels
import Testing

@Suite struct MediaLoadRequestTests {
    private static func request(_ change: (inout MediaLoadRequest) -> Void = { _ in }) -> MediaLoadRequest {
        let tracks = [MediaTrack(trackID: 1, type: .text, subtype: .subtitles, language: "en", contentID: "http://h/en.vtt")]
        var request = MediaLoadRequest(media: MediaInformation(contentID: "http://h/a.mp4", duration: 60, tracks: tracks))
        change(&request)
        return request
    }

    static let wrong: [(argument: String, change: @Sendable (inout MediaLoadRequest) -> Void)] = [
        ("media", { $0.media = nil }),
        ("media", { ($0.media, $0.queueData) = (nil, MediaQueueData()) }),
        ("media.contentID", { $0.media = MediaInformation() }),
        ("media.contentID", { $0.media = MediaInformation(contentID: String(repeating: "é", count: 1001)) }),
        ("media.duration", { $0.media?.duration = -1 }), ("media.duration", { $0.media?.duration = .nan }),
        ("media.startAbsoluteTime", { $0.media?.startAbsoluteTime = .infinity }),
        ("media.metadata.score", { $0.media?.metadata = MediaMetadata(fields: ["score": .number(.nan)]) }),
        ("media.metadata.images", { $0.media?.metadata = MediaMetadata(fields: ["images": []]) }),
        ("media.metadata.images[0].url", { $0.media?.metadata = MediaMetadata(images: [MediaImage(url: "")]) }),
        ("media.metadata.images[0]", { $0.media?.metadata = MediaMetadata(images: [MediaImage(url: "u", width: -1)]) }),
        ("media.tracks[0].subtype", { $0.media?.tracks[0].subtype = nil }),
        ("media.tracks[0].subtype", { $0.media?.tracks[0].type = .audio }),
        ("media.tracks[0].language", { $0.media?.tracks[0].language = nil }),
        ("media.tracks[0].language", { $0.media?.tracks[0].language = "" }),
        ("media.tracks[0].contentID", { $0.media?.tracks[0].contentID = "" }),
        ("media.tracks[1].trackID", { $0.media?.tracks.append(MediaTrack(trackID: 1, type: .audio)) }),
        (
            "media.textTrackStyle.fontScale",
            {
                $0.media?.textTrackStyle = {
                    var style = $0; style.fontScale = 0; return style
                }(TextTrackStyle())
            }
        ),
        ("media.adBreaks[0].clipIDs", { $0.media?.adBreaks = [AdBreak(id: "b", clipIDs: ["c"])] }),
        ("media.adBreaks[0].position", { $0.media?.adBreaks = [AdBreak(id: "b", position: .nan)] }),
        ("media.adBreaks[0].duration", { $0.media?.adBreaks = [AdBreak(id: "b", duration: -1)] }),
        (
            "media.adBreakClips[0].duration",
            {
                $0.media?.adBreakClips = [
                    {
                        var clip = $0; clip.duration = -2; return clip
                    }(AdBreakClip(id: "c"))
                ]
            }
        ),
        (
            "media.adBreakClips[0].whenSkippable",
            {
                $0.media?.adBreakClips = [
                    {
                        var clip = $0; clip.whenSkippable = .infinity; return clip
                    }(AdBreakClip(id: "c"))
                ]
            }
        ),
        ("activeTrackIDs", { $0.activeTrackIDs = [1, 2] }), ("startTime", { $0.startTime = -0.1 }), ("startTime", { $0.startTime = .nan }),
        ("startTime", { $0.startTime = 1e13 }), ("playbackRate", { $0.playbackRate = 0.49 }), ("playbackRate", { $0.playbackRate = 2.01 }),
        ("playbackRate", { $0.playbackRate = .nan }), ("credentialsType", { $0.credentialsType = "web" }),
        ("credentialsType", { ($0.credentials, $0.credentialsType) = ("c", "cloud") }),
        ("credentialsType", { ($0.credentials, $0.credentialsType) = ("c", "") }),
        ("queueData.items[1].media", { $0.queueData = Self.queue(MediaQueueItem()) }),
        ("queueData.items[1].media.contentID", { $0.queueData = Self.queue(MediaQueueItem(media: MediaInformation())) }),
        ("queueData.items[1].startTime", { $0.queueData = Self.queue(Self.item { $0.startTime = -1 }) }),
        ("queueData.items[1].preloadTime", { $0.queueData = Self.queue(Self.item { $0.preloadTime = .nan }) }),
        ("queueData.items[1].playbackDuration", { $0.queueData = Self.queue(Self.item { $0.playbackDuration = .infinity }) }),
        (
            "queueData.items[1].activeTrackIDs",
            {
                $0.queueData = Self.queue(
                    Self.item {
                        $0.media?.tracks = [MediaTrack(trackID: 1, type: .audio)]; $0.activeTrackIDs = [2]
                    })
            }
        ),
        ("queueData.startIndex", { $0.queueData = MediaQueueData(items: [Self.item()], startIndex: 1) }),
        ("queueData.startTime", { $0.queueData = MediaQueueData(items: [Self.item()], startTime: -1) }),
    ]

    private static func item(_ change: (inout MediaQueueItem) -> Void = { _ in }) -> MediaQueueItem {
        var item = MediaQueueItem(media: MediaInformation(contentID: "http://h/b.mp4"))
        change(&item)
        return item
    }

    private static func queue(_ second: MediaQueueItem) -> MediaQueueData { MediaQueueData(items: [Self.item(), second]) }

    @Test("values that no receiver can accept are refused with the argument's name", arguments: Self.wrong.indices)
    func refuses(index: Int) {
        let error = #expect(throws: CastError.self) { try Self.request(Self.wrong[index].change).validate() }
        #expect(error?.code == .invalidRequest)
        #expect(error?.argument == Self.wrong[index].argument)
    }

    static let right: [@Sendable (inout MediaLoadRequest) -> Void] = [
        { $0.media?.tracks = [MediaTrack(trackID: 1, type: .text), MediaTrack(trackID: 2, type: .text, subtype: .subtitles)] },
        { _ in }, { $0.activeTrackIDs = [1] }, { $0.activeTrackIDs = [] }, { $0.playbackRate = 0.5 }, { $0.playbackRate = 2 },
        { ($0.credentials, $0.credentialsType) = ("c", "web") }, { $0 = MediaLoadRequest(queueData: MediaQueueData(items: [Self.item()])) },
        {
            $0.media?.tracks = []; $0.activeTrackIDs = [7]
        },
        { $0.media?.contentID = "http://h/" + String(repeating: "a", count: 3000) },
        { $0.media = MediaInformation(contentURL: "http://h/a") },
        { $0.queueData = Self.queue(Self.item { ($0.startTime, $0.preloadTime, $0.playbackDuration) = (3, 20, -5) }) },
        {
            $0.media?.adBreaks = [AdBreak(id: "b", clipIDs: ["c"], position: -1)]; $0.media?.adBreakClips = [AdBreakClip(id: "c")]
        },
    ]

    @Test("values that receivers accept are permitted", arguments: Self.right.indices)
    func accepts(index: Int) { #expect(throws: Never.self) { try Self.request(Self.right[index]).validate() } }

    @Test("an error names the argument, in its description too")
    func description() {
        #expect("\(CastError.invalidArgument("items[3].startTime", "seconds"))" == "invalid request items[3].startTime: seconds")
    }
}
