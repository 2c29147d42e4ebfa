import CastModels
import CastProtocol
import NIOCore

extension SessionStateMachine {
    /// The application we are connected to.
    struct Transport: Equatable {
        let id: String
        let sessionID: String
        let applicationID: String
        /// It has a player; others are connected to for custom channels, and because we launched or joined them.
        var speaksMedia = true
        var kind: VirtualConnectionKind
        let openedAt: NIODeadline
        /// The application has told its media status, or won't.
        var isStatusKnown = false
        /// It tells everyone when something changes, not only whoever asks.
        var hasBroadcast = false
    }

    /// Boxed: most are passed on several times, and a status in them is large.
    indirect enum Effect: Equatable {
        case connectPlatform
        case askReceiverStatus
        case askIdentity
        case askEurekaInformation
        case connect(transportID: String, VirtualConnectionKind)
        case disconnect(transportID: String)
        /// The transport is gone: nothing sent to it will be answered.
        case abandon(transportID: String)
        case askMediaStatus(transportID: String)
        /// A request may have got what it wanted.
        case observeReceiver(ReceiverStatus)
        case observeMedia(MediaStatus?)
        case report(CastSessionEvent)
        case fail(CastError)
    }
}
