import CastModels
import Testing

@testable import BridgeCore

@Suite("Events of a device")
struct MediaEventTests {
    private func kinds(_ fixture: inout StateFixture, _ event: DeviceEvent, after seconds: Double = 1) -> [PublishedEvent.Kind] {
        fixture.after(seconds, event)
        return fixture.takeEvents().map(\.kind)
    }

    @Test("the start position of an item is not a seek")
    func startPosition() {
        var fixture = StateFixture()
        fixture.connect()
        #expect(self.kinds(&fixture, .mediaStatus(fixture.status(.idle, time: 0) { $0.loadingItemID = 1 })) == [])
        #expect(self.kinds(&fixture, .mediaStatus(fixture.status(.playing, time: 120))) == [.mediaStarted])
        #expect(self.kinds(&fixture, .mediaStatus(fixture.status(.playing, time: 300))) == [.seeked])
    }

    @Test("one item is started once, paused and resumed across buffering, and ended with its reason and its playing time")
    func oneItem() {
        var fixture = StateFixture()
        fixture.connect()
        #expect(self.kinds(&fixture, .mediaStatus(fixture.status(.idle, time: nil) { $0.loadingItemID = 1 })) == [])
        #expect(self.kinds(&fixture, .mediaStatus(fixture.status(.buffering, time: 0))) == [.mediaStarted])
        #expect(self.kinds(&fixture, .mediaStatus(fixture.status(.playing, time: 0))) == [])
        #expect(self.kinds(&fixture, .mediaStatus(fixture.status(.buffering, time: 10)), after: 10) == [])
        #expect(self.kinds(&fixture, .mediaStatus(fixture.status(.playing, time: 10))) == [])
        #expect(self.kinds(&fixture, .mediaStatus(fixture.status(.paused, time: 11))) == [.paused])
        #expect(self.kinds(&fixture, .mediaStatus(fixture.status(.buffering, time: 11)), after: 30) == [])
        #expect(self.kinds(&fixture, .mediaStatus(fixture.status(.playing, time: 11))) == [.resumed])
        fixture.wait(5)
        let end = fixture.now.wall
        fixture.after(.mediaStatus(fixture.idle(.finished)))
        fixture.wait(2)
        let ended = PublishedEvent(
            .mediaEnded, title: "Harbour Lights", contentID: "http://192.168.1.5/harbour.mp3", app: "Default Media Receiver",
            item: .init(kind: "music", artist: "Example Trio", album: "Night Ferry", duration: 241.5),
            facts: [
                "reason": "finished", "played_s": 16.0, "position": 16.0, "started_at": .string(StateFixture.start.adding(seconds: 2).text),
                "detailed_error_code": .null, "item": .null,
            ], time: end)
        #expect(fixture.takeEvents() == [ended])
    }

