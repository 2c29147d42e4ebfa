import CastModels
import CastProtocol
import NIOCore

extension SessionStateMachine {
    /// The application that we are connected to.
    struct Transport: Equatable {
        let id: String
        let sessionID: String
        let applicationID: String
        /// Whether the application has a player. Others are connected to for custom channels, and because we launched or joined them.
        var speaksMedia = true
        var kind: VirtualConnectionKind
        let openedAt: NIODeadline
        /// Whether the application has reported its media status, or will not report it.
        var isStatusKnown = false
        /// Whether it reports changes to all senders, and not only to the one that asks.
        var hasBroadcast = false
    }

    /// The application session that appeared last.
    struct NewestSession: Equatable {
        let sessionID: String
        /// The end of its first second, when another sender launched it; `nil` once that is over.
        var waitsUntil: NIODeadline?
    }

    /// An action that follows an event. Statuses are not included: the machine holds them.
    enum Effect: Equatable {
        case connectPlatform
        case askReceiverStatus
        case ask(IdentityCheck.Question)
        case connect(transportID: String, VirtualConnectionKind)
        case disconnect(transportID: String)
        /// The transport has ended: no answer will come over it.
        case abandon(transportID: String)
        case askMediaStatus(transportID: String)
        /// Report `receiver`.
        case reportReceiver
        /// Report `media`.
        case reportMedia
        /// Check whether `receiver` shows the wanted state of a request.
        case observeReceiver
        /// Check whether `media` shows the wanted state of a request.
        case observeMedia
        case reportConnection(ApplicationConnection)
        indirect case identified(DeviceIdentity)
        case becomeReady
        indirect case fail(CastError)
    }
}
