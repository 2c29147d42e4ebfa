import Glibc
import Logging
import NetworkReach

/// The link: performs the decisions of `MQTTConnectionMachine` when a descriptor is ready or a deadline is reached.
///
/// Nothing here blocks: names are resolved elsewhere, sockets are non-blocking, and the library is called only when its socket is ready.
/// Used by one thread at a time, see `ClientCore`.
final class LinkLoop {
    struct Welcome {
        var sessionPresent: Bool
        var limits: MQTTLimits
        var serverKeepAliveSeconds: UInt16?
    }

    /// The largest number of addresses that one attempt tries.
    static let addressLimit = 8

    /// The given configuration, except for a will that the broker cannot accept.
    var configuration: MQTTConfiguration
    let environment: MQTTEnvironment
    let core: ClientCore
    let wake: WakeEvent
    let onEvent: @Sendable (MQTTEvent) -> Void
    let resolver: NameResolver

    var log: OutageLog
    var machine: MQTTConnectionMachine
    var suspend: SuspendDetector
    var probe: AddressProbe?
    var handle: MosquittoHandle?
    var watchdog: LinkWatchdog?
    var ownerWatchdog: OwnerWatchdog?
    /// The content of the CONNACK of `handle`.
    var welcome: Welcome?
    var session: MQTTSession?
    var outbox: Outbox
    /// When to call the library's keep-alive and check for missing acknowledgements.
    var housekeepingAt: Duration?
    /// The reason of a DISCONNECT that the library reported for `handle`.
    var serverReason: MQTTReasonCode?
    var farewell: MQTTBatch?

    private var commands: [ClientCommand] = []
    /// A spare array for `processNotices`.
    var notices: [MosquittoHandle.Notice] = []
    /// Whether a message arrived in this turn.
    var hasReceived = false
    /// The error that must end the link, found while sending. Only the MQTT thread ends the link, in its turn, because it may be polling
    /// the socket.
    var brokenLink: MQTTLinkError?

    /// The descriptors and deadline that the MQTT thread waits for between two turns, and then the result. The same array serves all turns.
    struct Sleep: Sendable {
        fileprivate var descriptors: [pollfd] = []
        fileprivate var timeoutMilliseconds: Int32 = 0

        mutating func sleep() {
            if poll(&self.descriptors, nfds_t(self.descriptors.count), self.timeoutMilliseconds) < 0 {
                for index in self.descriptors.indices { self.descriptors[index].revents = 0 }
            }
        }
    }

    init(
        configuration: MQTTConfiguration, environment: MQTTEnvironment, core: ClientCore, wake: WakeEvent, logger: Logger,
        onEvent: @escaping @Sendable (MQTTEvent) -> Void
    ) {
        self.configuration = configuration
        self.environment = environment
        self.core = core
        self.outbox = Outbox(core: core) { _ in }
        self.wake = wake
        self.onEvent = onEvent
        self.resolver = NameResolver(host: configuration.host, port: configuration.port, environment: environment, wake: wake)
        self.log = OutageLog(logger: logger, configuration: configuration)
        let fallback = ProtocolFallback(
            preference: configuration.protocolVersion, remembered: configuration.rememberedProtocol, now: environment.now())
        self.machine = MQTTConnectionMachine(
            nameLimit: configuration.nameLimit, connectLimit: configuration.connectLimit, attemptLimit: configuration.attemptLimit,
            fallback: fallback)
        self.suspend = SuspendDetector(bootLead: environment.bootLead())
    }

    var now: Duration { self.environment.now() }

    func start() { self.perform(self.machine.start(now: self.now)) }

    // MARK: One turn

    /// Performs one turn of the MQTT thread after a sleep.
    /// - Parameter sleep: the result of the sleep; afterwards the next sleep, or `nil` after a stop or cancellation.
    func turn(_ sleep: inout Sleep?) {
        let now = self.now
        if let slept = sleep { self.serve(slept.descriptors, now: now) }
        self.serveClocks(now: now)
        self.prepare(&sleep)
    }

