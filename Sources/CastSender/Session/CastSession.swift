import CastModels
import CastProtocol
import EventLoopTiming
import Logging
import NIOCore

/// A session with a receiver over one link: the receiver's application and media, and the requests that change them (SDK:
/// `GCKCastSession`).
///
/// The session is the only owner of its link. It holds the channel, the heartbeat and the waiting requests as a value (`CastConnection`),
/// and the machine that decides on requests and virtual connections (`SessionStateMachine`):
///
/// ```
/// CastFrameHandler ─► CastConnectionHandler ─► CastSession.receive      a frame is handled before the next one is read
///                                               ├ CastConnection         a sign of life; which request does it answer?
///                                               ├ SessionStateMachine    status merged ─► effects, performed in order
///                                               └ notify(CastLinkEvent)  one event ─► DeviceSupervisor ─► its owner
///
///   start() ──► asks identity and status ──► ready ──► close(error)
///                  │ another device answers: identityMismatch   ▲
///                  └────────────────────────────────────────────┘  silence, a broken channel, closeGracefully(), a failed proof
/// ```
///
/// - **Callers.** `DeviceSupervisor` creates the session with a connected channel, calls `start` once and `end` at most once. Library users
///   receive it when it is ready, and call its requests until it ends. It lasts as long as its link; the next link has a new session.
/// - **Thread.** An actor on its channel's event loop. The handler and the supervisor run there too and call it without a hop; requests may
///   come from any task.
/// - **Invariants.** `disconnected` is the last event and is sent once, after every request has ended. Statuses are reported only after
///   `ready`, which contains the first of them. Nothing is sent on a closed link. No event is reported while a value of the session is
///   being changed, so that the receiver of an event may call the session.
///
/// Where to look next: `CastSession+Link` for messages, requests and the end; `SessionStateMachine` for decisions; `DeviceSupervisor` for
/// opening links; `RemoteMediaClient` for the requests about media.
public actor CastSession {
    let configuration: Configuration
    let eventLoop: any EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { self.eventLoop.executor.asUnownedSerialExecutor() }

    var machine: SessionStateMachine
    var connection: CastConnection
    var mediaObservation = MediaObservation()
    var waiters = ConditionWaiters()
    var channels = ChannelTable()
    var group = GroupMembers()
    /// Created for the first controller.
    var controls: SessionControllers?
    /// The endpoint of the link.
    nonisolated let endpoint: DeviceEndpoint
    let loggers: LinkLoggers
    /// The media values that were logged last.
    var loggedMedia: LoggedMedia?
    private let onEvent: @Sendable (CastLinkEvent) -> Void
    private let onEnd: @Sendable (CastError, SessionMemory) -> Void
    /// Fires for the heartbeat and for request timeouts.
    lazy var linkDeadline = Deadline(of: self, on: self.eventLoop) { $0.linkDeadlineReached() }
    /// Fires when the machine's next connection is due.
    lazy var machineDeadline = Deadline(of: self, on: self.eventLoop) { $0.change { $0.tick(now: $1) } }
    var isFlushScheduled = false
    /// Whether a message is being applied.
    var isReceiving = false
    /// Whether deadlines of requests changed since the timer was set.
    var isRearmingDue = false
    /// Whether `ready` was reported.
    private var isReady = false
    /// The effects and events that wait until those before them are done.
    private var outbox = EffectQueue()
    /// The applications that were asked for their status and have not answered.
    var mediaQuestions: Set<String> = []
    var openChallenge: OpenChallenge?
    /// The result of device authentication; `nil` before the device has answered, and when it is not challenged.
    public internal(set) var authentication: DeviceAuthenticationResult?
    /// The sequences for library users; created for the first of them, since most sessions have none.
    private(set) var observation: SessionObservation?
    var messageObservers: [UInt64: @Sendable (ReceivedMessage) -> Void] = [:]
    private var lastObserverID: UInt64 = 0

    /// - Parameters:
    ///   - channel: a connected channel that reads and writes `CastMessage`.
    ///   - onEvent: called on the event loop with every event except `disconnected`.
    ///   - onEnd: called on the event loop instead of `onEvent` when the link is closed, with the values for the next session.
    init(
        channel: any Channel, endpoint: DeviceEndpoint, machine: SessionStateMachine, configuration: Configuration = Configuration(),
        firstRequestID: Int, loggers: LinkLoggers, onEvent: @escaping @Sendable (CastLinkEvent) -> Void,
        onEnd: @escaping @Sendable (CastError, SessionMemory) -> Void
    ) {
        self.eventLoop = channel.eventLoop
        self.machine = machine
        self.connection = CastConnection(channel: channel, heartbeat: configuration.heartbeat, firstRequestID: firstRequestID)
        self.endpoint = endpoint
        self.configuration = configuration
        self.loggers = loggers
        self.onEvent = onEvent
        self.onEnd = onEnd
    }

    /// The device as discovered when the link was opened (SDK: `GCKSession.device`). A session that moved to another device has that one.
    /// `nil` for a link that was created without a description.
    public nonisolated var device: Device? { self.configuration.device }

    /// The last status of the device; `nil` before the first.
    public var receiverStatus: ReceiverStatus? { self.machine.receiver }

    /// The merged status of the media session; `nil` when there is none.
    public var mediaStatus: MediaStatus? { self.machine.media }

    /// Every event of this session from now on; ends with `disconnected`.
    public var events: EventSequence<CastLinkEvent> { self.observed.events.sequence }

    /// The statuses of the device, each complete; `nil` before the first.
    public var receiverStatuses: StateSequence<ReceiverStatus?> { self.observed.receiver.sequence }

    /// The merged status of the media session as the receiver reports it, including idle states between two items of a queue; `nil` while
    /// there is no media session. For bridges and logs. User interfaces use `RemoteMediaClient.mediaStatuses`, which leaves that idle state
    /// out.
    public var mediaStatuses: StateSequence<MediaStatus?> { self.observed.media.sequence }

    var observed: SessionObservation {
        if let observation { return observation }
        let observation = SessionObservation(receiver: self.receiverStatus, media: self.mediaStatus, multizone: self.group.status)
        if self.endError != nil { observation.finish() }
        self.observation = observation
        return observation
    }

    /// Controls the media of the session.
    public nonisolated var remoteMediaClient: RemoteMediaClient {
        RemoteMediaClient(session: self, defaults: self.configuration.mediaDefaults)
    }

    /// The identity that the device reported; `nil` when it reported none.
    public var identity: DeviceIdentity? { self.machine.identity.identity }

    /// Whether the link is open.
    public var isConnected: Bool { self.connection.error == nil }

    /// The error that closed the link; `nil` while it is open.
    var endError: CastError? { self.connection.error }

    /// Succeeds when the channel is closed.
    var closeFuture: EventLoopFuture<Void> { self.connection.channel.closeFuture }

    var notConnected: CastError { CastError(.deviceNotConnected, detail: "the link to the device is closed") }

    // MARK: - Messages

    /// Applies a message of the device.
    func take(_ received: ReceivedMessage) {
        guard self.acceptsMessages || received.piece.isIn(CastNamespace.deviceAuthentication) else { return }
        if !self.connection.requests.isEmpty {
            let peer = RequestPeer(namespace: received.piece.namespace, id: received.piece.sourceID)
            self.connection.requests.heard(from: peer, isBroadcast: received.isBroadcast)
            self.isRearmingDue = true
        }
        switch received.content {
        case .receiver(.status(let status)): self.perform(self.machine.receiverStatus(status, now: received.at))
        case .media(.status(let updates)):
            let source = received.piece.sourceID
            self.perform(
                self.machine.mediaStatus(updates, from: source, isBroadcast: received.isBroadcast, now: received.at))
        case .media(.queueChange(let change)): self.queueChanged(change, by: received.piece.sourceID)
        case .media(.error(let failure)) where received.answers == nil: self.mediaFailed(failure.error)
        case .connection(.close): self.perform(self.machine.virtualConnectionClosed(by: received.piece.sourceID, now: received.at))
        case .deviceInformation(.information(let information)) where received.answers == nil:
            let question: IdentityCheck.Question =
                received.piece.isIn(CastNamespace.setup) ? .eurekaInformation : .deviceInformation
            self.perform(self.machine.identityAnswered(information, to: question))
        case .receiver(.launchStatus(let status)) where received.answers != nil:
            self.change { machine, _ in machine.permission(isAsking: status == .userPendingAuthorization) }
        case .multizone(let message): self.groupChanged(message)
        case .media, .other: self.change { $0.heard(from: received.piece.sourceID, now: $1) }
        case .receiver, .connection, .heartbeat, .deviceInformation: break
        }
        if self.openChallenge != nil, received.piece.isIn(CastNamespace.deviceAuthentication) {
            self.authenticationAnswered(received.piece.message.payload)
        }
        if !self.channels.isEmpty { self.deliver(received.piece.message) }
        for observer in self.messageObservers.values { observer(received) }
    }

    /// Calls `observer` on the event loop for each message to us, after the session has applied it, until the link closes.
    ///
    /// - Returns: the id of the observer, for `removeMessageObserver`.
    func addMessageObserver(_ observer: @escaping @Sendable (ReceivedMessage) -> Void) -> UInt64 {
        self.lastObserverID += 1
        if self.isConnected { self.messageObservers[self.lastObserverID] = observer }
        return self.lastObserverID
    }

    func removeMessageObserver(_ id: UInt64) { self.messageObservers[id] = nil }

    // MARK: - Effects and events

    /// Changes our part in the application and performs what follows.
    func change(_ change: (inout ApplicationStateMachine, NIODeadline) -> [SessionStateMachine.Effect]) {
        let now = self.eventLoop.now
        self.perform(self.machine.change { change(&$0, now) })
    }

    /// Performs effects in order, each to its end. Events are reported after the last of them, so that nothing which the receiver of an
    /// event does comes between.
    func perform(_ effects: [SessionStateMachine.Effect]) {
        guard self.outbox.begins(effects) else { return }
        repeat {
            while let effect = self.outbox.next() { self.perform(effect) }
            self.updateChannels()
            if self.controls != nil { self.updateControllers() }
            if !self.waiters.isEmpty { self.waiters.resume(self.machine) }
        } while !self.outbox.ends()
        if self.isConnected, let deadline = self.machine.application.nextDeadline { self.machineDeadline.arm(at: deadline) }
        self.deliverEvents()
    }

    private func perform(_ effect: SessionStateMachine.Effect) {
        switch effect {
        case .connectPlatform: self.connect(CastMessage.platformReceiverID, .strong)
        case .askReceiverStatus: self.askReceiverStatus()
        case .ask(let question): self.askIdentity(question)
        case .connect(let transportID, let kind): self.connect(transportID, kind)
        case .disconnect(let transportID): self.disconnect(transportID)
        case .abandon(let transportID):
            self.mediaQuestions.remove(transportID)
            self.abandon(transportID)
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
        case .identified(let identity): if self.isConnected { self.identified(identity) }
        case .becomeReady: if self.isConnected { self.becomeReady() }
        case .fail(let error): self.close(error)
        }
    }

    private func connect(_ id: String, _ kind: VirtualConnectionKind) {
        // Questions over the former connection may be lost.
        self.mediaQuestions.remove(id)
        let request = ConnectRequest(kind: kind, userAgent: self.configuration.userAgent, version: self.configuration.version)
        self.send(ConnectionMessage.connect(request).text, namespace: CastNamespace.connection, to: id)
    }

    func disconnect(_ id: String) {
        self.send(ConnectionMessage.close(.closedBySelf).text, namespace: CastNamespace.connection, to: id)
    }

    private func identified(_ identity: DeviceIdentity) {
        guard self.isIdentityAcceptable(identity) else { return }
        guard let expected = self.machine.identity.expected, expected != identity.id else { return self.notify(.identified(identity)) }
        self.notify(.identityMismatch(found: identity, at: self.endpoint))
        self.closeGracefully(CastError(.deviceIdentityMismatch, detail: "another device answers at \(self.endpoint)"))
    }

    private func becomeReady() {
        guard self.isProofSufficientOrClosed(), let receiver = self.machine.receiver else { return }
        self.isReady = true
        self.notify(.ready(receiver: receiver, media: self.machine.media))
        self.notify(.application(self.machine.application.session))
        // State that arrived before `ready`. A group reports its members only on request.
        if let window = self.queueWindow { self.notify(.queueWindow(window)) }
        if let status = self.group.status { self.notify(.multizoneStatus(status)) }
    }

    /// Reports an event of the device, once `ready` was reported.
    func report(_ event: @autoclosure () -> CastLinkEvent) { if self.isReady, self.isConnected { self.notify(event()) } }

    func notify(_ event: CastLinkEvent) {
        self.outbox.add(event)
        self.deliverEvents()
    }

    /// Reports the events that wait, unless effects are being performed or an event is being reported.
    private func deliverEvents() {
        while let event = self.outbox.nextEvent() {
            self.observation?.notify(event)
            if case .disconnected(let error) = event { self.ended(error) } else { self.onEvent(event) }
            self.outbox.eventDelivered()
        }
    }

    private func ended(_ error: CastError) {
        self.observation?.finish()
        var memory = self.machine.memory
        memory.ignored = self.connection.requests.ignored
        self.onEnd(error, memory)
    }
}
