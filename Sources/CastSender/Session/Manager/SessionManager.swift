import CastModels
import EventLoopTiming
import LogKeys
import Logging
import NIOCore

/// Starts, joins, suspends, resumes and ends sessions: at most one for each device, for any number of devices (SDK: `GCKSessionManager`).
///
/// A `CastSession` lasts from `didStart` to the end of the session, over all links, while it is suspended, and when its stream moves to
/// another device.
public actor SessionManager {
    /// The largest number of sessions.
    static let sessionLimit = 1024

    let options: CastOptions
    let eventLoop: any EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { self.eventLoop.executor.asUnownedSerialExecutor() }

    let logger: Logger
    /// Connects to devices without a session; the links of sessions use the same connector, gate and loggers.
    nonisolated let temporaryConnection: TemporaryConnection
    let registeredChannels = RegisteredChannelTable()
    private let eventSource = EventSource<SessionEvent>(capacity: 256)
    private let sessionSource = StateSource<[SessionInfo]>([])
    private var entries: [Device.ID: ManagedSession] = [:]
    /// The tasks for `run`: links and searches.
    private let tasks: AsyncStream<@Sendable () async -> Void>
    private let newTasks: AsyncStream<@Sendable () async -> Void>.Continuation
    private var sessionCount: UInt64 = 0
    /// The devices as discovery last reported them; bounded by discovery.
    private var found: [Device.ID: Device] = [:]
    private(set) var isOver = false

    init(
        options: CastOptions, eventLoop: any EventLoop, connector: some CastConnector, handshakeGate: HandshakeGate,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }, logger: Logger, linkLoggers: LinkLoggers? = nil
    ) {
        self.options = options
        self.eventLoop = eventLoop
        self.logger = logger
        self.temporaryConnection = TemporaryConnection(
            eventLoop: eventLoop, connector: connector, handshakeGate: handshakeGate, random: random,
            authentication: options.authentication, loggers: linkLoggers ?? LinkLoggers(all: logger))
        (self.tasks, self.newTasks) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(2 * Self.sessionLimit))
    }

    /// The transitions of all sessions from now on; 256 are kept for a slow reader.
    public nonisolated var events: EventSequence<SessionEvent> { self.eventSource.sequence }

    /// All sessions, sorted by the names of their devices.
    public nonisolated var sessions: StateSequence<[SessionInfo]> { self.sessionSource.sequence }

    /// Returns the session with this device, also while it is suspended.
    ///
    /// - Returns: `nil` without a session, before its start has succeeded, and for one that an earlier run stored until it has a link.
    public func session(with device: Device.ID) -> CastSession? { self.entries[device].flatMap(Self.begun)?.handle }

    /// The session whose start was asked for last; `nil` without any (SDK: `currentCastSession`).
    public var currentSession: CastSession? {
        self.entries.values.compactMap(Self.begun).max { $0.number < $1.number }?.handle
    }

    /// Whether a session has started and its device is connected (SDK: `hasConnectedCastSession`).
    public var hasConnectedSession: Bool { self.startedSessions.contains { $0.session != nil } }

    private static func begun(_ entry: ManagedSession) -> ManagedSession? {
        switch entry.lifecycle.state {
        case .started, .suspended, .resuming, .ending: entry
        case .starting, .waitingForPermission, nil: nil
        }
    }

    /// Returns the state of the session with this device; `nil` when there is none.
    public func state(of device: Device.ID) -> SessionState? { self.entries[device]?.lifecycle.state }

    /// Returns the record with which a later run of the program can resume the session; `nil` before it has started.
    public func record(of device: Device.ID) -> SessionRecord? { self.entries[device]?.record }

    /// The devices of all sessions.
    var deviceIDs: [Device.ID] { Array(self.entries.keys) }

    /// The records of every session that has started or is being resumed, sorted by device id.
    var records: [SessionRecord] { self.entries.values.compactMap(\.record).sorted { $0.deviceID < $1.deviceID } }

    /// Runs the links until the task is cancelled, then disconnects from all devices politely: applications keep running, and started
    /// sessions are suspended with `appTerminated`.
    func run() async {
        // A policy that resumes nothing leaves the store unchanged.
        let store = self.options.resumePolicy == .never ? nil : self.options.sessionStore.map(StoredRecords.init)
        await withDiscardingTaskGroup { group in
            if let store { group.addTask { await self.keepRecords(in: store) } }
            for await task in self.tasks { group.addTask { await task() } }
            group.cancelAll()
        }
        // A session that has just started must be stored as well.
        if let store { await Task { await self.saveRecords(in: store) }.value }
        self.isOver = true
        for entry in self.entries.values {
            self.change(entry) { $0.suspend(.appTerminated) }
            self.change(entry) { $0.failed(CastError(.cancelled, detail: "the context ended")) }
            self.change(entry) { $0.ended(nil) }
            entry.end(on: self.eventLoop)
        }
        self.registeredChannels.end()
        self.eventSource.finish()
        self.sessionSource.finish()
    }

    /// Handles a change of discovery.
    func discovered(_ change: DeviceChange) {
        switch change {
        case .found(let device), .changed(let device), .addressesChanged(let device):
            if self.found.count < DeviceRegistry.deviceLimit || self.found[device.id] != nil { self.found[device.id] = device }
            if self.entries[device.id] == nil { for entry in self.entries.values { entry.consider(device) } }
            guard let entry = self.entries[device.id] else { return }
            entry.found(device)
            self.publish()
        case .sighted(let id): self.entries[id]?.wake()
        case .lost: break
        case .networkChanged: for entry in self.entries.values { entry.wake() }
        }
    }

    /// Returns the device as discovery knows it, else `device`.
    func newest(_ device: Device) -> Device { self.found[device.id] ?? device }

    // MARK: - One session

    func entry(_ device: Device.ID) throws(CastError) -> ManagedSession {
        guard let entry = self.entries[device] else { throw CastError(.sessionIsNotActive, detail: "there is no session with \(device)") }
        return entry
    }

    /// Returns the session with this key, unless it has ended.
    func entry(_ key: ManagedSession.Key) -> ManagedSession? {
        if let entry = self.entries[key.device], entry.number == key.number { return entry }
        // Its stream may have moved to another device since.
        return self.entries.values.first { $0.number == key.number }
    }

    func open(_ device: Device) throws(CastError) -> ManagedSession {
        guard !self.isOver else { throw CastError(.invalidState, detail: "the context has ended") }
        guard self.entries[device.id] == nil else {
            throw CastError(.duplicateRequest, detail: "there is a session with \(device.friendlyName) already")
        }
        guard self.entries.count < Self.sessionLimit else {
            throw CastError(.sendBufferFull, detail: "\(Self.sessionLimit) sessions exist")
        }
        self.sessionCount += 1
        let entry = ManagedSession(device: device, number: self.sessionCount)
        self.entries[device.id] = entry
        return entry
    }

    /// Changes the lifecycle of a session and performs what follows.
    ///
    /// - Returns: whether anything does.
    @discardableResult
    func change(_ entry: ManagedSession, _ change: (inout SessionLifecycle) -> [SessionLifecycle.Action]) -> Bool {
        let actions = entry.change(change)
        self.perform(actions, entry)
        return !actions.isEmpty
    }

    private func perform(_ actions: [SessionLifecycle.Action], _ entry: ManagedSession) {
        for action in actions {
            switch action {
            case .report(let transition): self.report(transition, entry)
            case .openLink: self.openLink(entry)
            case .closeLink: entry.closeLink()
            case .search: self.search(entry)
            }
        }
        if !actions.isEmpty { self.publish() }
    }

    func report(_ transition: SessionTransition, _ entry: ManagedSession) {
        if entry.lifecycle.isOver, self.entries[entry.device.id] === entry { self.entries[entry.device.id] = nil }
        switch entry.lifecycle.state {
        case .suspended(.networkError): if case .didSuspend = transition { self.armResume(entry) }
        // The proof of a device does not change the time limit for resuming.
        case .resuming: break
        case .starting, .waitingForPermission, .started, .suspended, .ending, nil: entry.resumed()
        }
        if entry.lifecycle.isOver {
            entry.endSearch()
            entry.end(on: self.eventLoop)
        }
        if let error = transition.errorForWaiting { entry.endWaiting(.failure(error)) }
        self.publish()
        self.logger.debug("session changed", metadata: [.castDevice: "\(entry.device.id)", .transition: "\(transition)"])
        self.eventSource.send(SessionEvent(device: entry.device.id, transition: transition))
        switch transition {
        case .didStart, .didResume: self.open(self.registeredChannels.all, in: entry)
        default: break
        }
    }

    /// The sessions that have started and have a link.
    var startedSessions: [ManagedSession] { self.entries.values.filter { $0.lifecycle.state == .started } }

    private func publish() {
        let infos = self.entries.values.compactMap(\.info)
        self.sessionSource.set(
            infos.sorted {
                ($0.device.friendlyName.lowercased(), $0.device.id) < ($1.device.friendlyName.lowercased(), $1.device.id)
            })
    }

    /// - Parameter limit: `nil` uses the policy's; without one, no timer is set.
    func armResume(_ entry: ManagedSession, within limit: Duration? = nil) {
        guard let limit = limit ?? self.options.resumePolicy.limit else { return }
        let key = entry.key
        entry.resumes(within: limit) { Deadline(of: self, on: self.eventLoop) { $0.resumeTimedOut(key) } }
    }

    private func resumeTimedOut(_ key: ManagedSession.Key) {
        if let entry = self.entry(key) { self.change(entry) { $0.resumeTimedOut() } }
    }

    // MARK: - Its link

    /// Moves the session to the device on which its stream continues.
    func move(_ entry: ManagedSession, to device: Device, _ application: ReceiverApplication) {
        guard self.entries[device.id] == nil else {
            self.change(entry) { $0.searched(isFound: false) }
            return
        }
        self.report(.streamMoved(to: device.id), entry)
        self.entries[entry.device.id] = nil
        self.entries[device.id] = entry
        entry.move(to: self.newest(device), application)
        self.change(entry) { $0.searched(isFound: true) }
        // The device was reached a moment ago, so the connect timeout is sufficient.
        if entry.lifecycle.state == .resuming { self.armResume(entry, within: self.options.connectTimeout) }
    }

    /// The devices on which a lost stream may continue: discovered, and without a session.
    var candidates: [Device] { self.found.values.filter { self.entries[$0.id] == nil } }

    func run(_ task: @escaping @Sendable () async -> Void) { self.newTasks.yield(task) }

    private func openLink(_ entry: ManagedSession) {
        let (key, number, links) = (entry.key, entry.nextLink(), self.temporaryConnection)
        let supervisor = DeviceSupervisor(
            device: entry.device.id, endpoints: entry.device.endpoints, eventLoop: self.eventLoop, connector: links.connector,
            policy: self.options.reconnectPolicy, handshakeGate: links.handshakeGate, random: links.random,
            authentication: self.options.authentication, session: entry.handle, keepsSession: true, description: entry.device,
            capabilities: entry.device.capabilities,
            participation: entry.participation, mediaDefaults: self.options.mediaDefaults,
            languageCode: self.options.launchOptions.languageCode, logger: self.logger, loggers: links.loggers
        ) { [weak self] event in
            self?.assumeIsolated { manager in
                guard let entry = manager.entry(key), entry.linkNumber == number else { return }
                manager.handle(event, entry)
            }
        }
        entry.opened(supervisor)
        self.newTasks.yield { await supervisor.run() }
    }

    private func handle(_ event: CastLinkEvent, _ entry: ManagedSession) {
        switch event {
        case .ready(let receiver, let media):
            entry.follow(media, at: MonotonicTime(self.eventLoop.now))
            guard let (session, hasMoved) = entry.linkReady() else { return }
            let sessionID = entry.participation?.sessionID
            let isStillRunning = sessionID != nil && receiver.application?.sessionID == sessionID
            self.change(entry) { $0.linkReady(isStillRunning: isStillRunning) }
            if hasMoved, entry.device.isGroup, entry.lifecycle.state == .started {
                self.report(.leaderMoved(session.assumeIsolated { $0.connection.endpoint }), entry)
            }
            // A group reports its members only on request; its stream cannot have moved to one of them.
            if entry.device.isGroup { session.assumeIsolated { $0.askMultizoneStatus() } }
            entry.endWaiting(.success(session))
        case .application(let part): self.changed(part, entry)
        case .mediaStatus(let status): entry.follow(status, at: MonotonicTime(self.eventLoop.now))
        case .disconnected(let error):
            entry.linkFailed(error, isLost: true)
            self.change(entry) { $0.linkLost(error, mayResume: self.options.resumePolicy != .never) }
        case .attemptFailed(let error, _, _): entry.linkFailed(error, isLost: false)
        case .authenticated(let result): self.report(.authenticated(result), entry)
        case .groupChanged(.playbackMoved): if entry.lifecycle.state == .started { self.report(.playbackMoved, entry) }
        case .connecting, .identified, .receiverStatus, .mediaFailed, .queueWindow, .multizoneStatus, .groupChanged, .identityMismatch:
            break
        }
    }

    private func changed(_ part: ApplicationSession, _ entry: ManagedSession) {
        if entry.changed(part) {
            // An application that we replaced did not move.
            let now = MonotonicTime(self.eventLoop.now)
            let mayHaveMoved = self.options.followsMovedStreams && !part.isLaunched && entry.losesStream(at: now)
            self.change(entry) { $0.applicationStopped(mayHaveMoved: mayHaveMoved) }
        }
        self.change(entry) { $0.permission(isAsking: part.role == .waitingForPermission) }
        entry.keep(part)
    }
}

extension SessionTransition {
    /// The error for callers that wait for a link that will not open.
    fileprivate var errorForWaiting: CastError? {
        switch self {
        case .didFailToStart(let error), .didFailToResume(let error): error
        case .didEnd(let error): error ?? CastError(.cancelled, detail: "the session was ended")
        case .didSuspend(.appBackgrounded), .didSuspend(.appTerminated): CastError(.cancelled, detail: "the session was suspended")
        case .willStart, .waitsForPermission, .didStart, .didSuspend, .willResume, .didResume, .willEnd, .leaderMoved, .playbackMoved,
            .streamMoved, .authenticated, .willTransfer, .didTransfer, .didFailToTransfer:
            nil
        }
    }
}
