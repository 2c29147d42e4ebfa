import CastModels
import Testing

@testable import CastSender

@Suite struct SeekTargetTests {
    private static func status(time: Double?, duration: Double? = 100, range: LiveSeekableRange? = nil) -> MediaStatus {
        var status = MediaStatus(mediaSessionID: 1, playerState: .playing, receivedAt: MonotonicTime(nanoseconds: 0))
        status.currentTime = time
        status.media = MediaInformation(contentID: "x", duration: duration)
        status.liveSeekableRange = range
        return status
    }

    private static let now = MonotonicTime(nanoseconds: 10_000_000_000)
    private static let live = LiveSeekableRange(start: 500, end: 900, isMovingWindow: true)

    @Test(
        "positions are kept within the media",
        arguments: [
            (SeekTarget.position(50), 50.0), (.position(-5), 0), (.position(5000), 100), (.relative(30), 90), (.relative(-300), 0),
            (.relative(300), 100),
        ])
    func buffered(target: SeekTarget, position: Double) throws {
        #expect(try target.position(in: Self.status(time: 50), at: Self.now) == position)
    }

    @Test("without a duration only the start is a bound", arguments: [(SeekTarget.position(5000), 5000.0), (.position(-1), 0)])
    func endless(target: SeekTarget, position: Double) throws {
        #expect(try target.position(in: Self.status(time: 50, duration: nil), at: Self.now) == position)
    }

    @Test(
        "live positions are kept within the window, which moves on",
        arguments: [
            (SeekTarget.live, 910.0), (.position(0), 510), (.position(905), 905), (.position(1e9), 910), (.relative(-100), 710),
        ])
    func live(target: SeekTarget, position: Double) throws {
        #expect(try target.position(in: Self.status(time: 800, duration: nil, range: Self.live), at: Self.now) == position)
    }

    @Test("an unusable target is refused", arguments: [SeekTarget.position(.nan), .position(.infinity), .live, .relative(.nan)])
    func refused(target: SeekTarget) {
        #expect(throws: CastError.self) { try target.position(in: Self.status(time: 50), at: Self.now) }
    }

    @Test("a relative seek needs a position")
    func unknownPosition() {
        #expect(throws: CastError.self) { try SeekTarget.relative(1).position(in: Self.status(time: nil), at: Self.now) }
    }
}
