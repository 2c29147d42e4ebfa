/// Where the player is between two statuses: receivers tell it only when something changes.
extension MediaStatus {
    /// Media seconds per second of playing; 1 when the receiver told none that makes sense.
    package var effectiveRate: Double {
        guard let playbackRate, (0...100).contains(playbackRate) else { return 1 }
        return playbackRate
    }

    /// Whether the media has no end yet.
    public var isLiveStream: Bool {
        let media = self.shownMedia
        if media?.isLive == true { return true }
        guard let liveSeekableRange, media?.isBuffered != true else { return false }
        return !liveSeekableRange.isLiveDone
    }

    /// Seconds; `nil` when unknown or endless.
    package var endingDuration: Double? {
        guard let duration = self.shownMedia?.duration, duration.isFinite, duration > 0, !self.isLiveStream else { return nil }
        return duration
    }

    /// Whether the stream's position moves: while playing, and not while an ad from elsewhere interrupts it. Ads that are part of the
    /// stream take its time.
    public var isStreamPositionAdvancing: Bool {
        self.playerState == .playing && (self.adBreakStatus == nil || self.currentAdBreak?.isEmbedded == true)
    }

    /// Seconds since the receiver told a position.
    public func timeSinceStreamPosition(at now: MonotonicTime) -> Double { max(0, now.seconds(since: self.receivedAt)) }

    /// The position at `now`, in seconds, kept within the media or the live range; `nil` when the receiver told none.
    public func approximateStreamPosition(at now: MonotonicTime) -> Double? {
        guard let currentTime else { return nil }
        let estimate = PositionEstimate(
            position: currentTime, rate: self.effectiveRate, isAdvancing: self.isStreamPositionAdvancing, duration: self.endingDuration,
            liveRange: self.liveSeekableRange)
        return estimate.position(after: self.timeSinceStreamPosition(at: now))
    }

    /// The live range at `now`: its end moves with the broadcast, its start too when the window moves; `nil` for media that isn't live.
    public func approximateLiveSeekableRange(at now: MonotonicTime) -> LiveSeekableRange? {
        self.liveSeekableRange?.advanced(by: self.timeSinceStreamPosition(at: now))
    }
}

extension LiveSeekableRange {
    /// The range after `seconds` of live broadcast.
    public func advanced(by seconds: Double) -> Self {
        guard !self.isLiveDone else { return self }
        var range = self
        range.end += seconds
        if self.isMovingWindow { range.start += seconds }
        return range
    }
}
