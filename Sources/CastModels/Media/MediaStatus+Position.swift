/// The position of the player between two statuses. Receivers report a position only when something changes.
extension MediaStatus {
    /// Media seconds per second of playback; 1 when the receiver reports no plausible rate.
    package var effectiveRate: Double {
        guard let playbackRate, (0...100).contains(playbackRate) else { return 1 }
        return playbackRate
    }

    /// Whether the media is live and has no end yet.
    public var isLiveStream: Bool {
        let media = self.shownMedia
        if media?.isLive == true { return true }
        return self.liveRange.map { !$0.isLiveDone } ?? false
    }

    /// The seekable range of media that is live, or was when it was loaded; `nil` for recorded media, for which some receivers report a range,
    /// too. Buffered media counts as recorded if it has a length, because some senders load live media as buffered.
    package var liveRange: LiveSeekableRange? {
        guard let liveSeekableRange else { return nil }
        let media = self.shownMedia
        return media?.isBuffered == true && media?.duration.map { $0.isFinite && $0 > 0 } == true ? nil : liveSeekableRange
    }

    /// The duration in seconds; `nil` when unknown or endless.
    package var endingDuration: Double? {
        guard let duration = self.shownMedia?.duration, duration.isFinite, duration > 0, !self.isLiveStream else { return nil }
        return duration
    }

    /// Whether the stream's position advances: while playing, except while an ad from another source interrupts it. Ads stitched into the
    /// stream advance its position.
    public var isStreamPositionAdvancing: Bool {
        self.playerState == .playing && (!self.isPlayingAd || self.currentAdBreak?.isEmbedded == true)
    }

    /// Returns the seconds since the receiver reported a position.
    public func timeSinceStreamPosition(at now: MonotonicTime) -> Double { max(0, now.seconds(since: self.receivedAt)) }

    /// Returns the position at `now` in seconds, limited to the media or the live range; `nil` when the receiver reported none.
    public func approximateStreamPosition(at now: MonotonicTime) -> Double? {
        guard let currentTime else { return nil }
        let estimate = PositionEstimate(
            position: currentTime, rate: self.effectiveRate, isAdvancing: self.isStreamPositionAdvancing, duration: self.endingDuration,
            liveRange: self.liveRange)
        return estimate.position(after: self.timeSinceStreamPosition(at: now))
    }

    /// Returns the live range at `now`; `nil` for media that is not live. Its end moves with the broadcast, and its start too when the
    /// window moves.
    public func approximateLiveSeekableRange(at now: MonotonicTime) -> LiveSeekableRange? {
        self.liveRange?.advanced(by: self.timeSinceStreamPosition(at: now))
    }
}

extension LiveSeekableRange {
    /// Returns the range after `seconds` more of live broadcast.
    public func advanced(by seconds: Double) -> Self {
        guard !self.isLiveDone else { return self }
        var range = self
        range.end += seconds
        if self.isMovingWindow { range.start += seconds }
        return range
    }
}
