/// An event of connecting to a device, or of the session on its link, in order of occurrence.
///
/// Large and rare values are indirect, so that frequent events are passed in registers.
public enum CastLinkEvent: Sendable, Hashable {
    /// An attempt begins.
    case connecting
    /// Another device answered at this address. Only identity questions were sent to it. Other addresses are tried.
    indirect case identityMismatch(found: DeviceIdentity, at: DeviceEndpoint)
    /// The device reported its identity; later answers may add to it.
    indirect case identified(DeviceIdentity)
    /// The device answered our challenge, or its time limit passed. Where proof is required, `attemptFailed` follows an unacceptable
    /// result. Reported again when the device's id allows its key to be compared.
    indirect case authenticated(DeviceAuthenticationResult)
    /// The device is connected, and its receiver and media status have been read. They replace the last known state.
    indirect case ready(receiver: ReceiverStatus, media: MediaStatus?)
    /// A complete receiver status. A volume that a status leaves out keeps its previous value.
    indirect case receiverStatus(ReceiverStatus)
    /// The media status, merged from the partial ones; `nil` when there is no media session.
    case mediaStatus(MediaStatus?)
    /// Playback failed without a request of ours.
    indirect case mediaFailed(CastError)
    /// The known part of the queue around the current item; only when the queue is followed. `nil` when nothing is playing.
    indirect case queueWindow(MediaQueueWindow?)
    /// The members of a speaker group, complete in each event.
    indirect case multizoneStatus(MultizoneStatus)
    /// The changes of a group's members.
    indirect case groupChanged(GroupChange)
    /// Our part in the running application, whole. Reported after `ready`, then with each change, after the status that shows the application.
    indirect case application(ApplicationSession)
    /// The link is closed, and requests over it have ended. `attemptFailed` reports when the next attempt follows.
    indirect case disconnected(CastError)
    /// An attempt failed.
    /// - retryIn: the time until the next attempt; `nil` when there is no address to try.
    /// - attempts: the number of failures in a row.
    indirect case attemptFailed(CastError, retryIn: Duration?, attempts: Int)
}
