import CastModels

/// The ad that is playing, its end, and when it can be skipped. Like `PositionAnchor`, it is unchanged while time passes as expected.
public struct AdAnchor: Sendable, Hashable {
    /// A moment on both clocks. The wall-clock time is that of the first computation.
    public struct Moment: Sendable, Hashable {
        public var time: MonotonicTime
        public var wall: Timestamp
    }

    public var breakID: String?
    public var clipID: String?
    public var isSkippable: Bool
    /// When skipping becomes or became possible; `nil` when it never does or the ad is paused.
    public var skippableAt: Moment?
    /// When the clip ends; `nil` when its duration is unknown or the ad is paused.
    public var clipEndsAt: Moment?
    /// When the break ends; `nil` when its duration is unknown or the ad is paused.
    public var breakEndsAt: Moment?

    /// Seconds by which a status may move a moment without replacing the anchor.
    static let driftLimit = 1.0
    /// Seconds. Longer ads and later times within one are treated as unknown.
    private static let longest = 0.0...86_400

    /// Returns the ad after `status`; `nil` when none is playing.
    static func following(_ previous: Self?, status: MediaStatus, at now: Now) -> Self? {
        guard status.isPlayingAd else { return nil }
        let ad = status.adBreakStatus ?? AdBreakStatus()
        let (adBreak, clip) = (status.currentAdBreak, status.currentAdBreakClip)
        var next = Self(breakID: ad.breakID, clipID: ad.breakClipID, isSkippable: status.canSkipAd(at: now.monotonic))
        let skippable = self.seconds(ad.whenSkippable ?? clip?.whenSkippable)
        let clipTime = self.seconds(ad.currentBreakClipTime)
        guard status.playerState == .playing else { return next }
        // Ads stitched into the stream play at its rate.
        let rate = adBreak?.isEmbedded == true ? status.effectiveRate : 1
        func moment(_ end: Double?, from start: Double?, _ known: Moment?) -> Moment? {
            guard let end, let start, rate > 0 else { return nil }
            let time = status.receivedAt + .milliseconds(Int64((end - start) / max(rate, 0.01) * 1000))
            if let known, abs(known.time.seconds(since: time)) <= self.driftLimit { return known }
            return Moment(time: time, wall: now.wall(at: time))
        }
        let sameBreak = previous.flatMap { $0.breakID == next.breakID ? $0 : nil }
        let sameClip = sameBreak.flatMap { $0.clipID == next.clipID ? $0 : nil }
        next.skippableAt = moment(skippable, from: clipTime ?? 0, sameClip?.skippableAt)
        next.clipEndsAt = moment(self.seconds(clip?.duration), from: clipTime, sameClip?.clipEndsAt)
        let breakDuration = adBreak.flatMap { status.media?.duration(of: $0) }
        next.breakEndsAt = moment(self.seconds(breakDuration), from: self.seconds(ad.currentBreakTime), sameBreak?.breakEndsAt)
        return next
    }

    mutating func clockStepped(by seconds: Double) {
        self.skippableAt?.wall.add(seconds: seconds)
        self.clipEndsAt?.wall.add(seconds: seconds)
        self.breakEndsAt?.wall.add(seconds: seconds)
    }

    /// Makes the ad skippable when its time has come.
    mutating func update(at time: MonotonicTime) { if let skippableAt, time >= skippableAt.time { self.isSkippable = true } }

    /// When time alone changes the anchor; `nil` when it does not.
    var deadline: MonotonicTime? { self.isSkippable ? nil : self.skippableAt?.time }

    private static func seconds(_ value: Double?) -> Double? { value.flatMap { self.longest.contains($0) ? $0 : nil } }
}
