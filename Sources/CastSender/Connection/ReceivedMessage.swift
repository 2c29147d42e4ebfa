import CastModels
import CastProtocol
import NIOCore

/// A message as a link hands it up: read, and matched to the request it answers.
struct ReceivedMessage: Sendable {
    let piece: CastMessagePiece
    let content: ReceivedPayload.Content
    /// The request of ours that this answers.
    let answers: Int?
    /// When its last byte was read.
    let at: NIODeadline

    /// Whether everyone was told, or only whoever asked.
    var isBroadcast: Bool { self.answers == nil || self.piece.isFor(CastMessage.broadcastID) }
}

/// What an answer means for the request it belongs to.
enum RequestAnswer: Equatable {
    case success
    case failure(CastError)
    /// Not over yet: ask for this much more time.
    case wait(TimeAmount)

    init(_ content: ReceivedPayload.Content) {
        switch content {
        case .receiver(.launchStatus(.userPendingAuthorization)): self = .wait(.minutes(2))
        case .receiver(.launchError(let failure)), .receiver(.invalidRequest(let failure)): self = .failure(failure.error)
        case .multizone(.invalidRequest(let failure)): self = .failure(failure.error)
        case .deviceInformation(.refused(let reason)):
            self = .failure(CastError(.unsupportedFeature, detail: "the device doesn't tell who it is", reason: reason))
        case .media(.requestFailed(let failure)), .media(.error(let failure)): self = .failure(failure.error)
        case .media(.status), .media(.queueItemIDs), .media(.queueItems), .media(.queueChange), .media(.sessionState), .media(.unknown):
            self = .success
        case .receiver, .deviceInformation, .multizone, .connection, .heartbeat, .other: self = .success
        }
    }
}
