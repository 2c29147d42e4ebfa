import CastModels
import CastProtocol
import Logging
import NIOCore

/// One session with a receiver over one live link: what it runs and plays, and the requests that change it (SDK: `GCKCastSession`).
///
/// An actor on its link's event loop. It ends with the link; a new link brings a new session.
public actor CastSession {
    let configuration: Configuration
    let eventLoop: any EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { self.eventLoop.executor.asUnownedSerialExecutor() }

    var machine: SessionStateMachine
    var mediaDesk = MediaDesk()
    let channel: any Channel
    private let firstRequestID: Int
    private let logger: Logger
    private let onEvent: @Sendable (CastSessionEvent) -> Void
    private(set) var connection: CastConnection?
    private(set) var endError: CastError?
    private var holdTimer = DeadlineTimer()
    var waiters = ConditionWaiters()
    /// Applications that were asked for their status and haven't answered.
    var mediaQuestions: Set<String> = []
    /// What this session tells library users; made when the first of them asks, since most sessions of a large house have none.
    private var observation: SessionObservation?
    var group = GroupMembers()
    var openChallenge: OpenChallenge?
    /// What the device's proof was worth; `nil` before it has answered, and when it isn't asked.
    public internal(set) var authentication: DeviceAuthenticationResult?
    private var messageObservers: [UInt64: @Sendable (ReceivedMessage) -> Void] = [:]
    private var lastObserverID: UInt64 = 0
    var channels = ChannelTable()

    /// - Parameters:
    ///   - channel: connected; reads and writes `CastMessage`.
    ///   - onEvent: called on the event loop.
    init(
        channel: any Channel, machine: SessionStateMachine, configuration: Configuration = Configuration(), firstRequestID: Int,
        logger: Logger, onEvent: @escaping @Sendable (CastSessionEvent) -> Void
    ) {
        self.channel = channel
        self.eventLoop = channel.eventLoop
        self.machine = machine
        self.configuration = configuration
        self.firstRequestID = firstRequestID
        self.logger = logger
        self.onEvent = onEvent
    }

    /// What the device last said of itself; `nil` before it said anything.
    public var receiverStatus: ReceiverStatus? { self.machine.receiver }

    /// The merged status of the media session; `nil` when there is none.
    public var mediaStatus: MediaStatus? { self.machine.media }

    /// Everything this session tells from now on; ends with `ended`.
    public var events: EventSequence<CastSessionEvent> { self.observed.events.sequence }

    /// What the device says of itself, each status complete; `nil` before the first.
    public var receiverStatuses: StateSequence<ReceiverStatus?> { self.observed.receiver.sequence }

    /// The merged status of the media session as the receiver tells it, also where that is idle between two items of a queue; `nil` while
    /// there is none. For bridges and logs; what people look at follows `RemoteMediaClient.mediaStatuses`, which leaves that moment out.
    public var mediaStatuses: StateSequence<MediaStatus?> { self.observed.media.sequence }

    var observed: SessionObservation {
        if let observation { return observation }
        let observation = SessionObservation(receiver: self.receiverStatus, media: self.mediaStatus, multizone: self.group.status)
        if self.endError != nil { observation.finish() }
        self.observation = observation
        return observation
    }

    /// Requests about what plays.
    public nonisolated var remoteMediaClient: RemoteMediaClient {
        RemoteMediaClient(session: self, defaults: self.configuration.mediaDefaults)
    }

    /// Who the device says it is; `nil` when it doesn't.
    public var identity: DeviceIdentity? { self.machine.identity.identity }

    /// The most that a heartbeat of this link came after its time.
    var maximumHeartbeatLateness: TimeAmount { self.connection?.assumeIsolated { $0.maximumLateness } ?? .zero }

    /// Whether the link lives.
    public var isConnected: Bool { self.connection != nil && self.endError == nil }

    // MARK: - Life

    func start() {
        let connection = CastConnection(
            channel: self.channel, heartbeat: self.configuration.heartbeat, firstRequestID: self.firstRequestID, logger: self.logger,
            events: .init(
                received: { [weak self] message in self?.assumeIsolated { $0.receive(message) } },
                closed: { [weak self] error in self?.assumeIsolated { $0.linkClosed(error) } }))
        self.connection = connection
        connection.assumeIsolated { $0.start() }
        guard self.endError == nil else { return }
        guard self.configuration.authentication.mode == .off else { return self.authenticate() }
        self.perform(self.machine.opened())
    }

    /// Leaves politely: applications keep running. The channel is closed when what was written is sent.
    func end(_ error: CastError) {
        guard let connection, self.endError == nil else { return }
        if let transport = self.machine.transport { self.disconnect(transport.id) }
        self.disconnect(CastMessage.platformReceiverID)
        connection.assumeIsolated { $0.close(error) }
    }

    /// Succeeds when the channel is closed.
    var closeFuture: EventLoopFuture<Void> { self.channel.closeFuture }

    /// Asks the link for a sign of life now.
    func probe() { self.connection?.assumeIsolated { $0.probe() } }

    private func linkClosed(_ error: CastError) {
        self.endError = error
        self.holdTimer.cancel()
        self.waiters.endAll(.failure(error))
        self.connection = nil
        self.mediaDesk.finish()
        self.messageObservers = [:]
        self.openChallenge?.alarm.cancel()
        self.openChallenge = nil
        self.endChannels()
        self.tell(.ended(error))
        self.observation?.finish()
    }

    func multizoneChanged() { self.observation?.multizone.setIfChanged(self.group.status) }

    func tell(_ event: CastSessionEvent) {
        self.observation?.tell(event)
        self.onEvent(event)
    }

    // MARK: - What arrives

    private func receive(_ received: ReceivedMessage) {
        guard self.mayBeHeard || received.message.namespace == CastNamespace.deviceAuthentication else { return }
        switch received.content {
        case .receiver(.status(let status)): self.perform(self.machine.receiverStatus(status, now: received.at))
        case .media(.status(let updates)):
            let source = received.message.sourceID
            self.perform(
                self.machine.mediaStatus(updates, from: source, isBroadcast: received.isBroadcast, now: received.at))
        case .media(.queueChange(let change)): self.queueChanged(change, by: received.message.sourceID)
        case .media(.error(let failure)) where received.answers == nil: self.mediaFailed(failure.error)
        case .connection(.close): self.perform(self.machine.virtualConnectionClosed(by: received.message.sourceID))
        case .deviceInformation(.information(let information)) where received.answers == nil:
            let question: IdentityCheck.Question =
                received.message.namespace == CastNamespace.setup ? .eurekaInformation : .deviceInformation
            self.perform(self.machine.identityAnswered(information, to: question))
        case .receiver(.launchStatus(let status)) where received.answers != nil: self.tell(.launchStatus(status))
        case .multizone(let message): self.groupTold(message)
        case .receiver, .media, .connection, .heartbeat, .deviceInformation, .other: break
        }
        if self.openChallenge != nil, received.message.namespace == CastNamespace.deviceAuthentication {
            self.authenticationAnswered(received.message.payload)
        }
        if !self.channels.isEmpty { self.deliver(received.message) }
        for observer in self.messageObservers.values { observer(received) }
    }

    /// Calls `observer` on the event loop for each message for us, after the session has taken it in, until the link ends.
    ///
    /// - Returns: for `removeMessageObserver`.
    func addMessageObserver(_ observer: @escaping @Sendable (ReceivedMessage) -> Void) -> UInt64 {
        self.lastObserverID += 1
        if self.endError == nil { self.messageObservers[self.lastObserverID] = observer }
        return self.lastObserverID
    }

    func removeMessageObserver(_ id: UInt64) { self.messageObservers[id] = nil }

    // MARK: - What follows

    func perform(_ effects: [SessionStateMachine.Effect]) {
        for effect in effects { self.perform(effect) }
        if let holdUntil = self.machine.holdUntil {
            self.holdTimer.arm(at: holdUntil, on: self.eventLoop) { [weak self] in self?.assumeIsolated { $0.holdAlarm() } }
        }
        self.updateChannels()
        if !self.waiters.isEmpty { self.waiters.resume(self.machine) }
    }

    private func perform(_ effect: SessionStateMachine.Effect) {
        switch effect {
        case .connectPlatform: self.connect(CastMessage.platformReceiverID, .strong)
        case .askReceiverStatus: self.askReceiverStatus()
        case .askIdentity: self.askIdentity(.deviceInformation)
        case .askEurekaInformation: self.askIdentity(.eurekaInformation)
        case .connect(let transportID, let kind): self.connect(transportID, kind)
        case .disconnect(let transportID): self.disconnect(transportID)
        case .abandon(let transportID):
            self.mediaQuestions.remove(transportID)
            self.connection?.assumeIsolated { $0.abandon(transportID) }
        case .askMediaStatus(let transportID): self.askMediaStatus(of: transportID)
        case .observeReceiver(let status): self.connection?.assumeIsolated { $0.observe(status) }
        case .observeMedia(let status):
            self.connection?.assumeIsolated { $0.observe(status) }
            self.mediaObserved(status)
        case .report(let event): if self.endError == nil, self.passes(event) { self.tell(event) }
        case .fail(let error): self.connection?.assumeIsolated { $0.close(error) }
        }
    }

    private func connect(_ id: String, _ kind: VirtualConnectionKind) {
        let request = ConnectRequest(kind: kind, userAgent: self.configuration.userAgent, version: self.configuration.version)
        self.send(ConnectionMessage.connect(request).text, namespace: CastNamespace.connection, to: id)
    }

    private func disconnect(_ id: String) {
        self.send(ConnectionMessage.close(.closedBySelf).text, namespace: CastNamespace.connection, to: id)
    }

    private func send(_ payload: String, namespace: String, to id: String) {
        self.connection?.assumeIsolated { $0.send(payload, namespace: namespace, to: id) }
    }

    /// Sends what expects no answer and returns when it is written.
    ///
    /// - Throws: `messageTooBig` above 64 KiB, `networkError` when the link broke before.
    func write(_ payload: CastMessage.Payload, namespace: String, to id: String) async throws(CastError) {
        guard let connection, self.endError == nil else { throw self.notConnected }
        let written = self.eventLoop.makePromise(of: Void.self)
        self.onLink(connection) { $0.send(payload, namespace: namespace, to: id, promise: written) }
        do {
            try await written.futureResult.get()
        } catch {
            throw error as? CastError ?? CastError(.networkError, detail: "the link broke before the message was written")
        }
    }

    private func holdAlarm() {
        self.holdTimer.fired()
        self.perform(self.machine.tick(now: self.eventLoop.now))
    }

    // MARK: - Requests

    /// Sends a request and waits for its outcome; what was only observed gives no content.
    func request(
        namespace: String, to destinationID: String, timeout: TimeAmount, observed: ObservedState = .none,
        grace: TimeAmount = .milliseconds(500), replacing kind: RequestKind? = nil, payload: @Sendable (Int) throws(CastError) -> String
    ) async throws(CastError) -> ReceivedPayload.Content? {
        guard let connection else { throw self.notConnected }
        guard !Task.isCancelled else { throw CastError(.cancelled, detail: "the caller gave up") }
        let id = self.nextRequestID(on: connection)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<ReceivedPayload.Content?, CastError>, Never>) in
                // Without `self` in it this closure would belong to no actor, and run wherever the caller happens to be.
                self.onLink(connection) { connection in
                    connection.request(
                        id: id, namespace: namespace, to: destinationID, timeout: timeout, observed: observed, grace: grace,
                        replacing: kind, payload: payload, completion: { continuation.resume(returning: $0) })
                }
            }
        } onCancel: {
            self.eventLoop.execute { connection.assumeIsolated { $0.cancel(id) } }
        }
        return try result.get()
    }

    private func onLink(_ connection: CastConnection, _ work: (isolated CastConnection) -> Void) { connection.assumeIsolated(work) }

    private func nextRequestID(on connection: CastConnection) -> Int { connection.assumeIsolated { $0.nextRequestID() } }

    var notConnected: CastError { CastError(.deviceNotConnected, detail: "the link to the device is closed") }
}
