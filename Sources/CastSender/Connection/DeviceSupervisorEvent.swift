/// What a supervisor tells, in the order in which it happened.
public enum DeviceSupervisorEvent: Sendable, Hashable {
    /// An attempt begins.
    case connecting
    /// The device told who it is; later answers may add to it.
    case identified(DeviceIdentity)
    /// The device has answered our challenge, or hasn't in time; where proof is required `attemptFailed` follows when it isn't acceptable.
    /// Told again when the id shows how its key compares.
    case authenticated(DeviceAuthenticationResult)
    /// Connected, and receiver and media status have been read: what was known before may be replaced.
    case ready(receiver: ReceiverStatus, media: MediaStatus?)
    /// Complete each time.
    case receiverStatus(ReceiverStatus)
    /// Merged; `nil` when there is no media session.
    case mediaStatus(MediaStatus?)
    /// The queue around what plays, as far as it was read; only when the supervisor was told to follow it.
    case queueWindow(MediaQueueWindow?)
    /// The members of a speaker group, complete each time.
    case multizoneStatus(MultizoneStatus)
    /// - ours: whether we launched the application.
    case applicationConnection(ApplicationConnection, ours: Bool)
    /// A link that was ready is gone; `attemptFailed` says when the next attempt comes.
    case disconnected(CastError)
    /// - retryIn: until the next attempt; `nil` when no address is known to try.
    /// - attempts: failures in a row.
    case attemptFailed(CastError, retryIn: Duration?, attempts: Int)
    /// Another device answered at this address; it was sent nothing but the question who it is. Other addresses are tried.
    case identityMismatch(found: DeviceIdentity, at: DeviceEndpoint)
}
