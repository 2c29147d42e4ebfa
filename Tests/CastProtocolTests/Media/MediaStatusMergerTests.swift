import CastModels
import TestSupport
import Testing

@testable import CastProtocol

@Suite("Media status merging")
struct MediaStatusMergerTests {
    private static func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    /// Merges one element after the other, one second apart from second 1 on, and returns the last outcome.
    @discardableResult
    private static func merge(_ elements: String..., into merger: inout MediaStatusMerger, from second: Double = 1) throws
        -> MediaStatusMerger.Outcome
    {
        var outcome = MediaStatusMerger.Outcome(startedMediaSessionID: nil, needsStatus: false)
        for (index, element) in elements.enumerated() {
            outcome = merger.merge(try updates("[\(element)]"), sessionID: "s", receivedAt: Self.at(second + Double(index)))
        }
        return outcome
    }

    private static let playing =
        #"{"mediaSessionId":1,"playerState":"PLAYING","currentTime":10,"playbackRate":1,"supportedMediaCommands":15,"#
        + #""volume":{"level":1,"muted":false},"activeTrackIds":[2],"media":{"contentId":"a","duration":100},"repeatMode":"REPEAT_ALL","#
        + #""currentItemId":1,"items":[{"itemId":1,"media":{"contentId":"a","duration":100}},{"itemId":2,"media":{"contentId":"b"}}],"#
        + #""queueData":{"name":"Q"},"videoInfo":{"width":4,"height":3},"customData":{"k":1}}"#

