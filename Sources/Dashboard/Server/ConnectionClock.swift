import NIOCore

/// Decides how long each phase of a connection may take. Does no I/O and owns no timer.
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

    /// The server's reports about a request.
    enum Event: Sendable {
        /// The first part of a request was decoded. Later parts of it are ignored.
        case headReceived
        case requestBegan(hasBody: Bool)
        /// Bytes of a body that may take long, as long as it goes on.
        case bodyPart(Int)
        case bodyRead
        /// A stream of events was opened. It ends when its reader is too slow, not by this clock.
        case answering(isStream: Bool)
        case answered
        /// The rest of the request is not needed.
        case closing
        /// The program stops: no further request is accepted, and only an answer in progress keeps the connection open.
        case ending
    }

    /// The time limit of each part of an exchange.
    struct Limits: Sendable {
        /// Includes the TLS handshake of a new connection.
        var head = TimeAmount.seconds(10)
        var body = TimeAmount.seconds(30)
        /// Until a piece of an answer is written to the socket.
        var answer = TimeAmount.seconds(30)
        var idle = TimeAmount.seconds(60)
        /// Until the client has read the last answer.
        var closing = TimeAmount.seconds(2)
    }

    private let limits: Limits

    /// The bytes that must arrive before a body gets as much time again: about 2 kB a second.
    static let leastProgress = 65_536

    private var phase = Phase.head
    /// Bytes of a next request arrived before the answer to the current one.
    private var isNextWaiting = false
    /// The bytes of a long body since its deadline was set.
    private var bodyBytes = 0
    /// The number of pieces that were queued and not yet written to the socket.
    private var unsent = 0
    /// The event that ends the answer, once its last piece is written.
    private var heldEnd: Event?
    private var isEnding = false
    /// When the connection is closed; `nil` for no limit.
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

    /// A piece was queued for the client.
    mutating func wrote() { self.unsent += 1 }

    /// A piece was written to the socket. A slow client that reads one in time gets as much time for the next one.
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
            // The end of a stream takes as long as that of another answer.
            if self.deadline == nil { self.enter(.answering, now + self.limits.answer) }
        case .ending:
            self.isEnding = true
            let isStream = self.phase == .answering && self.deadline == nil
            if isStream || self.phase == .head || self.phase == .idle { self.enter(.closing, now) }
        case .answered where self.isEnding: self.enter(.closing, now)
        case .headReceived: if self.phase == .head { self.enter(.working, nil) }
        case .requestBegan(hasBody: true):
            self.heldEnd = nil
            // Bytes received since the head belonged to the body.
            (self.isNextWaiting, self.bodyBytes) = (false, 0)
            self.enter(.body, now + self.limits.body)
        case .requestBegan(hasBody: false):
            self.heldEnd = nil
            self.enter(.working, nil)
        case .bodyPart(let count):
            self.bodyBytes += count
            guard self.phase == .body, self.bodyBytes >= Self.leastProgress else { return }
            (self.bodyBytes, self.deadline) = (0, now + self.limits.body)
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