    /// Performs the remaining work before the thread sleeps.
    func prepare(_ sleep: inout Sleep?) {
        if !self.machine.hasStopped { self.processMail() }
        guard !self.machine.hasStopped else { return sleep = nil }
        let now = self.now
        self.outbox.reportIfDue(now: now)
        sleep?.descriptors.removeAll(keepingCapacity: true)
        sleep?.descriptors.append(pollfd(fd: self.wake.descriptor, events: Int16(POLLIN), revents: 0))
        if let handle = self.handle {
            let writes = self.machine.isConnecting || handle.wantsWrite
            let reads = !self.machine.isConnecting
            let events = (reads ? POLLIN : 0) | (writes ? POLLOUT : 0)
            sleep?.descriptors.append(pollfd(fd: handle.socket, events: Int16(events), revents: 0))
        } else if let probe = self.probe {
            for descriptor in probe.descriptors { sleep?.descriptors.append(pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)) }
        }
        sleep?.timeoutMilliseconds = self.deadline.map { Int32(clamping: max(0, ($0 - now).wholeMilliseconds)) } ?? -1
    }

    /// Sends a batch on the caller's thread while the MQTT thread sleeps.
    /// - Returns: whether the MQTT thread is needed, because the socket is full or the link must end; `nil` in another epoch.
    func carryOutForCaller(_ batch: MQTTBatch, epoch: UInt64, isAwaited: Bool) -> Bool? {
        guard self.machine.liveEpoch == epoch, let handle = self.handle else { return nil }
        self.outbox.isAwaited = isAwaited
        self.corked(if: batch.count > 1) { self.publish(batch, handle) }
        self.processNotices()
        // The other outcomes are reported with an acknowledgement, for which the MQTT thread wakes anyway.
        self.outbox.reportIfDue(now: self.now)
        return self.brokenLink != nil || handle.wantsWrite
    }

    /// Returns the known outcomes of the epoch that are not reported yet.
    func takeOutcomes(epoch: UInt64) -> [MQTTPublished] { self.session?.epoch == epoch ? self.outbox.take() : [] }

    private func processMail() {
        if let answer = self.resolver.take() { self.resolved(answer) }
        self.closeIfBroken()
        let mail = self.core.take(into: &self.commands)
        self.carryOutCommands()
        self.processNotices()
        self.closeIfBroken()
        if mail.isCancelled { self.perform(self.machine.cancel()) }
        if mail.isWoken { self.checkLink() }
        if let stop = mail.stop {
            self.farewell = stop.farewell
            self.perform(self.machine.stop(farewellUntil: stop.farewell == nil ? nil : self.now + stop.within))
        }
    }

    private func closeIfBroken() { if let brokenLink { self.close(brokenLink) } }

    private func carryOutCommands() {
        guard !self.commands.isEmpty else { return }
        self.corked(if: self.commands.reduce(0, { $0 + $1.count }) > 1) { for command in self.commands { self.carryOut(command) } }
        self.commands.removeAll(keepingCapacity: true)
    }

    /// Sends the packets of `work` in as few segments as possible: each segment costs the system as much as all of these packets together.
    private func corked(if hasMany: Bool, _ work: () -> Void) {
        let corked = hasMany ? self.handle : nil
        if let corked { SocketOption.cork(true, corked.socket) }
        work()
        if let corked, corked === self.handle { SocketOption.cork(false, corked.socket) }
    }

    private var deadline: Duration? {
        func earlier(_ left: Duration?, _ right: Duration?) -> Duration? {
            guard let left, let right else { return left ?? right }
            return min(left, right)
        }
        let waiting = earlier(self.machine.deadline, self.probe?.deadline)
        let watching = earlier(self.watchdog?.deadline, self.ownerWatchdog?.deadline)
        return earlier(earlier(waiting, self.outbox.deadline), earlier(watching, self.housekeepingAt))
    }

    private func serve(_ descriptors: [pollfd], now: Duration) {
        let (handle, probe) = (self.handle, self.probe)
        if let first = descriptors.first, first.revents != 0 { self.wake.drain() }
        for descriptor in descriptors.dropFirst() where descriptor.revents != 0 {
            // Descriptor numbers are reused: a poll result of one connection does not apply to the next.
            guard self.handle === handle, self.probe === probe else { break }
            if let handle {
                self.serve(handle, revents: Int32(descriptor.revents), now: now)
            } else if let probe {
                self.handle(probe.ready(descriptor.fd, now: self.now))
            }
        }
    }

    private func serveClocks(now: Duration) {
        if let slept = self.suspend.slept(bootLead: self.environment.bootLead()) { self.wokeUp(after: slept) }
        if let probe = self.probe { self.handle(probe.tick(now: now)) }
        if let housekeepingAt, now >= housekeepingAt { self.keepHouse(now: now) }
        if let action = self.watchdog?.tick(now: now) { self.perform(action) }
        if let deadline = self.ownerWatchdog?.deadline, now >= deadline { self.watchOwner(now: now) }
        if let deadline = self.machine.deadline, now >= deadline {
            self.perform(self.machine.deadlineReached(now: now, jitter: self.environment.random()))
        }
    }

    // MARK: Clocks and other threads

    func resolved(_ answer: NumericAddress.Answer) {
        switch answer {
        case .success(let addresses):
            // In the system's order of preference, so the family of the first comes first.
            let family = addresses.first?.family
            let order = addresses.alternating(limit: Self.addressLimit) { $0.family == family }
            self.perform(self.machine.resolved(order, now: self.now))
        case .failure(let error):
            let error = MQTTLinkError(.nameNotResolved, detail: error.detail)
            self.perform(self.machine.resolutionFailed(error, now: self.now, jitter: self.environment.random()))
        }
    }

    func handle(_ outcome: AddressProbe.Outcome) {
        switch outcome {
        case .open: break
        case .won(let address): self.perform(self.machine.raceWon(address, now: self.now))
        case .lost(let error): self.perform(self.machine.raceLost(error, now: self.now, jitter: self.environment.random()))
        }
    }

    private func perform(_ action: LinkWatchdog.Action) {
        switch action {
        case .none: break
        case .ping: _ = self.handle?.ping()
        case .giveUp:
            self.close(MQTTLinkError(.halfOpen, detail: "nothing was received from the broker for \(self.configuration.halfOpenLimit)"))
        }
    }

    private func watchOwner(now: Duration) {
        switch self.ownerWatchdog?.tick(now: now, hasAnswered: self.core.hasOwnerAnswered) {
        case .ask?:
            self.core.expectOwner()
            self.onEvent(.ownerCheck)
        case .giveUp?:
            let limit = self.configuration.ownerLimit ?? .zero
            self.close(MQTTLinkError(.ownerStalled, detail: "this program has handled no event for \(limit)"))
        case .none?, nil: break
        }
    }

    /// Pings the broker over an open link; without one, tries to connect at once.
    private func checkLink() {
        if let action = self.watchdog?.suspect(now: self.now) { self.perform(action) }
        self.perform(self.machine.wake(now: self.now))
    }

    private func wokeUp(after slept: Duration) {
        if self.machine.liveEpoch != nil, slept >= self.configuration.halfOpenLimit {
            self.close(MQTTLinkError(.suspended, detail: "the machine slept for \(slept)"))
        }
        self.checkLink()
    }

    private func keepHouse(now: Duration) {
        self.scheduleHousekeeping(now: now)
        // The outcomes that no caller awaits and that the owner did not take.
        self.outbox.report()
        guard let handle = self.handle else { return }
        let result = handle.keepAlive()
        if result != .success { return self.close(self.reason(of: result, handle)) }
        if self.outbox.hasEntry(olderThan: self.configuration.acknowledgementLimit, now: now) {
            let detail = "the broker left something unacknowledged for \(self.configuration.acknowledgementLimit)"
            self.close(MQTTLinkError(.acknowledgementTimedOut, detail: detail))
        }
    }

    /// The library pings at the keep-alive, in whole seconds. Called four times in that period, it stays within the one and a half times
    /// that the broker allows.
    func scheduleHousekeeping(now: Duration) {
        let keepAlive = Duration.seconds(Int64(self.session?.serverKeepAliveSeconds ?? self.configuration.keepAliveSeconds))
        let own = min(.seconds(15), self.configuration.acknowledgementLimit / 4)
        self.housekeepingAt = now + (keepAlive == .zero ? own : min(own, keepAlive / 4))
    }
}
