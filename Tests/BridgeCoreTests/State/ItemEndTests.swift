import CastModels
import Testing

@testable import BridgeCore

@Suite("Why and when an item ended")
struct ItemEndTests {
    /// The second item of three, 241.5 s long, as it plays at `position`.
    private func playing(at position: Double, _ player: PlayerState = .playing) -> StateFixture {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(player, time: position, change: StateFixture.queue(3, current: 2)))
        return fixture
    }

    struct Next: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// The position when the next item begins.
        var position: Double
        var reason: String
        var reported: IdleReason?
        var player = PlayerState.playing
        var isLoadOurs = false
    }

    static let next: [Next] = [
        Next(testDescription: "played to its end, without a report", position: 241.5, reason: "finished"),
        Next(testDescription: "the next one begins a moment early", position: 240, reason: "finished"),
        Next(testDescription: "played to its end, reported as interrupted", position: 241.4, reason: "finished", reported: .interrupted),
        Next(testDescription: "reported as finished", position: 100, reason: "finished", reported: .finished),
        Next(testDescription: "somebody goes on", position: 100, reason: "skipped"),
        Next(testDescription: "somebody goes on, reported as interrupted", position: 100, reason: "skipped", reported: .interrupted),
        Next(testDescription: "somebody goes on from a paused item near its end", position: 241, reason: "skipped", player: .paused),
        Next(testDescription: "a load of ours", position: 100, reason: "interrupted", isLoadOurs: true),
        Next(testDescription: "a load of ours at the end", position: 241, reason: "interrupted", isLoadOurs: true),
    ]

    @Test("the next item of a queue tells whether the previous one was played to its end, skipped or interrupted", arguments: next)
    func previousReason(_ next: Next) {
        var fixture = self.playing(at: next.position, next.player)
        if next.isLoadOurs { fixture.after(.loadRequested) }
        if let reason = next.reported { fixture.after(.mediaStatus(fixture.idle(reason, loading: 3))) }
        fixture.after(0.5, .mediaStatus(fixture.status(.playing, time: 0, change: StateFixture.queue(3, current: 3))))
        let change = fixture.takeEvents().first
        #expect(change?.kind == .mediaChanged)
        #expect(change?.facts["previous_reason"]?.stringValue == next.reason)
    }

    @Test("a load that replaces an item is no skip, in a queue neither", arguments: [true, false])
    func otherSession(isQueue: Bool) {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.playing) { if isQueue { StateFixture.queue(3, current: 2)(&$0) } })
        fixture.after(10, .mediaStatus(fixture.status(.playing, session: 8, time: 0, media: StateFixture.song(9))))
        #expect(fixture.takeEvents().first?.facts["reason"] == "interrupted")
    }

    @Test("receivers with a session for each item report the natural end, too")
    func sessionPerItem() {
        var fixture = self.playing(at: 231.5)
        fixture.after(10, .mediaStatus(fixture.status(.playing, session: 8, time: 0, media: StateFixture.song(9))))
        let events = fixture.takeEvents()
        #expect(events.map(\.kind) == [.mediaEnded, .mediaStarted])
        #expect(events.first?.facts["reason"] == "finished")
    }

    @Test("an item that repeats has ended and begins again")
    func repeats() {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.playing, time: 231.5, change: StateFixture.queue(1, current: 1, .single)))
        fixture.after(10, .mediaStatus(fixture.idle(.finished)))
        fixture.after(1, .mediaStatus(fixture.status(.playing, time: 0, change: StateFixture.queue(1, current: 1, .single))))
        let events = fixture.takeEvents()
        #expect(events.map(\.kind) == [.mediaChanged], "no jump of the position")
        #expect(events.first?.facts["previous_reason"] == "finished")
    }

    @Test("the times of an end are those of the device's report, however late the bridge is sure of it")
    func times() {
        var fixture = self.playing(at: 63.2)
        fixture.after(10, .mediaStatus(fixture.idle(.finished)))
        fixture.wait(0.5)
        fixture.after(.mediaStatus(fixture.idle(nil)))
        fixture.wait(10)
        let ended = fixture.takeEvents().first
        #expect(ended?.kind == .mediaEnded)
        #expect(ended?.facts["played_s"] == 10.0)
        #expect(ended?.facts["position"] == 73.2)
        #expect(ended?.time == StateFixture.start.adding(seconds: 10))
    }

    @Test("the next item counts from its own report, the previous one until its own")
    func gap() {
        var fixture = self.playing(at: 63.2)
        fixture.after(10, .mediaStatus(fixture.idle(.finished, loading: 3)))
        fixture.after(1, .mediaStatus(fixture.status(.playing, time: 0, change: StateFixture.queue(3, current: 3))))
        let change = fixture.takeEvents().first
        #expect(change?.facts["played_s"] == 10.0 && change?.facts["previous_position"] == 73.2)
        #expect(change?.time == nil, "the event is the new item's")
        fixture.after(5, .mediaStatus(fixture.idle(.cancelled)))
        #expect(fixture.takeEvents().last?.facts["played_s"] == 5.0)
    }

    @Test("an application that ends in the gap after a finished item has not stopped it")
    func applicationEnds() {
        var fixture = self.playing(at: 63.2)
        fixture.after(10, .mediaStatus(fixture.idle(.finished)))
        fixture.after(1, .receiverStatus(StateFixture.receiver(nil)))
        let events = fixture.takeEvents()
        #expect(events.map(\.kind) == [.mediaEnded, .appChanged])
        #expect(events.first?.facts["reason"] == "finished" && events.first?.facts["played_s"] == 10.0)
        #expect(fixture.state.media.idleReason == nil)
    }

    @Test("the reason lasts while the player is idle, also when the receiver repeats that without it", arguments: [true, false])
    func repeatedIdle(isListed: Bool) {
        var fixture = self.playing(at: 63.2)
        fixture.after(1, .mediaStatus(fixture.idle(.cancelled)))
        fixture.after(1, .mediaStatus(isListed ? fixture.idle(nil) : nil))
        #expect(fixture.state.media.idleReason == .cancelled)
        fixture.after(1, .receiverStatus(StateFixture.receiver(StateFixture.dashboard)))
        #expect(fixture.state.media.idleReason == nil)
    }

    // MARK: Errors

    private func error(_ code: Int, item: Int? = nil) -> DeviceEvent {
        .mediaFailed(CastError(.mediaError, detailedErrorCode: code, itemID: item))
    }

    @Test("an error while it plays is the reason of the end, with its code")
    func failed() {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.playing, item: 4))
        fixture.after(5, self.error(905))
        fixture.after(.mediaStatus(fixture.idle(.error)))
        let events = fixture.takeEvents()
        #expect(events.map(\.kind) == [.mediaEnded])
        #expect(events.first?.facts["reason"] == "error")
        #expect(events.first?.facts["detailed_error_code"] == 905)
        #expect(events.first?.facts["item"] == 4)
    }

    @Test("an item of a queue that can't be loaded is reported with its code, and the one that plays is not blamed for it")
    func failedItem() {
        var fixture = self.playing(at: 231.5)
        fixture.after(10, .mediaStatus(fixture.idle(nil, loading: 3)))
        fixture.after(0.5, self.error(104, item: 3))
        let failed = fixture.takeEvents()
        #expect(failed.map(\.kind) == [.loadFailed])
        #expect(failed.first?.title == "Song 3" && failed.first?.contentID == "http://192.168.1.5/song-3.mp3")
        #expect(failed.first?.facts == ["code": "load_failed", "detailed_error_code": 104, "item": 3])
        fixture.after(0.5, .mediaStatus(fixture.status(.playing, time: 0, change: StateFixture.queue(4, current: 4))))
        let change = fixture.takeEvents()
        #expect(change.map(\.kind) == [.mediaChanged])
        #expect(change.first?.facts["previous_reason"] == "finished")
        #expect(change.first?.facts["previous_detailed_error_code"] == .null)
    }

    @Test("an item that breaks in a queue ends with its error, and the next one is no skip")
    func brokenItem() {
        var fixture = self.playing(at: 63.2)
        fixture.after(5, self.error(102, item: 2))
        fixture.after(0.5, .mediaStatus(fixture.status(.playing, time: 0, change: StateFixture.queue(3, current: 3))))
        let change = fixture.takeEvents()
        #expect(change.map(\.kind) == [.mediaChanged])
        #expect(change.first?.facts["previous_reason"] == "error")
        #expect(change.first?.facts["previous_detailed_error_code"] == 102)
    }

    @Test("an error that the player survived explains no later end")
    func survived() {
        var fixture = self.playing(at: 63.2)
        fixture.after(5, self.error(102))
        fixture.after(60, .mediaStatus(fixture.status(.playing, time: 0, change: StateFixture.queue(3, current: 3))))
        #expect(fixture.takeEvents().first?.facts["previous_reason"] == "skipped")
    }

    @Test("an error from before a load says nothing about it", arguments: [nil, "timeout"])
    func earlierError(failure: String?) {
        var fixture = self.playing(at: 63.2)
        fixture.after(5, self.error(905, item: 2))
        fixture.after(300, .loadRequested)
        if failure == nil { fixture.after(.mediaStatus(fixture.status(.playing, session: 8, time: 0, media: StateFixture.song(9)))) }
        _ = fixture.takeEvents()
        fixture.after(5, .loadEnded(failure: failure))
        let events = fixture.takeEvents()
        #expect(events.map(\.kind) == (failure == nil ? [] : [.loadFailed]))
        #expect(events.allSatisfy { $0.facts["detailed_error_code"] == .null })
    }

    @Test("a failed load of the bridge is reported once, with the code of the answer or of the player's error", arguments: [true, false])
    func failedLoad(isAnswerDetailed: Bool) {
        var fixture = StateFixture()
        fixture.connect()
        fixture.after(.loadRequested)
        fixture.after(.mediaStatus(fixture.status(.idle, session: 8, time: nil) { $0.loadingItemID = 1 }))
        fixture.after(self.error(104, item: 1))
        fixture.after(.mediaStatus(fixture.idle(.error, session: 8)))
        fixture.after(.loadEnded(failure: "load_failed", detail: isAnswerDetailed ? 905 : nil))
        let events = fixture.takeEvents()
        #expect(events.map(\.kind) == [.loadFailed])
        #expect(events.first?.facts["detailed_error_code"] == (isAnswerDetailed ? 905 : 104))
    }
}
