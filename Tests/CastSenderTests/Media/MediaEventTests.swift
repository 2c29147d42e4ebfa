import CastModels
import Testing

@testable import CastSender

@Suite struct MediaEventTests {
    private static func status(_ state: PlayerState = .playing, session: Int = 1, _ change: (inout MediaStatus) -> Void = { _ in })
        -> MediaStatus
    {
        var status = MediaStatus(mediaSessionID: session, playerState: state, receivedAt: MonotonicTime(nanoseconds: 0))
        status.media = MediaInformation(contentID: "a")
        change(&status)
        return status
    }

    private static let media = MediaInformation(contentID: "a")
    private static let ad = AdBreakStatus(breakID: "b", breakClipID: "c", currentBreakClipTime: 1)
    private static let laterInAd = AdBreakStatus(breakID: "b", breakClipID: "c", currentBreakClipTime: 2)
    private static let nextAd = AdBreakStatus(breakID: "b", breakClipID: "d")
    private static let ended: MediaStatus = Self.status(.idle) { $0.idleReason = .finished }

    static let changes: [(MediaStatus?, MediaStatus?, [MediaEvent])] = [
        (nil, nil, []), (Self.status(), Self.status(), []),
        (
            nil, Self.status(),
            [.sessionStarted(mediaSessionID: 1), .playerStateChanged(from: .idle, to: .playing), .mediaChanged(Self.media)]
        ),
        (
            Self.status(), Self.ended,
            [.sessionEnded(mediaSessionID: 1, reason: .finished), .playerStateChanged(from: .playing, to: .idle), .mediaChanged(nil)]
        ),
        (
            Self.status(), nil,
            [.sessionEnded(mediaSessionID: 1, reason: nil), .playerStateChanged(from: .playing, to: .idle), .mediaChanged(nil)]
        ),
        (
            Self.status(), Self.status(session: 2),
            [.sessionEnded(mediaSessionID: 1, reason: .interrupted), .sessionStarted(mediaSessionID: 2), .mediaChanged(Self.media)]
        ),
        (Self.ended, nil, []),
        (Self.status(), Self.status(.paused), [.playerStateChanged(from: .playing, to: .paused)]),
        (
            Self.status { $0.currentItemID = 1 }, Self.status(.idle) { ($0.loadingItemID, $0.currentItemID) = (2, 1) },
            [.playerStateChanged(from: .playing, to: .loading)]
        ),
        (Self.status { $0.currentItemID = 1 }, Self.status { $0.currentItemID = 2 }, [.currentItemChanged(itemID: 2)]),
        (Self.status(), Self.status { $0.preloadedItemID = 5 }, [.preloadedItemChanged(itemID: 5)]),
        (Self.status { $0.preloadedItemID = 5 }, Self.status(), [.preloadedItemChanged(itemID: nil)]),
        (Self.status(), Self.status { $0.items = [MediaQueueItem(itemID: 1)] }, [.queueChanged]),
        (Self.status(), Self.status { $0.repeatMode = .all }, [.queueChanged]),
        (Self.status(), Self.status { $0.activeTrackIDs = [3] }, [.activeTracksChanged(trackIDs: [3])]),
        (Self.status(), Self.status { $0.playbackRate = 1 }, []),
        (Self.status(), Self.status { $0.playbackRate = 1.5 }, [.playbackRateChanged(1.5)]),
        (Self.status(), Self.status { $0.streamVolume = DeviceVolume(level: 0.2) }, [.streamVolumeChanged(DeviceVolume(level: 0.2))]),
        (Self.status(), Self.status { $0.adBreakStatus = Self.ad }, [.adClipStarted(Self.ad)]),
        (Self.status { $0.adBreakStatus = Self.ad }, Self.status { $0.adBreakStatus = Self.laterInAd }, []),
        (
            Self.status { $0.adBreakStatus = Self.ad }, Self.status { $0.adBreakStatus = Self.nextAd },
            [.adClipEnded(Self.ad), .adClipStarted(Self.nextAd)]
        ),
        (Self.status { $0.adBreakStatus = Self.ad }, Self.status(), [.adClipEnded(Self.ad)]),
        (
            Self.status { $0.adBreakStatus = Self.ad }, nil,
            [
                .adClipEnded(Self.ad), .sessionEnded(mediaSessionID: 1, reason: nil), .playerStateChanged(from: .playing, to: .idle),
                .mediaChanged(nil),
            ]
        ),
        (Self.status(), Self.status { $0.currentTime = 44 }, []),
    ]

    @Test("differences between two statuses are reported once and in order", arguments: Self.changes.indices)
    func between(index: Int) {
        let (old, new, events) = Self.changes[index]
        #expect(MediaEvent.between(old, new) == events)
    }

    @Test(
        "is text that a person reads, without addresses",
        arguments: [
            (.playerStateChanged(from: .playing, to: .paused), "player state: playing → paused"),
            (.sessionEnded(mediaSessionID: 3, reason: .finished), "media session 3 ended: finished"),
            (.mediaChanged(MediaInformation(contentID: "http://h/secret?token=x")), "media: untitled"),
            (.mediaChanged(nil), "media: none"), (.adClipStarted(Self.ad), "ad clip c started"),
            (.streamVolumeChanged(DeviceVolume(level: 0.5, isMuted: true)), "stream volume: 0.5, muted"),
        ] as [(MediaEvent, String)])
    func description(event: MediaEvent, text: String) { #expect("\(event)" == text) }
}
