import CastModels

/// A position with its time, from which readers compute the current one.
///
/// It is replaced when the kind of playback changes or when the reported position differs from the computed one, never because time passed.
public struct PositionAnchor: Sendable, Hashable {
    /// Seconds from the start of the media, never negative.
    public var position: Double
    public var at: MonotonicTime
    /// `at` on the wall clock when the anchor was set.
    public var wallAt: Timestamp
    /// Media seconds per second while the position advances.
    public var rate: Double
    /// Whether the position advances: media is playing, and no ad.
    public var isAdvancing: Bool
    /// The duration in seconds; `nil` when unknown or endless.
    public var duration: Double?
    /// The live range at `wallAt`, for live streams that can be seeked.
    public var liveRange: LiveSeekableRange?

    /// Seconds by which the reported position may differ from the computed one while it advances.
    static let driftLimit = 1.0
    /// The same while it stands still, when a difference can only be a seek.
    static let standingDriftLimit = 0.1
    /// Seconds from which a jump during playback is reported as a seek.
    static let seekLimit = 2.0
    /// Seconds by which the wall clock may have been changed since; beyond that, `wallAt` would mislead readers.
    static let wallStepLimit = 1.0
    /// Seconds by which the ends of a live range may differ from the computed ones, because live playlists grow by whole segments.
    static let liveRangeLimit = 30.0

    /// Returns the position at `time` in seconds, limited to the media.
    public func position(at time: MonotonicTime) -> Double {
        let estimate = PositionEstimate(
            position: self.position, rate: self.rate, isAdvancing: self.isAdvancing, duration: self.duration, liveRange: self.liveRange)
        return estimate.position(after: time.seconds(since: self.at))
    }

    /// Returns the position at `time` as a share of the duration, 0 to 100; `nil` for media without a duration.
    public func percent(at time: MonotonicTime) -> Double? {
        guard let duration else { return nil }
        return min(100, self.position(at: time) / duration * 100)
    }

    /// When the media ends if nothing changes; `nil` while it is paused or has no end.
    public var endsAt: Timestamp? {
        guard self.isAdvancing, self.rate > 0, let duration else { return nil }
        let remaining = max(0, duration - self.position) / self.rate
        return remaining < 315_360_000 ? self.wallAt.adding(seconds: remaining) : nil
    }

    /// Returns whether `status`, which follows `previous`, reports about the position that it was expected to; `nil` when it reports none.
    func isContinued(by status: MediaStatus, after previous: MediaStatus) -> Bool? {
        guard let reported = status.currentTime, reported.isFinite, Self.isNewReport(status, after: previous) else { return nil }
        return abs(max(0, reported) - self.position(at: status.receivedAt)) <= Self.seekLimit
    }

    private static func isNewReport(_ status: MediaStatus, after previous: MediaStatus) -> Bool {
        status.receivedAt != previous.receivedAt || status.currentTime != previous.currentTime
    }

    /// Returns the anchor after `status`.
    /// - Parameters:
    ///   - anchor: the previous one; `nil` when no media was shown.
    ///   - previous: the status of the same item that was shown before; `nil` when there was none.
    /// - Returns: the anchor, `nil` when no position was ever reported; `seeked` is set when the position jumped within one item.
    static func following(
        _ anchor: Self?, shown previous: MediaStatus?, status: MediaStatus, at now: Now
    ) -> (anchor: Self?, seeked: Bool) {
        guard let reported = status.currentTime, reported.isFinite else { return (nil, false) }
        var fresh = Self(
            position: max(0, reported), at: status.receivedAt, wallAt: now.wall(at: status.receivedAt), rate: status.effectiveRate,
            isAdvancing: status.isStreamPositionAdvancing, duration: status.endingDuration,
            liveRange: status.liveRange)
        guard var anchor, let previous else { return (fresh, false) }

        if !Self.isNewReport(status, after: previous) {
            // The status changed another value, so the position at that moment is the computed one.
            fresh.position = anchor.position(at: now.monotonic)
            fresh.at = now.monotonic
            fresh.wallAt = now.wall
        }
        let drift = fresh.position - anchor.position(at: fresh.at)
        let isAdBreak = previous.adBreakStatus != nil || status.adBreakStatus != nil
        let changedInKind =
            previous.playerState != status.playerState || anchor.isAdvancing != fresh.isAdvancing || anchor.rate != fresh.rate
            || (previous.adBreakStatus == nil) != (status.adBreakStatus == nil)
        let stands = !changedInKind && !anchor.isAdvancing
        let isSeek = abs(drift) > (stands ? standingDriftLimit : seekLimit) && !isAdBreak
        let hasDrifted = abs(drift) > (stands ? standingDriftLimit : driftLimit)
        let wallStep = Double(now.wall(at: anchor.at).milliseconds - anchor.wallAt.milliseconds) / 1000
        let hasStepped = anchor.isAdvancing && abs(wallStep) > wallStepLimit
        if changedInKind || hasDrifted || hasStepped || anchor.liveRangeDiffers(from: fresh) { return (fresh, isSeek) }
        anchor.duration = fresh.duration
        return (anchor, false)
    }

    private func liveRangeDiffers(from fresh: Self) -> Bool {
        switch (self.liveRange, fresh.liveRange) {
        case (nil, nil): return false
        case (nil, _?), (_?, nil): return true
        case (let old?, let new?):
            let computed = old.advanced(by: max(0, fresh.at.seconds(since: self.at)))
            return old.isMovingWindow != new.isMovingWindow || old.isLiveDone != new.isLiveDone
                || abs(computed.start - new.start) > Self.liveRangeLimit || abs(computed.end - new.end) > Self.liveRangeLimit
        }
    }
}
