import CastModels

/// The value of `player`: one word for receiver, application and media together. The list is closed, because readers rely on it.
package enum DevicePlayerState: String, Sendable, Hashable, CaseIterable {
    /// Standby, an input known to be inactive, the idle screen, or no application.
    case off
    /// An application with a player is open, and no media is loaded.
    case idle
    /// An application without media control is open.
    case on
    case loading, buffering, playing, paused
    /// Not connected, or nothing was reported yet.
    case unknown

    /// Returns the state from the table of `docs/TOPICS.md`; the first match applies.
    /// - Parameters:
    ///   - isAvailable: whether the link is up, or was a moment ago.
    ///   - receiver: `nil` before the first receiver status.
    ///   - media: the media session to show; `nil` when there is none or it ended.
    ///   - isLoadPending: whether a load of the bridge has no answer and no status yet.
    ///   - group: the player state of a group that plays on this device; `nil` when none does.
    package init(
        isAvailable: Bool, receiver: ReceiverStatus?, media: MediaStatus?, isLoadPending: Bool, group: DevicePlayerState? = nil,
        inactiveInputIsOff: Bool
    ) {
        guard isAvailable, let receiver else {
            self = .unknown
            return
        }
        if isLoadPending {
            self = .loading
        } else if media == nil, let group {
            self = group
        } else if receiver.isStandBy == true || (inactiveInputIsOff && receiver.isActiveInput == false) {
            self = .off
        } else if let media {
            self.init(media)
        } else if let application = receiver.application, !application.isIdleScreen {
            self = application.hasMediaControl ? .idle : .on
        } else {
            self = .off
        }
    }

    /// Whether media is playing, or about to play.
    package var isActive: Bool {
        switch self {
        case .loading, .buffering, .playing: true
        case .off, .idle, .on, .paused, .unknown: false
        }
    }

    private init(_ media: MediaStatus) {
        switch media.playerState {
        case .idle: self = media.isLoading ? .loading : .idle
        case .loading: self = .loading
        case .buffering: self = .buffering
        case .playing: self = .playing
        case .paused: self = .paused
        case .unknown: self = .unknown
        }
    }
}

extension ReceiverApplication {
    /// Whether it supports the media namespace, so that it can have a media session.
    var hasMediaControl: Bool { self.namespaces.contains("urn:x-cast:com.google.cast.media") }

    /// Its name, or its id if it has no name.
    var displayName: String {
        if let name, !name.isEmpty { return name }
        return self.applicationID
    }
}
