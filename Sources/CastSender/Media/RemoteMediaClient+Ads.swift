import CastModels

/// Controls ads (wire: SKIP_AD).
extension RemoteMediaClient {
    /// Skips the clip that is playing. Succeeds when a status shows that the clip is over, not when the receiver only answers.
    ///
    /// - Throws: `invalidState` when no ad is playing; `notAllowed` when the clip cannot be skipped, or not yet; `notApplied` when it
    ///   continues although the receiver answered; the receiver's error with its `reason` when it refused.
    nonisolated(nonsending) public func skipAd(customData: JSONValue? = nil) async throws(CastError) {
        let session = self.session
        try await session.control(customData: customData) { status throws(CastError) in
            guard let wait = status.timeUntilAdIsSkippable(at: MonotonicTime(session.eventLoop.now)) else {
                guard status.isPlayingAd else { throw CastError(.invalidState, detail: "no ad plays") }
                throw CastError(.notAllowed, detail: "this ad can't be skipped")
            }
            guard wait == 0 else { throw CastError(.notAllowed, detail: "this ad can be skipped in \(wait.roundedUp) s") }
            return [.init(.skipAd, observed: .adEnded(PlayingAd(status)))]
        }
    }
}

extension Double {
    /// The value in whole seconds, for people.
    fileprivate var roundedUp: Int { Int(min(self.rounded(.up), 86_400)) }
}
