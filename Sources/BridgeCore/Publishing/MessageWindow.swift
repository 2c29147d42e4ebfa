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
    /// The size of the last message, unless there are no lessons.
    private var lastSize = 0
    var lessons: CutLessons
    private(set) var nextToken = Publisher.Token(number: 1)

    init(limit: Int, lessons: CutLessons) { (self.limit, self.lessons) = (limit, lessons) }

    var count: Int { self.messages.count }

    /// The largest packet that the broker accepts, in bytes; `nil` for no limit.
    var maximumPacketSize: Int? { self.link.maximumPacketSize }

    /// Returns whether one more message may be in flight, with `reserve` places left free if the limit permits.
    func hasRoom(reserve: Int) -> Bool {
        let places = self.lessons.probation > 0 ? 1 : max(1, min(self.limit - 1, self.link.receiveMaximum))
        return self.messages.count < max(1, places - reserve)
    }

    func fits(_ size: Int) -> Bool { self.link.maximumPacketSize.map { size <= $0 } ?? true }

    /// Returns whether the message fits, and is smaller than those of its topic that ended a link.
    func fits(_ message: OutgoingMessage) -> Bool {
        let (size, limit) = (message.packetSizeBound, self.lessons.limit(of: message.topic) ?? 0)
        return self.fits(size) && (limit == 0 || size < limit)
    }

    func contains(where isMeant: (Kind) -> Bool) -> Bool { self.messages.contains { isMeant($0.kind) } }

    /// The broker accepted a connection, with these limits.
    mutating func open(_ link: Publisher.LinkLimits) { self.link = link }

    /// The link ended, and with it every unanswered message.
    /// - Parameter cut: how the broker ended it; `nil` when it did not.
    /// - Returns: those messages, whether the next link will differ, and what is held back from now on.
    mutating func close(_ cut: Publisher.Cut?) -> (lost: [Message], isNew: Bool, held: String?) {
        defer { self.messages = [] }
        let lesson = cut.map { self.lessons.learn(from: $0, unanswered: self.messages.map(\.topic), size: self.lastSize) }
        return (self.messages, lesson?.isNew ?? false, lesson?.held)
    }

    /// Makes the broker answer a message during a probation; call it before `add` while there are lessons.
    mutating func prepare(_ message: inout OutgoingMessage) {
        self.lastSize = message.packetSizeBound
        if self.lessons.probation > 0 { message.qos = 1 }
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
        guard let place = self.messages.firstIndex(where: { $0.token == token }) else { return nil }
        if self.lessons.probation > 0 { self.lessons.answered(self.messages[place].topic) }
        return self.messages.remove(at: place)
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
