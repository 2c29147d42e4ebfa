import CastModels
import Logging
import NIOCore

/// Keeps one device connected: attempts, waits and tries again without end, until its task is cancelled.
///
/// An actor on the event loop given to it. Everything happens there: decisions in `SupervisorStateMachine`, the present attempt and
/// session in the actor. `onEvent` is called on the loop, in order.
public actor DeviceSupervisor {
    public nonisolated let device: Device.ID?
    let eventLoop: any EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { self.eventLoop.executor.asUnownedSerialExecutor() }

    let connector: any CastConnector
    let random: @Sendable () -> Double
    let logger: Logger
    let sessionConfiguration: CastSession.Configuration
    private let followsQueue: Bool
    private let onEvent: @Sendable (DeviceSupervisorEvent) -> Void
    private let gate: HandshakeGate

    var machine: SupervisorStateMachine
    var endpoints: [DeviceEndpoint]
    var attempt: ConnectAttempt?
    /// Counts attempts; what an earlier one still answers is told by its number.
    var generation: UInt64 = 0
    var raceCount: UInt64 = 0
    private var current: CastSession?
    private var linkedEndpoint: DeviceEndpoint?
    private var sessionCount: UInt64 = 0
    private var ownedSessionID: String?
    private var isEurekaWanted = true
    private var permit: HandshakeGate.Permit?
    private var permitTimer: Scheduled<Void>?
    private var retryTimer: Scheduled<Void>?
    private var attemptTimer: Scheduled<Void>?
    private var finished: CheckedContinuation<Void, Never>?
    private var isStopped = false

    /// How long a handshake counts for the gate. A dead address must not keep living devices waiting.
    private static let permitTime = TimeAmount.milliseconds(500)
    /// How long a polite end may take.
    private static let farewellTime = TimeAmount.milliseconds(200)

    /// - Parameters:
    ///   - device: whom we mean to reach; `nil` takes whoever answers.
    ///   - endpoints: where it may be, the most likely first; may be empty.
    ///   - random: a number in `0..<1`; for delays and the first request id.
    ///   - authentication: whether and how the device must prove that it is genuine.
    ///   - capabilities: what the device announces; a certificate may allow less.
    ///   - mediaDefaults: what `CastSession.remoteMediaClient` begins with.
    ///   - followsQueue: whether queues are read as soon as there are any, and told as `queueWindow`.
    ///   - onEvent: called on `eventLoop`.
    public init(
        device: Device.ID?, endpoints: [DeviceEndpoint], eventLoop: any EventLoop, connector: some CastConnector,
        policy: ReconnectPolicy = ReconnectPolicy(), handshakeGate: HandshakeGate,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
        authentication: DeviceAuthentication = DeviceAuthentication(), capabilities: DeviceCapabilities? = nil,
        mediaDefaults: MediaDefaults = MediaDefaults(), followsQueue: Bool = false, logger: Logger,
        onEvent: @escaping @Sendable (DeviceSupervisorEvent) -> Void
    ) {
        self.device = device
        self.endpoints = endpoints
        self.eventLoop = eventLoop
        self.connector = connector
        self.machine = SupervisorStateMachine(policy: policy, hasEndpoints: !endpoints.isEmpty)
        self.gate = handshakeGate
        self.random = random
        self.logger = logger
        var configuration = CastSession.Configuration()
        configuration.authentication = authentication
        configuration.capabilities = capabilities
        configuration.mediaDefaults = mediaDefaults
        self.sessionConfiguration = configuration
        self.followsQueue = followsQueue
        self.onEvent = onEvent
    }

    /// The session while the device is connected and its state has been read, else `nil`.
    public var session: CastSession? { self.machine.isReady ? self.current : nil }

    /// Where the present link leads; `nil` without one that is ready.
    public var endpoint: DeviceEndpoint? { self.machine.isReady ? self.linkedEndpoint : nil }

    /// The most that a heartbeat of the present link came after its time: how late the event loop is.
    public var heartbeatLateness: Duration {
        .nanoseconds(self.current?.assumeIsolated { $0.maximumHeartbeatLateness.nanoseconds } ?? 0)
    }

    /// Supervises until the task is cancelled, then leaves the device politely (applications keep running) and returns within 300 ms.
    /// Call it once.
    public func run() async {
        guard self.finished == nil, !self.isStopped else { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.finished = continuation
                self.perform(self.machine.start(now: self.eventLoop.now))
                if Task.isCancelled { self.stop() }
            }
        } onCancel: {
            self.eventLoop.execute { self.assumeIsolated { $0.stop() } }
        }
    }

    /// Where the device may be now, the most likely first. New addresses are tried at once; known ones count as a sighting.
    public nonisolated func update(endpoints: [DeviceEndpoint]) {
        self.eventLoop.execute { self.assumeIsolated { $0.take(endpoints) } }
    }

    /// The device was seen or the network changed: try within a second; when connected, ask for a sign of life.
    public nonisolated func wake() {
        self.eventLoop.execute {
            self.assumeIsolated { $0.sighted() }
        }
    }

    /// Ends the supervision as cancelling its task does.
    public nonisolated func end() { self.eventLoop.execute { self.assumeIsolated { $0.stop() } } }

    private func sighted() { self.perform(self.machine.wake(now: self.eventLoop.now, random: self.random())) }

    private func take(_ endpoints: [DeviceEndpoint]) {
        guard endpoints != self.endpoints else { return self.sighted() }
        self.endpoints = endpoints
        self.perform(self.machine.endpointsChanged(isEmpty: endpoints.isEmpty, now: self.eventLoop.now, random: self.random()))
    }

    func report(_ event: DeviceSupervisorEvent) {
        guard !self.isStopped else { return }
        self.onEvent(event)
    }

    // MARK: - What the machine wants

    private func perform(_ action: SupervisorStateMachine.Action) {
        switch action {
        case .none: break
        case .requestPermit: self.requestPermit()
        case .connect(let deadline):
            self.report(.connecting)
            self.beginAttempt(deadline: deadline)
        case .reconnect(let deadline):
            self.abandonAttempt()
            self.beginAttempt(deadline: deadline)
        case .connectAlso: self.extendAttempt()
        case .wait(let deadline), .retry(_, let deadline, _): self.scheduleRetry(at: deadline)
        case .giveUpUntilAddress: break
        case .probe: self.current?.assumeIsolated { $0.probe() }
        case .stop: self.leave()
        }
    }

    private func scheduleRetry(at deadline: NIODeadline) {
        self.retryTimer?.cancel()
        self.retryTimer = self.eventLoop.scheduleTask(deadline: deadline) {
            self.assumeIsolated { supervisor in supervisor.perform(supervisor.machine.tick(now: supervisor.eventLoop.now)) }
        }
    }

    private func requestPermit() {
        self.retryTimer?.cancel()
        self.permit = self.gate.request(on: self.eventLoop) { permit in
            self.assumeIsolated { $0.permitted(permit) }
        }
    }

    private func permitted(_ permit: HandshakeGate.Permit) {
        guard !self.isStopped, self.permit == permit else { return self.gate.release(permit) }
        self.permitTimer = self.eventLoop.scheduleTask(in: Self.permitTime) { self.assumeIsolated { $0.releasePermit() } }
        self.perform(self.machine.permitted(now: self.eventLoop.now))
    }

    func releasePermit() {
        self.permitTimer?.cancel()
        self.permitTimer = nil
        if let permit { self.gate.release(permit) }
        self.permit = nil
    }

    private func beginAttempt(deadline: NIODeadline) {
        self.generation += 1
        let generation = self.generation
        self.attemptTimer?.cancel()
        self.attemptTimer = self.eventLoop.scheduleTask(deadline: deadline) {
            self.assumeIsolated { $0.attemptEnded(generation, CastError(.timeout, detail: "not connected and read in time")) }
        }
        self.startRace(deadline: deadline, without: [])
    }

    // MARK: - How an attempt goes

    /// TCP and TLS are up: read who it is and what it does.
    func connected(_ channel: any Channel, at endpoint: DeviceEndpoint) {
        self.linkedEndpoint = endpoint
        self.releasePermit()
        self.machine.connected()
        let generation = self.generation
        self.sessionCount += 1
        let number = self.sessionCount
        let identity = IdentityCheck(
            expected: self.device, isEurekaWanted: self.isEurekaWanted, isEurekaTrusted: endpoint.port == DeviceEndpoint.devicePort)
        let session = CastSession(
            channel: channel, machine: SessionStateMachine(identity: identity, ownedSessionID: self.ownedSessionID),
            configuration: self.sessionConfiguration, firstRequestID: Int(self.random() * 1_000_000_000), logger: self.logger
        ) { [weak self] event in
            self?.assumeIsolated { supervisor in
                guard number == supervisor.sessionCount, supervisor.current != nil else { return }
                supervisor.sessionTold(event, generation, endpoint)
            }
        }
        self.current = session
        session.assumeIsolated { session in
            if self.followsQueue { session.followQueueWindow() }
            session.start()
        }
    }

    private func sessionTold(_ event: CastSessionEvent, _ generation: UInt64, _ endpoint: DeviceEndpoint) {
        switch event {
        case .identified(let identity):
            if self.device == nil || identity.id == self.device { return self.report(.identified(identity)) }
            self.mismatched(identity, at: endpoint)
        case .ready(let receiver, let media):
            self.attemptTimer?.cancel()
            self.isEurekaWanted = self.current?.assumeIsolated { $0.machine.identity.source } != .deviceInformation
            self.machine.becameReady(now: self.eventLoop.now)
            self.report(.ready(receiver: receiver, media: media))
            self.reportWhatWasReadBefore()
        case .receiverStatus(let status): if self.machine.isReady { self.report(.receiverStatus(status)) }
        case .mediaStatus(let status): if self.machine.isReady { self.report(.mediaStatus(status)) }
        case .applicationConnection(let connection, let ours):
            self.ownedSessionID = ours ? self.current?.assumeIsolated { $0.machine.ownedSessionID } : nil
            self.report(.applicationConnection(connection, ours: ours))
        case .authenticated(let result): self.report(.authenticated(result))
        case .queueWindow(let window): if self.machine.isReady { self.report(.queueWindow(window)) }
        case .multizoneStatus(let status): if self.machine.isReady { self.report(.multizoneStatus(status)) }
        case .launchStatus, .groupChanged: break
        case .ended(let error): self.attemptEnded(generation, error)
        }
    }

    /// What the session told while it was not ready yet. A group tells its members only when asked.
    private func reportWhatWasReadBefore() {
        guard let read = self.current?.assumeIsolated({ (queue: $0.queueWindow, group: $0.multizoneStatus) }) else { return }
        if let queue = read.queue { self.report(.queueWindow(queue)) }
        if let group = read.group { self.report(.multizoneStatus(group)) }
    }

    private func mismatched(_ found: DeviceIdentity, at endpoint: DeviceEndpoint) {
        self.report(.identityMismatch(found: found, at: endpoint))
        let error = CastError(.deviceIdentityMismatch, detail: "another device answers at \(endpoint)")
        // One that says so late, when it was taken for the right one already.
        guard !self.machine.isReady else { return self.attemptEnded(self.generation, error) }
        let impostor = self.current
        self.current = nil
        self.machine.rejected()
        self.attempt?.rejected.insert(endpoint)
        impostor?.assumeIsolated { $0.end(error) }
        self.resumeRace()
    }

    /// The attempt, or the link that came of it, is over.
    func attemptEnded(_ generation: UInt64, _ error: CastError) {
        guard generation == self.generation, !self.isStopped else { return }
        self.generation += 1
        self.attemptTimer?.cancel()
        self.releasePermit()
        self.abandonAttempt()
        let session = self.current
        self.current = nil
        let wasReady = self.machine.isReady
        let action = self.machine.failed(now: self.eventLoop.now, random: self.random())
        session?.assumeIsolated { $0.end(error) }
        if wasReady { self.report(.disconnected(error)) }
        switch action {
        case .retry(let delay, _, let attempts): self.report(.attemptFailed(error, retryIn: delay, attempts: attempts))
        case .giveUpUntilAddress(let attempts): self.report(.attemptFailed(error, retryIn: nil, attempts: attempts))
        default: break
        }
        self.perform(action)
    }

    // MARK: - The end

    private func stop() { self.perform(self.machine.stop()) }

    private func leave() {
        self.isStopped = true
        self.generation += 1
        self.retryTimer?.cancel()
        self.attemptTimer?.cancel()
        self.releasePermit()
        self.abandonAttempt()
        guard let current else { return self.finish() }
        self.current = nil
        let limit = self.eventLoop.scheduleTask(in: Self.farewellTime) { self.assumeIsolated { $0.finish() } }
        current.assumeIsolated { session in
            session.closeFuture.whenComplete { _ in
                limit.cancel()
                self.assumeIsolated { $0.finish() }
            }
            session.end(CastError(.cancelled, detail: "the connection was ended"))
        }
    }

    private func finish() {
        self.finished?.resume()
        self.finished = nil
    }
}

extension DeviceEndpoint {
    /// Where every device listens; any other port is a speaker group's.
    static let devicePort = 8009
}
