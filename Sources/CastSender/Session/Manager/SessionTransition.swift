import CastModels

/// How far a session has come (SDK: `GCKConnectionState` and the suspended state of `GCKSession`).
public enum SessionState: Sendable, Hashable {
    /// Connecting and launching, or joining.
    case starting
    /// Starting; the people before the screen are being asked whether the application may be launched.
    case waitingForPermission
    case started
    /// The link is gone and the application is believed to go on.
    case suspended(SuspendReason)
    /// The link is being made anew.
    case resuming
    case ending
}

/// Why a session was suspended (SDK: `GCKConnectionSuspendReason`).
public enum SuspendReason: String, Sendable, Hashable, Codable {
    /// The program asked for it.
    case appBackgrounded
    /// The link broke; the session resumes by itself when the device can be reached.
    case networkError
    /// The program ends; the session can be resumed by the next one from its record.
    case appTerminated
    /// The application ended while it played, and for 10 s the same stream is looked for on other devices: another sender may have moved it.
    case streamLost
}

/// A step in the life of a session (SDK: `GCKSessionManagerListener`).
public enum SessionTransition: Sendable, Hashable {
    case willStart
    /// The receiver asks the people before the screen; the launch then has two minutes.
    case waitsForPermission
    case didStart
    /// The last one of this session.
    case didFailToStart(CastError)
    case didSuspend(SuspendReason)
    case willResume
    case didResume
    /// The application has ended meanwhile, or the device can't be reached. The last one of this session.
    case didFailToResume(CastError)
    case willEnd
    /// The last one of this session; with an error when something else than our `end` ended it, or `end` couldn't stop the application.
    case didEnd(CastError?)
    /// A speaker group is led by another of its members now; its session went on there. Comes after `didResume`.
    case leaderMoved(DeviceEndpoint)
    /// The application moved to other devices, or was extended to them, by another sender's doing; `didEnd` follows when it left this one.
    case playbackMoved
    /// The device has answered a challenge, or hasn't in time: once for each link, and again when its id shows how its key compares. Where proof
    /// is required the session waits for one that is acceptable.
    case authenticated(DeviceAuthenticationResult)
    /// Another sender moved what plays to another device, and the session goes on there: it is that device's from now on, which reports
    /// `willResume` and `didResume` next.
    case streamMoved(to: Device.ID)
    /// What plays is being moved to another device by us; the session goes on meanwhile.
    case willTransfer(to: Device.ID)
    /// The other device plays; `didEnd` follows.
    case didTransfer(to: Device.ID)
    /// The other device doesn't play; this one goes on.
    case didFailToTransfer(to: Device.ID, CastError)
}

/// A transition and whose it is.
public struct SessionEvent: Sendable, Hashable {
    public var device: Device.ID
    public var transition: SessionTransition

    public init(device: Device.ID, transition: SessionTransition) {
        self.device = device
        self.transition = transition
    }
}

/// One session as the manager knows it.
public struct SessionInfo: Sendable, Hashable {
    public var device: Device
    public var state: SessionState
    /// The application that was asked for or joined; `nil` while one is being joined that isn't known yet.
    public var applicationID: String?
    /// The run of the application; `nil` before the session has started.
    public var sessionID: String?

    init(device: Device, state: SessionState, applicationID: String?, sessionID: String?) {
        self.device = device
        self.state = state
        self.applicationID = applicationID
        self.sessionID = sessionID
    }
}
