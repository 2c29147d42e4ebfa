import CastModels
import EventLoopTiming
import LogKeys
import Logging
import NIOCore

/// Keeps one device connected: it connects, watches the link and reconnects without end, until its task is cancelled.
///
/// The supervisor begins and ends links; a `CastSession` owns what happens on one of them. `SupervisorStateMachine` decides when to try,
/// `AddressRace` at which address, `HandshakeGate` how many devices do so at once:
///
/// ```
///               permit              TCP, TLS             identity and statuses read
///   run() ──► queued ──► connecting ──────► preparing ───────────────────────► ready
///               ▲            │ failed          │ failed, or another device      │ disconnected
///               │            ▼                 ▼ (then the other addresses)     ▼
///               └───────── waiting ◄───────────┴────────────────────────────────┘
///                             back-off with jitter; cut short by wake() and update(endpoints:)
/// ```
///
/// - **Callers.** The bridge and `SessionManager` create one for each device, run it in a task, and report sightings and addresses to it.
///   `onEvent` receives every `CastLinkEvent`: those of the current session unchanged, and those of attempts.
/// - **Thread.** An actor on the event loop given to it; links, their sessions and `onEvent` are on the same loop.
/// - **Invariants.** There is one attempt or link at a time. A session is ended at most once and forgotten before that, so its late reports
///   do not affect the current link. A handshake occupies the gate for at most 500 ms.
///
/// Where to look next: `DeviceSupervisor+Attempt` for one attempt, `CastSession` for the link.
public actor DeviceSupervisor {
    public nonisolated let device: Device.ID?
    let eventLoop: any EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { self.eventLoop.executor.asUnownedSerialExecutor() }

    let connector: any CastConnector
    let random: @Sendable () -> Double
    let loggers: LinkLoggers
    let sessionConfiguration: CastSession.Configuration
    private let followsQueue: Bool
    private let onEvent: @Sendable (CastLinkEvent) -> Void
    private let gate: HandshakeGate
    /// Whether the device was ever connected. An announcement alone proves nothing, so it gives no handshake priority.
    private var isVerified: Bool

    var machine: SupervisorStateMachine
    var endpoints: [DeviceEndpoint]
    var attempt: ConnectAttempt?
    /// Numbers the races, so that late answers of an earlier one are ignored.
    var raceCount: UInt64 = 0
    private var current: CastSession?
    /// The values that the previous session hands to the next one.
    private var memory = SessionMemory()
    private var permit: HandshakeGate.Permit?
    private lazy var permitDeadline = Deadline(of: self, on: self.eventLoop) { $0.releasePermit() }
    private lazy var retryDeadline = Deadline(of: self, on: self.eventLoop) { $0.perform($0.machine.tick(now: $0.eventLoop.now)) }
    private lazy var attemptDeadline = Deadline(of: self, on: self.eventLoop) {
        $0.attemptEnded(CastError(.timeout, detail: "not connected and read in time"))
    }
    lazy var raceDeadline = Deadline(of: self, on: self.eventLoop) { $0.advance { $0.tick(now: $1) } }
    private lazy var farewellDeadline = Deadline(of: self, on: self.eventLoop) { $0.finish() }
    private var finished: CheckedContinuation<Void, Never>?
    private var isStopped = false

    /// How long a handshake occupies the gate. A dead address must not delay reachable devices.
    private static let permitTime = TimeAmount.milliseconds(500)
    /// The time limit for closing a link politely.
    private static let farewellTime = TimeAmount.milliseconds(200)

    /// - Parameters:
    ///   - device: the device to reach; `nil` accepts any device that answers.
    ///   - endpoints: its possible endpoints, most likely first; may be empty.
    ///   - eventLoop: runs the supervisor, its links and their sessions.
    ///   - connector: opens the links.
    ///   - policy: the delays between attempts.
    ///   - handshakeGate: the gate that all supervisors of the process share.
    ///   - isVerified: whether the device was connected before; after a sighting, its handshake has priority.
    ///   - random: a number in `0..<1`; for delays and the first request id.
    ///   - authentication: whether and how the device must prove that it is genuine.
    ///   - description: the device as discovered, for `CastSession.device`.
    ///   - capabilities: the announced capabilities; a certificate may allow fewer.
    ///   - participation: our part in an application session over a link of another supervisor, or of an earlier run of the program.
    ///   - mediaDefaults: the initial defaults of `CastSession.remoteMediaClient`.
    ///   - requestLimit: the time limit of users' requests, for a caller that ends them itself; `nil` uses 180 s for a load and a launch, 15 s
    ///     for any other.
    ///   - followsQueue: whether queues are read as soon as they exist, and reported as `queueWindow`.
    ///   - logger: receives all log lines if there are no `loggers`.
    ///   - loggers: one for each type that logs; `nil` makes all of them use `logger`.
    ///   - onEvent: called on `eventLoop`.
    public init(
        device: Device.ID?, endpoints: [DeviceEndpoint], eventLoop: any EventLoop, connector: some CastConnector,
        policy: ReconnectPolicy = ReconnectPolicy(), handshakeGate: HandshakeGate, isVerified: Bool = true,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
        authentication: DeviceAuthentication = DeviceAuthentication(), description: Device? = nil, capabilities: DeviceCapabilities? = nil,
        participation: Participation? = nil, mediaDefaults: MediaDefaults = MediaDefaults(), requestLimit: Duration? = nil,
        followsQueue: Bool = false, logger: Logger,
        loggers: LinkLoggers? = nil, onEvent: @escaping @Sendable (CastLinkEvent) -> Void
    ) {
        self.device = device
        self.endpoints = endpoints
        self.eventLoop = eventLoop
        self.connector = connector
        self.machine = SupervisorStateMachine(policy: policy, hasEndpoints: !endpoints.isEmpty)
        self.gate = handshakeGate
        self.isVerified = isVerified
        self.random = random
        self.loggers = loggers ?? LinkLoggers(all: logger)
        var configuration = CastSession.Configuration()
        configuration.authentication = authentication
        configuration.device = description
        configuration.capabilities = capabilities
        configuration.mediaDefaults = mediaDefaults
        if let requestLimit { configuration.limit(to: TimeAmount(requestLimit)) }
        self.sessionConfiguration = configuration
        self.memory.participation = participation
        self.followsQueue = followsQueue
        self.onEvent = onEvent
    }

    /// The session while the device is connected and its state has been read; else `nil`.
    public var session: CastSession? { self.machine.isReady ? self.current : nil }

    /// The endpoint of the current link; `nil` unless it is ready.
    public var endpoint: DeviceEndpoint? { self.machine.isReady ? self.current?.endpoint : nil }

    /// The largest delay of a heartbeat on the current link: a measure of the event loop's latency.
    public var heartbeatLateness: Duration {
        .nanoseconds(self.current?.assumeIsolated { $0.connection.maximumLateness.nanoseconds } ?? 0)
    }

    /// Supervises until the task is cancelled, then closes the link politely (applications keep running) and returns within 300 ms. Call it
    /// once.
    public func run() async {
        guard self.finished == nil, !self.isStopped else { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.finished = continuation
                self.perform(self.machine.start(now: self.eventLoop.now))
                if Task.isCancelled { self.stopOnLoop() }
            }
        } onCancel: {
            self.eventLoop.execute { self.assumeIsolated { $0.stopOnLoop() } }
        }
    }

    /// Sets the possible endpoints of the device, most likely first. New addresses are tried at once; known ones count as a sighting.
    public nonisolated func update(endpoints: [DeviceEndpoint]) {
        self.eventLoop.execute { self.assumeIsolated { $0.take(endpoints) } }
    }

    /// Reports that the device was seen or the network changed: an attempt follows within a second, and a connected device is pinged.
    public nonisolated func wake() {
        self.eventLoop.execute {
            self.assumeIsolated { $0.sighted() }
        }
    }

    /// Stops the supervisor: closes its link and makes `run()` return, like cancelling its task.
    public nonisolated func stop() { self.eventLoop.execute { self.assumeIsolated { $0.stopOnLoop() } } }

    private func sighted() { self.perform(self.machine.wake(now: self.eventLoop.now, random: self.random())) }

    private func take(_ endpoints: [DeviceEndpoint]) {
        guard endpoints != self.endpoints else { return self.sighted() }
        self.endpoints = endpoints
        self.perform(self.machine.endpointsChanged(isEmpty: endpoints.isEmpty, now: self.eventLoop.now, random: self.random()))
    }

    func report(_ event: CastLinkEvent) {
        guard !self.isStopped else { return }
        self.onEvent(event)
    }

    // MARK: - Actions

    private func perform(_ action: SupervisorStateMachine.Action) {
        switch action {
        case .none: break
        case .requestPermit(let isSighted): self.requestPermit(isSighted: isSighted)
        case .connect(let deadline):
            self.report(.connecting)
            self.beginAttempt(deadline: deadline)
        case .reconnect(let deadline):
            self.abandonAttempt()
            self.beginAttempt(deadline: deadline)
        case .connectAlso: self.extendAttempt()
        case .wait(let deadline), .retry(_, let deadline, _): self.retryDeadline.arm(at: deadline)
        case .giveUpUntilAddress: break
        case .probe: self.current?.assumeIsolated { $0.probe() }
        case .stop: self.leave()
        }
    }

    private func requestPermit(isSighted: Bool) {
        self.retryDeadline.cancel()
        self.releasePermit()
        self.permit = self.gate.request(on: self.eventLoop, isPreferred: isSighted && self.isVerified) { permit in
            self.assumeIsolated { $0.permitted(permit) }
        }
    }

    private func permitted(_ permit: HandshakeGate.Permit) {
        guard !self.isStopped, self.permit == permit else { return self.gate.release(permit) }
        self.permitDeadline.arm(in: Self.permitTime)
        self.perform(self.machine.permitted(now: self.eventLoop.now))
    }

    func releasePermit() {
        self.permitDeadline.cancel()
        if let permit { self.gate.release(permit) }
        self.permit = nil
    }

    private func beginAttempt(deadline: NIODeadline) {
        self.attemptDeadline.arm(at: deadline)
        self.startRace(deadline: deadline, without: [])
    }

    // MARK: - The link

    /// TCP and TLS are up: read the device's identity and state.
    func connected(_ channel: any Channel, at endpoint: DeviceEndpoint) {
        self.releasePermit()
        self.machine.connected()
        let identity = IdentityCheck(
            expected: self.device, isEurekaWanted: self.memory.isEurekaWanted, isEurekaTrusted: endpoint.port == DeviceEndpoint.devicePort)
        let session = CastSession(
            channel: channel, endpoint: endpoint,
            machine: SessionStateMachine(identity: identity, memory: self.memory), configuration: self.sessionConfiguration,
            firstRequestID: Int(self.random() * 1_000_000_000), loggers: self.loggers,
            onEvent: { event in self.assumeIsolated(on: self.eventLoop, event) { $0.handle($1) } },
            onEnd: { error, memory in self.assumeIsolated { $0.linkEnded(error, memory) } })
        self.current = session
        let ignored = self.memory.ignored
        session.assumeIsolated { session in
            session.connection.requests.ignored = ignored
            if self.followsQueue { session.followQueueWindow() }
            session.start()
        }
    }

    private func handle(_ event: CastLinkEvent) {
        if case .ready = event {
            self.attemptDeadline.cancel()
            self.machine.becameReady(now: self.eventLoop.now)
            self.isVerified = true
        }
        self.report(event)
    }

    private func linkEnded(_ error: CastError, _ memory: SessionMemory) {
        self.memory = memory
        // Without a current session, the supervisor itself ended it.
        guard let session = self.current else { return }
        self.current = nil
        guard error.code == .deviceIdentityMismatch, !self.machine.isReady else { return self.attemptEnded(error) }
        self.machine.rejected()
        self.attempt?.rejected.insert(session.endpoint)
        self.resumeRace()
    }

    /// Handles the end of an attempt, or of the link that it opened.
    func attemptEnded(_ error: CastError) {
        guard !self.isStopped else { return }
        self.attemptDeadline.cancel()
        self.releasePermit()
        self.abandonAttempt()
        let session = self.current
        self.current = nil
        let wasReady = self.machine.isReady
        let action = self.machine.failed(now: self.eventLoop.now, random: self.random(), isUntrusted: error.code.isProofFailure)
        session?.assumeIsolated { $0.closeGracefully(error) }
        if wasReady { self.report(.disconnected(error)) } else { self.logFailure(error, action) }
        switch action {
        case .retry(let delay, _, let attempts): self.report(.attemptFailed(error, retryIn: delay, attempts: attempts))
        case .giveUpUntilAddress(let attempts): self.report(.attemptFailed(error, retryIn: nil, attempts: attempts))
        default: break
        }
        self.perform(action)
    }

    private func logFailure(_ error: CastError, _ action: SupervisorStateMachine.Action) {
        guard self.loggers.supervisor.logLevel <= .debug else { return }
        let (attempts, delay): (Int, String) =
            switch action {
            case .retry(let delay, _, let attempts): (attempts, "\(delay)")
            case .giveUpUntilAddress(let attempts): (attempts, "-")
            default: (0, "-")
            }
        self.loggers.supervisor.debug(
            "connection attempt failed",
            metadata: [.castDevice: "\(self.device ?? "-")", .error: "\(error.code)", .attempt: "\(attempts)", .retryIn: "\(delay)"])
    }

    // MARK: - The end

    private func stopOnLoop() { self.perform(self.machine.stop()) }

    private func leave() {
        self.isStopped = true
        self.retryDeadline.cancel()
        self.attemptDeadline.cancel()
        self.releasePermit()
        self.abandonAttempt()
        guard let current else { return self.finish() }
        self.current = nil
        self.farewellDeadline.arm(in: Self.farewellTime)
        current.assumeIsolated { session in
            session.closeFuture.whenComplete { _ in self.assumeIsolated { $0.finish() } }
            session.closeGracefully(CastError(.cancelled, detail: "the connection was ended"))
        }
    }

    private func finish() {
        self.farewellDeadline.cancel()
        self.finished?.resume()
        self.finished = nil
    }
}

extension CastError.Code {
    /// Whether the device answered the challenge and did not prove that it is genuine, which time does not mend.
    var isProofFailure: Bool { self.isAuthenticationFailure && self != .authenticationTimeout }
}
