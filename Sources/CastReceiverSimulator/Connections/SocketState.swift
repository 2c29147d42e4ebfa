import CastProtocol

/// Identifies one TLS connection of a device; never reused.
public typealias SocketID = Int

/// The receiver's state of one TLS connection.
struct SocketState: Sendable {
    /// The largest number of messages that wait for their answer delay; a sender that exceeds it is disconnected.
    static let maximumWaiting = 1_024
    /// The largest number of virtual connections on one socket; further ones are answered with `CLOSE`.
    static let maximumConnections = 64

    let id: SocketID
    var lastReceived: Duration
    /// The number of pings since the last message from the sender.
    var unansweredPings = 0
    var connections: [VirtualConnection] = []
    /// Received messages in order, each with the time at which it is processed.
    var waiting: [(due: Duration, message: SocketMessage)] = []

    func connection(from source: String, to destination: String) -> VirtualConnection? {
        self.connections.first { $0.source == source && $0.destination == destination }
    }

    /// - Parameter ofSender: whether the application has to know of the sender.
    func hasConnection(to destination: String, ofSender: Bool = false) -> Bool {
        self.connections.contains { $0.destination == destination && (!ofSender || $0.kind != .invisible) }
    }
}

struct SocketMessage: Sendable {
    var source: String
    var destination: String
    var namespace: String
    /// The payload as JSON; `nil` when it is binary or not JSON.
    var json: JSON?
    var payload: CastMessage.Payload

    var type: String? { self.json?["type"]?.text }
    var requestID: Int? { self.json?["requestId"]?.int }
}

/// The sender of a request, to which the answer goes.
struct Asker: Sendable, Hashable {
    var socket: SocketID
    var source: String
    /// The endpoint that received the request and sends the answer.
    var endpoint: String
    var namespace: String
    var requestID: Int
    /// Whether the request changes something.
    var isForCommand = true
}
