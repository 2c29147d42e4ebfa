/// What a session tells, in the order in which it happened.
public enum CastSessionEvent: Sendable, Hashable {
    /// The device told who it is; later answers may add to it.
    case identified(DeviceIdentity)
    /// Receiver and media status have been read.
    case ready(receiver: ReceiverStatus, media: MediaStatus?)
    /// Complete each time. A volume that a status leaves out is the former one.
    case receiverStatus(ReceiverStatus)
    /// Merged from the partial ones; `nil` when there is no media session.
    case mediaStatus(MediaStatus?)
    /// The queue around what plays, as far as it was read; told only by sessions that were made to follow it. `nil` when nothing plays.
    case queueWindow(MediaQueueWindow?)
    /// - ours: whether we launched the application.
    case applicationConnection(ApplicationConnection, ours: Bool)
    /// The device has answered our challenge, or hasn't in time; told again when the id shows how its key compares.
    case authenticated(DeviceAuthenticationResult)
    /// A launch of ours waits for the people before the screen, or may go on.
    case launchStatus(LaunchStatus)
    /// The members of a group, each time anything about them changed.
    case multizoneStatus(MultizoneStatus)
    /// How the members of a group differ from before.
    case groupChanged(GroupChange)
    /// The link is gone and with it the session; the last event.
    case ended(CastError)
}
