import CastModels
import CastProtocol
import NIOCore

extension SessionStateMachine {
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
        /// No caller waits for the launch any more.
        case endLaunch
        /// Ask the device to end an application session, without a caller that waits for it.
        case stopApplication(sessionID: String)
        /// Report `receiver`.
        case reportReceiver
        /// Report `media`.
        case reportMedia
        /// Check whether `receiver` shows the wanted state of a request.
        case observeReceiver
        /// Check whether `media` shows the wanted state of a request.
        case observeMedia
        indirect case reportApplication(ApplicationSession)
        indirect case identified(DeviceIdentity)
        case becomeReady
        indirect case fail(CastError)

        var endsTransport: Bool { if case .abandon = self { true } else { false } }
    }
}
