import CastModels
import NIOCore
import Testing

@testable import CastSender

@Suite struct ObservedStateTests {
    typealias Case = (ObservedState, ObservedState.Evidence)

    @Test(
        "a receiver status shows what was wanted",
        arguments: [
            (.applicationRuns("A"), .shown), (.applicationRuns("U"), .shown), (.applicationRuns("B"), .unreported),
            (.sessionEnded("s"), .other()), (.sessionEnded("t"), .shown), (.deviceMuted(false), .shown), (.deviceMuted(true), .other()),
            (.none, .unreported),
        ] as [Case])
    func receiver(state: ObservedState, evidence: ObservedState.Evidence) {
        let application = ReceiverApplication(applicationID: "A", universalApplicationID: "U", sessionID: "s")
        let status = ReceiverStatus(application: application, volume: DeviceVolume(level: 0.3, isMuted: false))
        #expect(state.evidence(in: ObservedFacts(receiver: status)) == evidence)
    }

    /// The wanted level, the former one, the reported one, the step.
    static let levels: [(Double, Double?, Double?, Double?, ObservedState.Evidence)] = [
        (0.3, 0.5, 0.30000001192092896, nil, .shown), (0.333, 0.5, 0.33, nil, .shown), (0.3, 0.5, nil, 0.05, .unreported),
        (0.28, 0.5, 0.25, 0.05, .shown), (0.25, 0.2, 0.2, 0.05, .other(distance: 0.05)), (0.2, nil, 0.7, 0.5, .other(distance: 0.5)),
        // A television with 30 steps that it does not report.
        (0.25, 0.5, 0.2333, nil, .shown), (0.25, 0.2333, 0.2333, nil, .other(distance: 0.0167)),
    ]

