import CastProtocol

/// Names one TLS connection of a device; never used again.
public typealias SocketID = Int

/// What a receiver knows of one TLS connection.
struct SocketState: Sendable {
    /// Most messages that may wait for their answering delay; a sender that outruns it is disconnected.
    static let maximumWaiting = 1_024
    /// Most virtual connections on one socket; further ones are answered with `CLOSE`.
    static let maximumConnections = 64

    let id: SocketID
    var lastHeard: Duration
    /// Pings without any message from the sender since.
    var unansweredPings = 0
    var connections: [VirtualConnection] = []
    /// Received messages in their order, each with the time at which it takes effect.
    var waiting: [(due: Duration, message: IncomingMessage)] = []

    func connection(from source: String, to destination: String) -> VirtualConnection? {
        self.connections.first { $0.source == source && $0.destination == destination }
    }

    func hasConnection(to destination: String) -> Bool {
        self.connections.contains { $0.destination == destination }
    }
}

/// A message from a sender.
struct IncomingMessage: Sendable {
    var source: String
    var destination: String
    var namespace: String
    /// The payload as JSON; `nil` when it is binary or no JSON.
    var json: JSON?
    /// The payload as it came.
    var payload: CastMessage.Payload

    var type: String? { self.json?["type"]?.text }
    var requestID: Int? { self.json?["requestId"]?.int }
}

/// Who asked, so that the answer finds its way.
struct Asker: Sendable, Hashable {
    var socket: SocketID
    var source: String
    /// The endpoint that was asked, which is the one that answers.
    var endpoint: String
    var requestID: Int
}
