import CastModels

/// The speed of what plays, for a menu or a slider (SDK: `GCKUIPlaybackRateController`). Shares its state with all others of the session.
public struct PlaybackRateController: Sendable {
    /// The state of a menu.
    public struct State: Sendable, Hashable {
        /// 1 is normal.
        public var rate: Double
        /// Whether the application lets senders change the speed of what plays.
        public var isEnabled: Bool
        /// The rates to offer, slowest first; 1 alone while it can't be changed.
        public var allowedRates: [Double]

        /// - Parameter rate: shown in place of the application's.
        init(_ status: MediaStatus?, isConnected: Bool, rate: Double? = nil) {
            let status = status.flatMap { isConnected && !$0.isEnded ? $0 : nil }
            // Some receivers report 0 while the media stands still: that is no speed.
            let reported = status?.playbackRate.flatMap { $0 > 0 ? $0 : nil }
            self.isEnabled = status?.supportedMediaCommands.contains(.playbackRate) ?? false
            self.rate = status == nil ? 1 : rate ?? reported ?? 1
            self.allowedRates = self.isEnabled ? PlaybackRateController.rates : [1]
        }
    }

    /// The rates that receivers take, in the steps that players offer.
    static let rates = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2]

    let session: CastSession

    /// The state and its changes, newest wins. Ends with the session, after a state that is not enabled.
    public var states: StateSequence<State> { get async { await self.session.controllerSequences.rate } }

    /// The present state.
    public var state: State { get async { await self.session.controllerStates.rate } }

    /// Sets the speed; shown at once, and until the application confirms it or 2 s have passed.
    ///
    /// - Parameter rate: 0.5 to 2, also beside `allowedRates`.
    /// - Throws: as `RemoteMediaClient.setPlaybackRate`.
    nonisolated(nonsending) public func setRate(_ rate: Double) async throws(CastError) {
        try CastError.check(rate, in: MediaLoadRequest.playbackRateRange, "rate")
        try await self.session.controlRate(rate)
    }
}
