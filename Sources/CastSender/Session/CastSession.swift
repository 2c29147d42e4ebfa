import CastModels
import CastProtocol
import EventLoopTiming
import Logging
import NIOCore

/// A session with a device: the receiver's application and media, and the requests that change them (SDK: `GCKCastSession`).
///
/// It outlives its links. Between two of them it is suspended: the last statuses stay readable, sequences and channels go on, and requests
/// fail at once. The session is the only owner of its link. Its parts keep their state to themselves:
///
/// ```
/// CastFrameHandler ─► CastConnectionHandler ─► CastSession.receive      a frame is handled before the next one is read
///                                               ├ CastConnection         the channel, the heartbeat, the waiting requests
///                                               ├ SessionStateMachine    status merged ─► effects, performed in order
///                                               │  └ ApplicationStateMachine   which application, and our part in it
///                                               ├ MediaObservation, ChannelTable, GroupMembers, DeviceProof
///                                               └ notify(CastLinkEvent)  one event ─► DeviceSupervisor ─► its owner
///
///   start() ──► asks identity and status ──► ready ──► close(error) ──► reopen(), start() … or finish()
///                  │ another device answers: identityMismatch   ▲
///                  └────────────────────────────────────────────┘  silence, a broken channel, closeGracefully(), a failed proof
/// ```
///
/// - **Callers.** `DeviceSupervisor` creates the session with its first channel, hands it each later one, and calls `start` once a link.
///   Library users receive it when it is ready, and call its requests until it ends.
/// - **Thread.** An actor on its channel's event loop, and its parts with it. The handler and the supervisor run there too and call it
///   without a hop; requests may come from any task.
/// - **Invariants.** `disconnected` is the last event of a link and is sent once, after every request has ended. Statuses are reported only
///   after `ready`, which contains the first of them. Nothing is sent on a closed link. The effects of one input run to their end before
///   the next input, and no event is reported between them, so that the receiver of an event may call the session.
///
/// Where to look next: `CastSession+Link` for messages, requests and the end; `SessionStateMachine` for decisions; `DeviceSupervisor` for
/// opening links; `RemoteMediaClient` for the requests about media.
public actor CastSession {
    let configuration: Configuration
    let eventLoop: any EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { self.eventLoop.executor.asUnownedSerialExecutor() }

    let loggers: LinkLoggers
    /// The newest link, also when it is closed.
    private(set) var connection: CastConnection
    let mediaObservation = MediaObservation()
    let channels = ChannelTable()
    let waiters = ConditionWaiters()
    private(set) var proof: DeviceProof
    private(set) var machine: SessionStateMachine
    /// What the last link that was ready knew of our part. A device that only took its address would know nothing of it.
    private(set) var memory: SessionMemory
    private(set) var group = GroupMembers()
    private var onEvent: @Sendable (CastLinkEvent) -> Void
    /// The effects and events that wait until those before them are done.
    private var outbox = EffectQueue()
    private(set) var observers: SessionObservers
    /// Fires when the machine's next connection is due.
    private lazy var machineDeadline = Deadline(of: self, on: self.eventLoop) { $0.change { $0.tick(now: $1) } }

    /// - Parameters:
    ///   - link: the first link.
    ///   - firstRequestID: the start value of request ids.
    init(over link: Link, configuration: Configuration = Configuration(), firstRequestID: Int, loggers: LinkLoggers) {
        self.eventLoop = link.channel.eventLoop
        self.memory = SessionMemory(participation: link.participation)
        self.machine = SessionStateMachine(identity: link.identity, memory: self.memory)
        self.connection = CastConnection(
            channel: link.channel, endpoint: link.endpoint, heartbeat: configuration.heartbeat, firstRequestID: firstRequestID)
        self.proof = DeviceProof(configuration.authentication, capabilities: link.capabilities, expected: link.identity.expected)
        self.configuration = configuration
        self.observers = SessionObservers(device: link.device)
        self.loggers = loggers
        self.onEvent = link.onEvent
    }

    /// Continues over another link; the former one is closed.
    func reopen(over link: Link) {
        if let participation = link.participation { self.memory = SessionMemory(participation: participation) }
        let isOther = link.identity.expected != self.machine.identity.expected
        self.machine = SessionStateMachine(identity: link.identity, memory: self.memory)
        self.connection = CastConnection(
            channel: link.channel, endpoint: link.endpoint, heartbeat: self.configuration.heartbeat,
            firstRequestID: self.connection.nextRequestID(), ignored: isOther ? [] : self.connection.ignored)
        self.proof = DeviceProof(
            self.configuration.authentication, capabilities: link.capabilities, expected: link.identity.expected)
        self.group = GroupMembers()
        self.outbox.reopened()
        self.onEvent = link.onEvent
        self.mediaObservation.reopened()
    }

    /// The device as discovered (SDK: `GCKSession.device`). `nil` for a session that was created without a description.
    public var device: Device? { self.observers.devices.newest ?? nil }

    /// Discovery describes the device, or the session moved to this one.
    func describe(_ device: Device) { self.observers.moved(to: device) }

    /// The device and its changes: discovery reports other values, or the session's stream continues on another device. Ends with the
    /// session.
    public var devices: StateSequence<Device?> { self.observers.devices.sequence }

    /// Our own address on the link; `nil` without one.
    package var localAddress: SocketAddress? { self.connection.channel.localAddress }

    /// Whether requests can be sent now, and the changes of that. Ends with the session, after `ended`.
    public var connectionStates: StateSequence<ConnectionState> { self.observers.connection.sequence }

    /// Whether requests can be sent now.
    public var connectionState: ConnectionState { self.observers.state }

    /// The last status of the device; `nil` before the first.
    public var receiverStatus: ReceiverStatus? { self.isConnected ? self.machine.receiver : self.observers.lastReceiver }

    /// The merged status of the media session; `nil` when there is none. While the session is suspended, the last one.
    public var mediaStatus: MediaStatus? { self.isConnected ? self.machine.media : self.observers.lastMedia }

    /// Every event of this session's links from now on, each from `ready` to `disconnected`. Ends with the session.
    public var events: EventSequence<CastLinkEvent> { self.observed.events.sequence }

    /// The statuses of the device, each complete; `nil` before the first.
    public var receiverStatuses: StateSequence<ReceiverStatus?> { self.observed.receiver.sequence }

    /// The merged status of the media session as the receiver reports it, including idle states between two items of a queue; `nil` while
    /// there is no media session. For bridges and logs. User interfaces use `RemoteMediaClient.mediaStatuses`, which leaves that idle state
    /// out.
    public var mediaStatuses: StateSequence<MediaStatus?> { self.observed.media.sequence }

    var observed: SessionObservation {
        self.observers.observation(receiver: self.receiverStatus, media: self.mediaStatus, multizone: self.group.status)
    }

    /// Controls the media of the session.
    public nonisolated var remoteMediaClient: RemoteMediaClient {
        RemoteMediaClient(session: self, defaults: self.configuration.mediaDefaults)
    }

    /// The identity that the device reported; `nil` when it reported none.
    public var identity: DeviceIdentity? { self.machine.identity.identity }

    /// Whether the link is open and the state of the device has been read.
    public var isConnected: Bool { self.isLinked && self.machine.isReady }

    /// Whether the link is open; the device may still be asked who it is.
    var isLinked: Bool { self.connection.error == nil }

    /// The state of the device that requests may ask for.
    var facts: ObservedFacts {
        ObservedFacts(receiver: self.machine.receiver, media: self.machine.media, queue: self.mediaObservation.queue.facts)
    }

    /// - Throws: `sessionSuspended` between two links, `deviceNotConnected` after the end: nothing can be sent now.
    func requireConnection() throws(CastError) {
        guard !self.isConnected else { return }
        guard self.connectionState != .ended else { throw CastError(.deviceNotConnected, detail: "the session has ended") }
        throw CastError(.sessionSuspended, detail: "the link to the device is closed, and is being opened again")
    }

    var controllers: SessionControllers {
        if let controls = self.observers.controls { return controls }
        let controls = SessionControllers(deadline: Deadline(of: self, on: self.eventLoop) { $0.updateControllers() })
        self.observers.add(controls)
        self.updateControllers()
        if self.connectionState == .ended { controls.finish() }
        return controls
    }

    /// Updates the states of the controllers after a report of the device or a new request.
    func updateControllers() {
        guard let controls = self.observers.controls else { return }
        let next = controls.update(
            self.receiverStatus?.volume, self.shownMediaStatus, self.connectionState, at: MonotonicTime(self.eventLoop.now))
        controls.deadline.arm(at: next.map { .uptimeNanoseconds(UInt64(clamping: $0.nanoseconds)) })
    }

    // MARK: - Effects and events

    /// Changes the machine and performs what follows.
    ///
    /// - Parameter now: when it happened; `nil` takes the current time.
    func input(at now: NIODeadline? = nil, _ input: (inout SessionStateMachine, NIODeadline) -> [SessionStateMachine.Effect]) {
        self.perform(input(&self.machine, now ?? self.eventLoop.now))
    }

    /// Changes our part in the application and performs what follows.
    func change(_ change: (inout ApplicationStateMachine, NIODeadline) -> [SessionStateMachine.Effect]) {
        self.input { machine, now in machine.change { change(&$0, now) } }
    }

    /// Performs effects in order, each to its end. Events are reported after the last of them, so that nothing which the receiver of an
    /// event does comes between.
    private func perform(_ effects: [SessionStateMachine.Effect]) {
        guard self.outbox.begins(effects) else { return }
        repeat {
            while let effect = self.outbox.next() { self.perform(effect) }
            self.updateChannels()
            self.updateControllers()
            if !self.waiters.isEmpty { self.waiters.resume(self.machine) }
        } while !self.outbox.ends()
        if self.isLinked, let deadline = Self.nextDeadline(of: &self.machine) { self.machineDeadline.arm(at: deadline) }
        self.deliverEvents()
    }

    /// `inout`, because the machine would be copied to read one time of it.
    private static func nextDeadline(of machine: inout SessionStateMachine) -> NIODeadline? { machine.application.nextDeadline }

    private func perform(_ effect: SessionStateMachine.Effect) {
        switch effect {
        case .connectPlatform: self.connect(CastMessage.platformReceiverID, .strong)
        case .askReceiverStatus: self.askReceiverStatus()
        case .ask(let question): self.askIdentity(question)
        case .connect(let transportID, let kind): self.connect(transportID, kind)
        case .disconnect(let transportID): self.disconnect(transportID)
        case .abandon(let transportID):
            self.mediaObservation.questionEnded(transportID)
            self.connection.abandon(transportID)
        case .askMediaStatus(let transportID): self.askMediaStatus(of: transportID)
        case .endLaunch: self.endLaunchRequests()
        case .stopApplication(let sessionID): self.askToStop(sessionID)
        case .reportReceiver: if let status = self.machine.receiver { self.report(.receiverStatus(status)) }
        case .observeReceiver: self.observe(.receiver)
        case .reportMedia: self.report(.mediaStatus(self.machine.media))
        case .observeMedia:
            let status = self.machine.media
            self.observe(.media)
            self.mediaObserved(status)
            self.logMedia(status)
        case .reportApplication(let session): self.report(.application(session))
        case .identified(let identity): if self.isLinked { self.identified(identity) }
        case .becomeReady: if self.isLinked { self.becomeReady() }
        case .fail(let error): self.close(error)
        }
    }

    private func connect(_ id: String, _ kind: VirtualConnectionKind) {
        // Questions over the former connection may be lost.
        self.mediaObservation.questionEnded(id)
        let request = ConnectRequest(kind: kind, userAgent: self.configuration.userAgent, version: self.configuration.version)
        try? self.connection.write(.text(ConnectionMessage.connect(request).text), namespace: CastNamespace.connection, to: id)
    }

    func disconnect(_ id: String) {
        try? self.connection.write(.text(ConnectionMessage.close(.closedBySelf).text), namespace: CastNamespace.connection, to: id)
    }

    private func identified(_ identity: DeviceIdentity) {
        guard self.isIdentityAcceptable(identity) else { return }
        guard let expected = self.machine.identity.expected, expected != identity.id else { return self.notify(.identified(identity)) }
        let endpoint = self.connection.endpoint
        self.notify(.identityMismatch(found: identity, at: endpoint))
        self.closeGracefully(CastError(.deviceIdentityMismatch, detail: "another device answers at \(endpoint)"))
    }

    private func becomeReady() {
        if let error = self.proof.missing(of: self.identity?.id) { return self.close(error) }
        guard let receiver = self.machine.receiver else { return }
        self.observers.connected()
        self.observers.observation?.multizone.setIfChanged(self.group.status)
        self.mediaObserved(self.machine.media)
        if !self.channels.isEmpty { self.channelsChanged() }
        self.updateChannels()
        self.notify(.ready(receiver: receiver, media: self.machine.media))
        self.notify(.application(self.machine.application.session))
        // State that arrived before `ready`. A group reports its members only on request.
        if let window = self.queueWindow { self.notify(.queueWindow(window)) }
        if let status = self.group.status { self.notify(.multizoneStatus(status)) }
    }

    /// Handles a message about a group.
    func groupChanged(_ message: MultizoneMessage) {
        let former = self.group.status
        let changes = self.group.apply(message)
        if let status = self.group.status, status != former { self.report(.multizoneStatus(status)) }
        self.observers.observation?.multizone.setIfChanged(self.group.status)
        for change in changes { self.report(.groupChanged(change)) }
    }

    /// Reports an event of the device, once `ready` was reported.
    func report(_ event: @autoclosure () -> CastLinkEvent) { if self.outbox.isReady, self.isLinked { self.notify(event()) } }

    func notify(_ event: CastLinkEvent) {
        self.outbox.add(event)
        self.deliverEvents()
    }

    /// Reports the events that wait, unless effects are being performed or an event is being reported.
    private func deliverEvents() {
        while let event = self.outbox.nextEvent() {
            if self.outbox.isReady { self.observers.observation?.notify(event) }
            self.onEvent(event)
            self.outbox.eventDelivered()
        }
    }

    /// Ends what waits for the device, after the link was closed. Nothing is sent any more over it.
    func linkEnded(_ error: CastError) {
        // A link that was not ready may have led to another device.
        if self.observers.state == .connected {
            self.memory = self.machine.memory
            self.observers.suspended(self.machine.receiver, self.machine.media)
        }
        self.machineDeadline.cancel()
        self.waiters.endAll(.failure(error))
        self.proof.end()
        self.updateChannels()
        self.updateControllers()
        self.notify(.disconnected(error))
    }

    /// Ends the session: its link is closed politely, and all sequences, channels and controllers end.
    func finish() {
        self.closeGracefully(CastError(.cancelled, detail: "the session was ended"))
        guard self.observers.end() else { return }
        for channel in self.channels.removeAll() { channel.finish() }
        self.updateControllers()
        self.mediaObservation.finish()
        self.observers.finish()
    }
}
