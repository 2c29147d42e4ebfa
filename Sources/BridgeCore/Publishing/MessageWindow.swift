import CastModels

/// The messages that the broker has not answered yet, oldest first, and how many and how large ones it accepts.
///
/// Each message gets a token that is never reused; an answer is looked up by it. Fewer messages than `Limits.unacknowledged` are in flight.
struct MessageWindow: Sendable {
    enum Kind: Hashable {
        case document(DocumentOwner, isClearing: Bool)
        case answer, event, clearing, online, offline
    }

    struct Message: Hashable {
        let token: Publisher.Token
        let topic: String
        fileprivate(set) var kind: Kind
        /// Whether it is the wanted message, and not a clearing in its place.
        let isAsWanted: Bool
        /// The short form of an answer, for a broker that refuses the answer as too large: none or one. An array, because messages are
        /// large and answers rare.
        let shortAnswer: [OutgoingMessage]
    }

    private let limit: Int
    private var link = Publisher.LinkLimits()
    private var messages: [Message] = []
    /// The token of the next message.
    private(set) var nextToken = Publisher.Token(number: 1)

    init(limit: Int) { self.limit = limit }

    var count: Int { self.messages.count }

    /// The largest packet that the broker accepts, in bytes; `nil` for no limit.
    var maximumPacketSize: Int? { self.link.maximumPacketSize }

    /// Returns whether one more message may be in flight, with `reserve` places left free if the limit permits.
    func hasRoom(reserve: Int) -> Bool {
        let places = max(1, min(self.limit - 1, self.link.receiveMaximum))
        return self.messages.count < max(1, places - reserve)
    }

    func fits(_ size: Int) -> Bool { self.link.maximumPacketSize.map { size <= $0 } ?? true }

    func contains(where isMeant: (Kind) -> Bool) -> Bool { self.messages.contains { isMeant($0.kind) } }

    /// The broker accepted a connection, with these limits.
    mutating func open(_ link: Publisher.LinkLimits) { self.link = link }

    /// The link ended, and with it every unanswered message.
    /// - Returns: those messages.
    mutating func close() -> [Message] {
        defer { self.messages = [] }
        return self.messages
    }

    /// Notes that a message is sent.
    /// - Returns: its token, which was `nextToken`.
    @discardableResult
    mutating func add(
        _ topic: String, _ kind: Kind, isAsWanted: Bool = true, shortAnswer: [OutgoingMessage] = []
    ) -> Publisher.Token {
        defer { self.nextToken.number += 1 }
        self.messages.append(Message(token: self.nextToken, topic: topic, kind: kind, isAsWanted: isAsWanted, shortAnswer: shortAnswer))
        return self.nextToken
    }

    /// The broker answered: removes and returns the message; `nil` for one of an earlier link.
    mutating func take(_ token: Publisher.Token) -> Message? {
        self.messages.firstIndex { $0.token == token }.map { self.messages.remove(at: $0) }
    }

    /// Notes that the documents at some topics now belong to another owner.
    mutating func handOver(_ isMeant: (String) -> Bool, from former: DocumentOwner, to owner: DocumentOwner) {
        for index in self.messages.indices where isMeant(self.messages[index].topic) {
            if case .document(former, let isClearing) = self.messages[index].kind {
                self.messages[index].kind = .document(owner, isClearing: isClearing)
            }
        }
    }
}
