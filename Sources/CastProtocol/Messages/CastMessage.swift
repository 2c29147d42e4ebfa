/// One message of a Cast connection: source, destination, namespace and payload.
public struct CastMessage: Sendable, Hashable {
    /// The sending end of a virtual connection: `sender-0`, `receiver-0`, a transport id.
    public var sourceID: String
    /// The receiving end; `*` addresses every sender on this connection.
    public var destinationID: String
    /// One of `CastNamespace`, or an application's own.
    public var namespace: String
    public var payload: Payload

    public init(sourceID: String, destinationID: String, namespace: String, payload: Payload) {
        self.sourceID = sourceID
        self.destinationID = destinationID
        self.namespace = namespace
        self.payload = payload
    }

    /// The payload, usually JSON text.
    public enum Payload: Sendable, Hashable {
        case text(String)
        case binary([UInt8])
    }

    /// The destination that addresses every sender on the connection.
    public static let broadcastID = "*"
    /// The sender platform: heartbeat, authentication, receiver requests.
    public static let platformSenderID = "sender-0"
    /// The receiver platform.
    public static let platformReceiverID = "receiver-0"

    /// The text of a text payload; `nil` for a binary one.
    public var text: String? {
        if case .text(let text) = self.payload { text } else { nil }
    }
}