    @Test("a level is reached within rounding and the step", arguments: Self.levels)
    func level(wanted: Double, former: Double?, reported: Double?, step: Double?, expected: ObservedState.Evidence) {
        let volume = DeviceVolume(level: reported, isMuted: false, controlType: .attenuation, stepInterval: step)
        let evidence = WantedLevel(level: wanted, former: former).evidence(in: volume)
        guard case .other(let distance?) = evidence, case .other(let other?) = expected else { return #expect(evidence == expected) }
        #expect(abs(distance - other) < 0.0001)
    }

    private static func status(_ state: PlayerState = .playing, _ change: (inout MediaStatus) -> Void = { _ in }) -> MediaStatus {
        var status = MediaStatus(mediaSessionID: 1, playerState: state, receivedAt: MonotonicTime(nanoseconds: 0))
        status.currentTime = 100
        status.media = MediaInformation(contentID: "c", duration: 300)
        change(&status)
        return status
    }

    private static func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    @Test(
        "a media status shows the player state that was wanted",
        arguments: [
            (.playerState(.playing), .playing, .shown), (.playerState(.playing), .buffering, .shown),
            (.playerState(.playing), .paused, .other()), (.playerState(.playing), .loading, .onTheWay),
            (.playerState(.playing), .idle, .ended), (.playerState(.paused), .paused, .shown),
            (.playerState(.paused), .playing, .other()), (.playerState(.paused), .buffering, .onTheWay),
            (.mediaSessionEnded(1), .playing, .other()), (.mediaSessionEnded(1), .buffering, .other()),
            (.mediaSessionEnded(1), .idle, .shown), (.mediaSessionEnded(2), .playing, .shown),
        ] as [(ObservedState, PlayerState, ObservedState.Evidence)])
    func player(state: ObservedState, player: PlayerState, evidence: ObservedState.Evidence) {
        #expect(state.evidence(in: ObservedFacts(media: Self.status(player))) == evidence)
    }

    /// The target of a seek from 100 s at 0 s, the state and position that are reported at 1 s, and the evidence.
    static let seeks: [(Double, PlayerState, Double?, ObservedState.Evidence)] = [
        (30, .playing, 30, .shown), (30, .playing, 31.2, .shown), (30, .paused, 30, .shown), (30, .buffering, 30, .shown),
        (30, .playing, 24, .shown), (30, .playing, 101, .other()), (30, .playing, 0, .other()), (30, .paused, 100, .other()),
        (30, .buffering, 100, .onTheWay), (30, .playing, nil, .unreported),
        // Near the position before: only a jump is a key frame.
        (105, .playing, 101, .other()), (105, .playing, 104, .shown), (105, .playing, 97, .shown), (95, .playing, 96, .shown),
        (100, .playing, 101, .shown), (30, .idle, nil, .ended), (300, .idle, nil, .shown), (295, .playing, 297, .shown),
    ]

    @Test("a position is reached where the player goes on from it, or from the key frame beside it", arguments: Self.seeks)
    func position(target: Double, state: PlayerState, reported: Double?, evidence: ObservedState.Evidence) {
        let wanted = ObservedState.position(WantedPosition(target, in: Self.status(), at: Self.at(0)))
        let status = Self.status(state) {
            $0.currentTime = reported
            $0.receivedAt = Self.at(1)
        }
        #expect(wanted.evidence(in: ObservedFacts(media: status)) == evidence)
    }

    @Test("a position from before a seek says nothing, one of the next item was wanted only at the end, and an ad has its own")
    func otherPositions() {
        let wanted = ObservedState.position(WantedPosition(30, in: Self.status { $0.currentItemID = 1 }, at: Self.at(0)))
        #expect(wanted.evidence(in: ObservedFacts(media: Self.status { $0.currentTime = 30 })) == .other())
        let next = Self.status {
            ($0.currentItemID, $0.receivedAt) = (2, Self.at(1))
        }
        #expect(wanted.evidence(in: ObservedFacts(media: next)) == .overtaken)
        // Statuses may leave the item out.
        let unnamed = ObservedState.position(WantedPosition(90, in: Self.status(), at: Self.at(0)))
        let named = Self.status {
            ($0.currentItemID, $0.currentTime, $0.receivedAt) = (1, 90, Self.at(1))
        }
        #expect(unnamed.evidence(in: ObservedFacts(media: named)) == .shown)
        let ad = Self.status { $0.adBreakStatus = AdBreakStatus(breakID: "b") }
        #expect(wanted.evidence(in: ObservedFacts(media: ad)) == .unreported)
    }

    @Test("the end of the media is the effect of a removal, not of an insertion, and of no other command")
    func endedQueue() {
        for media in [nil, Self.status(.idle)] {
            let facts = ObservedFacts(media: media)
            #expect(ObservedState.queue(.removed([1])).evidence(in: facts) == .shown)
            #expect(ObservedState.queue(.inserted(formerIDs: [1])).evidence(in: facts) == .ended)
        }
    }

    @Test("a live player stays behind the edge that it goes to")
    func liveEdge() {
        let live = Self.status { $0.liveSeekableRange = LiveSeekableRange(start: 0, end: 120) }
        let wanted = ObservedState.position(WantedPosition(120, in: live, at: Self.at(0)))
        for (position, evidence) in [(101.0, ObservedState.Evidence.shown), (80, .other())] {
            let status = Self.status {
                ($0.currentTime, $0.receivedAt, $0.liveSeekableRange) = (position, Self.at(1), live.liveSeekableRange)
            }
            #expect(wanted.evidence(in: ObservedFacts(media: status)) == evidence)
        }
    }

    static let facts: [(ObservedState, ObservedState.Evidence, ObservedState.Evidence)] = [
        (.playbackRate(1.5), .shown, .unreported), (.playbackRate(2), .other(), .unreported),
        (.streamLevel(.init(level: 0.4)), .shown, .unreported), (.streamMuted(true), .other(), .unreported),
        (.tracks(active: [2], inactive: [3]), .shown, .unreported), (.tracks(active: [3], inactive: []), .other(), .unreported),
        (.tracks(active: [], inactive: [1]), .other(), .unreported), (.repeatMode(.all), .shown, .unreported),
        (.repeatMode(.off), .other(), .unreported), (.item(7, formerID: 6), .shown, .other()), (.item(8, formerID: 6), .other(), .other()),
        (.item(7, formerID: nil), .shown, .unreported), (.shuffled(true, formerIDs: []), .shown, .unreported),
        (.adEnded(PlayingAd(status { $0.adBreakStatus = AdBreakStatus(breakID: "b") })), .shown, .shown),
    ]

    @Test("a fact that the receiver does not report can only be believed", arguments: Self.facts)
    func media(state: ObservedState, reported: ObservedState.Evidence, unreported: ObservedState.Evidence) {
        let full = Self.status { status in
            status.playbackRate = 1.5
            status.streamVolume = DeviceVolume(level: 0.4, isMuted: false)
            status.activeTrackIDs = [1, 2]
            status.queueData = MediaQueueData(repeatMode: .all)
            status.queueData?.shuffle = true
            status.currentItemID = 7
        }
        #expect(state.evidence(in: ObservedFacts(media: full)) == reported)
        #expect(state.evidence(in: ObservedFacts(media: Self.status())) == unreported)
    }

    /// A change of the status in which a jump shows, and what it shows.
    static let jumps: [(@Sendable (inout MediaStatus) -> Void, ObservedState.Evidence)] = [
        ({ _ in }, .other()), ({ $0.playerState = .buffering }, .onTheWay), ({ $0.currentItemID = 2 }, .shown),
        ({ $0.loadingItemID = 2 }, .shown), ({ $0.mediaSessionID = 2 }, .shown), ({ $0.media?.contentID = "d" }, .shown),
        ({ $0.playerState = .idle }, .shown),
        ({ ($0.currentTime, $0.receivedAt) = (1, at(1)) }, .shown), ({ ($0.currentTime, $0.receivedAt) = (101, at(1)) }, .other()),
    ]

    @Test("a jump shows in another item, in its content, in the end of the queue, or in the start of the same item", arguments: Self.jumps)
    func jump(change: @Sendable (inout MediaStatus) -> Void, evidence: ObservedState.Evidence) {
        let before = Self.status { $0.currentItemID = 1 }
        var after = before
        change(&after)
        #expect(ObservedState.skipped(SkippedItem(before, at: Self.at(0))).evidence(in: ObservedFacts(media: after)) == evidence)
    }

    /// A queue at the start of its item 1: its items, how it repeats, and what an unchanged status says of a jump.
    static let starts: [(items: [Int], repeats: RepeatMode, ObservedState.Evidence)] = [
        ([1], .off, .unreported), ([1], .all, .unreported), ([1], .allAndShuffle, .unreported), ([1, 2], .off, .other()),
        ([1, 2], .all, .other()),
    ]

    @Test("a jump from the start of the only item to its start shows nothing, also where the queue repeats", arguments: Self.starts)
    func onlyItem(items: [Int], repeats: RepeatMode, evidence: ObservedState.Evidence) {
        let status = Self.status { status in
            (status.currentItemID, status.currentTime) = (1, 2)
            status.items = items.map { MediaQueueItem(itemID: $0, media: nil) }
            status.repeatMode = repeats
        }
        #expect(ObservedState.skipped(SkippedItem(status, at: Self.at(0))).evidence(in: ObservedFacts(media: status)) == evidence)
    }

    static let edits: [(QueueEdit, [Int], ObservedState.Evidence, ObservedState.Evidence)] = [
        (.inserted(formerIDs: [1, 2]), [1, 2, 3], .shown, .shown), (.inserted(formerIDs: [1, 2]), [1, 2], .other(), .unreported),
        (.removed([2]), [1, 3], .shown, .shown), (.removed([2]), [1, 2, 3], .other(), .unreported),
        (.reordered([3], before: 1, formerIDs: [1, 2, 3]), [3, 1, 2], .shown, .shown),
        (.reordered([3], before: 1, formerIDs: [1, 2, 3]), [1, 2, 3], .other(), .unreported),
        (.reordered([3], before: nil, formerIDs: [1, 2, 3]), [1, 2, 3], .shown, .shown),
        (.updated([2]), [1, 2], .unreported, .unreported),
    ]

    @Test("an edit shows in the order of the whole queue; a window that does not show it proves nothing", arguments: Self.edits)
    func edit(edit: QueueEdit, ids: [Int], whole: ObservedState.Evidence, window: ObservedState.Evidence) {
        #expect(edit.evidence(in: .init(itemIDs: ids, isWhole: true)) == whole)
        #expect(edit.evidence(in: .init(itemIDs: ids, isWhole: false)) == window)
        #expect(edit.evidence(in: nil) == .unreported)
    }

    @Test("a shuffle shows in what the receiver reports of it, else in the order of more than two items")
    func shuffle() {
        func evidence(_ isShuffled: Bool, _ former: [Int], _ ids: [Int], mode: RepeatMode? = nil) -> ObservedState.Evidence {
            let status = Self.status { $0.repeatMode = mode }
            return ObservedState.shuffled(isShuffled, formerIDs: former)
                .evidence(in: ObservedFacts(media: status, queue: .init(itemIDs: ids, isWhole: true)))
        }
        #expect(evidence(true, [1, 2, 3], [2, 3, 1]) == .shown)
        #expect(evidence(true, [1, 2, 3], [1, 2, 3]) == .other())
        #expect(evidence(true, [1, 2], [1, 2]) == .unreported)
        #expect(evidence(false, [1, 2, 3], [1, 2, 3], mode: .off) == .shown)
        #expect(evidence(true, [1, 2, 3], [1, 2, 3], mode: .allAndShuffle) == .shown)
    }

    @Test("new content of items shows in the notice of it")
    func update() {
        #expect(QueueEdit.updated([2]).evidence(in: .init(itemIDs: [1, 2], isWhole: true, updatedIDs: [2])) == .shown)
    }

    @Test("a load shows when its own media plays in a new session, and never fails by what another load shows")
    func load() {
        let wanted = ObservedState.loaded(WantedMedia(formerSessionID: 1, contentIDs: ["c"]))
        func evidence(_ change: (inout MediaStatus) -> Void) -> ObservedState.Evidence {
            wanted.evidence(in: ObservedFacts(media: Self.status(.playing, change)))
        }
        #expect(evidence { $0.mediaSessionID = 2 } == .shown)
        #expect(evidence { _ in } == .unreported)
        #expect(evidence { ($0.mediaSessionID, $0.playerState) = (2, .buffering) } == .unreported)
        #expect(evidence { ($0.mediaSessionID, $0.media) = (2, MediaInformation(contentID: "d")) } == .unreported)
        #expect(wanted.evidence(in: ObservedFacts()) == .unreported)
    }

    @Test("an ad that only the player state of YouTube shows is over when that ends")
    func ad() {
        let ad = Self.status { $0.customData = ["playerState": 1081] }
        let wanted = ObservedState.adEnded(PlayingAd(ad))
        #expect(wanted.evidence(in: ObservedFacts(media: ad)) == .other())
        #expect(wanted.evidence(in: ObservedFacts(media: Self.status { $0.customData = ["playerState": 1] })) == .shown)
        // A receiver that offers to skip and reports no ad is believed.
        let offer = Self.status { $0.supportedMediaCommands = .skipAd }
        #expect(ObservedState.adEnded(PlayingAd(offer)).evidence(in: ObservedFacts(media: offer)) == .unreported)
    }
}
