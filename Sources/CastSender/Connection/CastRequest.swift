import CastModels
import CastProtocol
import NIOCore

/// The peer that a request goes to, and that may answer it.
struct RequestPeer: Sendable, Hashable {
    var namespace: String
    /// The platform, or the transport id of an application.
    var id: String
}

/// The kind of a request of which only the newest matters.
enum RequestKind: Sendable, Hashable {
    case deviceLevel, deviceMuted
    case streamLevel, streamMuted
    case seek, load, playbackRate
    case activeTracks, textTrackStyle, repeatMode
    case launch

    /// Whether a newer request ends the older ones. Launches of the same application end together.
    var replacesOlder: Bool { self != .launch }
}

/// How a request is made, and when it ends.
struct RequestTerms {
    var peer: RequestPeer
    /// How long it waits for its answer while the peer sends no broadcast.
    var timeout: TimeAmount
    /// The same while the peer sends broadcasts; `nil` means `timeout`.
    var limit: TimeAmount?
    /// How long the peer may send nothing at all; `nil` means `timeout`.
    var silence: TimeAmount?
    /// A state that also completes the request.
    var observed = ObservedState.none
    /// How long the request waits for its own answer after the wanted state was observed. If the link breaks before that, the request may
    /// never have arrived, and another sender may have caused the state.
    var grace = TimeAmount.milliseconds(500)
    /// Older requests of this kind to the same peer end with `replaced`.
    var kind: RequestKind?
    /// The type on the wire. A receiver that ignored an earlier request of this type gets a short time limit; `nil` for requests that always
    /// get their whole time limit.
    var type: String?
    /// The id of the application behind the peer.
    var application: String?
    /// The type on the wire for the log, where `type` is not given.
    var name: String?
    /// After this time without an answer, the peer is asked for its state, which may show the wanted one.
    var probe: TimeAmount?

    init(_ namespace: String, to id: String = CastMessage.platformReceiverID, timeout: TimeAmount, name: String? = nil) {
        self.peer = RequestPeer(namespace: namespace, id: id)
        self.timeout = timeout
        self.name = name
    }
}

/// A request as a session sends it: its terms, and its text for a request id.
struct CastRequest: Sendable {
    var terms: RequestTerms
    let text: @Sendable (Int) throws(CastError) -> String

    /// - Parameter name: the type on the wire, for the log.
    init(
        _ namespace: String, to id: String = CastMessage.platformReceiverID, timeout: TimeAmount, name: String? = nil,
        _ text: @escaping @Sendable (Int) throws(CastError) -> String
    ) {
        self.terms = RequestTerms(namespace, to: id, timeout: timeout, name: name)
        self.text = text
    }

    init(_ request: ReceiverRequest, timeout: TimeAmount) {
        self.init(CastNamespace.receiver, timeout: timeout, name: request.type) { id throws(CastError) in try request.text(requestID: id) }
    }

    /// A request to the application, whose silence may mean that it ignores the type.
    init(_ request: MediaRequest, to transport: ApplicationStateMachine.Transport, timeout: TimeAmount) {
        self.init(CastNamespace.media, to: transport.id, timeout: timeout) { id throws(CastError) in try request.text(requestID: id) }
        (self.terms.type, self.terms.application) = (request.type, transport.applicationID)
    }
}
