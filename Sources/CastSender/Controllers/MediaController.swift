import CastModels

/// Controls the playback with the buttons of a player (SDK: `GCKUIMediaController`). All controllers of a session share one state.
public struct MediaController: Sendable {
    public typealias MainButton = MediaMainButton

    /// What the screen of a player shows. While the session is suspended, the last state with all controls disabled.
    public struct State: Sendable, Hashable {
        public var connection: ConnectionState
        /// Whether media is loaded and its device connected.
        public var isEnabled: Bool
        public var mainButton: MainButton
        /// Whether the player is loading data and will then play.
        public var isBuffering: Bool
        public var isLive: Bool
        public var canSkipToNext: Bool
        public var canSkipToPrevious: Bool
        /// Whether the position can be changed with `seek(by:)` and `seek(to:)`.
        public var canSeek: Bool
        public var canSetStreamVolume: Bool
        /// The volume of the stream, not of the device; what was asked for until the receiver confirms it.
        public var streamVolume: DeviceVolume?
        /// The target of an unconfirmed seek in seconds; a slider shows it in place of the stream's position.
        public var pendingPosition: Double?
        /// The media of which the state is; `nil` when none is loaded. Times are read with the functions of this state.
        public var status: MediaStatus?

        init(_ status: MediaStatus?, _ connection: ConnectionState, isPlaying: Bool? = nil, position: Double? = nil) {
            let status = status.flatMap { $0.isEnded ? nil : $0 }
            let commands = connection == .connected ? status?.supportedMediaCommands ?? [] : []
            let isEnabled = status != nil && connection == .connected
            self.connection = connection
            self.status = status
            self.isEnabled = isEnabled
            self.isLive = status?.isLiveStream ?? false
            self.isBuffering = status.map { $0.playerState == .buffering || $0.isLoading } ?? false
            self.mainButton = status?.mainButton(isPlaying: isPlaying) ?? .none
            self.canSkipToNext = isEnabled && status?.queueHasNextItem == true
            self.canSkipToPrevious = isEnabled && status?.queueHasPreviousItem == true
            self.canSeek = commands.contains(.seek)
            self.streamVolume = status?.streamVolume
            self.canSetStreamVolume = commands.contains(.streamVolume)
            self.pendingPosition = status == nil ? nil : position
        }

        public var title: String? { self.status?.shownMedia?.metadata?.title }
        /// The subtitle, else the artist, the series, or the studio.
        public var subtitle: String? { self.status?.shownMedia?.metadata?.shownSubtitle }
        public var images: [MediaImage] { self.status?.shownMedia?.metadata?.images ?? [] }
        public var tracks: [MediaTrack] { self.status?.shownMedia?.tracks ?? [] }
        public var activeTrackIDs: [Int] { self.status?.activeTrackIDs ?? [] }
        public var repeatMode: RepeatMode? { self.status?.queueRepeatMode }
        public var isShuffled: Bool? { self.status?.isQueueShuffled }
        /// The clip of an ad that plays; `nil` when none does, or the media does not describe it.
        public var adClip: AdBreakClip? { self.status?.currentAdBreakClip }
        /// Seconds; `nil` when unknown or endless.
        public var duration: Double? { self.status?.endingDuration }

        /// Returns the seconds from the start of the media to show at `now`: the target of a seek, else the estimated position.
        ///
        /// - Parameter now: `RemoteMediaClient.now`.
        public func position(at now: MonotonicTime) -> Double? { self.pendingPosition ?? self.status?.approximateStreamPosition(at: now) }

        /// Returns the seconds that are left; `nil` without a duration.
        public func remaining(at now: MonotonicTime) -> Double? {
            guard let duration = self.duration, let position = self.position(at: now) else { return nil }
            return max(0, duration - position)
        }

        /// Returns where a slider begins and ends: the part of a live stream that can be seeked to, else the whole media.
        public func range(at now: MonotonicTime) -> ClosedRange<Double>? {
            if let live = self.status?.approximateLiveSeekableRange(at: now), live.start <= live.end { return live.start...live.end }
            return self.duration.map { 0...$0 }
        }

        /// Returns whether a live stream plays what is sent just now, within 10 s.
        public func isAtLiveEdge(at now: MonotonicTime) -> Bool {
            guard self.isLive, let edge = self.range(at: now)?.upperBound, let position = self.position(at: now) else { return self.isLive }
            return edge - position < 10
        }

        /// Returns the seconds into the clip of an ad; `nil` when no ad plays.
        public func adPosition(at now: MonotonicTime) -> Double? { self.status?.approximateAdBreakClipPosition(at: now) }

