import CastModels
import Testing

@testable import CastSender

@Suite struct ShownMediaStatusTests {
    private static func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    private static func status(
        _ state: PlayerState, session: Int = 1, reason: IdleReason? = nil, item: Int? = 1, change: (inout MediaStatus) -> Void = { _ in }
    ) -> MediaStatus {
        var status = MediaStatus(mediaSessionID: session, playerState: state, receivedAt: Self.time(0))
        status.idleReason = reason
        if state != .idle {
            status.items = [MediaQueueItem(itemID: 1), MediaQueueItem(itemID: 2)]
            status.currentItemID = item
        }
        change(&status)
        return status
    }

    @Test("an end between two items isn't shown when the next one follows")
    func gap() {
        var shown = ShownMediaStatus()
        #expect(shown.update(Self.status(.playing), at: Self.time(0)) == .show)
        #expect(shown.update(Self.status(.idle, reason: .finished), at: Self.time(10)) == .wait(until: Self.time(13)))
        #expect(shown.update(Self.status(.idle, reason: .finished), at: Self.time(12)) == .wait(until: Self.time(13)))
        #expect(shown.status?.playerState == .playing)
        #expect(shown.update(Self.status(.buffering, item: 2), at: Self.time(12.5)) == .show)
        #expect(shown.tick(at: Self.time(13)) == .none)
        #expect(shown.status?.playerState == .buffering)
    }

    @Test("an end that lasts is shown after 3 s, not before")
    func end() {
        var shown = ShownMediaStatus()
        _ = shown.update(Self.status(.playing), at: Self.time(0))
        _ = shown.update(Self.status(.idle, reason: .finished), at: Self.time(10))
        #expect(shown.tick(at: Self.time(12.9)) == .wait(until: Self.time(13)))
        #expect(shown.status?.playerState == .playing)
        #expect(shown.tick(at: Self.time(13)) == .show)
        #expect(shown.status?.playerState == .idle)
    }

    /// The status of playing media, the status that ends it, and whether the end is shown at once.
    static let ends: [(MediaStatus, MediaStatus?, Bool)] = [
        (Self.status(.playing), Self.status(.idle, reason: .cancelled), true),
        (Self.status(.playing), Self.status(.idle, reason: .error), true),
        (Self.status(.playing), Self.status(.idle, reason: .interrupted), true), (Self.status(.playing), nil, true),
        (Self.status(.playing), Self.status(.idle), false), (Self.status(.playing, item: 2), Self.status(.idle, reason: .finished), true),
        (Self.status(.playing, item: nil), Self.status(.idle, reason: .finished), true),
        (Self.status(.playing, item: 2) { $0.repeatMode = .all }, Self.status(.idle, reason: .finished), false),
        (Self.status(.playing, item: 2) { $0.repeatMode = .single }, Self.status(.idle, reason: .finished), false),
        (Self.status(.playing), Self.status(.idle, session: 2, reason: .finished), true),
        (Self.status(.playing), Self.status(.idle, reason: .finished) { $0.loadingItemID = 2 }, true),
    ]

    @Test("only an end that another item may follow is held back", arguments: Self.ends.indices)
    func held(index: Int) {
        let (playing, end, isShown) = Self.ends[index]
        var shown = ShownMediaStatus()
        _ = shown.update(playing, at: Self.time(0))
        let action = shown.update(end, at: Self.time(10))
        #expect(action == (isShown ? .show : .wait(until: Self.time(13))))
        #expect(shown.status == (isShown ? end : playing))
    }

    @Test("a held end gives way to a stop, and to the end of the application")
    func heldThenStopped() {
        for next in [Self.status(.idle, reason: .cancelled), nil] {
            var shown = ShownMediaStatus()
            _ = shown.update(Self.status(.playing), at: Self.time(0))
            _ = shown.update(Self.status(.idle, reason: .finished), at: Self.time(10))
            #expect(shown.update(next, at: Self.time(11)) == .show)
            #expect(shown.status == next)
        }
    }

    @Test("the same status again is no news")
    func same() {
        var shown = ShownMediaStatus()
        #expect(shown.update(nil, at: Self.time(0)) == .none)
        #expect(shown.update(Self.status(.playing), at: Self.time(0)) == .show)
        #expect(shown.update(Self.status(.playing), at: Self.time(1)) == .none)
    }
}
