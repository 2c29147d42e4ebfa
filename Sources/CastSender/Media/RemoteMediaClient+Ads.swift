import CastModels

/// Controls ads (wire: SKIP_AD).
extension RemoteMediaClient {
    /// Skips the clip that is playing. Succeeds when a status shows that the clip is over, not when the receiver only answers.
    ///
    /// - Throws: `invalidState` when no ad is playing; `notAllowed` when the clip cannot be skipped, or not yet, or continues although the
    ///   receiver answered; the receiver's error with its `reason` when it refused.
    nonisolated(nonsending) public func skipAd(customData: JSONValue? = nil) async throws(CastError) {
        let session = self.session
        try await session.skipAd(customData: customData)
    }
}

extension CastSession {
    func skipAd(customData: JSONValue?) async throws(CastError) {
        let playing = try await self.currentMediaStatus().adBreakStatus
        let isOver = ObservedState.adClipEnded(breakID: playing?.breakID, clipID: playing?.breakClipID)
        try await self.control(customData: customData) { status throws(CastError) in
            guard status.isPlayingAd else { throw CastError(.invalidState, detail: "no ad plays") }
            guard let wait = status.timeUntilAdIsSkippable(at: MonotonicTime(self.eventLoop.now)) else {
                throw CastError(.notAllowed, detail: "this ad can't be skipped")
            }
            guard wait == 0 else { throw CastError(.notAllowed, detail: "this ad can be skipped in \(wait.roundedUp) s") }
            return .init(.skipAd, observed: isOver)
        }
        try await self.confirm(CastError(.notAllowed, detail: "the receiver answered, but the ad goes on")) { isOver.holds(in: $0) }
    }
}

extension Double {
    /// The value in whole seconds, for people.
    fileprivate var roundedUp: Int { Int(min(self.rounded(.up), 86_400)) }
}
