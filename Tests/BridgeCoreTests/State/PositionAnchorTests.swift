import CastModels
import Testing

@testable import BridgeCore

@Suite("The position anchor")
struct PositionAnchorTests {
    private func playing() -> StateFixture {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.playing))
        return fixture
    }

    @Test("time alone never moves it")
    func timePasses() {
        var fixture = self.playing()
        let anchor = fixture.state.media.anchor
        #expect(anchor?.position == 63.2)
        for _ in 0..<30 {
            fixture.seconds += 5
            let outputs = fixture.after(.mediaStatus(fixture.status(.playing, time: 63.2 + fixture.seconds)))
            #expect(outputs == [])
        }
        #expect(fixture.state.media.anchor == anchor)
        #expect(anchor?.position(at: fixture.now.monotonic) == 63.2 + 150)
    }

    @Test("up to a second of drift is nothing, more is a new anchor", arguments: [(-1.0, false), (1.0, false), (-1.1, true), (1.1, true)])
    func drift(_ drift: Double, _ moves: Bool) {
        var fixture = self.playing()
        fixture.seconds = 16
        fixture.after(.mediaStatus(fixture.status(.playing, time: 79.2 + drift)))
        #expect((fixture.state.media.anchor?.at == fixture.now.monotonic) == moves)
        #expect(fixture.takeEvents().isEmpty, "so little is no seek")
    }

    @Test("slow drift adds up")
    func slowDrift() {
        var fixture = self.playing()
        var anchors: Set<PositionAnchor> = []
        for _ in 0..<100 {
            fixture.seconds += 1
            fixture.after(.mediaStatus(fixture.status(.playing, time: 63.2 + fixture.seconds * 0.97)))
            if let anchor = fixture.state.media.anchor { anchors.insert(anchor) }
        }
        #expect(anchors.count == 3, "3 s of drift in 100 s: the first anchor and two more")
    }

    struct Change: Sendable, CustomTestStringConvertible {
        var name: String
        var apply: @Sendable (inout MediaStatus) -> Void
        var testDescription: String { self.name }
    }

    static let newKinds: [Change] = [
        Change(name: "pause") { $0.playerState = .paused },
        Change(name: "buffering begins") { $0.playerState = .buffering },
        Change(name: "rate") { $0.playbackRate = 1.5 },
        Change(name: "next item") { $0.currentItemID = 44 },
        Change(name: "other content under the same item") { $0.media = StateFixture.song(2) },
        Change(name: "other session") { $0.mediaSessionID = 8 },
        Change(name: "ad begins") { $0.adBreakStatus = AdBreakStatus(breakID: "b1", breakClipID: "c1") },
        Change(name: "seek") { $0.currentTime = 120 },
    ]

    @Test("it is replaced when the kind of playback changes", arguments: newKinds)
    func changes(_ change: Change) {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.playing, item: 43))
        fixture.seconds = 10
        fixture.after(.mediaStatus(fixture.status(.playing, time: 73.2, item: 43, change: change.apply)))
        #expect(fixture.state.media.anchor?.at == fixture.now.monotonic)
        #expect(fixture.state.media.anchor?.wallAt == fixture.now.wall)
    }

    @Test("it is replaced when an ad ends, buffering ends and playback continues")
    func changesBack() {
        for change in [Self.newKinds[0], Self.newKinds[1], Self.newKinds[6]] {
            var fixture = StateFixture()
            fixture.connect(media: fixture.status(.playing, item: 43, change: change.apply))
            #expect(fixture.state.media.anchor?.isAdvancing == false)
            #expect(fixture.state.media.anchor?.endsAt == nil)
            #expect(fixture.state.media.anchor?.position(at: StateFixture.monotonic(9)) == 63.2, "it stands still")
            fixture.seconds = 10
            fixture.after(.mediaStatus(fixture.status(.playing, time: 63.2, item: 43)))
            #expect(fixture.state.media.anchor?.at == fixture.now.monotonic)
            #expect(fixture.state.media.anchor?.isAdvancing == true)
        }
    }

    @Test("a change that comes without a position takes the computed one")
    func partialStatus() {
        var fixture = self.playing()
        let reported = fixture.now.monotonic
        fixture.seconds = 10
        fixture.after(.mediaStatus(fixture.status(.paused) { $0.receivedAt = reported }))
        #expect(fixture.state.media.anchor?.position == 73.2)
        #expect(fixture.state.media.anchor?.at == fixture.now.monotonic)
        fixture.seconds = 100
        fixture.after(.mediaStatus(fixture.status(.playing) { $0.receivedAt = reported }))
        #expect(fixture.state.media.anchor?.position == 73.2, "pausing took no time off the media")
        #expect(fixture.state.media.anchor?.at == fixture.now.monotonic)
    }

    @Test("a short seek shows while paused, since nothing else can move the position")
    func seekPaused() {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.paused))
        fixture.seconds = 10
        fixture.after(.mediaStatus(fixture.status(.paused, time: 62.7)))
        #expect(fixture.state.media.anchor?.position == 62.7)
        #expect(fixture.takeEvents().map(\.kind) == [.seeked])
    }

    @Test("the end is where the rate takes it")
    func endsAt() {
        var fixture = self.playing()
        #expect(fixture.state.media.anchor?.endsAt == StateFixture.start.adding(seconds: 178.3))
        fixture.after(1, .mediaStatus(fixture.status(.playing, time: 64.2) { $0.playbackRate = 2 }))
        #expect(fixture.state.media.anchor?.endsAt == StateFixture.start.adding(seconds: 1 + 177.3 / 2))
        fixture.after(1, .mediaStatus(fixture.status(.playing, time: 66.2) { $0.playbackRate = 0 }))
        #expect(fixture.state.media.anchor?.endsAt == nil)
        #expect(fixture.state.media.anchor?.position(at: StateFixture.monotonic(1e6)) == 66.2)
    }

    @Test("a duration that is reported later sets the end without moving the anchor")
    func lateDuration() {
        var fixture = StateFixture()
        var media = StateFixture.song
        media.duration = nil
        fixture.connect(media: fixture.status(.playing, media: media))
        #expect(fixture.state.media.anchor?.endsAt == nil)
        let outputs = fixture.after(2, .mediaStatus(fixture.status(.playing, time: 65.2)))
        #expect(outputs == [.changed([.state, .media, .playerValues, .mediaValues])])
        #expect(fixture.state.media.anchor?.at == StateFixture.monotonic(0))
        #expect(fixture.state.media.anchor?.endsAt == StateFixture.start.adding(seconds: 178.3))
    }

    @Test("the position stays within the media")
    func withinMedia() {
        let fixture = self.playing()
        #expect(fixture.state.media.anchor?.position(at: StateFixture.monotonic(1e6)) == 241.5)
        #expect(fixture.state.media.anchor?.percent(at: StateFixture.monotonic(1e6)) == 100)
        #expect(fixture.state.media.anchor?.position(at: StateFixture.monotonic(-50)) == 63.2, "time before the anchor is no time")
    }

    @Test("a live window moves with the broadcast and is replaced when it does not")
    func liveWindow() {
        var fixture = StateFixture()
        let live = MediaInformation(contentID: "live", contentType: "application/x-mpegURL", streamType: .live, duration: -1)
        func status(_ fixture: StateFixture, jump: Double) -> MediaStatus {
            fixture.status(.playing, time: 1790 + fixture.seconds, media: live) {
                $0.liveSeekableRange = LiveSeekableRange(
                    start: fixture.seconds + jump, end: 1800 + fixture.seconds + jump, isMovingWindow: true)
            }
        }
        fixture.connect(media: status(fixture, jump: 0))
        #expect(fixture.state.media.anchor?.duration == nil)
        let anchor = fixture.state.media.anchor
        for jump in [0.0, 8, -8, 29] {
            fixture.seconds += 60
            fixture.after(.mediaStatus(status(fixture, jump: jump)))
            #expect(fixture.state.media.anchor == anchor)
        }
        fixture.seconds += 60
        fixture.after(.mediaStatus(status(fixture, jump: 45)))
        #expect(fixture.state.media.anchor?.liveRange?.start == 345)
    }

    @Test("it computes as the library does, also what a live window has left behind", arguments: [10.0, 150, 400])
    func agrees(_ time: Double) {
        var fixture = StateFixture()
        let live = MediaInformation(contentID: "live", contentType: "application/x-mpegURL", streamType: .live, duration: -1)
        let status = fixture.status(.playing, time: time, media: live) {
            $0.liveSeekableRange = LiveSeekableRange(start: 100, end: 200, isMovingWindow: true)
        }
        fixture.connect(media: status)
        for seconds in [0.0, 5, 600] {
            let now = StateFixture.monotonic(seconds)
            let position = fixture.state.media.anchor?.position(at: now)
            #expect(position == status.approximateStreamPosition(at: now))
            #expect(position ?? 0 >= 100 + seconds && position ?? 0 <= 200 + seconds)
        }
    }

    @Test("a wall clock that was set makes a new anchor, since readers compute with their own", arguments: [-3600.0, 3600])
    func wallClockStep(_ step: Double) {
        var fixture = self.playing()
        fixture.seconds = 10
        let status = fixture.status(.playing, time: 73.2)
        let now = Now(monotonic: fixture.now.monotonic, wall: fixture.now.wall.adding(seconds: step))
        let outputs = fixture.state.reduce(.mediaStatus(status), at: now, options: fixture.options)
        #expect(outputs == [.changed([.state, .media, .playerValues])], "and no seek")
        #expect(fixture.state.media.anchor?.wallAt == StateFixture.start.adding(seconds: 10 + step))
    }

    @Test("positions of no sense are none", arguments: [Double.nan, .infinity, -.infinity])
    func nonsense(_ value: Double) {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.playing, time: value))
        #expect(fixture.state.media.anchor == nil)
        #expect(fixture.payload("state").contains(#""position":null,"position_at":null,"ends_at":null"#))
    }

    @Test("an hour of one item with 5 statuses a second, jittering, is fewer than 10 retained messages")
    func anHour() {
        var fixture = StateFixture()
        var broker: [String: [UInt8]] = [:]
        var sent = 0
        var jitter = UInt64(7)
        func publish(_ fixture: StateFixture) {
            for message in fixture.mapper.messages(for: fixture.state) where broker[message.topic] != message.payload {
                broker[message.topic] = message.payload
                sent += 1
            }
        }
        let media = MediaInformation(
            contentID: "http://192.168.1.5/film.mp4", contentType: "video/mp4", streamType: .buffered, duration: 5400,
            metadata: MediaMetadata(type: .movie, fields: ["title": "Film"]))
        fixture.connect(media: fixture.status(.playing, time: 0, media: media))
        publish(fixture)
        let atFirst = sent
        for step in 1...(5 * 3600) {
            fixture.seconds = Double(step) / 5
            jitter = jitter &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let noise = Double(jitter >> 40) / Double(1 << 24) - 0.5
            let status = fixture.status(.playing, time: fixture.seconds + noise, media: media)
            if fixture.after(.mediaStatus(status)).contains(where: { if case .changed = $0 { true } else { false } }) { publish(fixture) }
        }
        #expect(sent - atFirst < 10)
        #expect(sent - atFirst == 0, "half a second of jitter is nothing")
        #expect(abs((fixture.state.media.anchor?.position(at: fixture.now.monotonic) ?? 0) - 3600) < 1)
    }
}
