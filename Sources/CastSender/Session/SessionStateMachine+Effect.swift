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
        /// The application has reported its media status, or won't.
        var isStatusKnown = false
        /// It reports changes to all senders, not only to the one that asks.
        var hasBroadcast = false
    }

    /// What follows from an event. Statuses are not in it: the machine has them.
    enum Effect: Equatable {
        case connectPlatform
        case askReceiverStatus
        case ask(IdentityCheck.Question)
        case connect(transportID: String, VirtualConnectionKind)
        case disconnect(transportID: String)
        /// The transport is gone: nothing sent to it will be answered.
        case abandon(transportID: String)
        case askMediaStatus(transportID: String)
        /// Report `receiver`.
        case reportReceiver
        /// Report `media`.
        case reportMedia
        /// `receiver` may show what a request wanted.
        case observeReceiver
        /// `media` may show what a request wanted.
        case observeMedia
        case reportConnection(ApplicationConnection)
        indirect case identified(DeviceIdentity)
        case becomeReady
        indirect case fail(CastError)
    }
}
