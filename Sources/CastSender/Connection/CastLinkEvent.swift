/// An event on the way to a device, or of the session over the link to it; in the order in which they happened.
public enum CastLinkEvent: Sendable, Hashable {
    /// An attempt begins.
    case connecting
    /// Another device answered at this address; it was sent nothing but the question who it is. Other addresses are tried.
    case identityMismatch(found: DeviceIdentity, at: DeviceEndpoint)
    /// The device reported who it is; later answers may add to it.
    case identified(DeviceIdentity)
    /// The device has answered our challenge, or hasn't in time; where proof is required `attemptFailed` follows when it isn't acceptable.
    /// Again when the id shows how its key compares.
    case authenticated(DeviceAuthenticationResult)
    /// Connected, and receiver and media status have been read: what was known before may be replaced.
    case ready(receiver: ReceiverStatus, media: MediaStatus?)
    /// Complete each time. A volume that a status leaves out is the previous one.
    case receiverStatus(ReceiverStatus)
    /// Merged from the partial ones; `nil` when there is no media session.
    case mediaStatus(MediaStatus?)
    /// The queue around what plays, as far as it was read; only where the queue is followed. `nil` when nothing plays.
    case queueWindow(MediaQueueWindow?)
    /// The members of a speaker group, complete each time.
    case multizoneStatus(MultizoneStatus)
    /// How the members of a group differ from before.
    case groupChanged(GroupChange)
    case applicationConnection(ApplicationConnection)
    /// A launch of ours waits for the people before the screen, or may go on.
    case launchStatus(LaunchStatus)
    /// A link that was ready is closed, and the session over it has ended; `attemptFailed` says when the next attempt comes.
    case disconnected(CastError)
    /// - retryIn: until the next attempt; `nil` when no address is known to try.
    /// - attempts: failures in a row.
    case attemptFailed(CastError, retryIn: Duration?, attempts: Int)
}
