import CastModels
import TestSupport
import Testing

@testable import CastProtocol

/// A receiver's player reported by the partial statuses that receivers send, against the position computed from them.
@Suite("Position between statuses")
struct PositionEstimateTests {
    /// The truth: a player whose position is known at any time.
    private struct Player {
        enum Content { case film, live, doneLive }
        let content: Content
        let duration = 7200.0
        let window = 1800.0
        var now = 0.0
        var position = 0.0
        var rate = 1.0
        var state = "PLAYING"
        /// The clip that plays, the seconds it has played, and whether it is part of the stream.
        var ad: (time: Double, isEmbedded: Bool)?

        init(_ content: Content) {
            self.content = content
            if content != .film { (self.now, self.position) = (3600, 3000) }
        }

        var range: ClosedRange<Double> {
            switch self.content {
            case .film: 0...self.duration
            case .live: max(0, self.now - self.window)...self.now
            case .doneLive: 0...3600
            }
        }

        mutating func pass(_ seconds: Double) {
            // A position before the window can't be played: the player continues at the window's start.
            if self.state == "PLAYING" { self.position = max(self.position, self.range.lowerBound) }
            self.now += seconds
            guard self.state == "PLAYING" else { return }
            if var ad {
                ad.time += ad.isEmbedded ? seconds * self.rate : seconds
                self.ad = ad
                guard ad.isEmbedded else { return }
            }
            self.position = min(max(self.position + seconds * self.rate, self.range.lowerBound), self.range.upperBound)
        }

        /// The status as a receiver writes it, without what hasn't changed.
        func status(isFirst: Bool) -> String {
            var fields = #""mediaSessionId":3,"playerState":"\#(self.state)","currentTime":\#(self.position),"playbackRate":\#(self.rate)"#
            if let ad {
                let id = ad.isEmbedded ? "stitched" : "client"
                fields +=
                    #","breakStatus":{"breakId":"\#(id)","breakClipId":"c","currentBreakTime":\#(ad.time),"currentBreakClipTime":\#(ad.time)}"#
            }
            if self.content != .film {
                let isDone = self.content == .doneLive
                fields +=
                    #","liveSeekableRange":{"start":\#(self.range.lowerBound),"end":\#(self.range.upperBound),"isMovingWindow":\#(self.now >= self.window && !isDone),"isLiveDone":\#(isDone)}"#
            }
            if isFirst {
                let type = self.content == .film ? #""BUFFERED","duration":\#(self.duration)"# : #""LIVE""#
                fields +=
                    #","media":{"contentId":"a","streamType":\#(type),"breaks":[{"id":"client","breakClipIds":["c"],"position":10},"#
                    + #"{"id":"stitched","breakClipIds":["c"],"position":10,"isEmbedded":true}],"breakClips":[{"id":"c","duration":100000}]}"#
            }
            return fields
        }
    }

    static let cases: [(String, UInt64)] = ["film", "live", "doneLive"].flatMap { content in (1...8).map { (content, UInt64($0)) } }

