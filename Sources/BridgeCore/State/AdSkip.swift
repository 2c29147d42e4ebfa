import CastModels

/// The ad that plays and when it may be skipped. Like `PositionAnchor`, it stays as it is while time passes as foreseen.
public struct AdSkip: Sendable, Hashable {
    public var breakID: String?
    public var clipID: String?
    public var isSkippable: Bool
    /// When skipping becomes, or became, possible; `nil` when it never does or the ad stands still.
    public var skippableAt: MonotonicTime?
    /// `skippableAt` as the wall clock said it when it was computed.
    public var skippableAtWall: Timestamp?

    /// Seconds by which a status may move `skippableAt` without being news.
    static let driftLimit = 1.0

    /// The ad after `status`; `nil` when none plays.
    static func following(_ previous: Self?, status: MediaStatus, at now: Now) -> Self? {
        guard let ad = status.adBreakStatus else { return nil }
        var next = Self(
            breakID: ad.breakID, clipID: ad.breakClipID, isSkippable: status.supportedMediaCommands.contains(.skipAd), skippableAt: nil,
            skippableAtWall: nil)
        // More than a day into a clip is no time at all.
        guard let when = ad.whenSkippable ?? status.currentAdBreakClip?.whenSkippable, (0...86_400).contains(when) else { return next }
        let clipTime = ad.currentBreakClipTime.map { $0.isFinite ? min(max($0, 0), 86_400) : 0 } ?? 0
        if status.playerState == .playing {
            let time = status.receivedAt + .milliseconds(Int64((when - clipTime) * 1000))
            if let previous, let known = previous.skippableAt, previous.breakID == next.breakID, previous.clipID == next.clipID,
                abs(known.seconds(since: time)) <= Self.driftLimit
            {
                next.skippableAt = known
                next.skippableAtWall = previous.skippableAtWall
            } else {
                next.skippableAt = time
                next.skippableAtWall = now.wall(at: time)
            }
            next.update(at: now.monotonic)
        } else {
            next.isSkippable = next.isSkippable || clipTime >= when
        }
        return next
    }

    /// Lets time make the ad skippable.
    mutating func update(at time: MonotonicTime) { if let skippableAt, time >= skippableAt { self.isSkippable = true } }

    /// When time alone changes this.
    var deadline: MonotonicTime? { self.isSkippable ? nil : self.skippableAt }
}
