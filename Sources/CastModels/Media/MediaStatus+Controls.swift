/// What the main button of a player does; the library's controller, the commands and the web page share it.
public enum MediaMainButton: Sendable, Hashable {
    /// No main button: no media is loaded.
    case none
    case play
    case pause
    /// In place of `pause` for a live stream that cannot be paused.
    case stop
}

extension MediaStatus {
    /// Returns what the main button does now. An item that is being loaded counts as playing, so that the button keeps still while it loads.
    ///
    /// - Parameter isPlaying: what a press just asked for, in place of the receiver's state.
    public func mainButton(isPlaying: Bool? = nil) -> MediaMainButton {
        guard !self.isEnded else { return .none }
        guard isPlaying ?? (self.extendedPlayerState != .paused) else { return .play }
        return self.isLiveStream && !self.supportedMediaCommands.contains(.pause) ? .stop : .pause
    }
}