    @Test("the computed position stays within a second over hours of pauses, seeks, rates and ads", arguments: Self.cases)
    func hours(content: String, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var player = Player(content == "film" ? .film : content == "live" ? .live : .doneLive)
        var merger = MediaStatusMerger()
        var isFirst = true
        var worst = 0.0
        let start = player.now
        while player.now - start < 6 * 3600 {
            Self.act(&player, &random)
            let time = MonotonicTime(nanoseconds: Int64(player.now * 1e9))
            _ = merger.merge(try updates("[{\(player.status(isFirst: isFirst))}]"), sessionID: "s", receivedAt: time)
            isFirst = false
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                player.pass(Double.random(in: 0.1...90, using: &random))
                let now = MonotonicTime(nanoseconds: Int64(player.now * 1e9))
                let status = try #require(merger.status)
                worst = max(worst, abs(try #require(status.approximateStreamPosition(at: now)) - player.position))
                if let ad = player.ad {
                    worst = max(worst, abs(try #require(status.approximateAdBreakClipPosition(at: now)) - ad.time))
                } else {
                    #expect(status.approximateAdBreakClipPosition(at: now) == nil)
                }
                if player.content != .film {
                    let range = try #require(status.approximateLiveSeekableRange(at: now))
                    worst = max(worst, abs(range.end - player.range.upperBound), abs(range.start - player.range.lowerBound))
                }
            }
        }
        #expect(worst < 1, "the worst error was \(worst) s")
    }

    private static func act(_ player: inout Player, _ random: inout SeededGenerator) {
        switch Int.random(in: 0..<9, using: &random) {
        case 0: player.state = "PAUSED"
        case 1: player.state = "BUFFERING"
        case 2, 3: player.state = "PLAYING"
        case 4: player.rate = [0.5, 0.75, 1, 1.25, 1.5, 2].randomElement(using: &random) ?? 1
        case 5: player.position = Double.random(in: player.range, using: &random)
        case 6 where player.content == .film: player.ad = (0, false)
        case 7 where player.content == .film: player.ad = (0, true)
        default: player.ad = nil
        }
    }

    /// The members of the status, and the position 10 s later.
    static let standing: [(String, Double?)] = [
        (#""playerState":"PLAYING","currentTime":5"#, 15), (#""playerState":"PLAYING","currentTime":5,"playbackRate":0"#, 5),
        (#""playerState":"PAUSED","currentTime":5"#, 5), (#""playerState":"BUFFERING","currentTime":5"#, 5),
        (#""playerState":"IDLE","currentTime":5"#, 5), (#""playerState":"PLAYING"#, nil),
        (#""playerState":"PLAYING","currentTime":5,"playbackRate":-3"#, 15),
        (#""playerState":"PLAYING","currentTime":95,"media":{"contentId":"a","duration":100}"#, 100),
        (#""playerState":"PLAYING","currentTime":95,"media":{"contentId":"a","duration":-1}"#, 105),
        (#""playerState":"PLAYING","currentTime":95,"media":{"contentId":"a","streamType":"LIVE","duration":100}"#, 105),
        (#""playerState":"PLAYING","currentTime":95,"liveSeekableRange":{"start":0,"end":96,"isLiveDone":true}"#, 96),
        (#""playerState":"PLAYING","currentTime":95,"playbackRate":2,"liveSeekableRange":{"start":0,"end":97}"#, 107),
        (#""playerState":"PLAYING","currentTime":0,"playbackRate":0.5,"liveSeekableRange":{"start":0,"end":97,"isMovingWindow":true}"#, 10),
    ]

    @Test("a position moves only while playing, at most to the end", arguments: Self.standing)
    func tenSecondsLater(fields: String, position: Double?) throws {
        let text = fields.hasSuffix("PLAYING") ? fields + "\"" : fields
        var merger = MediaStatusMerger()
        _ = merger.merge([try update(#""mediaSessionId":1,\#(text)"#)], sessionID: "s", receivedAt: MonotonicTime(nanoseconds: 0))
        #expect(merger.status?.approximateStreamPosition(at: MonotonicTime(nanoseconds: 10_000_000_000)) == position)
    }

    /// The fields of a status, what the player does, and whether the session goes on.
    static let states: [(String, PlayerState, Bool)] = [
        (#""playerState":"IDLE","idleReason":"FINISHED""#, .idle, false),
        (#""playerState":"IDLE","idleReason":"FINISHED","loadingItemId":4"#, .loading, true),
        (#""playerState":"IDLE","extendedStatus":{"playerState":"LOADING","mediaSessionId":2,"media":{"contentId":"b"}}"#, .loading, true),
        (#""playerState":"LOADING""#, .loading, true), (#""playerState":"BUFFERING""#, .buffering, true),
        (#""playerState":"PLAYING","loadingItemId":4"#, .playing, true), (#""playerState":"PAUSED""#, .paused, true),
        (#""playerState":"DREAMING""#, .unknown("DREAMING"), true),
    ]

    @Test("between two items of a queue the player loads and is not idle", arguments: Self.states)
    func extendedState(fields: String, state: PlayerState, isAlive: Bool) throws {
        var merger = MediaStatusMerger()
        _ = merger.merge(
            [try update(#""mediaSessionId":1,"playerState":"PLAYING","media":{"contentId":"a"}"#)], sessionID: "s",
            receivedAt: MonotonicTime(nanoseconds: 0))
        _ = merger.merge([try update(#""mediaSessionId":1,\#(fields)"#)], sessionID: "s", receivedAt: MonotonicTime(nanoseconds: 1))
        #expect(merger.status?.extendedPlayerState == state)
        #expect(merger.status?.isEnded == !isAlive)
    }
}
