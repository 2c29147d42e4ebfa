import CastModels
import CastProtocol
import CastTransport
import LogKeys
import Logging
import NIOCore

/// The session's link: messages in and out, requests, the heartbeat, the end.
extension CastSession {
    /// Starts reading and the heartbeat.
    func start() {
        self.connection.start(now: self.eventLoop.now)
        do {
            let pipeline = self.connection.channel.pipeline.syncOperations
            let handler = CastConnectionHandler(session: self)
            try pipeline.handler(type: CastFrameHandler.self).receiver = handler
            try pipeline.addHandler(handler)
            guard self.connection.channel.isActive else { throw ChannelError.ioOnClosedChannel }
        } catch {
            return self.close(CastError(.networkError, detail: "the channel closed at once"))
        }
        self.logOpened()
        self.rearm()
        guard self.configuration.authentication.mode == .off else { return self.authenticate() }
        self.perform(self.machine.opened())
    }

    func receive(_ message: CastMessagePiece) {
        guard self.isConnected else { return }
        do throws(CastError) {
            guard let received = try self.connection.read(message, now: self.eventLoop.now) else { return }
            if case .heartbeat(let heartbeat) = received.content {
                if heartbeat == .ping { self.answerPing(message) }
                return
            }
            // The rest of the heartbeat's namespace may be for others.
            guard !message.isIn(CastNamespace.heartbeat) else { return }
            self.isReceiving = true
            self.take(received)
            if let answered = received.answers { self.answered(answered, with: received.content) }
            self.isReceiving = false
            if self.isRearmingDue { self.rearm() }
        } catch {
            self.loggers.connection.debug(
                "message not readable", metadata: [.castNamespace: "\(message.namespace)", .error: "\(error)"])
        }
    }

    /// Writes one message; the messages of one turn are flushed together.
    func send(_ payload: String, namespace: String, to destinationID: String) {
        self.send(.text(payload), namespace: namespace, to: destinationID)
    }

    /// - Parameter isUrgent: flushes the messages written so far at once.
    func send(
        _ payload: CastMessage.Payload, namespace: String, from sourceID: String = CastMessage.platformSenderID, to destinationID: String,
        promise: EventLoopPromise<Void>? = nil, isUrgent: Bool = false
    ) {
        if let endError {
            promise?.fail(endError)
            return
        }
        self.connection.write(payload, namespace: namespace, from: sourceID, to: destinationID, promise: promise)
        if isUrgent { return self.flush() }
        guard !self.isFlushScheduled else { return }
        self.isFlushScheduled = true
        self.eventLoop.execute { self.assumeIsolated { if $0.isFlushScheduled { $0.flush() } } }
    }

    private func flush() {
        self.isFlushScheduled = false
        self.connection.channel.flush()
    }

    /// Answers from the address that was pinged, since the device may accept no other.
    private func answerPing(_ ping: CastMessagePiece) {
        let isForAll = ping.isFor(CastMessage.broadcastID) || ping.isFor("")
        let source = isForAll ? CastMessage.platformSenderID : ping.destinationID
        // Urgent, because that is cheaper than a turn of the loop for the flush, which waits for the end of the read anyway.
        self.send(
            .text(HeartbeatMessage.pong.text), namespace: CastNamespace.heartbeat, from: source, to: ping.sourceID, isUrgent: true)
    }

    /// Sends a message that expects no answer and returns when it is written.
    ///
    /// - Throws: `messageTooBig` above 64 KiB, `networkError` when the link broke first.
    func write(_ payload: CastMessage.Payload, namespace: String, to id: String) async throws(CastError) {
        guard self.isConnected else { throw self.notConnected }
        let written = self.eventLoop.makePromise(of: Void.self)
        self.send(payload, namespace: namespace, to: id, promise: written)
        do {
            try await written.futureResult.get()
        } catch {
            throw error as? CastError ?? CastError(.networkError, detail: "the link broke before the message was written")
        }
    }