        /// Returns whether the ad that plays can be skipped now.
        public func canSkipAd(at now: MonotonicTime) -> Bool { self.isEnabled && self.status?.canSkipAd(at: now) == true }

        /// Returns the seconds until the ad may be skipped; `nil` when no ad plays or it may not be skipped.
        public func timeUntilAdIsSkippable(at now: MonotonicTime) -> Double? { self.status?.timeUntilAdIsSkippable(at: now) }
    }

    /// The default distance of `seek(by:)`, in seconds.
    public static let seekInterval = 30.0

    let session: CastSession

    /// The state and its changes, newest wins. Ends with the session, after a state that is not enabled.
    public var states: StateSequence<State> { get async { await self.session.states(of: \.media).sequence } }

    /// The current state.
    public var state: State {
        get async { await self.session.states(of: \.media).newest ?? State(nil, .suspended) }
    }

    /// Performs the action of the main button: plays, pauses, or stops a live stream that cannot be paused. The button changes at once.
    ///
    /// - Throws: `noMediaSession` when no media is loaded; otherwise the errors of `RemoteMediaClient.play`, `pause` and `stop`.
    nonisolated(nonsending) public func pressMainButton() async throws(CastError) { try await self.session.controlMainButton() }

    /// Plays; for players with a button of its own. The main button changes at once.
    nonisolated(nonsending) public func play() async throws(CastError) { try await self.session.controlPlaying(true) }

    /// Pauses; otherwise like `play`.
    nonisolated(nonsending) public func pause() async throws(CastError) { try await self.session.controlPlaying(false) }

    /// Ends the media session; the application keeps running.
    nonisolated(nonsending) public func stop() async throws(CastError) { try await self.session.remoteMediaClient.stop() }

    /// Skips to the next item of the queue.
    nonisolated(nonsending) public func skipToNext() async throws(CastError) { try await self.session.remoteMediaClient.queueNext() }

    /// Skips to the previous item of the queue.
    nonisolated(nonsending) public func skipToPrevious() async throws(CastError) {
        try await self.session.remoteMediaClient.queuePrevious()
    }

    /// Seeks relative to the current position.
    ///
    /// - Parameter seconds: the distance; a negative value seeks backward.
    nonisolated(nonsending) public func seek(by seconds: Double = Self.seekInterval) async throws(CastError) {
        try await self.session.controlPosition(.relative(seconds))
    }

    /// Seeks to a position. Call it for each movement of a slider.
    ///
    /// - Parameter position: seconds from the start of the media.
    nonisolated(nonsending) public func seek(to position: Double) async throws(CastError) {
        try await self.session.controlPosition(.position(position))
    }

    /// Seeks to what a live stream sends just now.
    nonisolated(nonsending) public func seekToLive() async throws(CastError) { try await self.session.controlPosition(.live) }

    /// Repeats the queue, the item, or nothing.
    nonisolated(nonsending) public func setRepeatMode(_ mode: RepeatMode) async throws(CastError) {
        try await self.session.remoteMediaClient.queue.setRepeatMode(mode)
    }

    /// Shuffles the queue, or puts it in order.
    nonisolated(nonsending) public func setShuffled(_ isShuffled: Bool) async throws(CastError) {
        try await self.session.remoteMediaClient.queue.setShuffled(isShuffled)
    }

    /// Goes on to the next repeat mode: off, all, single, off.
    nonisolated(nonsending) public func cycleRepeatMode() async throws(CastError) {
        switch await self.state.repeatMode {
        case .all, .allAndShuffle: try await self.setRepeatMode(.single)
        case .single: try await self.setRepeatMode(.off)
        case .off, .unknown, nil: try await self.setRepeatMode(.all)
        }
    }

    /// Sets the volume of the stream, not of the device. Call it for each movement of a slider; the state shows the level at once.
    ///
    /// - Parameter level: 0 to 1.
    nonisolated(nonsending) public func setStreamVolume(_ level: Double) async throws(CastError) {
        try CastError.check(level, in: 0...1, "level")
        try await self.session.controlStreamLevel(level)
    }

    /// Mutes or unmutes the stream, not the device.
    nonisolated(nonsending) public func setStreamMuted(_ isMuted: Bool) async throws(CastError) {
        try await self.session.controlStreamMuted(isMuted)
    }

    /// Skips the ad that plays.
    nonisolated(nonsending) public func skipAd() async throws(CastError) { try await self.session.remoteMediaClient.skipAd() }

    /// Activates exactly these tracks; see `RemoteMediaClient.setActiveTrackIDs`.
    nonisolated(nonsending) public func setActiveTrackIDs(_ trackIDs: [Int]) async throws(CastError) {
        try await self.session.remoteMediaClient.setActiveTrackIDs(trackIDs)
    }
}
