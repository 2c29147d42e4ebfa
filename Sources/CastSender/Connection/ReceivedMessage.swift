import CastModels
import CastProtocol
import NIOCore

/// A message that a link received, parsed and matched to the request that it answers.
struct ReceivedMessage: Sendable {
    let piece: CastMessagePiece
    let content: ReceivedPayload.Content
    /// The id of our request that this message answers.
    let answers: Int?
    /// The time at which its last byte was read.
    let at: NIODeadline

    /// Whether the message went to all senders, and not only to the one that asked.
    var isBroadcast: Bool { self.answers == nil || self.piece.isFor(CastMessage.broadcastID) }
}

/// The effect of an answer on its request.
enum RequestAnswer: Equatable {
    case success
    case failure(CastError)
    /// The request is not finished yet and gets this much more time.
    case wait(TimeAmount)

    init(_ content: ReceivedPayload.Content) {
        switch content {
        case .receiver(.launchStatus(.userPendingAuthorization)): self = .wait(.minutes(2))
        case .receiver(.launchError(let failure)), .receiver(.invalidRequest(let failure)): self = .failure(failure.error)
        case .multizone(.invalidRequest(let failure)): self = .failure(failure.error)
        case .deviceInformation(.refused(let reason)):
            self = .failure(CastError(.unsupportedFeature, detail: "the device does not report its identity", reason: reason))
        case .media(.requestFailed(let failure)), .media(.error(let failure)): self = .failure(failure.error)
        case .media(.status), .media(.queueItemIDs), .media(.queueItems), .media(.queueChange), .media(.sessionState), .media(.unknown):
            self = .success
        case .receiver, .deviceInformation, .multizone, .connection, .heartbeat, .other: self = .success
        }
    }
}