    // MARK: - Requests

    /// Sends a request at once and waits for its outcome; an observed outcome has no content.
    func request(
        _ terms: RequestTerms, payload: @Sendable (Int) throws(CastError) -> String
    ) async throws(CastError) -> ReceivedPayload.Content? {
        guard self.isConnected else { throw self.notConnected }
        guard !Task.isCancelled else { throw CastError(.cancelled, detail: "the caller gave up") }
        var terms = terms
        terms.isUrgent = true
        let id = self.connection.requests.nextID()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<ReceivedPayload.Content?, CastError>, Never>) in
                self.sendRequest(terms, id: id, payload: payload) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            self.eventLoop.execute {
                self.assumeIsolated {
                    let waiter = $0.connection.requests.remove(id, cancelledAt: $0.eventLoop.now)
                    waiter?(.failure(CastError(.cancelled, detail: "the caller gave up")))
                }
            }
        }
        return try result.get()
    }

    /// Sends a request; `completion` is called exactly once, on the event loop.
    ///
    /// - Parameters:
    ///   - id: an id from `requests.nextID`, for callers that may cancel the request.
    ///   - payload: creates the payload for a request id.
    func sendRequest(
        _ terms: RequestTerms, id: Int? = nil, payload: (Int) throws(CastError) -> String,
        completion: @escaping CastConnection.Completion = { _ in }
    ) {
        let completion = self.logged(completion, terms)
        if let endError {
            return completion(.failure(CastError(.deviceNotConnected, detail: "the link is closed: \(endError.detail)")))
        }
        let id = id ?? self.connection.requests.nextID()
        let text: String
        do throws(CastError) { text = try payload(id) } catch { return completion(.failure(error)) }
        let peer = terms.peer
        if let kind = terms.kind, kind.replacesOlder {
            for replaced in self.connection.requests.removeAll(of: kind, to: peer) {
                replaced(.failure(CastError(.replaced, detail: "a newer request of the same kind took its place")))
            }
        }
        let application = self.machine.transport.flatMap { $0.id == peer.id ? $0.applicationID : nil }
        let isAdded = self.connection.requests.add(completion, id: id, terms, application: application, now: self.eventLoop.now)
        guard isAdded else {
            let capacity = self.connection.requests.capacity
            return completion(.failure(CastError(.sendBufferFull, detail: "\(capacity) requests wait already")))
        }
        let written = self.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenFailure { error in
            // A message that cannot be framed fails alone; a broken channel ends all requests together.
            guard let error = error as? CastError else { return }
            self.assumeIsolated { $0.failed(id, error) }
        }
        self.send(.text(text), namespace: peer.namespace, to: peer.id, promise: written, isUrgent: terms.isUrgent)
        self.rearm()
    }

    private func answered(_ id: Int, with content: ReceivedPayload.Content) {
        switch RequestAnswer(content) {
        case .success:
            let completion = self.connection.requests.answered(id, now: self.eventLoop.now) { $0.evidence(in: self.facts) }
            guard let completion else { return self.isRearmingDue = true }
            completion(.success(content))
        case .failure(let error): self.connection.requests.answered(id, now: self.eventLoop.now)?(.failure(error))
        case .wait(let amount):
            self.connection.requests.extend(id, to: self.eventLoop.now + amount)
            self.rearm()
        }
    }

    /// Completes a request that failed on this side.
    private func failed(_ id: Int, _ error: CastError) { self.connection.requests.remove(id)?(.failure(error)) }

    /// Ends the requests to the application behind `transportID`, which has ended. A request whose wanted state was observed succeeds.
    func abandon(_ transportID: String) {
        for (completion, isObserved) in self.connection.requests.removeAll(to: transportID) {
            completion(isObserved ? .success(nil) : .failure(CastError(.applicationNotRunning, detail: "the application ended")))
        }
    }

    /// The state of the device that requests may ask for.
    var facts: ObservedFacts {
        ObservedFacts(receiver: self.machine.receiver, media: self.machine.media, queue: self.mediaObservation.queue.facts)
    }

    /// Checks whether an applied status shows the wanted state of a request.
    ///
    /// - Parameter updatedIDs: the items of the queue whose content changed.
    func observe(_ source: ObservedState.Source, updatedIDs: [Int] = []) {
        guard !self.connection.requests.isEmpty else { return }
        var facts = self.facts
        facts.queue?.updatedIDs = updatedIDs
        self.connection.requests.observe(source, now: self.eventLoop.now) { $0.evidence(in: facts) }
        // The same message may contain the answer after the status; then there is no grace period to wait for.
        if self.isReceiving { self.isRearmingDue = true } else { self.rearm() }
    }

    // MARK: - Heartbeat and end

    /// Pings the device now, because the network changed or the machine slept.
    func probe() {
        self.perform(self.connection.probe(now: self.eventLoop.now))
        self.rearm()
    }

    func linkDeadlineReached() {
        let now = self.eventLoop.now
        for (_, completion, end) in self.connection.requests.expire(now: now) {
            switch end {
            case .observed: completion(.success(nil))
            case .timedOut: completion(.failure(CastError(.timeout, detail: "the device didn't answer")))
            case .silent: completion(.failure(CastError(.notResponding, detail: "the application does not answer at all")))
            case .ignored: completion(.failure(CastError(.requestIgnored, detail: "the application ignores requests of this type")))
            case .notApplied: completion(.failure(CastError(.notApplied, detail: "the device answered, and its state stays another")))
            case .unsettled: completion(.failure(CastError(.timeout, detail: "the device answered, and is still loading")))
            case .overtaken: completion(.failure(CastError(.replaced, detail: "another sender changed it meanwhile")))
            case .mediaEnded: completion(.failure(CastError(.noMediaSession, detail: "the media ended meanwhile")))
            }
        }
        for source in self.connection.requests.questions(now: now) { self.ask(about: source) }
        self.perform(self.connection.beat(now: now))
        self.rearm()
    }

    /// Requests a part of the state that an answered request did not show.
    private func ask(about source: ObservedState.Source) {
        switch source {
        case .receiver: self.askReceiverStatus()
        case .media: self.askMediaStatus()
        case .queue: self.queueFollows(self.mediaObservation.queue.readAgain())
        }
    }

    private func perform(_ beat: CastConnection.Beat) {
        switch beat {
        case .none: break
        case .ping: self.send(HeartbeatMessage.ping.text, namespace: CastNamespace.heartbeat, to: CastMessage.platformReceiverID)
        case .silent: self.close(self.connection.silence)
        }
    }

    private func rearm() {
        self.isRearmingDue = false
        self.linkDeadline.arm(at: self.connection.nextDeadline)
    }

    /// Closes the link politely: applications keep running. The channel is closed when all written messages are sent.
    func closeGracefully(_ error: CastError) {
        guard self.isConnected else { return }
        if let transport = self.machine.transport { self.disconnect(transport.id) }
        self.disconnect(CastMessage.platformReceiverID)
        self.close(error)
    }

    /// Ends the link and with it the session. The first call sets the reason.
    func close(_ error: CastError) {
        guard self.isConnected else { return }
        self.logClosed(error)
        self.connection.close(error)
        self.linkDeadline.cancel()
        self.machineDeadline.cancel()
        self.flush()
        self.connection.channel.close(promise: nil)
        for completion in self.connection.requests.removeAll() { completion(.failure(error)) }
        self.waiters.endAll(.failure(error))
        self.mediaObservation.finish()
        self.messageObservers = [:]
        self.openChallenge?.deadline.cancel()
        self.openChallenge = nil
        self.endChannels()
        self.endControllers()
        self.notify(.disconnected(error))
    }
}
