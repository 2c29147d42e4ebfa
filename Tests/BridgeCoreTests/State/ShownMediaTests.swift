import CastModels
import Testing

@testable import BridgeCore

@Suite("The shown media")
struct ShownMediaTests {
    /// The players and titles a subscriber of `state` sees, in order, each once in a row.
    private struct Watch {
        var fixture = StateFixture()
        var seen: [String] = []

        mutating func look() {
            let title = self.fixture.state.media.shown?.shownMedia?.metadata?.title ?? "-"
            let line = "\(self.fixture.state.player.rawValue) \(title)"
            if line != self.seen.last { self.seen.append(line) }
        }

        mutating func after(_ seconds: Double, _ event: DeviceEvent) {
            self.wait(seconds)
            self.fixture.after(event)
            self.look()
        }

        mutating func wait(_ seconds: Double) {
            let end = self.fixture.seconds + seconds
            while let deadline = self.fixture.state.nextDeadline?.seconds(since: StateFixture.monotonic(0)), deadline <= end {
                self.fixture.wait(deadline - self.fixture.seconds)
                self.look()
            }
            self.fixture.wait(end - self.fixture.seconds)
        }

        init(playing status: (StateFixture) -> MediaStatus) {
            self.fixture.connect(media: status(self.fixture))
            self.look()
        }
    }

    @Test("a gap between two items is not seen, however the first one ended", arguments: [IdleReason.finished, .interrupted])
    func shortGap(_ reason: IdleReason) {
        var watch = Watch { $0.status(.playing) }
        watch.after(10, .mediaStatus(watch.fixture.idle(reason)))
        watch.after(1.4, .mediaStatus(watch.fixture.status(.buffering, session: 8, time: 0, media: StateFixture.song(2))))
        watch.after(1, .mediaStatus(watch.fixture.status(.playing, session: 8, time: 0, media: StateFixture.song(2))))
        watch.wait(60)
        #expect(watch.seen == ["playing Harbour Lights", "buffering Song 2", "playing Song 2"])
    }

    @Test("an end without a next item is shown after a moment, and all values of the item disappear at once")
    func end() {
        var watch = Watch { $0.status(.playing) }
        let idle = watch.fixture.mapper.messages(for: StateFixture.idleState(.finished))
        watch.after(10, .mediaStatus(watch.fixture.idle(.finished)))
        watch.wait(1.4)
        #expect(watch.seen == ["playing Harbour Lights"])
        watch.wait(0.2)
        #expect(watch.seen == ["playing Harbour Lights", "idle -"])
        #expect(watch.fixture.state.media.idleReason == .finished)
        #expect(watch.fixture.mapper.messages(for: watch.fixture.state) == idle)
    }

    @Test("a stop and an error are seen at once", arguments: [IdleReason.cancelled, .error])
    func stop(_ reason: IdleReason) {
        var watch = Watch { $0.status(.playing) }
        watch.after(10, .mediaStatus(watch.fixture.idle(reason)))
        #expect(watch.seen.last == "idle -")
        #expect(watch.fixture.state.media.idleReason == reason)
    }

    @Test("the end of the application is seen at once, also in the middle of a gap", arguments: [nil, StateFixture.backdrop])
    func applicationEnds(_ next: ReceiverApplication?) {
        var watch = Watch { $0.status(.playing) }
        watch.after(10, .mediaStatus(watch.fixture.idle(.finished)))
        watch.after(0.1, .receiverStatus(StateFixture.receiver(next)))
        #expect(watch.seen == ["playing Harbour Lights", "off -"])
        #expect(watch.fixture.state.media.idleReason == nil)
        #expect(watch.fixture.state.nextDeadline == nil)
    }

    @Test("media of a former application session is dropped with it, though the application is the same")
    func sessionChanges() {
        var watch = Watch { $0.status(.playing) }
        var again = StateFixture.defaultMediaReceiver
        again.sessionID = "5e1a"
        watch.after(1, .receiverStatus(StateFixture.receiver(again)))
        #expect(watch.seen == ["playing Harbour Lights", "idle -"])
    }

    @Test("a queue of 20 with gaps of up to 5 s is never idle", arguments: [0.0, 0.5, 1.6, 3, 5])
    func queueGaps(_ gap: Double) {
        var watch = Watch { $0.status(.playing, time: 0, change: StateFixture.queue(20, current: 1)) }
        for item in 2...20 {
            watch.after(200, .mediaStatus(watch.fixture.idle(.finished)))
            watch.after(gap, .mediaStatus(watch.fixture.status(.playing, time: 0, change: StateFixture.queue(20, current: item))))
        }
        #expect(watch.seen == ["playing Harbour Lights"] + (2...20).map { "playing Song \($0)" })
        watch.after(200, .mediaStatus(watch.fixture.idle(.finished)))
        watch.wait(1.6)
        #expect(watch.seen.last == "idle -", "the last item is followed by nothing")
    }

    @Test(
        "an item that repeats, and a queue that starts over, are never idle",
        arguments: [(RepeatMode.single, 3), (.all, 1), (.allAndShuffle, 1)])
    func repeats(_ mode: RepeatMode, _ next: Int) {
        var watch = Watch { $0.status(.playing, time: 0, change: StateFixture.queue(3, current: 3, mode)) }
        watch.after(241, .mediaStatus(watch.fixture.idle(.finished)))
        watch.after(5, .mediaStatus(watch.fixture.status(.playing, time: 0, change: StateFixture.queue(3, current: next, mode))))
        #expect(!watch.seen.contains { $0.hasPrefix("idle") })
    }

