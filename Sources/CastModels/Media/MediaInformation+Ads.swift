/// The ads of a medium and their durations.
extension MediaInformation {
    /// Returns the known clips of `adBreak` in playing order.
    public func adBreakClips(of adBreak: AdBreak) -> [AdBreakClip] {
        adBreak.clipIDs.compactMap { id in self.adBreakClips.first { $0.id == id } }
    }

    /// Returns the duration of `adBreak` in seconds: its own, else the sum of its clips; `nil` when neither is known.
    public func duration(of adBreak: AdBreak) -> Double? {
        if let duration = adBreak.duration { return duration }
        let clips = self.adBreakClips(of: adBreak)
        return clips.isEmpty || clips.count != adBreak.clipIDs.count ? nil : Self.sum(clips.map(\.duration))
    }

    /// The duration in seconds of the ads that were stitched into the stream; it is part of `duration`. `nil` when one of them is unknown.
    public var embeddedAdDuration: Double? { self.adDuration { $0.isEmbedded } }

    /// The duration in seconds of the ads that the receiver plays from another source; it is not part of `duration`. `nil` when one of them
    /// is unknown.
    public var clientSideAdDuration: Double? { self.adDuration { !$0.isEmbedded } }

    /// The duration of the content in seconds, without the ads stitched into it; `nil` when unknown or endless.
    public var contentDuration: Double? {
        guard let duration, let ads = self.embeddedAdDuration else { return nil }
        return max(0, duration - ads)
    }

    /// Seconds to watch the content and all ads that are not watched yet; `nil` when unknown or endless.
    public var totalDuration: Double? {
        guard let duration, let ads = self.adDuration({ !$0.isEmbedded && !$0.isWatched }) else { return nil }
        return duration + ads
    }

    private func adDuration(_ isCounted: (AdBreak) -> Bool) -> Double? {
        Self.sum(self.adBreaks.filter(isCounted).map { self.duration(of: $0) })
    }

    /// - Returns: `nil` when one of the durations is unknown.
    private static func sum(_ durations: [Double?]) -> Double? {
        durations.contains(nil) ? nil : durations.compactMap { $0 }.reduce(0, +)
    }
}

extension MediaStatus {
    /// Whether an ad is playing. YouTube reports no break, but a player state of its own.
    public var isPlayingAd: Bool { self.adBreakStatus != nil || self.customData?["playerState"]?.intValue == Self.adState }

    private static let adState = 1081

    /// The break that is playing; `nil` when none is playing or the medium does not list it.
    public var currentAdBreak: AdBreak? {
        guard let id = self.adBreakStatus?.breakID else { return nil }
        return self.media?.adBreaks.first { $0.id == id }
    }

    /// The clip that is playing; `nil` when none is playing or the medium does not list it.
    public var currentAdBreakClip: AdBreakClip? {
        guard let id = self.adBreakStatus?.breakClipID else { return nil }
        return self.media?.adBreakClips.first { $0.id == id }
    }

    /// Returns the seconds since the start of the break at `now`; `nil` when no break is playing or the receiver does not report it.
    public func approximateAdBreakPosition(at now: MonotonicTime) -> Double? {
        guard let reported = self.adBreakStatus?.currentBreakTime else { return nil }
        let end = self.currentAdBreak.flatMap { self.media?.duration(of: $0) } ?? .infinity
        return min(reported + self.adTime(until: now), max(reported, end))
    }

    /// Returns the seconds since the start of the clip at `now`; `nil` when no clip is playing or the receiver does not report it.
    public func approximateAdBreakClipPosition(at now: MonotonicTime) -> Double? {
        guard let reported = self.adBreakStatus?.currentBreakClipTime else { return nil }
        return min(reported + self.adTime(until: now), max(reported, self.currentAdBreakClip?.duration ?? .infinity))
    }

    /// Returns whether the ad that plays can be skipped at `now`: the receiver offers it, or the time that the ad names has come.
    public func canSkipAd(at now: MonotonicTime) -> Bool { self.timeUntilAdIsSkippable(at: now) == 0 }

    /// Returns the seconds until the ad may be skipped; `nil` when it may not be skipped or none is playing. It is 0 whenever the receiver
    /// offers to skip an ad, also where it reports none.
    public func timeUntilAdIsSkippable(at now: MonotonicTime) -> Double? {
        if self.supportedMediaCommands.contains(.skipAd) { return 0 }
        guard let ad = self.adBreakStatus else { return nil }
        guard let when = ad.whenSkippable ?? self.currentAdBreakClip?.whenSkippable, when >= 0 else { return nil }
        return max(0, when - (self.approximateAdBreakClipPosition(at: now) ?? self.adTime(until: now)))
    }

    /// Returns the seconds of ad since the status. Ads play at normal speed; ads stitched into the stream play at the stream's.
    private func adTime(until now: MonotonicTime) -> Double {
        guard self.playerState == .playing else { return 0 }
        let rate = self.currentAdBreak?.isEmbedded == true ? self.effectiveRate : 1
        return max(0, now.seconds(since: self.receivedAt)) * rate
    }
}
