import CastModels
import EventLoopTiming
import LogKeys
import Logging
import NIOCore

/// Keeps one device connected: it connects, watches the link and reconnects without end, until its task is cancelled.
///
/// The supervisor begins and ends links; a `CastSession` owns what happens on them, one after the other. `SupervisorStateMachine`
/// decides when to try, `EndpointRace` at which address, `HandshakeGate` how many devices do so at once:
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
/// Where to look next: `EndpointRace` for one attempt, `CastSession` for the link.
public actor DeviceSupervisor {
    public nonisolated let device: Device.ID?
    let eventLoop: any EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { self.eventLoop.executor.asUnownedSerialExecutor() }

    private let random: @Sendable () -> Double
    private let loggers: LinkLoggers
    private var plan: SessionPlan
    private let onEvent: @Sendable (CastLinkEvent) -> Void
    private let gate: HandshakeGate
    private var permit: HandshakeGate.Permit?
    private let race: EndpointRace
    private var machine: SupervisorStateMachine
    /// The session, from its first link.
    private var kept: CastSession?
    /// Whether the session has a link of this supervisor.
    private var isLinked = false
    private lazy var retryDeadline = Deadline(of: self, on: self.eventLoop) { $0.perform($0.machine.tick(now: $0.eventLoop.now)) }
    private lazy var attemptDeadline = Deadline(of: self, on: self.eventLoop) {
        $0.attemptEnded(CastError(.timeout, detail: "not connected and read in time"))
    }
    private var finished: CheckedContinuation<Void, Never>?

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
    ///   - session: the session that continues over these links; `nil` begins one.
    ///   - keepsSession: whether the session goes on after `run`.
    ///   - description: the device as discovered, for `CastSession.device`.
    ///   - capabilities: the announced capabilities; a certificate may allow fewer.
    ///   - participation: our part in an application session over a link of another supervisor, or of an earlier run of the program.
    ///   - mediaDefaults: the initial defaults of `CastSession.remoteMediaClient`.
    ///   - languageCode: the language of launches without options of their own; `nil` leaves it to the device.
    ///   - requestLimit: the time limit of users' requests, for a caller that ends them itself; `nil` uses 180 s for a load and a launch, 15 s
    ///     for any other.
    ///   - followsQueue: whether queues are read as soon as they exist, and reported as `queueWindow`.
    ///   - allowsRequests: asked before each request and launch, from any thread; while `false` they end in `not_connected`.
    ///   - logger: receives all log lines if there are no `loggers`.
    ///   - loggers: one for each type that logs; `nil` makes all of them use `logger`.
    ///   - onEvent: called on `eventLoop`.
    public init(
        device: Device.ID?, endpoints: [DeviceEndpoint], eventLoop: any EventLoop, connector: some CastConnector,
        policy: ReconnectPolicy = ReconnectPolicy(), handshakeGate: HandshakeGate, isVerified: Bool = true,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
        authentication: DeviceAuthentication = DeviceAuthentication(), session: CastSession? = nil, keepsSession: Bool = false,
        description: Device? = nil, capabilities: DeviceCapabilities? = nil,
        participation: Participation? = nil, mediaDefaults: MediaDefaults = MediaDefaults(),
        languageCode: String? = LaunchOptions().languageCode, requestLimit: Duration? = nil,
        followsQueue: Bool = false, allowsRequests: @escaping @Sendable () -> Bool = { true }, logger: Logger,
        loggers: LinkLoggers? = nil, onEvent: @escaping @Sendable (CastLinkEvent) -> Void
    ) {
        self.device = device
        self.eventLoop = eventLoop
        self.race = EndpointRace(endpoints, connector: connector, eventLoop: eventLoop)
        self.machine = SupervisorStateMachine(policy: policy, hasEndpoints: !endpoints.isEmpty, isVerified: isVerified)
        self.gate = handshakeGate
        self.random = random
        self.loggers = loggers ?? LinkLoggers(all: logger)
        var configuration = CastSession.Configuration()
        configuration.authentication = authentication
        configuration.mediaDefaults = mediaDefaults
        configuration.launchOptions.languageCode = languageCode
        configuration.followsQueue = followsQueue
        configuration.allowsRequests = allowsRequests
        configuration.alarms = handshakeGate.alarms
        if let requestLimit { configuration.limit(to: TimeAmount(requestLimit)) }
        self.plan = SessionPlan(
            configuration: configuration, device: description, capabilities: capabilities, participation: participation,
            isKept: keepsSession)
        self.kept = session
        self.onEvent = onEvent
    }

    /// The session while the device is connected and its state has been read; else `nil`.
    public var session: CastSession? { self.machine.isReady ? self.current : nil }

    /// The session while it has a link.
    private var current: CastSession? { self.isLinked ? self.kept : nil }

    /// The endpoint of the current link; `nil` unless it is ready.
    public var endpoint: DeviceEndpoint? { self.session?.assumeIsolated { $0.connection.endpoint } }

    /// The largest delay of a heartbeat on the current link: a measure of the event loop's latency.
    public var heartbeatLateness: Duration {
        .nanoseconds(self.current?.assumeIsolated { $0.connection.maximumLateness.nanoseconds } ?? 0)
    }

    /// Supervises until the task is cancelled, then closes the link politely (applications keep running) and returns within 300 ms. Call it
    /// once.
    public func run() async {
        guard self.finished == nil, !self.machine.isStopped else { return }
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
        guard self.race.update(endpoints) else { return self.sighted() }
        self.perform(self.machine.endpointsChanged(isEmpty: endpoints.isEmpty, now: self.eventLoop.now, random: self.random()))
    }

    private func report(_ event: CastLinkEvent) { if !self.machine.isStopped { self.onEvent(event) } }

    // MARK: - Actions

    private func perform(_ action: SupervisorStateMachine.Action) {
        switch action {
        case .none: break
        case .requestPermit(let isSighted): self.requestPermit(isSighted: isSighted)
        case .connect(let deadline):
            self.report(.connecting)
            self.beginAttempt(deadline: deadline)
        case .reconnect(let deadline):
            self.beginAttempt(deadline: deadline)
        case .connectAlso: self.race.extend()
        case .wait(let deadline), .retry(_, let deadline, _): self.retryDeadline.arm(at: deadline)
        case .giveUpUntilAddress: break
        case .probe: self.current?.assumeIsolated { $0.connection.probe() }
        case .stop: self.leave()
        }
    }

    private func requestPermit(isSighted: Bool) {
        self.retryDeadline.cancel()
        self.releasePermit()
        self.permit = self.gate.request(on: self.eventLoop, isPreferred: isSighted && self.machine.isVerified) { permit in
            self.assumeIsolated { $0.permitted(permit) }
        }
    }

    private func permitted(_ permit: HandshakeGate.Permit) {
        guard self.permit == permit else { return self.gate.release(permit) }
        self.perform(self.machine.permitted(now: self.eventLoop.now))
    }

    private func releasePermit() { if let permit = self.permit.take() { self.gate.release(permit) } }

    private func beginAttempt(deadline: NIODeadline) {
        self.attemptDeadline.arm(at: deadline)
        self.race.begin(until: deadline, timer: Deadline(of: self, on: self.eventLoop) { $0.race.tick() }) { outcome in
            self.assumeIsolated { supervisor in
                switch outcome {
                case .success(let (channel, endpoint)): supervisor.connected(channel, at: endpoint)
                case .failure(let error): supervisor.attemptEnded(error)
                }
            }
        }
    }

    // MARK: - The link

    /// TCP and TLS are up: read the device's identity and state.
    private func connected(_ channel: any Channel, at endpoint: DeviceEndpoint) {
        self.releasePermit()
        self.machine.connected()
        // The session is on the same loop, whose check is cheaper than that of `assumeIsolated`: one percent of a status.
        let handle = NIOLoopBound({ (event: CastLinkEvent) in self.handle(event) }, eventLoop: self.eventLoop)
        let isEurekaWanted = self.kept?.assumeIsolated { $0.memory.isEurekaWanted } ?? true
        let link = CastSession.Link(
            channel: channel, endpoint: endpoint,
            identity: IdentityCheck(
                expected: self.device, isEurekaWanted: isEurekaWanted, isEurekaTrusted: endpoint.port == DeviceEndpoint.devicePort),
            device: self.plan.device, capabilities: self.plan.capabilities, participation: self.plan.participation.take()
        ) { event in handle.value(event) }
        let session = self.session(over: link)
        (self.kept, self.isLinked) = (session, true)
        session.assumeIsolated { $0.start() }
    }

    /// Returns the session of the links before, over this one, or the first.
    private func session(over link: CastSession.Link) -> CastSession {
        if let kept {
            kept.assumeIsolated { $0.reopen(over: link) }
            return kept
        }
        let firstRequestID = Int(self.random() * 1_000_000_000)
        return CastSession(over: link, configuration: self.plan.configuration, firstRequestID: firstRequestID, loggers: self.loggers)
    }

    private func handle(_ event: CastLinkEvent) {
        switch event {
        case .disconnected(let error): return self.linkEnded(error)
        case .ready:
            self.attemptDeadline.cancel()
            self.machine.becameReady(now: self.eventLoop.now)
        default: break
        }
        self.report(event)
    }

    private func linkEnded(_ error: CastError) {
        // Without a current session, the supervisor itself ended it.
        guard let session = self.current else { return }
        self.isLinked = false
        guard error.code == .deviceIdentityMismatch, !self.machine.isReady else { return self.attemptEnded(error) }
        self.machine.rejected()
        self.race.reject(session.assumeIsolated { $0.connection.endpoint })
    }

    /// Handles the end of an attempt, or of the link that it opened.
    private func attemptEnded(_ error: CastError) {
        guard !self.machine.isStopped else { return }
        self.attemptDeadline.cancel()
        self.releasePermit()
        self.race.abandon()
        let session = self.current
        self.isLinked = false
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
        self.retryDeadline.cancel()
        self.attemptDeadline.cancel()
        self.releasePermit()
        self.race.abandon()
        let isLinked = self.isLinked
        self.isLinked = false
        let isKept = self.plan.isKept
        if isLinked { self.eventLoop.scheduleTask(in: Self.farewellTime) { self.assumeIsolated { $0.finish() } } }
        // The session calls the supervisor with each event, so it must not be held any longer.
        self.kept.take()?.assumeIsolated { session in
            if isLinked {
                session.connection.channel.closeFuture.whenComplete { _ in self.assumeIsolated { $0.finish() } }
                session.closeGracefully(CastError(.cancelled, detail: "the connection was ended"))
            }
            if !isKept { session.finish() }
        }
        if !isLinked { self.finish() }
    }

    private func finish() {
        self.finished?.resume()
        self.finished = nil
    }
}

/// What the sessions of a supervisor begin with.
private struct SessionPlan {
    var configuration: CastSession.Configuration
    var device: Device?
    var capabilities: DeviceCapabilities?
    /// For the first link.
    var participation: Participation?
    var isKept: Bool
}

extension CastError.Code {
    /// Whether the device answered the challenge and did not prove that it is genuine, which time does not mend.
    var isProofFailure: Bool { self.isAuthenticationFailure && self != .authenticationTimeout }
}
