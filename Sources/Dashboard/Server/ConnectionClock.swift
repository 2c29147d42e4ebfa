import NIOCore

/// Decides how long a connection may take for what it does. Does no I/O and owns no timer.
struct ConnectionClock {
    private enum Phase: Equatable {
        /// The TLS handshake and the head of a request.
        case head
        case body
        case working
        case answering
        /// Between two requests.
        case idle
        case closing
    }

    /// What the server reports of a request.
    enum Event: Sendable {
        /// The first part of a request is decoded; later parts of it don't matter.
        case headReceived
        case requestBegan(hasBody: Bool)
        case bodyRead
        /// A stream of events ends when its reader is too slow, not by the clock.
        case answering(isStream: Bool)
        case answered
        /// The rest of what the client sends is not wanted.
        case closing
        /// The program ends: no further request is taken, and only an answer that is under way keeps the connection.
        case ending
    }

    /// How long each part of an exchange may take.
    struct Limits: Sendable {
        /// With the TLS handshake of a new connection.
        var head = TimeAmount.seconds(10)
        var body = TimeAmount.seconds(30)
        /// Until a piece of an answer has left for the client.
        var answer = TimeAmount.seconds(30)
        var idle = TimeAmount.seconds(60)
        /// Until the client has taken the last answer.
        var closing = TimeAmount.seconds(2)
    }

    private let limits: Limits

    private var phase = Phase.head
    /// Bytes of a next request came before the answer to this one.
    private var isNextWaiting = false
    /// Pieces that were written and have not left.
    private var unsent = 0
    /// What ends the answer, once its last piece has left.
    private var heldEnd: Event?
    private var isEnding = false
    /// When the connection is closed; `nil`: not by time.
    private(set) var deadline: NIODeadline?

    init(_ limits: Limits, now: NIODeadline) {
        self.limits = limits
        self.deadline = now + limits.head
    }

    mutating func received(now: NIODeadline) {
        switch self.phase {
        case .idle: self.enter(.head, now + self.limits.head)
        case .working, .answering: self.isNextWaiting = true
        case .head, .body, .closing: break
        }
    }

    /// A piece was written; it waits for the client.
    mutating func wrote() { self.unsent += 1 }

    /// A piece has left. One that a slow client takes in time gives the next one as much time.
    mutating func left(now: NIODeadline) {
        self.unsent -= 1
        if self.phase == .answering, self.deadline != nil { self.deadline = now + self.limits.answer }
        guard self.unsent == 0, let end = self.heldEnd else { return }
        self.heldEnd = nil
        self.handle(end, now: now)
    }

    mutating func handle(_ event: Event, now: NIODeadline) {
        if self.phase == .closing { return }
        switch event {
        case .answered where self.unsent > 0, .closing where self.unsent > 0:
            self.heldEnd = event
            // A stream's end takes as long as another answer's.
            if self.deadline == nil { self.enter(.answering, now + self.limits.answer) }
        case .ending:
            self.isEnding = true
            let isStream = self.phase == .answering && self.deadline == nil
            if isStream || self.phase == .head || self.phase == .idle { self.enter(.closing, now) }
        case .answered where self.isEnding: self.enter(.closing, now)
        case .headReceived: if self.phase == .head { self.enter(.working, nil) }
        case .requestBegan(hasBody: true):
            self.heldEnd = nil
            // What came since the head was of the body.
            self.isNextWaiting = false
            self.enter(.body, now + self.limits.body)
        case .requestBegan(hasBody: false):
            self.heldEnd = nil
            self.enter(.working, nil)
        case .bodyRead: self.enter(.working, nil)
        case .answering(let isStream): self.enter(.answering, isStream ? nil : now + self.limits.answer)
        case .answered where self.isNextWaiting:
            self.isNextWaiting = false
            self.enter(.head, now + self.limits.head)
        case .answered: self.enter(.idle, now + self.limits.idle)
        case .closing: self.enter(.closing, now + self.limits.closing)
        }
    }

    private mutating func enter(_ phase: Phase, _ deadline: NIODeadline?) {
        self.phase = phase
        self.deadline = deadline
    }
}
