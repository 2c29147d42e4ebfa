import CastModels
import CastProtocol
import Logging
import NIOCore

/// One TLS link to a receiver: heartbeat, virtual connections' messages and the matching of answers to requests.
///
/// An actor on its channel's event loop. The channel's handler calls it there without a hop, and it calls its owner there, so that a
/// frame is dealt with before the next one is read.
actor CastConnection {
    /// Completes a request with the receiver's answer, or with an empty one when its outcome was only observed.
    typealias Completion = @Sendable (Result<ReceivedPayload.Content?, CastError>) -> Void

    /// What a link tells its owner, on the event loop.
    struct Events: Sendable {
        /// A message for us, before the request it answers is completed.
        var received: @Sendable (ReceivedMessage) -> Void
        /// The link is gone; comes exactly once, after every request has ended.
        var closed: @Sendable (CastError) -> Void
    }

    nonisolated let eventLoop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { self.eventLoop.executor.asUnownedSerialExecutor() }

    private let channel: any Channel
    private let events: Events
    private let logger: Logger
    private var heartbeat: HeartbeatStateMachine
    private var heartbeatDeadline = NIODeadline.distantFuture
    private var requests: RequestTable<Completion>
    private var memory = PayloadMemory()
    private var timer = DeadlineTimer()
    private var closeError: CastError?
    private var isFlushScheduled = false
    /// The most that the heartbeat's alarm ever came after its time.
    private(set) var maximumLateness = TimeAmount.zero

    /// - Parameters:
    ///   - channel: connected; its pipeline reads and writes `CastMessage`.
    ///   - firstRequestID: the id after which requests are counted.
    init(
        channel: any Channel, heartbeat: HeartbeatStateMachine = HeartbeatStateMachine(), firstRequestID: Int, logger: Logger,
        events: Events
    ) {
        self.eventLoop = channel.eventLoop
        self.channel = channel
        self.heartbeat = heartbeat
        self.requests = RequestTable(lastID: firstRequestID)
        self.logger = logger
        self.events = events
    }

    /// Whether requests can be made.
    var isOpen: Bool { self.closeError == nil }

    /// Starts to listen and to watch for silence.
    func start() {
        let now = self.eventLoop.now
        self.heartbeat.start(now: now)
        do {
            try self.channel.pipeline.syncOperations.addHandler(CastConnectionHandler(connection: self))
        } catch {
            return self.close(CastError(.networkError, detail: "the channel closed at once"))
        }
        guard self.channel.isActive else { return self.close(CastError(.networkError, detail: "the channel closed at once")) }
        self.beat(self.heartbeat.tick(now: now))
    }

    /// Writes one message; messages of one turn leave together.
    func send(_ payload: String, namespace: String, to destinationID: String, promise: EventLoopPromise<Void>? = nil) {
        self.send(.text(payload), namespace: namespace, to: destinationID, promise: promise)
    }

    func send(_ payload: CastMessage.Payload, namespace: String, to destinationID: String, promise: EventLoopPromise<Void>? = nil) {
        let message = CastMessage(
            sourceID: CastMessage.platformSenderID, destinationID: destinationID, namespace: namespace, payload: payload)
        self.channel.write(message, promise: promise)
        guard !self.isFlushScheduled else { return }
        self.isFlushScheduled = true
        self.eventLoop.execute { self.assumeIsolated { $0.flush() } }
    }

    /// The id for the next request, for callers that may want to cancel it.
    func nextRequestID() -> Int { self.requests.nextID() }

    /// Sends a request; `completion` is called exactly once, on the event loop.
    ///
    /// - Parameters:
    ///   - id: from `nextRequestID`.
    ///   - observed: a state that completes it as well.
    ///   - kind: what it replaces: older requests of this kind to the same peer end with `replaced`.
    ///   - payload: makes the payload for a request id.
    func request(
        id: Int? = nil, namespace: String, to destinationID: String, timeout: TimeAmount, observed: ObservedState = .none,
        grace: TimeAmount = .milliseconds(500), replacing kind: RequestKind? = nil, payload: (Int) throws(CastError) -> String,
        completion: @escaping Completion
    ) {
        if let closeError {
            return completion(.failure(CastError(.deviceNotConnected, detail: "the link is closed: \(closeError.detail)")))
        }
        let id = id ?? self.requests.nextID()
        let text: String
        do throws(CastError) { text = try payload(id) } catch { return completion(.failure(error)) }
        let peer = RequestPeer(namespace: namespace, id: destinationID)
        let deadline = self.eventLoop.now + timeout
        for replaced in kind.map({ self.requests.removeAll(of: $0, to: peer) }) ?? [] {
            replaced(.failure(CastError(.replaced, detail: "a newer request of the same kind took its place")))
        }
        guard self.requests.add(completion, id: id, to: peer, deadline: deadline, kind: kind, observed: observed, grace: grace) else {
            return completion(.failure(CastError(.sendBufferFull, detail: "\(self.requests.capacity) requests wait already")))
        }
        let written = self.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenFailure { error in
            // What can't be framed fails alone; a broken channel ends all requests together.
            guard let error = error as? CastError else { return }
            self.assumeIsolated { $0.finish(id, .failure(error)) }
        }
        self.send(text, namespace: namespace, to: destinationID, promise: written)
        self.rearm()
    }

    /// The caller no longer wants the answer.
    func cancel(_ id: Int) { self.finish(id, .failure(CastError(.cancelled, detail: "the caller gave up"))) }

    /// The receiver asked for more time.
    func extend(_ id: Int, by amount: TimeAmount) {
        self.requests.extend(id, to: self.eventLoop.now + amount)
        self.rearm()
    }

    /// A receiver status was taken in; it may show what a request wanted.
    func observe(_ status: ReceiverStatus) {
        guard !self.requests.isEmpty else { return }
        self.requests.observe(status, now: self.eventLoop.now)
        self.rearm()
    }

    /// A media status was taken in; `nil` means that there is no media session.
    func observe(_ status: MediaStatus?) {
        guard !self.requests.isEmpty else { return }
        self.requests.observe(status, now: self.eventLoop.now)
        self.rearm()
    }

    /// The application behind `transportID` is gone; what waits for it ends. A request that has got what it wanted succeeds.
    func abandon(_ transportID: String) {
        for (completion, isObserved) in self.requests.removeAll(to: transportID) {
            completion(isObserved ? .success(nil) : .failure(CastError(.applicationNotRunning, detail: "the application ended")))
        }
    }

    /// Asks for life now: the network changed, or the machine slept.
    func probe() { self.beat(self.heartbeat.probe(now: self.eventLoop.now)) }

    /// Ends the link and every request on it. The first call gives the reason.
    func close(_ error: CastError) {
        guard self.closeError == nil else { return }
        self.closeError = error
        self.heartbeat.stop()
        self.timer.cancel()
        self.flush()
        self.channel.close(promise: nil)
        for completion in self.requests.removeAll() { completion(.failure(error)) }
        self.events.closed(error)
    }

    func receive(_ message: CastMessage) {
        guard self.isOpen else { return }
        let now = self.eventLoop.now
        self.heartbeat.frameReceived(at: now)
        guard message.destinationID == CastMessage.platformSenderID || message.destinationID == CastMessage.broadcastID else { return }
        let payload: ReceivedPayload
        do throws(CastError) {
            payload = try ReceivedPayload(message, &self.memory)
        } catch {
            // One bad payload is no reason to lose the link; the framing was right.
            self.logger.debug("a message can't be read", metadata: ["cast.namespace": "\(message.namespace)", "error": "\(error)"])
            return
        }
        if case .heartbeat(let heartbeat) = payload.content { return self.answer(heartbeat, from: message.sourceID) }
        let peer = RequestPeer(namespace: message.namespace, id: message.sourceID)
        let answered = payload.requestID.flatMap { self.requests.contains($0, to: peer) ? $0 : nil }
        self.events.received(ReceivedMessage(message: message, content: payload.content, answers: answered, at: now))
        if let answered { self.complete(answered, with: payload.content) }
    }

    func channelFailed(_ error: any Error) {
        self.close(error as? CastError ?? CastError(.networkError, detail: "\(error)"))
    }

    func channelClosed() { self.close(CastError(.networkError, detail: "the device closed the link")) }

    private func answer(_ heartbeat: HeartbeatMessage, from sourceID: String) {
        guard heartbeat == .ping else { return }
        self.send(HeartbeatMessage.pong.text, namespace: CastNamespace.heartbeat, to: sourceID)
    }

    private func complete(_ id: Int, with content: ReceivedPayload.Content) {
        switch RequestAnswer(content) {
        case .success: self.finish(id, .success(content))
        case .failure(let error): self.finish(id, .failure(error))
        case .wait(let amount): self.extend(id, by: amount)
        }
    }

    private func finish(_ id: Int, _ result: Result<ReceivedPayload.Content?, CastError>) { self.requests.remove(id)?(result) }

    private func flush() {
        self.isFlushScheduled = false
        self.channel.flush()
    }

    private func alarm() {
        self.timer.fired()
        guard self.isOpen else { return }
        let now = self.eventLoop.now
        for (_, completion, end) in self.requests.expire(now: now) {
            switch end {
            case .observed: completion(.success(nil))
            case .timedOut: completion(.failure(CastError(.timeout, detail: "the device didn't answer")))
            }
        }
        guard self.isOpen else { return }
        guard now >= self.heartbeatDeadline else { return self.rearm() }
        self.maximumLateness = max(self.maximumLateness, now - self.heartbeatDeadline)
        self.beat(self.heartbeat.tick(now: now))
    }

    private func beat(_ action: HeartbeatStateMachine.TickAction) {
        switch action {
        case .none: return
        case .wait(let deadline): self.heartbeatDeadline = deadline.roundedUp
        case .sendPing(let deadline):
            self.send(HeartbeatMessage.ping.text, namespace: CastNamespace.heartbeat, to: CastMessage.platformReceiverID)
            self.heartbeatDeadline = deadline.roundedUp
        case .closeConnection:
            return self.close(
                CastError(.networkError, detail: "no sign of life for \(self.heartbeat.timeout.nanoseconds / 1_000_000_000) s"))
        }
        self.rearm()
    }

    private func rearm() {
        guard self.isOpen else { return }
        let deadline = min(self.heartbeatDeadline, self.requests.nextDeadline ?? .distantFuture)
        self.timer.arm(at: deadline, on: self.eventLoop) { self.assumeIsolated { $0.alarm() } }
    }
}

extension NIODeadline {
    /// The next quarter of a second, so that the alarms of many links share their wake-ups.
    fileprivate var roundedUp: NIODeadline {
        let quarter: UInt64 = 250_000_000
        return .uptimeNanoseconds((self.uptimeNanoseconds + quarter - 1) / quarter * quarter)
    }
}
