import CastModels
import Testing

@Suite struct AdBreakTests {
    private static func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    private static func clip(_ id: String, _ duration: Double?, skippable: Double? = nil) -> AdBreakClip {
        var clip = AdBreakClip(id: id)
        clip.duration = duration
        clip.whenSkippable = skippable
        return clip
    }

    static let placements: [(Double?, Double?, AdBreak.Placement?)] = [
        (0, 600, .preRoll), (0, nil, .preRoll), (1, 600, .midRoll), (599.9, nil, .midRoll), (600, 600, .postRoll), (700, 600, .postRoll),
        (-1, 600, .postRoll), (-1, nil, .postRoll), (nil, 600, nil),
    ]

    @Test("a break is before, within or after the medium", arguments: Self.placements)
    func placement(position: Double?, duration: Double?, placement: AdBreak.Placement?) {
        #expect(AdBreak(id: "b", position: position).placement(in: duration) == placement)
    }

    @Test("a break has its own duration, else that of its clips, else none")
    func breakDuration() {
        let media = MediaInformation(contentID: "a", adBreakClips: [Self.clip("c1", 10), Self.clip("c2", 15.5), Self.clip("c3", nil)])
        #expect(media.duration(of: AdBreak(id: "b", clipIDs: ["c1"], duration: 7)) == 7)
        #expect(media.duration(of: AdBreak(id: "b", clipIDs: ["c1", "c2"])) == 25.5)
        #expect(media.duration(of: AdBreak(id: "b", clipIDs: ["c1", "c3"])) == nil)
        #expect(media.duration(of: AdBreak(id: "b", clipIDs: ["c1", "c9"])) == nil)
        #expect(media.duration(of: AdBreak(id: "b")) == nil)
        #expect(media.adBreakClips(of: AdBreak(id: "b", clipIDs: ["c2", "c9", "c1"])).map(\.id) == ["c2", "c1"])
    }

    @Test("stitched ads are part of the stream's duration, those from elsewhere come on top")
    func durations() {
        var media = MediaInformation(contentID: "a", duration: 1000, adBreakClips: [Self.clip("c1", 10), Self.clip("c2", 20)])
        #expect([media.embeddedAdDuration, media.clientSideAdDuration, media.contentDuration, media.totalDuration] == [0, 0, 1000, 1000])
        media.adBreaks = [
            AdBreak(id: "b1", clipIDs: ["c1", "c2"], position: 0, isEmbedded: true), AdBreak(id: "b2", clipIDs: ["c2"], position: 300),
            AdBreak(id: "b3", clipIDs: ["c1"], position: -1, isWatched: true),
        ]
        #expect([media.embeddedAdDuration, media.clientSideAdDuration, media.contentDuration, media.totalDuration] == [30, 30, 970, 1020])
        media.duration = nil
        #expect(media.contentDuration == nil)
        #expect(media.totalDuration == nil)
        media.duration = 1000
        media.adBreaks.append(AdBreak(id: "b4", clipIDs: ["gone"], position: 500, isEmbedded: true))
        #expect(
            [media.embeddedAdDuration, media.clientSideAdDuration, media.contentDuration, media.totalDuration] == [nil, 30, nil, 1020])
    }

    private static func playing(_ change: (inout MediaStatus) -> Void = { _ in }) -> MediaStatus {
        var status = MediaStatus(mediaSessionID: 1, playerState: .playing, receivedAt: Self.time(100))
        status.currentTime = 300
        status.playbackRate = 2
        status.media = MediaInformation(
            contentID: "a", duration: 1000,
            adBreaks: [
                AdBreak(id: "client", clipIDs: ["c1", "c2"], position: 300),
                AdBreak(id: "stitched", clipIDs: ["c1"], position: 300, isEmbedded: true),
            ], adBreakClips: [Self.clip("c1", 20, skippable: 5), Self.clip("c2", 30)])
        status.adBreakStatus = AdBreakStatus(
            breakID: "client", breakClipID: "c1", currentBreakTime: 4, currentBreakClipTime: 4, whenSkippable: 6)
        change(&status)
        return status
    }

    @Test("a clip runs at normal speed and at most to its end; its medium waits")
    func clientSide() {
        let status = Self.playing()
        #expect(status.isPlayingAd)
        #expect(status.currentAdBreak?.id == "client")
        #expect(status.currentAdBreakClip?.id == "c1")
        #expect(status.approximateAdBreakClipPosition(at: Self.time(103)) == 7)
        #expect(status.approximateAdBreakPosition(at: Self.time(103)) == 7)
        #expect(status.approximateAdBreakClipPosition(at: Self.time(500)) == 20)
        #expect(status.approximateAdBreakPosition(at: Self.time(500)) == 50)
        #expect(status.approximateStreamPosition(at: Self.time(103)) == 300)
    }

    @Test("a stitched ad takes the stream's time at the stream's speed")
    func stitched() {
        let status = Self.playing { $0.adBreakStatus?.breakID = "stitched" }
        #expect(status.approximateAdBreakClipPosition(at: Self.time(103)) == 10)
        #expect(status.approximateStreamPosition(at: Self.time(103)) == 306)
    }

    @Test("a paused ad stands still")
    func paused() {
        let status = Self.playing { $0.playerState = .paused }
        #expect(status.approximateAdBreakClipPosition(at: Self.time(200)) == 4)
        #expect(status.timeUntilAdIsSkippable(at: Self.time(200)) == 2)
    }

    /// A change of the status above, a time, and how long it is until the clip may be skipped.
    static let skipping: [(@Sendable (inout MediaStatus) -> Void, Double, Double?)] = [
        ({ _ in }, 100, 2), ({ _ in }, 101.5, 0.5), ({ _ in }, 102, 0), ({ _ in }, 110, 0),
        ({ $0.adBreakStatus?.whenSkippable = nil }, 100, 1),
        ({ $0.adBreakStatus?.whenSkippable = -1 }, 100, nil),
        (
            {
                $0.adBreakStatus?.whenSkippable = nil; $0.adBreakStatus?.breakClipID = "c2"
            }, 100, nil
        ),
        (
            {
                $0.adBreakStatus?.whenSkippable = nil; $0.supportedMediaCommands = .skipAd
            }, 100, 0
        ),
        ({ $0.adBreakStatus?.currentBreakClipTime = nil }, 102, 4),
        ({ $0.adBreakStatus = nil }, 100, nil),
        ({ ($0.adBreakStatus, $0.supportedMediaCommands) = (nil, .skipAd) }, 100, 0),
        ({ ($0.adBreakStatus, $0.customData) = (nil, ["playerState": 1081]) }, 100, nil),
    ]

    @Test("an ad plays while a break is reported, or the state that YouTube has in its place", arguments: [(1081, true), (1, false)])
    func youTube(state: Int64, isAd: Bool) {
        let status = Self.playing { ($0.adBreakStatus, $0.customData) = (nil, ["playerState": .integer(state)]) }
        #expect(status.isPlayingAd == isAd)
        #expect(status.isStreamPositionAdvancing == !isAd)
    }

    @Test("a clip may be skipped when its time has come or the receiver offers it, else never", arguments: Self.skipping.indices)
    func skippable(index: Int) {
        let (change, at, wait) = Self.skipping[index]
        #expect(Self.playing(change).timeUntilAdIsSkippable(at: Self.time(at)) == wait)
        #expect(Self.playing(change).canSkipAd(at: Self.time(at)) == (wait == 0))
    }
}
