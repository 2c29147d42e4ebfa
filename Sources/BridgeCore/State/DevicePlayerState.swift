import CastModels

/// What `player` says: one word for receiver, application and media together. The list is closed; readers rely on it.
package enum DevicePlayerState: String, Sendable, Hashable, CaseIterable {
    /// Standby, an input that is known to be inactive, the idle screen, or no application at all.
    case off
    /// An application that plays media is open, with nothing loaded.
    case idle
    /// An application without media control shows something.
    case on
    case loading, buffering, playing, paused
    /// Not connected, or nothing was told yet.
    case unknown

    /// The table of `docs/TOPICS.md`, first match wins.
    /// - Parameters:
    ///   - isAvailable: whether the link is up, or was a moment ago.
    ///   - receiver: `nil` before the first receiver status.
    ///   - media: the media session to show; `nil` when there is none or it ended.
    ///   - isLoadPending: a load of ours has no answer and no status yet.
    ///   - group: what the player of a group does that plays on this device; `nil` when none does.
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

    /// Whether something plays, or is about to.
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
    /// Whether it speaks the media namespace, so that it can hold a media session.
    var hasMediaControl: Bool { self.namespaces.contains("urn:x-cast:com.google.cast.media") }

    /// Its name, or its id when it has none.
    var displayName: String {
        if let name, !name.isEmpty { return name }
        return self.applicationID
    }
}
