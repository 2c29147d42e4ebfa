import CastModels
import CastProtocol
import CastTransport
import EventLoopTiming
import NIOCore

/// The TLS link of one session: the channel, the heartbeat, and the requests that wait for answers.
///
/// Belongs to its session (`CastSession+Link`) and to the session's event loop. It decides nothing about the device's state, and knows of
/// the session only its timer.
final class CastConnection {
    /// Completes a request with the receiver's answer, or with `nil` when its outcome was only observed.
    typealias Completion = @Sendable (Result<ReceivedMessage?, CastError>) -> Void

    let channel: any Channel
    let endpoint: DeviceEndpoint
    /// The error that closed the link; `nil` while it is open.
    private(set) var error: CastError?
    /// The largest delay of the heartbeat's timer so far.
    private(set) var maximumLateness = TimeAmount.zero

    /// Writes the messages; `nil` until `start`.
    private var frames: CastFrameHandler?
    private var requests: RequestTable<Completion>
    private var heartbeat: HeartbeatStateMachine
    /// When `beat` is due.
    private var beatTime = NIODeadline.distantFuture
    private var memory = PayloadMemory()
    /// The address of our last PONG, and its frame.
    private var pong: (source: String, destination: String, frame: ByteBuffer)?
    /// Fires when `beat` is due.
    private var heartbeatDeadline: Deadline?
    /// Fires when `expire` is due.
    private(set) var deadline: Deadline?
    private var isFlushScheduled = false
    /// Whether a message is being applied; deadlines that change meanwhile are set after it.
    private var isApplying = false

    /// - Parameters:
    ///   - channel: a connected channel with a `CastFrameHandler`.
    ///   - firstRequestID: the start value of request ids.
    ///   - ignored: the types of requests that applications of the device ignore.
    init(
        channel: any Channel, endpoint: DeviceEndpoint, heartbeat: HeartbeatStateMachine, firstRequestID: Int,
        ignored: Set<IgnoredRequest> = []
    ) {
        self.channel = channel
        self.endpoint = endpoint
        self.heartbeat = heartbeat
        self.requests = RequestTable(lastID: firstRequestID)
        self.requests.ignored = ignored
    }

    var ignored: Set<IgnoredRequest> { self.requests.ignored }

    private var now: NIODeadline { self.channel.eventLoop.now }

    // MARK: - Messages

    /// Handles a message of the heartbeat.
    ///
    /// - Returns: the frame that answers a PING, from the address that was pinged, since the device may accept no other. Old firmware sends
    ///   its PING from and to an address of its own, and closes the link without a PONG.
    func beat(_ message: CastMessagePiece) throws(CastError) -> ByteBuffer? {
        self.heartbeat.frameReceived(at: self.now)
        guard try self.isPing(message) else { return nil }
        if let pong, message.isFor(pong.source), message.isFrom(pong.destination) { return pong.frame }
        let isForAll = message.isFor(CastMessage.broadcastID) || message.isFor("")
        let source = isForAll ? CastMessage.platformSenderID : message.destinationID
        let answer = CastMessage(
            sourceID: source, destinationID: message.sourceID, namespace: CastNamespace.heartbeat, payload: .text(Self.pong))
        let frame = try CastFrameEncoder.frame(answer, allocator: self.channel.allocator)
        self.pong = (source, answer.destinationID, frame)
        return frame
    }

    /// The texts that nearly all devices use are compared as they are, because a silent device sends nothing else.
    private func isPing(_ message: CastMessagePiece) throws(CastError) -> Bool {
        if message.hasPayload(Self.ping) { return true }
        if message.hasPayload(Self.pong) { return false }
        return try ReceivedPayload(message, &self.memory).content == .heartbeat(.ping)
    }

    private static let (ping, pong) = (HeartbeatMessage.ping.text, HeartbeatMessage.pong.text)

