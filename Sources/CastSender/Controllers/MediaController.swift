import CastModels

/// Controls the playback with the buttons of a player (SDK: `GCKUIMediaController`). All controllers of a session share one state.
public struct MediaController: Sendable {
    /// The main button of the player.
    public enum MainButton: Sendable, Hashable {
        /// No main button: no media is loaded.
        case none
        case play
        case pause
        /// Shown in place of `pause` for a live stream that cannot be paused.
        case stop
    }

    /// The state of the buttons.
    public struct State: Sendable, Hashable {
        /// Whether media is loaded.
        public var isEnabled: Bool
        public var mainButton: MainButton
        /// Whether the player is loading data and will then play.
        public var isBuffering: Bool
        public var isLive: Bool
        public var canSkipToNext: Bool
        public var canSkipToPrevious: Bool
        /// Whether the position can be changed with `seek(by:)` and `seek(to:)`.
        public var canSeek: Bool
        /// The target of an unconfirmed seek in seconds; a slider shows it in place of the stream's position.
        public var pendingPosition: Double?
        public var tracks: [MediaTrack]
        public var activeTrackIDs: [Int]

        init(_ status: MediaStatus?, isConnected: Bool, isPlaying: Bool? = nil, position: Double? = nil) {
            let status = status.flatMap { isConnected && !$0.isEnded ? $0 : nil }
            let commands = status?.supportedMediaCommands ?? []
            self.isEnabled = status != nil
            self.isLive = status?.isLiveStream ?? false
            self.isBuffering = status.map { $0.playerState == .buffering || $0.playerState == .loading } ?? false
            let canPause = commands.contains(.pause)
            switch status.map({ isPlaying ?? ($0.playerState != .paused && $0.playerState != .idle) }) {
            case nil: self.mainButton = .none
            case true?: self.mainButton = self.isLive && !canPause ? .stop : .pause
            case false?: self.mainButton = .play
            }
            self.canSkipToNext = commands.contains(.queueNext)
            self.canSkipToPrevious = commands.contains(.queuePrevious)
            self.canSeek = commands.contains(.seek)
            self.pendingPosition = status == nil ? nil : position
            self.tracks = status?.media?.tracks ?? []
            self.activeTrackIDs = status?.activeTrackIDs ?? []
        }
    }

    /// The default distance of `seek(by:)`, in seconds.
    public static let seekInterval = 30.0

    let session: CastSession

    /// The state and its changes, newest wins. Ends with the session, after a state that is not enabled.
    public var states: StateSequence<State> { get async { await self.session.states(of: \.media).sequence } }

    /// The current state.
    public var state: State {
        get async { await self.session.states(of: \.media).newest ?? State(nil, isConnected: false) }
    }

    /// Performs the action of the main button: plays, pauses, or stops a live stream that cannot be paused. The button changes at once.
    ///
    /// - Throws: `noMediaSession` when no media is loaded; otherwise the errors of `RemoteMediaClient.play`, `pause` and `stop`.
    nonisolated(nonsending) public func pressMainButton() async throws(CastError) { try await self.session.controlMainButton() }

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

    /// Activates exactly these tracks; see `RemoteMediaClient.setActiveTrackIDs`.
    nonisolated(nonsending) public func setActiveTrackIDs(_ trackIDs: [Int]) async throws(CastError) {
        try await self.session.remoteMediaClient.setActiveTrackIDs(trackIDs)
    }
}
