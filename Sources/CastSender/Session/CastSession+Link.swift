import CastModels
import CastProtocol
import CastTransport
import EventLoopTiming
import LogKeys
import Logging
import NIOCore

/// The session's link: messages in, requests out, the heartbeat, the end.
extension CastSession {
    /// Starts reading and the heartbeat.
    func start() {
        if self.configuration.followsQueue { self.followQueueWindow() }
        do {
            let pipeline = self.connection.channel.pipeline.syncOperations
            let handler = CastConnectionHandler(self.connection, receive: { self.receive($0) }, close: { self.close($0) })
            let frames = try pipeline.handler(type: CastFrameHandler.self)
            self.connection.start(
                frames, Deadline(on: self.eventLoop, sharing: self.configuration.alarms) { [weak handler] in handler?.beat() },
                Deadline(of: self, on: self.eventLoop) { session in session.connection.expire { session.ask(about: $0) } })
            frames.attach(handler)
            try pipeline.addHandler(handler)
            guard self.connection.channel.isActive else { throw ChannelError.ioOnClosedChannel }
        } catch {
            return self.close(CastError(.networkError, detail: "the channel closed at once"))
        }
        self.logOpened()
        guard self.configuration.authentication.mode == .off else { return self.authenticate() }
        self.input { machine, _ in machine.opened() }
    }

    /// - Returns: the frame of an answer to a heartbeat.
    func receive(_ message: CastMessagePiece) -> ByteBuffer? {
        do throws(CastError) {
            if message.isIn(CastNamespace.heartbeat) { return try self.connection.beat(message) }
            guard let received = try self.connection.read(message) else { return nil }
            self.connection.apply(received) {
                self.take(received)
            } facts: {
                self.facts
            }
        } catch {
            self.loggers.connection.debug(
                "message not readable", metadata: [.castNamespace: "\(message.namespace)", .error: "\(error)"])
        }
        return nil
    }

    /// Applies a message of the device.
    private func take(_ received: ReceivedMessage) {
        var source: String { received.piece.sourceID }
        guard self.proof.acceptsMessages || received.piece.isIn(CastNamespace.deviceAuthentication) else { return }
        switch received.content {
        case .receiver(.status(let status)): self.input(at: received.at) { $0.receiverStatus(status, now: $1) }
        case .media(.status(let updates)):
            self.input(at: received.at) { $0.mediaStatus(updates, from: source, isBroadcast: received.isBroadcast, now: $1) }
        case .media(.queueChange(let change)): self.queueChanged(change, by: source)
        case .media(.error(let failure)) where received.answers == nil: self.mediaFailed(failure.error)
        case .connection(.close): self.input { $0.virtualConnectionClosed(by: source, now: $1) }
        case .deviceInformation(.information(let information)) where received.answers == nil:
            let question: IdentityCheck.Question =
                received.piece.isIn(CastNamespace.setup) ? .eurekaInformation : .deviceInformation
            self.input { machine, _ in machine.identityAnswered(information, to: question) }
        case .receiver(.launchStatus(let status)) where received.answers != nil:
            self.change { machine, _ in machine.permission(isAsking: status == .userPendingAuthorization) }
        case .multizone(let message): self.groupChanged(message)
        case .media, .other: self.change { $0.heard(from: source, now: $1) }
        case .receiver, .connection, .heartbeat, .deviceInformation: break
        }
        if self.proof.isOpen, received.piece.isIn(CastNamespace.deviceAuthentication) {
            self.authenticationAnswered(received.piece.message.payload)
        }
        if !self.channels.isEmpty { self.deliver(received.piece.message) }
    }

    /// Sends a message that expects no answer and returns when it is written.
    ///
    /// - Throws: `messageTooBig` above 64 KiB, `networkError` when the link broke first.
    func write(_ payload: CastMessage.Payload, namespace: String, to id: String) async throws(CastError) {
        try self.requireConnection()
        try self.requirePermission()
        let written = self.eventLoop.makePromise(of: Void.self)
        do {
            try self.connection.write(payload, namespace: namespace, to: id, promise: written)
            try await written.futureResult.get()
        } catch {
            throw error as? CastError ?? CastError(.networkError, detail: "the link broke before the message was written")
        }
    }

    // MARK: - Requests

    /// Sends a request at once and waits for its answer.
    ///
    /// - Returns: `nil` when the outcome was only observed.
    func request(_ request: CastRequest) async throws(CastError) -> ReceivedMessage? {
        try self.requireConnection()
        try self.requirePermission()
        guard !Task.isCancelled else { throw CastError(.cancelled, detail: "the caller gave up") }
        let id = self.connection.nextRequestID()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<ReceivedMessage?, CastError>, Never>) in
                self.connection.send(request, id: id, isUrgent: true, self.logged(request.terms) { continuation.resume(returning: $0) })
            }
        } onCancel: {
            self.eventLoop.execute { self.assumeIsolated { $0.connection.cancel(id) } }
        }
        return try result.get()
    }

    /// - Throws: `sessionSuspended`, because the owner of this session may not act at the moment.
    private func requirePermission() throws(CastError) {
        guard !self.configuration.allowsRequests() else { return }
        throw CastError(.sessionSuspended, detail: "nothing was sent: another sender of this pair may lead by now")
    }

    /// Sends a request for which no caller waits; `completion` is called exactly once, on the event loop.
    func send(_ request: CastRequest, _ completion: @escaping CastConnection.Completion = { _ in }) {
        self.connection.send(request, self.logged(request.terms, completion))
    }

    /// Checks whether an applied status shows the wanted state of a request.
    ///
    /// - Parameter updatedIDs: the items of the queue whose content changed.
    func observe(_ source: ObservedState.Source, updatedIDs: [Int] = []) {
        func facts() -> ObservedFacts {
            var facts = self.facts
            facts.queue?.updatedIDs = updatedIDs
            return facts
        }
        self.connection.observe(source, facts())
    }

    // MARK: - The end

    /// Requests a part of the state that an answered request did not show.
    private func ask(about source: ObservedState.Source) {
        switch source {
        case .receiver: self.askReceiverStatus()
        case .media: self.askMediaStatus()
        case .queue: self.queueFollows { $0.readAgain() }
        }
    }

    /// Closes the link politely: applications keep running. The channel is closed when all written messages are sent.
    func closeGracefully(_ error: CastError) {
        guard self.isLinked else { return }
        if let transport = self.machine.transport { self.disconnect(transport.id) }
        self.disconnect(CastMessage.platformReceiverID)
        self.close(error)
    }

    /// Ends the link. The first call sets the reason.
    func close(_ error: CastError) {
        guard self.isLinked else { return }
        self.logClosed(error)
        self.connection.close(error)
        self.linkEnded(error)
    }
}