    /// Reads a message outside of the heartbeat.
    ///
    /// - Returns: `nil` when the message is for another sender.
    /// - Throws: when the payload cannot be read. The link stays open, because the framing was correct.
    func read(_ message: CastMessagePiece) throws(CastError) -> ReceivedMessage? {
        let now = self.now
        self.heartbeat.frameReceived(at: now)
        guard message.isFor(CastMessage.broadcastID) || message.isFor(CastMessage.platformSenderID) else { return nil }
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

    /// Writes one message; the messages of one turn are flushed together.
    ///
    /// - Parameters:
    ///   - promise: succeeds when the message has left; fails with what is thrown, too.
    ///   - isUrgent: flushes the messages written so far at once.
    /// - Throws: `messageTooBig` above 64 KiB, `sendBufferFull` while the device takes nothing, and the error of a link that is closed.
    func write(
        _ payload: CastMessage.Payload, namespace: String, to destinationID: String, promise: EventLoopPromise<Void>? = nil,
        isUrgent: Bool = false
    ) throws(CastError) {
        guard self.error == nil, let frames else {
            let error = self.error ?? CastError(.deviceNotConnected, detail: "the link is not open yet")
            promise?.fail(error)
            throw error
        }
        try frames.write(
            CastMessage(sourceID: CastMessage.platformSenderID, destinationID: destinationID, namespace: namespace, payload: payload),
            promise: promise)
        if isUrgent { return self.flush() }
        guard !self.isFlushScheduled else { return }
        self.isFlushScheduled = true
        self.channel.eventLoop.assumeIsolated().execute { if self.isFlushScheduled { self.flush() } }
    }

    private func flush() {
        self.isFlushScheduled = false
        self.frames?.flush()
    }

    // MARK: - Requests

    func nextRequestID() -> Int { self.requests.nextID() }

    /// Sends a request; `completion` is called exactly once, on the event loop.
    ///
    /// - Parameters:
    ///   - id: an id from `nextRequestID`, for callers that may cancel the request.
    ///   - isUrgent: flushes the messages written so far at once.
    func send(_ request: CastRequest, id: Int? = nil, isUrgent: Bool = false, _ completion: @escaping Completion) {
        if let error {
            return completion(.failure(CastError(.deviceNotConnected, detail: "the link is closed: \(error.detail)")))
        }
        let id = id ?? self.requests.nextID()
        let text: String
        do throws(CastError) { text = try request.text(id) } catch { return completion(.failure(error)) }
        if let kind = request.terms.kind, kind.replacesOlder {
            self.end(kind, to: request.terms.peer, CastError(.replaced, detail: "a newer request of the same kind took its place"))
        }
        guard self.requests.add(completion, id: id, request.terms, now: self.now) else {
            return completion(.failure(CastError(.sendBufferFull, detail: "\(self.requests.capacity) requests wait already")))
        }
        do throws(CastError) {
            try self.write(.text(text), namespace: request.terms.peer.namespace, to: request.terms.peer.id, isUrgent: isUrgent)
        } catch {
            self.requests.remove(id)?(.failure(error))
        }
        self.rearm()
    }

    /// Ends a request whose caller gave up.
    func cancel(_ id: Int) {
        self.requests.remove(id, cancelledAt: self.now)?(.failure(CastError(.cancelled, detail: "the caller gave up")))
    }

    /// Ends the requests of a kind to a peer, oldest first.
    func end(_ kind: RequestKind, to peer: RequestPeer, _ error: CastError) {
        for completion in self.requests.removeAll(of: kind, to: peer) { completion(.failure(error)) }
    }

    /// Ends the requests to the application behind `transportID`, which has ended. A request whose wanted state was observed succeeds.
    func abandon(_ transportID: String) {
        for (completion, isObserved) in self.requests.removeAll(to: transportID) {
            completion(isObserved ? .success(nil) : .failure(CastError(.applicationNotRunning, detail: "the application ended")))
        }
    }

    /// Returns, once, whether a load that its caller cancelled before any sign of it may still begin.
    func takeAbandonedLoad() -> Bool { self.requests.takeAbandonedLoad(now: self.now) }

    /// Applies a message, then completes the request that it answers. `apply` changes what `facts` reports.
    func apply(_ message: ReceivedMessage, _ apply: () -> Void, facts: () -> ObservedFacts) {
        self.isApplying = true
        let isWatched = !self.requests.isEmpty
        if isWatched {
            let peer = RequestPeer(namespace: message.piece.namespace, id: message.piece.sourceID)
            self.requests.heard(from: peer, isBroadcast: message.isBroadcast)
        }
        apply()
        if let id = message.answers { self.answered(id, by: message, facts: facts) }
        self.isApplying = false
        if isWatched || !self.requests.isEmpty { self.rearm() }
    }

    private func answered(_ id: Int, by message: ReceivedMessage, facts: () -> ObservedFacts) {
        switch RequestAnswer(message.content) {
        case .success: self.requests.answered(id, now: message.at) { $0.evidence(in: facts()) }?(.success(message))
        case .failure(let error): self.requests.answered(id, now: message.at)?(.failure(error))
        case .wait(let amount): self.requests.extend(id, to: message.at + amount)
        }
    }

    /// Checks whether an applied status shows the wanted state of a request.
    ///
    /// - Parameter facts: the state after the status.
    func observe(_ source: ObservedState.Source, _ facts: @autoclosure () -> ObservedFacts) {
        guard !self.requests.isEmpty else { return }
        let facts = facts()
        self.requests.observe(source, now: self.now) { $0.evidence(in: facts) }
        self.rearm()
    }

    // MARK: - Time and the end

    /// Starts the heartbeat.
    ///
    /// - Parameters:
    ///   - frames: the handler of the channel that writes the messages.
    ///   - heartbeatDeadline: calls `beat`.
    ///   - deadline: calls `expire`.
    func start(_ frames: CastFrameHandler, _ heartbeatDeadline: Deadline, _ deadline: Deadline) {
        (self.frames, self.heartbeatDeadline, self.deadline) = (frames, heartbeatDeadline, deadline)
        self.heartbeat.start(now: self.now)
        _ = self.follow(self.heartbeat.tick(now: self.now))
    }

    /// Ends the requests whose time is over.
    ///
    /// - Parameter ask: asks the device for a part of its state that an answered request did not show.
    func expire(_ ask: (ObservedState.Source) -> Void) {
        let now = self.now
        for (_, completion, end) in self.requests.expire(now: now) {
            completion(end.error.map { .failure($0) } ?? .success(nil))
        }
        for source in self.requests.questions(now: now) { ask(source) }
        self.rearm()
    }

    /// Pings after a silence.
    ///
    /// - Returns: the error with which the link is lost; `nil` while the device shows life.
    func beat() -> CastError? {
        let now = self.now
        self.maximumLateness = max(self.maximumLateness, now - SharedAlarms.quarter(from: self.beatTime))
        return self.follow(self.heartbeat.tick(now: now))
    }

    /// Pings the device now, because the network changed or the machine slept.
    func probe() { _ = self.follow(self.heartbeat.probe(now: self.now)) }

    private func follow(_ action: HeartbeatStateMachine.TickAction) -> CastError? {
        switch action {
        case .none: break
        case .wait(let deadline): self.beat(at: deadline)
        case .sendPing(let deadline):
            self.beat(at: deadline)
            try? self.write(.text(Self.ping), namespace: CastNamespace.heartbeat, to: CastMessage.platformReceiverID)
        case .closeConnection:
            let seconds = self.heartbeat.timeout.nanoseconds / 1_000_000_000
            return CastError(.networkError, detail: "no sign of life for \(seconds) s")
        }
        return nil
    }

    private func beat(at time: NIODeadline) {
        self.beatTime = time
        self.heartbeatDeadline?.arm(at: time)
    }

    private func rearm() { if !self.isApplying, self.error == nil { self.deadline?.arm(at: self.requests.nextDeadline) } }

    /// Ends the link: what was written is sent, and all requests fail. Frames that are still being read no longer count as a sign of life.
    func close(_ error: CastError) {
        self.error = error
        self.heartbeat.stop()
        self.heartbeatDeadline?.cancel()
        self.deadline?.cancel()
        self.flush()
        self.channel.close(promise: nil)
        for completion in self.requests.removeAll() { completion(.failure(error)) }
    }
}

extension RequestProgress.End {
    /// The error of a request that ends so; `nil` when its state was observed.
    fileprivate var error: CastError? {
        switch self {
        case .observed: nil
        case .timedOut: CastError(.timeout, detail: "the device didn't answer")
        case .silent: CastError(.notResponding, detail: "the application does not answer at all")
        case .ignored: CastError(.requestIgnored, detail: "the application ignores requests of this type")
        case .notApplied: CastError(.notApplied, detail: "the device answered, and its state stays another")
        case .unsettled: CastError(.timeout, detail: "the device answered, and is still loading")
        case .overtaken: CastError(.replaced, detail: "another sender changed it meanwhile")
        case .mediaEnded: CastError(.noMediaSession, detail: "the media ended meanwhile")
        }
    }
}
