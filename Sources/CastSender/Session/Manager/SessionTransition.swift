import CastModels

/// The state of a session (SDK: `GCKConnectionState` and the suspended state of `GCKSession`).
public enum SessionState: Sendable, Hashable {
    /// Connecting and launching, or joining.
    case starting
    /// Starting; the receiver asks the viewers for permission to launch the application.
    case waitingForPermission
    case started
    /// The link is closed, and the application is assumed to keep running.
    case suspended(SuspendReason)
    /// The link is being reconnected.
    case resuming
    case ending
}

/// The reason why a session was suspended (SDK: `GCKConnectionSuspendReason`).
public enum SuspendReason: String, Sendable, Hashable, Codable {
    /// The program suspended it.
    case appBackgrounded
    /// The link broke; the session resumes by itself when the device is reachable.
    case networkError
    /// The program ended; the next run can resume the session from its record.
    case appTerminated
    /// The application ended during playback. For 10 s the same stream is searched for on other devices, because another sender may have
    /// moved it.
    case streamLost
}

/// A transition of a session (SDK: `GCKSessionManagerListener`).
public enum SessionTransition: Sendable, Hashable {
    case willStart
    /// The receiver asks the viewers for permission; the launch then has two minutes.
    case waitsForPermission
    case didStart
    /// The session could not start. The last transition of this session.
    case didFailToStart(CastError)
    case didSuspend(SuspendReason)
    case willResume
    case didResume
    /// The application has ended meanwhile, or the device cannot be reached. The last transition of this session.
    case didFailToResume(CastError)
    case willEnd
    /// The session ended. The last transition of this session; the error is set when another cause than our `end` ended it, or `end` could
    /// not stop the application.
    case didEnd(CastError?)
    /// Another member now leads the speaker group, and its session continued there. Comes after `didResume`.
    case leaderMoved(DeviceEndpoint)
    /// Another sender moved the application to other devices, or extended it to them; `didEnd` follows when it left this one.
    case playbackMoved
    /// The device answered a challenge, or its time limit passed. Sent once for each link, and again when the device's id allows its key to
    /// be compared. Where proof is required, the session waits for an acceptable one.
    case authenticated(DeviceAuthenticationResult)
    /// Another sender moved the media to another device, and the session continues there. It now belongs to that device, which next reports
    /// `willResume` and `didResume`.
    case streamMoved(to: Device.ID)
    /// We are moving the media to another device; the session continues meanwhile.
    case willTransfer(to: Device.ID)
    /// The other device is playing; `didEnd` follows.
    case didTransfer(to: Device.ID)
    /// The other device did not start to play; this one continues.
    case didFailToTransfer(to: Device.ID, CastError)
}

/// A transition and its session.
public struct SessionEvent: Sendable, Hashable {
    public var device: Device.ID
    public var transition: SessionTransition

    public init(device: Device.ID, transition: SessionTransition) {
        self.device = device
        self.transition = transition
    }
}

/// The manager's description of one session.
public struct SessionInfo: Sendable, Hashable {
    public var device: Device
    public var state: SessionState
    /// The application that was requested or joined; `nil` while an unknown one is being joined.
    public var applicationID: String?
    /// The id of the application session; `nil` before the session has started.
    public var sessionID: String?

    init(device: Device, state: SessionState, applicationID: String?, sessionID: String?) {
        self.device = device
        self.state = state
        self.applicationID = applicationID
        self.sessionID = sessionID
    }
}
