/// An event on the way to a device, or of the session over the link to it; in the order in which they happened.
///
/// What is large and rare is behind a reference, so that the frequent ones are passed on in registers.
public enum CastLinkEvent: Sendable, Hashable {
    /// An attempt begins.
    case connecting
    /// Another device answered at this address; it was sent nothing but the question who it is. Other addresses are tried.
    indirect case identityMismatch(found: DeviceIdentity, at: DeviceEndpoint)
    /// The device reported who it is; later answers may add to it.
    indirect case identified(DeviceIdentity)
    /// The device has answered our challenge, or hasn't in time; where proof is required `attemptFailed` follows when it isn't acceptable.
    /// Again when the id shows how its key compares.
    indirect case authenticated(DeviceAuthenticationResult)
    /// Connected, and receiver and media status have been read: what was known before may be replaced.
    indirect case ready(receiver: ReceiverStatus, media: MediaStatus?)
    /// Complete each time. A volume that a status leaves out is the previous one.
    indirect case receiverStatus(ReceiverStatus)
    /// Merged from the partial ones; `nil` when there is no media session.
    case mediaStatus(MediaStatus?)
    /// The queue around what plays, as far as it was read; only where the queue is followed. `nil` when nothing plays.
    indirect case queueWindow(MediaQueueWindow?)
    /// The members of a speaker group, complete each time.
    indirect case multizoneStatus(MultizoneStatus)
    /// How the members of a group differ from before.
    indirect case groupChanged(GroupChange)
    case applicationConnection(ApplicationConnection)
    /// A launch of ours waits for the people before the screen, or may go on.
    indirect case launchStatus(LaunchStatus)
    /// A link that was ready is closed, and the session over it has ended; `attemptFailed` says when the next attempt comes.
    indirect case disconnected(CastError)
    /// - retryIn: until the next attempt; `nil` when no address is known to try.
    /// - attempts: failures in a row.
    indirect case attemptFailed(CastError, retryIn: Duration?, attempts: Int)
}
