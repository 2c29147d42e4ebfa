import CastModels

@testable import BridgeCore

/// The situations in which documents are compared byte for byte.
enum Scenario: String, CaseIterable, Sendable {
    case neverReached, idle, off, music, television, live, advertisement, offline, group

    var fixture: StateFixture {
        var fixture = StateFixture()
        switch self {
        case .neverReached:
            fixture.wait(30)
        case .idle:
            fixture.connect()
        case .off:
            fixture.connect(StateFixture.receiver(StateFixture.backdrop))
        case .music:
            self.playMusic(&fixture)
        case .television:
            fixture.connect(media: Self.television(fixture))
            fixture.after(.application(ApplicationSession(.ours, id: "4f0c", connection: .strong, isLaunched: true)))
        case .live:
            let media = MediaInformation(
                contentID: "https://live.example/news.m3u8", contentType: "application/x-mpegURL", streamType: .live, duration: -1,
                metadata: MediaMetadata(fields: ["title": "News"]))
            fixture.connect(
                media: fixture.status(.playing, time: 1790, media: media) {
                    $0.supportedMediaCommands = [.pause]
                    $0.liveSeekableRange = LiveSeekableRange(start: 0, end: 1800, isMovingWindow: true)
                })
        case .advertisement:
            fixture.connect(
                media: fixture.status(.playing) {
                    $0.supportedMediaCommands = []
                    $0.adBreakStatus = AdBreakStatus(
                        breakID: "b1", breakClipID: "c1", currentBreakTime: 2.5, currentBreakClipTime: 2.5, whenSkippable: 5)
                })
        case .offline:
            self.playMusic(&fixture)
            fixture.after(.linkLost)
            fixture.wait(5)
        case .group:
            fixture = StateFixture(StateFixture.group, slug: "whole-house")
            fixture.after(.ready(ReceiverStatus(volume: DeviceVolume(level: 0.2, isMuted: false, controlType: .fixed)), nil))
        }
        return fixture
    }

    private func playMusic(_ fixture: inout StateFixture) {
        var english = MediaTrack(trackID: 1, type: .audio)
        english.language = "en"
        english.name = "English"
        fixture.connect(
            media: fixture.status(.playing, item: 4) { status in
                status.items = (1...20).map { MediaQueueItem(itemID: $0) }
                status.repeatMode = .off
                status.media?.tracks = [english]
                status.activeTrackIDs = [1]
            })
        fixture.after(.application(ApplicationSession(.watched, id: "4f0c", connection: .invisible)))
    }

    /// An episode with everything a status can carry.
    private static func television(_ fixture: StateFixture) -> MediaStatus {
        var media = MediaInformation(
            contentID: "http://192.168.1.5/s2e5.mp4", contentType: "video/mp4", streamType: .buffered, duration: 2641.5,
            metadata: MediaMetadata(
                type: .tvShow, images: [MediaImage(url: "http://192.168.1.5/s2e5.jpg", width: 1280, height: 720)],
                fields: [
                    "title": "The Lighthouse", "season": 2, "episode": 5, "originalAirdate": "2024-03-01", "seriesTitle": "Example Series",
                ]))
        media.contentURL = "http://192.168.1.5/s2e5.m3u8"
        media.entity = "https://example.org/s2e5"
        media.adBreaks = [AdBreak(id: "b1", clipIDs: ["c1"], position: 600)]
        var clip = AdBreakClip(id: "c1")
        clip.title = "Example ad"
        clip.contentID = "http://192.168.1.5/ad.mp4"
        clip.contentType = "video/mp4"
        clip.duration = 15
        clip.whenSkippable = 5
        media.adBreakClips = [clip]
        return fixture.status(.playing, media: media, item: 43) { status in
            status.streamVolume = DeviceVolume(level: 1, isMuted: false)
            status.videoInfo = VideoInfo(width: 3840, height: 2160, hdrType: .hdr10)
            status.customData = ["secret": 1]
        }
    }
}