    @Test("a stop is reported as an intended end", arguments: [IdleReason.cancelled, nil])
    func stopped(_ reason: IdleReason?) {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.playing))
        let event: DeviceEvent =
            reason == nil ? .receiverStatus(StateFixture.receiver(nil)) : .mediaStatus(fixture.idle(reason))
        fixture.wait(5)
        fixture.after(event)
        let events = fixture.takeEvents()
        #expect(events.map(\.kind) == [.stopped, .mediaEnded] + (reason == nil ? [.appChanged] : []))
        #expect(events.first?.title == "Harbour Lights")
        #expect(events.first?.app == "Default Media Receiver", "the application whose media it was")
        #expect(events.first?.facts["reason"] == (reason == nil ? .null : "cancelled"))
    }

    @Test("the next item of a queue is a change, another load is an end and a start")
    func changes() {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.playing, change: StateFixture.queue(3, current: 1)))
        fixture.wait(10)
        fixture.after(.mediaStatus(fixture.status(.playing, time: 0, change: StateFixture.queue(3, current: 2))))
        let change = fixture.takeEvents()
        #expect(change.map(\.kind) == [.mediaChanged])
        #expect(change.first?.title == "Song 2")
        #expect(
            change.first?.facts == [
                "reason": "item", "previous_title": "Harbour Lights", "previous_content_id": "http://192.168.1.5/harbour.mp3",
                "previous_reason": "skipped", "previous_position": 73.2, "played_s": 10.0, "started_at": .null,
                "previous_detailed_error_code": .null,
            ])
        fixture.after(.mediaStatus(fixture.status(.buffering, session: 8, time: 0, media: StateFixture.song(9))))
        let load = fixture.takeEvents()
        #expect(load.map(\.kind) == [.mediaEnded, .mediaStarted])
        #expect(load.first?.facts["reason"] == "interrupted")
        #expect(load.last?.title == "Song 9")
    }

    @Test("a radio station that changes its title reports it")
    func radio() {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.playing))
        #expect(
            self.kinds(&fixture, .mediaStatus(fixture.status(.playing, time: 64.2) { $0.media?.metadata?.fields["title"] = "News" }))
                == [.mediaChanged])
    }

    @Test("a seek reports its start and its target")
    func seeked() {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.playing))
        fixture.wait(10)
        fixture.after(.mediaStatus(fixture.status(.buffering, time: 120)))
        let events = fixture.takeEvents()
        #expect(events.map(\.kind) == [.seeked])
        #expect(events.first?.facts == ["from": 73.2, "to": 120.0])
    }

    @Test("each clip of an ad break begins and ends, and none of it is a seek")
    func ads() {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.playing))
        func clip(_ id: String) -> (inout MediaStatus) -> Void {
            { $0.adBreakStatus = AdBreakStatus(breakID: "b1", breakClipID: id, currentBreakClipTime: 0) }
        }
        #expect(self.kinds(&fixture, .mediaStatus(fixture.status(.playing, time: 0, change: clip("c1")))) == [.adStarted])
        #expect(self.kinds(&fixture, .mediaStatus(fixture.status(.playing, time: 10, change: clip("c1")))) == [])
        #expect(self.kinds(&fixture, .mediaStatus(fixture.status(.playing, time: 0, change: clip("c2")))) == [.adEnded, .adStarted])
        #expect(self.kinds(&fixture, .mediaStatus(fixture.status(.playing, time: 64.2))) == [.adEnded])
    }

    @Test("a load of another sender that never plays has failed; one of the bridge is reported by its answer alone")
    func loadFailed() {
        var fixture = StateFixture()
        fixture.connect()
        #expect(self.kinds(&fixture, .mediaStatus(fixture.status(.buffering, time: 0))) == [.mediaStarted])
        #expect(self.kinds(&fixture, .mediaStatus(fixture.idle(.error))) == [.loadFailed, .mediaEnded])
        fixture.after(.loadRequested)
        #expect(self.kinds(&fixture, .mediaStatus(fixture.status(.buffering, session: 8, time: 0))) == [.mediaStarted])
        #expect(self.kinds(&fixture, .mediaStatus(fixture.idle(.error, session: 8))) == [.mediaEnded])
        #expect(self.kinds(&fixture, .loadEnded(failure: "load_failed")) == [.loadFailed])
    }

    @Test("a queue that changes around the current item is reported, one that plays on is not")
    func queueChanged() {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.playing, time: 0, change: StateFixture.queue(3, current: 1)))
        #expect(
            self.kinds(&fixture, .mediaStatus(fixture.status(.playing, time: 1, change: StateFixture.queue(4, current: 1)))) == [
                .queueChanged
            ])
        #expect(
            self.kinds(&fixture, .mediaStatus(fixture.status(.playing, time: 2, change: StateFixture.queue(4, current: 1, .all))))
                == [.queueChanged])
        #expect(
            self.kinds(&fixture, .mediaStatus(fixture.status(.playing, time: 0, change: StateFixture.queue(4, current: 2, .all))))
                == [.mediaChanged])
    }

    @Test("a change of application is reported with the previous one")
    func appChanged() {
        var fixture = StateFixture()
        fixture.connect()
        fixture.after(.application(ApplicationSession(.ours, id: "4f0c", connection: .strong, isLaunched: true)))
        fixture.after(.receiverStatus(StateFixture.receiver(StateFixture.dashboard)))
        let event = PublishedEvent(
            .appChanged, app: "DashCast",
            facts: ["app_id": "84912283", "previous": "Default Media Receiver", "previous_app_id": "CC1AD845"])
        #expect(fixture.takeEvents().last == event)
        #expect(!fixture.state.isApplicationOurs, "before the link reports its part in the new session")
        var texted = StateFixture.dashboard
        texted.statusText = "Now showing"
        #expect(fixture.after(.receiverStatus(StateFixture.receiver(texted))) == [.changed([.app, .state, .receiverValues])])
    }

    @Test("the time of an absence is not playing time")
    func playedWhileAway() {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.playing))
        fixture.after(10, .linkLost)
        fixture.wait(100)
        fixture.after(.ready(StateFixture.receiver(), fixture.status(.playing, time: 173.2)))
        fixture.after(5, .mediaStatus(fixture.idle(.cancelled)))
        #expect(fixture.takeEvents().last?.facts["played_s"] == 18.0, "10 s, the 3 s of grace, and 5 s")
    }

    @Test("nothing is reported of media that was playing before the bridge started")
    func silentStart() {
        var fixture = StateFixture()
        let outputs = fixture.after(.ready(StateFixture.receiver(), fixture.status(.playing)))
        #expect(!outputs.contains { if case .event = $0 { true } else { false } })
        fixture.after(5, .mediaStatus(fixture.status(.paused, time: 68.2)))
        #expect(fixture.takeEvents().map(\.kind) == [.paused])
    }
}

@Suite("When an ad may be skipped")
struct AdSkipTests {
    private func ad(_ time: Double, when: Double? = 5) -> (inout MediaStatus) -> Void {
        { $0.adBreakStatus = AdBreakStatus(breakID: "b1", breakClipID: "c1", currentBreakClipTime: time, whenSkippable: when) }
    }

