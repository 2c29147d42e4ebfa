import CastModels

/// The playback, for the buttons of a player (SDK: `GCKUIMediaController`). Shares its state with all others of the session.
public struct MediaController: Sendable {
    /// The action of the main button.
    public enum MainButton: Sendable, Hashable {
        /// Nothing is loaded, or a live stream can't be stopped any further.
        case none
        case play
        case pause
        /// In place of `pause`, for a live stream that can't be paused.
        case stop
    }

    /// The state of the buttons.
    public struct State: Sendable, Hashable {
        /// Whether anything is loaded.
        public var isEnabled: Bool
        public var mainButton: MainButton
        /// Whether the player fetches data and will play by itself.
        public var isBuffering: Bool
        public var isLive: Bool
        public var canSkipToNext: Bool
        public var canSkipToPrevious: Bool
        /// Whether the position can be changed: `seek(by:)` and `seek(to:)`.
        public var canSeek: Bool
        /// Where a seek that is not confirmed goes, in seconds; a slider shows it in place of the stream's position.
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

    /// How far the buttons for seeking go, in seconds.
    public static let seekInterval = 30.0

    let session: CastSession

    /// The state and its changes, newest wins. Ends with the session, after a state that is not enabled.
    public var states: StateSequence<State> { get async { await self.session.controllerSequences.media } }

    /// The present state.
    public var state: State { get async { await self.session.controllerStates.media } }

    /// Does what the main button shows: plays, pauses, or stops a live stream that can't be paused. The button changes at once.
    ///
    /// - Throws: `noMediaSession` when nothing is loaded; otherwise as `RemoteMediaClient.play`, `pause` and `stop`.
    nonisolated(nonsending) public func pressMainButton() async throws(CastError) { try await self.session.controlMainButton() }

    /// Goes to the next item of the queue.
    nonisolated(nonsending) public func skipToNext() async throws(CastError) { try await self.session.remoteMediaClient.queueNext() }

    /// Goes to the item before in the queue.
    nonisolated(nonsending) public func skipToPrevious() async throws(CastError) {
        try await self.session.remoteMediaClient.queuePrevious()
    }

    /// Seeks from where the player is.
    ///
    /// - Parameter seconds: negative seeks backward.
    nonisolated(nonsending) public func seek(by seconds: Double = Self.seekInterval) async throws(CastError) {
        try await self.session.controlPosition(.relative(seconds))
    }

    /// Seeks; call it as often as a slider moves.
    ///
    /// - Parameter position: seconds from the start of the media.
    nonisolated(nonsending) public func seek(to position: Double) async throws(CastError) {
        try await self.session.controlPosition(.position(position))
    }

    /// Shows these tracks and no others; as `RemoteMediaClient.setActiveTrackIDs`.
    nonisolated(nonsending) public func setActiveTrackIDs(_ trackIDs: [Int]) async throws(CastError) {
        try await self.session.remoteMediaClient.setActiveTrackIDs(trackIDs)
    }
}
