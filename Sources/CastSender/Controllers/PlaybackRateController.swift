import CastModels

/// Controls the playback rate with a menu or a slider (SDK: `GCKUIPlaybackRateController`). All controllers of a session share one state.
public struct PlaybackRateController: Sendable {
    /// The state of a menu.
    public struct State: Sendable, Hashable {
        /// The rate; 1 is normal speed.
        public var rate: Double
        public var connection: ConnectionState
        /// Whether the application lets senders change the rate.
        public var isEnabled: Bool
        /// The rates to offer, slowest first; only 1 while the rate cannot be changed.
        public var allowedRates: [Double]

        /// - Parameter rate: the rate to show in place of the application's.
        init(_ status: MediaStatus?, _ connection: ConnectionState, rate: Double? = nil) {
            let status = status.flatMap { $0.isEnded ? nil : $0 }
            self.connection = connection
            // Some receivers report 0 while paused, which is not a rate.
            let reported = status?.playbackRate.flatMap { $0 > 0 ? $0 : nil }
            self.isEnabled = connection == .connected && status?.supportedMediaCommands.contains(.playbackRate) ?? false
            self.rate = status == nil ? 1 : rate ?? reported ?? 1
            self.allowedRates = self.isEnabled ? PlaybackRateController.rates : [1]
        }
    }

    /// The rates that receivers accept, in the usual steps of players.
    static let rates = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2]

    let session: CastSession

    /// The state and its changes, newest wins. Ends with the session, after a state that is not enabled.
    public var states: StateSequence<State> { get async { await self.session.states(of: \.rates).sequence } }

    /// The current state.
    public var state: State {
        get async { await self.session.states(of: \.rates).newest ?? State(nil, .suspended) }
    }

    /// Sets the rate. It is shown at once, until the application confirms it or 2 s have passed.
    ///
    /// - Parameter rate: 0.5 to 2, also a value that `allowedRates` does not contain.
    /// - Throws: the errors of `RemoteMediaClient.setPlaybackRate`.
    nonisolated(nonsending) public func setRate(_ rate: Double) async throws(CastError) {
        try CastError.check(rate, in: MediaLoadRequest.playbackRateRange, "rate")
        try await self.session.controlRate(rate)
    }
}