    @Test("time alone makes it skippable, and the document then shows it")
    func timer() {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.playing, change: self.ad(1)))
        #expect(
            fixture.payload("state").contains(
                #""ad":{"playing":true,"skippable":false,"skippable_at":"2026-11-21T14:03:26.400Z","break":"b1","clip":"c1""#))
        fixture.wait(3.9)
        #expect(fixture.state.media.ad?.isSkippable == false)
        fixture.wait(0.2)
        #expect(fixture.takeOutputs() == [.changed(.state)])
        #expect(
            fixture.payload("state").contains(
                #""ad":{"playing":true,"skippable":true,"skippable_at":"2026-11-21T14:03:26.400Z","break":"b1","clip":"c1""#))
        #expect(fixture.payload("state").contains(#""can":["pause","seek","skip_ad","volume","mute"]"#))
    }

    @Test("the time that the clip names counts where the status names none", arguments: [(3.9, false), (4.1, true)])
    func clip(seconds: Double, isSkippable: Bool) {
        var fixture = StateFixture()
        fixture.connect(
            media: fixture.status(.playing) { status in
                self.ad(1, when: nil)(&status)
                var clip = AdBreakClip(id: "c1")
                clip.whenSkippable = 5
                status.media?.adBreakClips = [clip]
            })
        fixture.wait(seconds)
        #expect(fixture.state.media.ad?.isSkippable == isSkippable)
    }

    /// 2.5 s into the second clip of the break, whose clips last 10 and 20 s.
    private func secondClip(_ status: inout MediaStatus) {
        status.media?.adBreaks = [AdBreak(id: "b1", clipIDs: ["c0", "c1"], position: 60)]
        status.media?.adBreakClips = [("c0", 10.0), ("c1", 20.0)].map { id, duration in
            var clip = AdBreakClip(id: id)
            clip.duration = duration
            (clip.posterURL, clip.clickThroughURL) = ("http://h/p.jpg", "http://h/shop")
            return clip
        }
        status.adBreakStatus = AdBreakStatus(breakID: "b1", breakClipID: "c1", currentBreakTime: 12.5, currentBreakClipTime: 2.5)
    }

    @Test("the document has the clip's place in its break, and when both end")
    func place() {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.playing, change: self.secondClip))
        let page = #","poster":"http://h/p.jpg","click_url":"http://h/shop"}"#
        let times = #""clip_ends_at":"2026-11-21T14:03:39.900Z","break_duration":30,"break_ends_at":"2026-11-21T14:03:39.900Z""# + page
        let place = #""break":"b1","clip":"c1","index":1,"clips":2,"clip_duration":20,"#
        #expect(fixture.payload("state").contains(place + times))
        #expect(
            fixture.after(
                5,
                .mediaStatus(
                    fixture.status(.playing) {
                        self.secondClip(&$0)
                        $0.adBreakStatus?.currentBreakTime = 17.6
                        $0.adBreakStatus?.currentBreakClipTime = 7.6
                    })) == [], "time passes as foreseen")
        fixture.after(1, .mediaStatus(fixture.status(.paused, change: self.secondClip)))
        let paused = #""clip_ends_at":null,"break_duration":30,"break_ends_at":null"# + page
        #expect(fixture.payload("state").contains(place + paused))
    }

    @Test("ads that are part of the stream end by its speed")
    func embedded() {
        var fixture = StateFixture()
        fixture.connect(
            media: fixture.status(.playing) {
                self.secondClip(&$0)
                $0.media?.adBreaks[0].isEmbedded = true
                $0.playbackRate = 2
            })
        #expect(fixture.state.media.ad?.clipEndsAt?.wall == StateFixture.start.adding(seconds: 8.75))
    }

    @Test("statuses as foreseen change nothing, a stall moves the time")
    func stall() {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.playing, change: self.ad(0, when: 60)))
        #expect(fixture.after(10, .mediaStatus(fixture.status(.playing, change: self.ad(10.4, when: 60)))) == [])
        fixture.after(10, .mediaStatus(fixture.status(.playing, change: self.ad(12, when: 60))))
        #expect(fixture.state.media.ad?.skippableAt?.wall == StateFixture.start.adding(seconds: 68))
    }

    @Test("a paused ad has no time yet", arguments: [(1.0, false), (5, true), (9, true)])
    func paused(_ time: Double, _ skippable: Bool) {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.paused, change: self.ad(time)))
        #expect(fixture.state.media.ad?.skippableAt == nil)
        #expect(fixture.state.media.ad?.isSkippable == skippable)
        #expect(fixture.state.nextDeadline == nil)
    }

    @Test("an ad that is past its time when it is first seen may be skipped at once")
    func late() {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.playing, change: self.ad(9)))
        #expect(fixture.state.media.ad?.isSkippable == true)
        #expect(fixture.state.nextDeadline == nil)
    }

    @Test("without a time it may be skipped only if the receiver reports it", arguments: [nil, -1, 1e300, Double.nan])
    func never(_ when: Double?) {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.playing, change: self.ad(0, when: when)))
        #expect(fixture.state.media.ad?.isSkippable == false)
        fixture.after(
            1,
            .mediaStatus(
                fixture.status(.playing) {
                    self.ad(1, when: when)(&$0)
                    $0.supportedMediaCommands.insert(.skipAd)
                }))
        #expect(fixture.state.media.ad?.isSkippable == true)
    }
}
