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
    }

    /// How long each part of an exchange may take.
    struct Limits: Sendable {
        /// With the TLS handshake of a new connection.
        var head = TimeAmount.seconds(10)
        var body = TimeAmount.seconds(30)
        /// From the first to the last byte of an answer.
        var answer = TimeAmount.seconds(30)
        var idle = TimeAmount.seconds(60)
        /// Until the client has taken the last answer.
        var closing = TimeAmount.seconds(2)
    }

    private let limits: Limits

    private var phase = Phase.head
    /// Bytes of a next request came before the answer to this one.
    private var isNextWaiting = false
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

    mutating func handle(_ event: Event, now: NIODeadline) {
        if self.phase == .closing { return }
        switch event {
        case .headReceived: if self.phase == .head { self.enter(.working, nil) }
        case .requestBegan(hasBody: true):
            // What came since the head was of the body.
            self.isNextWaiting = false
            self.enter(.body, now + self.limits.body)
        case .requestBegan(hasBody: false), .bodyRead: self.enter(.working, nil)
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