    @Test("a long gap with an item on its way is loading, not idle, for as long as it lasts")
    func loadingGap() {
        var watch = Watch { $0.status(.playing, change: StateFixture.queue(3, current: 1)) }
        watch.after(10, .mediaStatus(watch.fixture.idle(.finished, loading: 2)))
        #expect(watch.seen == ["playing Harbour Lights"])
        watch.wait(30)
        #expect(watch.seen == ["playing Harbour Lights", "loading Harbour Lights"])
        watch.after(1, .mediaStatus(watch.fixture.status(.playing, time: 0, change: StateFixture.queue(3, current: 2))))
        #expect(watch.seen.last == "playing Song 2")
    }

    @Test("statuses that repeat an end don't put it off")
    func repeatedEnd() {
        var watch = Watch { $0.status(.playing) }
        for _ in 0..<4 { watch.after(0.45, .mediaStatus(watch.fixture.idle(.finished))) }
        #expect(watch.seen == ["playing Harbour Lights"])
        watch.wait(0.2)
        #expect(watch.seen.last == "idle -")
    }

    @Test("an extended status that loads is shown with the media it loads")
    func extendedStatus() {
        var watch = Watch { $0.idle(nil) }
        watch.after(
            1,
            .mediaStatus(
                watch.fixture.status(.idle, session: 8, time: nil, media: nil) {
                    $0.extendedStatus = .init(playerState: .loading, mediaSessionID: 8, media: StateFixture.song(2))
                }))
        #expect(watch.seen == ["idle -", "loading Song 2"])
    }

    @Test("a load of the bridge is loading until its own session reports more; the end of the interrupted one is not shown")
    func ownLoad() {
        var watch = Watch { $0.status(.playing) }
        watch.after(1, .loadRequested)
        watch.after(0.1, .mediaStatus(watch.fixture.status(.playing, time: 64.3)))
        watch.after(0.1, .mediaStatus(watch.fixture.idle(.interrupted)))
        watch.wait(20)
        watch.after(0.1, .mediaStatus(watch.fixture.status(.buffering, session: 8, time: 0, media: StateFixture.song(2))))
        watch.after(0.1, .loadEnded(failure: nil))
        watch.after(0.1, .mediaStatus(watch.fixture.status(.playing, session: 8, time: 0, media: StateFixture.song(2))))
        #expect(watch.seen == ["playing Harbour Lights", "loading Harbour Lights", "buffering Song 2", "playing Song 2"])
    }

    @Test("a failed load of the bridge keeps the shown media")
    func failedLoad() {
        var watch = Watch { $0.status(.playing) }
        watch.after(1, .loadRequested)
        watch.after(0.1, .mediaStatus(watch.fixture.idle(.interrupted)))
        watch.after(5, .loadEnded(failure: "load_failed"))
        #expect(watch.seen == ["playing Harbour Lights", "loading Harbour Lights", "idle -"])
        #expect(watch.fixture.takeEvents().map(\.kind) == [.mediaEnded, .loadFailed])
    }

    @Test("a load that is answered before the first status waits for it a moment")
    func answeredLoad() {
        var watch = Watch { $0.status(.playing) }
        watch.after(1, .loadRequested)
        watch.after(0.1, .mediaStatus(watch.fixture.idle(.interrupted)))
        watch.after(0.1, .loadEnded(failure: nil))
        watch.wait(2)
        #expect(watch.seen.last == "idle -")
    }

    @Test("the end reason of the previous item is reported only while the player is idle")
    func reasonWhileIdle() {
        var watch = Watch { $0.status(.playing) }
        func reasons() -> [Bool] {
            ["state", "media"].map { watch.fixture.payload($0).contains(#""idle_reason":"cancelled""#) }
                + [watch.fixture.payload("status/idle_reason") == "cancelled"]
        }
        watch.after(10, .mediaStatus(watch.fixture.idle(.cancelled)))
        #expect(reasons() == [true, true, true])
        watch.after(1, .loadRequested)
        #expect(watch.seen.last == "loading -" && reasons() == [false, false, false])
        watch.after(1, .loadEnded(failure: "load_failed"))
        #expect(watch.seen.last == "idle -" && reasons() == [true, true, true])
        watch.after(1, .receiverStatus(StateFixture.receiver(standby: true)))
        #expect(watch.seen.last == "off -" && reasons() == [false, false, false])
        watch.after(1, .receiverStatus(StateFixture.receiver()))
        watch.after(1, .linkLost)
        watch.wait(10)
        #expect(watch.seen.last == "unknown -" && reasons() == [true, true, true], "an absence leaves documents as they are")
    }

    @Test("the values of the next item replace all values of the previous one")
    func nothingIsLeft() {
        var watch = Watch { fixture in
            fixture.status(.playing) { status in
                status.activeTrackIDs = [2]
                var track = MediaTrack(trackID: 2, type: .audio)
                track.name = "English"
                status.media?.tracks = [track]
                status.media?.metadata?.fields["seriesTitle"] = "Example Series"
            }
        }
        #expect(watch.fixture.payload("state").contains(#""audio":"English""#))
        let bare = watch.fixture.status(.playing, session: 8, time: nil, media: nil)
        watch.after(1, .mediaStatus(bare))
        let state = watch.fixture.payload("state")
        for stale in ["Harbour", "Example", "English", "harbour", "241.5", "audio/mpeg"] { #expect(!state.contains(stale)) }
        #expect(state.contains(#""session":8,"kind":"unknown","title":null"#))
    }
}

extension StateFixture {
    /// A connected device with the Default Media Receiver open and nothing loaded.
    /// A device that has shown no media, of which the last status says why it is idle.
    static func idleState(_ reason: IdleReason) -> DeviceState {
        var fixture = StateFixture()
        fixture.connect()
        fixture.after(.mediaStatus(fixture.idle(reason)))
        return fixture.state
    }
}