    @Test("a shuffle that the receiver confirmed counts until its status reports one")
    func confirmedShuffle() throws {
        var merger = MediaStatusMerger()
        func confirm(_ isShuffled: Bool) -> Bool { merger.confirmShuffle(isShuffled) }
        #expect(!confirm(true) && merger.status == nil)
        func shuffled(_ element: String) throws -> Bool? {
            try Self.merge(element, into: &merger)
            return merger.status?.queueData?.shuffle
        }
        #expect(
            try shuffled(#"{"mediaSessionId":1,"playerState":"PLAYING","media":{"contentId":"a"},"queueData":{"shuffle":true}}"#) == true)
        // A status without queue data leaves the shuffle as it is, also when another sender ended it.
        #expect(try shuffled(#"{"mediaSessionId":1,"playerState":"PLAYING"}"#) == true)
        #expect(confirm(false) && !confirm(false))
        #expect(merger.status?.isQueueShuffled == false)
        #expect(try shuffled(#"{"mediaSessionId":1,"playerState":"PAUSED"}"#) == false)
        #expect(try shuffled(#"{"mediaSessionId":1,"queueData":{"name":"Q"}}"#) == false)
        #expect(merger.status?.queueData?.name == "Q")
        #expect(try shuffled(#"{"mediaSessionId":1,"queueData":{"shuffle":true}}"#) == true)
        #expect(try shuffled(#"{"mediaSessionId":1,"queueData":{"name":"Q"}}"#) == nil)
        #expect(confirm(true))
        #expect(try shuffled(#"{"mediaSessionId":2,"playerState":"PLAYING","media":{"contentId":"b"},"queueData":{}}"#) == nil)
    }

    @Test("a text style that the receiver confirmed counts until its status reports one, and for its content alone")
    func confirmedTextStyle() throws {
        var merger = MediaStatusMerger()
        func confirm(_ scale: Double) -> Bool {
            var style = TextTrackStyle()
            style.fontScale = scale
            return merger.confirmTextStyle(style)
        }
        #expect(!confirm(2) && merger.status == nil)
        func scale(_ element: String) throws -> Double? {
            try Self.merge(element, into: &merger)
            return merger.status?.media?.textTrackStyle?.fontScale
        }
        let styled = #"{"mediaSessionId":1,"playerState":"PLAYING","media":{"contentId":"a","textTrackStyle":{"fontScale":1}}}"#
        #expect(try scale(styled) == 1 && merger.textStyleReports == 1)
        #expect(confirm(2) && !confirm(2))
        #expect(merger.status?.media?.textTrackStyle?.fontScale == 2)
        #expect(try scale(#"{"mediaSessionId":1,"playerState":"PAUSED"}"#) == 2)
        #expect(try scale(#"{"mediaSessionId":1,"media":{"contentId":"a"}}"#) == 2 && merger.textStyleReports == 1)
        #expect(try scale(styled) == 1 && merger.textStyleReports == 2)
        #expect(confirm(3))
        #expect(try scale(#"{"mediaSessionId":1,"media":{"contentId":"b"}}"#) == nil)
    }

    @Test("values that a partial status leaves out are kept")
    func partial() throws {
        var merger = MediaStatusMerger()
        #expect(try Self.merge(Self.playing, into: &merger) == .init(startedMediaSessionID: 1, needsStatus: false))
        let before = try #require(merger.status)
        let outcome = try Self.merge(
            #"{"mediaSessionId":1,"playerState":"PAUSED","currentTime":12,"currentItemId":1}"#, into: &merger, from: 3)
        #expect(outcome == .init(startedMediaSessionID: nil, needsStatus: false))
        var wanted = before
        (wanted.playerState, wanted.currentTime, wanted.receivedAt) = (.paused, 12, Self.at(3))
        #expect(merger.status == wanted)
        #expect(before.media?.duration == 100)
        #expect(before.items.map(\.itemID) == [1, 2])
    }

    @Test("item ids, idle reason, extended status and ad break are removed unless they are reported again")
    func forgotten() throws {
        var merger = MediaStatusMerger()
        try Self.merge(
            #"{"mediaSessionId":1,"playerState":"IDLE","idleReason":"FINISHED","currentItemId":1,"loadingItemId":2,"preloadedItemId":3,"#
                + #""extendedStatus":{"playerState":"LOADING"},"breakStatus":{"breakId":"b"},"media":{"contentId":"a"}}"#, into: &merger)
        let loading = try #require(merger.status)
        #expect(loading.idleReason == .finished)
        #expect(loading.isLoading)
        #expect(loading.adBreakStatus?.breakID == "b")
        try Self.merge(#"{"mediaSessionId":1,"playerState":"PLAYING"}"#, into: &merger)
        let status = try #require(merger.status)
        #expect(status.currentItemID == nil)
        #expect(status.loadingItemID == nil)
        #expect(status.preloadedItemID == nil)
        #expect(status.idleReason == nil)
        #expect(status.extendedStatus == nil)
        #expect(status.adBreakStatus == nil)
    }

    @Test("an idle reason is believed only of an idle player")
    func idleReason() throws {
        var merger = MediaStatusMerger()
        try Self.merge(#"{"mediaSessionId":1,"playerState":"PLAYING","idleReason":"INTERRUPTED"}"#, into: &merger)
        #expect(merger.status?.idleReason == nil)
    }

    @Test("the stream's volume merges member by member")
    func volume() throws {
        var merger = MediaStatusMerger()
        try Self.merge(
            #"{"mediaSessionId":1,"volume":{"level":0.5,"muted":false,"controlType":"master"}}"#,
            #"{"mediaSessionId":1,"volume":{"muted":true}}"#,
            into: &merger)
        #expect(merger.status?.streamVolume == DeviceVolume(level: 0.5, isMuted: true, controlType: .master))
    }

    @Test("idle with nothing to load ends the session but leaves it to be seen")
    func ended() throws {
        var merger = MediaStatusMerger()
        try Self.merge(Self.playing, #"{"mediaSessionId":1,"playerState":"IDLE","idleReason":"FINISHED","currentItemId":1}"#, into: &merger)
        let status = try #require(merger.status)
        #expect(status.isEnded)
        #expect(status.idleReason == .finished)
        #expect(status.items.isEmpty)
        #expect(status.currentItemID == nil)
        #expect(status.media?.contentID == "a")
    }

    @Test(
        "idle while the next item loads keeps the session and its queue",
        arguments: [#""loadingItemId":2"#, #""extendedStatus":{"playerState":"LOADING"}"#])
    func gap(sign: String) throws {
        var merger = MediaStatusMerger()
        try Self.merge(Self.playing, #"{"mediaSessionId":1,"playerState":"IDLE","idleReason":"FINISHED",\#(sign)}"#, into: &merger)
        let status = try #require(merger.status)
        #expect(!status.isEnded)
        #expect(status.items.count == 2)
    }

    @Test("an empty status means that there is no media session")
    func cleared() throws {
        var merger = MediaStatusMerger()
        try Self.merge(Self.playing, into: &merger)
        #expect(merger.merge([], sessionID: "s", receivedAt: Self.at(2)) == .init(startedMediaSessionID: nil, needsStatus: false))
        #expect(merger.status == nil)
    }

    @Test("another application session starts from scratch")
    func otherApplication() throws {
        var merger = MediaStatusMerger()
        try Self.merge(Self.playing, into: &merger)
        let outcome = merger.merge(
            try updates(#"[{"mediaSessionId":1,"playerState":"BUFFERING"}]"#), sessionID: "t", receivedAt: Self.at(2))
        #expect(outcome == .init(startedMediaSessionID: 1, needsStatus: true))
        #expect(merger.status?.media == nil)
        #expect(merger.status?.currentTime == nil)
        merger.reset()
        #expect(merger.status == nil)
    }

    // MARK: Several media sessions

    @Test("a new media session replaces the old one and inherits nothing")
    func replaced() throws {
        var merger = MediaStatusMerger()
        try Self.merge(Self.playing, into: &merger)
        let outcome = try Self.merge(#"{"mediaSessionId":2,"playerState":"BUFFERING","media":{"contentId":"n"}}"#, into: &merger)
        #expect(outcome.startedMediaSessionID == 2)
        var wanted = MediaStatus(mediaSessionID: 2, playerState: .buffering, receivedAt: Self.at(1))
        wanted.media = MediaInformation(contentID: "n")
        #expect(merger.status == wanted)
    }

    @Test("the late end of a replaced session doesn't touch the new one", arguments: ["INTERRUPTED", "CANCELLED", "FINISHED", "ERROR"])
    func lateEnd(reason: String) throws {
        var merger = MediaStatusMerger()
        try Self.merge(Self.playing, #"{"mediaSessionId":2,"playerState":"PLAYING","media":{"contentId":"n"}}"#, into: &merger)
        let before = merger.status
        try Self.merge(#"{"mediaSessionId":1,"playerState":"IDLE","idleReason":"\#(reason)"}"#, into: &merger)
        #expect(merger.status == before)
    }

    @Test("the end of an older session that was never seen doesn't touch the new one either")
    func lateEndOfUnseen() throws {
        var merger = MediaStatusMerger()
        try Self.merge(#"{"mediaSessionId":7,"playerState":"PLAYING"}"#, #"{"mediaSessionId":6,"playerState":"IDLE"}"#, into: &merger)
        #expect(merger.status?.mediaSessionID == 7)
        #expect(merger.status?.playerState == .playing)
    }

    @Test("a load that fails at once is seen")
    func failedLoad() throws {
        var merger = MediaStatusMerger()
        try Self.merge(
            Self.playing, #"{"mediaSessionId":1,"playerState":"IDLE","idleReason":"INTERRUPTED"}"#,
            #"{"mediaSessionId":2,"playerState":"IDLE","idleReason":"ERROR"}"#, into: &merger)
        #expect(merger.status?.mediaSessionID == 2)
        #expect(merger.status?.idleReason == .error)
    }

    static let severalElements: [(String, Int)] = [
        (#"{"mediaSessionId":1,"playerState":"PAUSED"},{"mediaSessionId":2,"playerState":"BUFFERING"}"#, 1),
        (#"{"mediaSessionId":2,"playerState":"BUFFERING"},{"mediaSessionId":1,"playerState":"PAUSED"}"#, 1),
        (#"{"mediaSessionId":1,"playerState":"IDLE","idleReason":"INTERRUPTED"},{"mediaSessionId":2,"playerState":"BUFFERING"}"#, 2),
        (#"{"mediaSessionId":2,"playerState":"BUFFERING"},{"mediaSessionId":1,"playerState":"IDLE","idleReason":"INTERRUPTED"}"#, 2),
        (#"{"mediaSessionId":0,"playerState":"IDLE"},{"mediaSessionId":1,"playerState":"IDLE"}"#, 1),
    ]

    @Test("of several media sessions ours is used while it is active, then the active one", arguments: Self.severalElements)
    func several(elements: String, mediaSessionID: Int) throws {
        var merger = MediaStatusMerger()
        try Self.merge(Self.playing, elements, into: &merger)
        #expect(merger.status?.mediaSessionID == mediaSessionID)
    }

    @Test("without one of ours the first active one is used")
    func severalAtFirst() throws {
        var merger = MediaStatusMerger()
        try Self.merge(#"{"mediaSessionId":4,"playerState":"IDLE"},{"mediaSessionId":5,"playerState":"PLAYING"}"#, into: &merger)
        #expect(merger.status?.mediaSessionID == 5)
    }

    @Test("an element without a session belongs to the current one, if any")
    func withoutSession() throws {
        var merger = MediaStatusMerger()
        try Self.merge(#"{"playerState":"PAUSED"}"#, into: &merger)
        #expect(merger.status == nil)
        try Self.merge(Self.playing, #"{"playerState":"PAUSED"}"#, into: &merger)
        #expect(merger.status?.playerState == .paused)
        #expect(merger.status?.mediaSessionID == 1)
    }

    // MARK: Position

    @Test("the time of a position is the arrival of its frame")
    func position() throws {
        var merger = MediaStatusMerger()
        try Self.merge(Self.playing, #"{"mediaSessionId":1,"volume":{"level":0.2}}"#, into: &merger)
        #expect(merger.status?.currentTime == 10)
        #expect(merger.status?.receivedAt == Self.at(1), "a status without position or state is no anchor")
        #expect(merger.status?.approximateStreamPosition(at: Self.at(5)) == 14)
    }

    @Test("a pause without a position holds where playback had come")
    func pauseWithoutPosition() throws {
        var merger = MediaStatusMerger()
        try Self.merge(Self.playing, into: &merger)
        try Self.merge(#"{"mediaSessionId":1,"playerState":"PAUSED"}"#, into: &merger, from: 6)
        #expect(merger.status?.currentTime == 15)
        #expect(merger.status?.approximateStreamPosition(at: Self.at(60)) == 15)
    }

    @Test("another rate without a position continues from the computed position")
    func rateWithoutPosition() throws {
        var merger = MediaStatusMerger()
        try Self.merge(Self.playing, into: &merger)
        try Self.merge(#"{"mediaSessionId":1,"playbackRate":2}"#, into: &merger, from: 6)
        #expect(merger.status?.approximateStreamPosition(at: Self.at(11)) == 25)
    }

    @Test("the position and the picture of other content do not apply to new content")
    func otherContent() throws {
        var merger = MediaStatusMerger()
        try Self.merge(
            #"{"mediaSessionId":1,"playerState":"PLAYING","currentTime":10,"media":{"contentId":"live"},"videoInfo":{"width":4},"#
                + #""liveSeekableRange":{"start":5,"end":20}}"#, into: &merger)
        #expect(merger.status?.liveSeekableRange != nil)
        try Self.merge(#"{"mediaSessionId":1,"playerState":"PLAYING","media":{"contentId":"live","duration":3}}"#, into: &merger)
        #expect(merger.status?.liveSeekableRange != nil, "more about the same content")
        try Self.merge(#"{"mediaSessionId":1,"playerState":"PLAYING","media":{"contentId":"film"}}"#, into: &merger)
        #expect(merger.status?.liveSeekableRange == nil)
        #expect(merger.status?.videoInfo == nil)
        #expect(merger.status?.currentTime == nil)
    }

    // MARK: Queue window

    @Test("items without media inherit it from the former window, and the current one from the status")
    func inheritance() throws {
        var merger = MediaStatusMerger()
        try Self.merge(Self.playing, into: &merger)
        try Self.merge(
            #"{"mediaSessionId":1,"currentItemId":1,"items":[{"itemId":1},{"itemId":2},{"itemId":3},{"itemId":4,"media":{"contentId":"d"}}]}"#,
            into: &merger)
        #expect(merger.status?.items.map(\.media?.contentID) == ["a", "b", nil, "d"])
        try Self.merge(#"{"mediaSessionId":1,"currentItemId":5,"media":{"contentId":"e"},"items":[{"itemId":5}]}"#, into: &merger)
        #expect(merger.status?.items.map(\.media?.contentID) == ["e"], "the window is replaced, not extended")
    }

    @Test("a window is bounded, and its first items keep their media")
    func itemLimit() throws {
        var merger = MediaStatusMerger()
        try Self.merge(Self.playing, into: &merger)
        let items = (1...3 * MediaStatusMerger.itemLimit).map { #"{"itemId":\#($0)}"# }.joined(separator: ",")
        try Self.merge(#"{"mediaSessionId":1,"currentItemId":1,"items":[\#(items)]}"#, into: &merger)
        let kept = try #require(merger.status).items
        #expect(kept.map(\.itemID) == Array(1...MediaStatusMerger.itemLimit))
        #expect(kept.prefix(3).map(\.media?.contentID) == ["a", "b", nil])
    }

    @Test("the end of one of the last eight media sessions is recognised; an older one counts as new")
    func formerLimit() throws {
        var merger = MediaStatusMerger()
        for session in 1...9 { try Self.merge(#"{"mediaSessionId":\#(session),"playerState":"PLAYING"}"#, into: &merger) }
        _ = merger.merge([], sessionID: "s", receivedAt: Self.at(1))
        try Self.merge(#"{"mediaSessionId":2,"playerState":"IDLE","idleReason":"FINISHED"}"#, into: &merger)
        #expect(merger.status == nil)
        try Self.merge(#"{"mediaSessionId":1,"playerState":"IDLE","idleReason":"FINISHED"}"#, into: &merger)
        #expect(merger.status?.mediaSessionID == 1)
    }

    @Test("a queue that advances takes the media of the window when the status has none")
    func nextItem() throws {
        var merger = MediaStatusMerger()
        try Self.merge(Self.playing, into: &merger)
        let outcome = try Self.merge(#"{"mediaSessionId":1,"playerState":"PLAYING","currentItemId":2,"currentTime":0}"#, into: &merger)
        #expect(merger.status?.media?.contentID == "b")
        #expect(!outcome.needsStatus)
    }

    @Test("a queue that advances to an unknown item requests the status, once")
    func unknownItem() throws {
        var merger = MediaStatusMerger()
        try Self.merge(Self.playing, into: &merger)
        let next = #"{"mediaSessionId":1,"playerState":"PLAYING","currentItemId":9,"currentTime":0}"#
        #expect(try Self.merge(next, into: &merger).needsStatus)
        #expect(try !Self.merge(next, into: &merger).needsStatus)
        #expect(try Self.merge(next.replacingItem(9, by: 10), into: &merger).needsStatus, "another gap")
        #expect(try !Self.merge(#"{"mediaSessionId":1,"currentItemId":10,"media":{"contentId":"x"}}"#, into: &merger).needsStatus)
        #expect(merger.status?.media?.contentID == "x")
    }

    @Test("missing media is requested once, and never of an ended session")
    func missingMedia() throws {
        var merger = MediaStatusMerger()
        #expect(try Self.merge(#"{"mediaSessionId":1,"playerState":"PLAYING"}"#, into: &merger).needsStatus)
        #expect(try !Self.merge(#"{"mediaSessionId":1,"playerState":"PAUSED"}"#, into: &merger).needsStatus)
        #expect(try Self.merge(#"{"mediaSessionId":2,"playerState":"PLAYING"}"#, into: &merger).needsStatus)
        #expect(try !Self.merge(#"{"mediaSessionId":3,"playerState":"IDLE"}"#, into: &merger).needsStatus)
    }

    @Test("a session that begins without a state asks for the status")
    func missingState() throws {
        var merger = MediaStatusMerger()
        #expect(try Self.merge(#"{"mediaSessionId":1,"media":{"contentId":"a"}}"#, into: &merger).needsStatus)
        #expect(merger.status?.playerState == .unknown(""))
    }

    @Test("random statuses never lead to a position that is no number or is negative", arguments: 0..<10)
    func random(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var merger = MediaStatusMerger()
        let fields = [
            #""playerState":"PLAYING""#, #""playerState":"PAUSED""#, #""playerState":"IDLE""#, #""currentTime":0"#, #""currentTime":1e12"#,
            #""playbackRate":0"#, #""playbackRate":100"#, #""playbackRate":-100"#, #""media":{"contentId":"a","duration":1e12}"#,
            #""media":{"contentId":"b","duration":null}"#, #""liveSeekableRange":{"start":-1e12,"end":1e12,"isMovingWindow":true}"#,
            #""currentItemId":3"#, #""loadingItemId":4"#, #""items":[{"itemId":3},{"itemId":3},{}]"#, #""breakStatus":{}"#,
        ]
        for step in 0..<400 {
            let chosen = (0..<Int.random(in: 0...4, using: &random)).compactMap { _ in fields.randomElement(using: &random) }
            let element = "{" + ([#""mediaSessionId":\#(Int.random(in: 1...3, using: &random))"#] + chosen).joined(separator: ",") + "}"
            let time = MonotonicTime(nanoseconds: Int64(step) * Int64.random(in: -1_000_000_000...1_000_000_000_000_000, using: &random))
            _ = merger.merge(try updates("[\(element)]"), sessionID: "s", receivedAt: time)
            if let position = merger.status?.approximateStreamPosition(at: time) { #expect(position.isFinite && position >= -1e12) }
            if let currentTime = merger.status?.currentTime { #expect(currentTime.isFinite) }
        }
    }
}

extension String {
    fileprivate func replacingItem(_ old: Int, by new: Int) -> String {
        self.split(separator: "\(old)", omittingEmptySubsequences: false).joined(separator: "\(new)")
    }
}
