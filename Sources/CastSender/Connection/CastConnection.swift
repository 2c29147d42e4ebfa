import CastModels
import CastProtocol
import NIOCore

/// The TLS link of one session: the channel, the heartbeat, and the requests that wait for answers.
///
/// A value owned by its session, which performs the resulting actions (`CastSession+Link`). It calls no other part and owns no timer.
struct CastConnection {
    /// Completes a request with the receiver's answer, or with `nil` when its outcome was only observed.
    typealias Completion = @Sendable (Result<ReceivedPayload.Content?, CastError>) -> Void

    let channel: any Channel
    var requests: RequestTable<Completion>
    /// The error that closed the link; `nil` while it is open.
    private(set) var error: CastError?
    /// The largest delay of the heartbeat's timer so far.
    private(set) var maximumLateness = TimeAmount.zero

    private var heartbeat: HeartbeatStateMachine
    private var beatTime = NIODeadline.distantFuture
    private var memory = PayloadMemory()

    /// - Parameters:
    ///   - channel: a connected channel whose pipeline reads and writes `CastMessage`.
    ///   - firstRequestID: the start value of request ids.
    init(channel: any Channel, heartbeat: HeartbeatStateMachine, firstRequestID: Int) {
        self.channel = channel
        self.heartbeat = heartbeat
        self.requests = RequestTable(lastID: firstRequestID)
    }

    /// When `beat` and `requests.expire` are due; `nil` once the link is closed.
    var nextDeadline: NIODeadline? {
        self.error == nil ? min(self.beatTime, self.requests.nextDeadline ?? .distantFuture) : nil
    }

    /// Reads a message and matches it to the request that it answers.
    ///
    /// - Returns: `nil` when the message is for another sender.
    /// - Throws: when the payload cannot be read. The link stays open, because the framing was correct.
    mutating func read(_ message: CastMessagePiece, now: NIODeadline) throws(CastError) -> ReceivedMessage? {
        self.heartbeat.frameReceived(at: now)
        // Old firmware sends its PING from and to an address of its own, and closes the link without a PONG.
        guard message.isFor(CastMessage.broadcastID) || message.isFor(CastMessage.platformSenderID) || message.isIn(CastNamespace.heartbeat)
        else { return nil }
        let payload = try ReceivedPayload(message, &self.memory)
        var answered: Int?
        if let id = payload.requestID {
            if !self.requests.isEmpty, self.requests.contains(id, to: RequestPeer(namespace: message.namespace, id: message.sourceID)) {
                answered = id
            } else {
                self.requests.answeredLate(id)
            }
        }
        return ReceivedMessage(piece: message, content: payload.content, answers: answered, at: now)
    }

    /// Writes one message without flushing.
    func write(
        _ payload: CastMessage.Payload, namespace: String, from sourceID: String = CastMessage.platformSenderID, to destinationID: String,
        promise: EventLoopPromise<Void>? = nil
    ) {
        let message = CastMessage(sourceID: sourceID, destinationID: destinationID, namespace: namespace, payload: payload)
        self.channel.write(message, promise: promise)
    }

    /// Starts the heartbeat.
    mutating func start(now: NIODeadline) {
        self.heartbeat.start(now: now)
        _ = self.follow(self.heartbeat.tick(now: now))
    }

    enum Beat { case none, ping, silent }

    /// Returns the heartbeat's action at `nextDeadline`.
    mutating func beat(now: NIODeadline) -> Beat {
        guard now >= self.beatTime else { return .none }
        self.maximumLateness = max(self.maximumLateness, now - self.beatTime)
        return self.follow(self.heartbeat.tick(now: now))
    }

    /// Returns the heartbeat's action after a network change or a suspend.
    mutating func probe(now: NIODeadline) -> Beat { self.follow(self.heartbeat.probe(now: now)) }

    /// Ends the link. Frames that are still being read no longer count as a sign of life.
    mutating func close(_ error: CastError) {
        self.error = error
        self.heartbeat.stop()
    }

    var silence: CastError {
        CastError(.networkError, detail: "no sign of life for \(self.heartbeat.timeout.nanoseconds / 1_000_000_000) s")
    }

    private mutating func follow(_ action: HeartbeatStateMachine.TickAction) -> Beat {
        switch action {
        case .none: return .none
        case .wait(let deadline):
            self.beatTime = deadline.roundedUp
            return .none
        case .sendPing(let deadline):
            self.beatTime = deadline.roundedUp
            return .ping
        case .closeConnection: return .silent
        }
    }
}

extension NIODeadline {
    /// The next full quarter of a second, so that the timers of many links share their wake-ups.
    fileprivate var roundedUp: NIODeadline {
        let quarter: UInt64 = 250_000_000
        return .uptimeNanoseconds((self.uptimeNanoseconds + quarter - 1) / quarter * quarter)
    }
}
