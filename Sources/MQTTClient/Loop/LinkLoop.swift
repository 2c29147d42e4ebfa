import Glibc
import Logging
import NetworkReach

/// The link as the MQTT thread keeps it: performs what `MQTTConnectionMachine` decides whenever a descriptor or a deadline has something to say.
///
/// Nothing here blocks: names are resolved elsewhere, sockets are non-blocking, the library is called only when its socket is ready. Used by
/// one thread at a time, see `ClientCore`.
final class LinkLoop {
    struct Welcome {
        var sessionPresent: Bool
        var limits: MQTTLimits
        var serverKeepAliveSeconds: UInt16?
    }

    /// The most addresses that one attempt tries.
    static let addressLimit = 8

    /// As given, but for a will that the broker can't take.
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
    /// What the broker said in the CONNACK of `handle`.
    var welcome: Welcome?
    var session: MQTTSession?
    var outbox: Outbox
    /// When to call the library's keep-alive and look for missing acknowledgements.
    var housekeepingAt: Duration?
    /// Reason of a DISCONNECT that the library reported for `handle`.
    var serverReason: MQTTReasonCode?
    var farewell: MQTTMessage?

    private var commands: [ClientCommand] = []
    /// Spare room for `heedNotices`.
    var notices: [MosquittoHandle.Notice] = []
    /// A message came in this turn.
    var hasReceived = false
    /// A caller works here, who must not end the link: the MQTT thread may be polling its socket.
    var isCallersTurn = false
    /// How a caller found the link broken.
    var brokenLink: MQTTLinkError?

    /// What to wait for while nobody works on the link, and then what came.
    struct Sleep: Sendable {
        fileprivate var descriptors: [pollfd]
        fileprivate let timeoutMilliseconds: Int32

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
        self.outbox = Outbox(core: core)
        self.wake = wake
        self.onEvent = onEvent
        self.resolver = NameResolver(host: configuration.host, port: configuration.port, environment: environment, wake: wake)
        self.log = OutageLog(logger: logger, configuration: configuration)
        let fallback = ProtocolFallback(
            preference: configuration.protocolVersion, remembered: configuration.rememberedProtocol, now: environment.now())
        self.machine = MQTTConnectionMachine(
            connectLimit: configuration.connectLimit, attemptLimit: configuration.attemptLimit, fallback: fallback)
        self.suspend = SuspendDetector(bootLead: environment.bootLead())
    }

    var now: Duration { self.environment.now() }

    func start() { self.perform(self.machine.start(now: self.now)) }

    // MARK: One turn

    /// - Returns: `nil` after a stop or cancellation.
    func prepareToSleep() -> Sleep? {
        if self.machine.hasStopped { return nil }
        if let answer = self.resolver.take() { self.resolved(answer) }
        if let brokenLink { self.end(brokenLink) }
        self.readMail()
        self.outbox.tellIfDue(now: self.now)
        return self.machine.hasStopped ? nil : self.sleep
    }

    func serve(_ slept: Sleep) {
        self.serve(slept.descriptors)
        self.serveClocks()
    }

    /// Sends what a caller has just put into the mailbox, on the caller's thread while the MQTT thread sleeps.
    /// - Returns: whether the MQTT thread has to look, at what does not fit the socket or at the end of the link.
    func carryOutForCaller() -> Bool {
        self.core.takePublishes(into: &self.commands)
        self.isCallersTurn = true
        self.carryOutCommands()
        self.heedNotices()
        self.isCallersTurn = false
        // What is known already may be told, since the caller is not asleep.
        self.outbox.tell()
        return self.brokenLink != nil || self.handle?.wantsWrite ?? true
    }

    private func readMail() {
        let mail = self.core.take(into: &self.commands)
        self.carryOutCommands()
        self.heedNotices()
        if mail.isCancelled { self.perform(self.machine.cancel()) }
        if mail.isWoken { self.heedWake() }
        if let stop = mail.stop {
            self.farewell = stop.farewell
            self.perform(self.machine.stop(farewellUntil: stop.farewell == nil ? nil : self.now + stop.within))
        }
    }

    /// What is sent in one turn leaves in as few segments as it fits: each would cost the system as much as all of them together.
    private func carryOutCommands() {
        guard !self.commands.isEmpty else { return }
        let corked = self.commands.reduce(0, { $0 + $1.count }) > 1 ? self.handle : nil
        if let corked { SocketOption.cork(true, corked.socket) }
        for command in self.commands { self.carryOut(command) }
        if let corked, corked === self.handle { SocketOption.cork(false, corked.socket) }
        self.commands.removeAll(keepingCapacity: true)
    }

    private var sleep: Sleep {
        var descriptors = [pollfd(fd: self.wake.descriptor, events: Int16(POLLIN), revents: 0)]
        if let handle = self.handle {
            let writes = self.machine.isConnecting || handle.wantsWrite
            let reads = !self.machine.isConnecting
            let events = (reads ? POLLIN : 0) | (writes ? POLLOUT : 0)
            descriptors.append(pollfd(fd: handle.socket, events: Int16(events), revents: 0))
        } else if let probe = self.probe {
            for descriptor in probe.descriptors { descriptors.append(pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)) }
        }
        let timeout = self.deadline.map { Int32(clamping: max(0, ($0 - self.now).wholeMilliseconds)) } ?? -1
        return Sleep(descriptors: descriptors, timeoutMilliseconds: timeout)
    }

    private var deadline: Duration? {
        func earlier(_ left: Duration?, _ right: Duration?) -> Duration? {
            guard let left, let right else { return left ?? right }
            return min(left, right)
        }
        let waiting = earlier(self.machine.deadline, self.probe?.deadline)
        return earlier(earlier(waiting, self.outbox.deadline), earlier(self.watchdog?.deadline, self.housekeepingAt))
    }

    private func serve(_ descriptors: [pollfd]) {
        let (handle, probe) = (self.handle, self.probe)
        if descriptors[0].revents != 0 { self.wake.drain() }
        for descriptor in descriptors.dropFirst() where descriptor.revents != 0 {
            // Descriptor numbers are reused: what was polled for one connection says nothing about the next.
            guard self.handle === handle, self.probe === probe else { break }
            if let handle {
                self.serve(handle, revents: Int32(descriptor.revents))
            } else if let probe {
                self.heed(probe.ready(descriptor.fd, now: self.now))
            }
        }
    }

    private func serveClocks() {
        let now = self.now
        if let slept = self.suspend.slept(bootLead: self.environment.bootLead()) { self.heedSuspend(slept) }
        if let probe = self.probe { self.heed(probe.tick(now: now)) }
        if let housekeepingAt, now >= housekeepingAt { self.keepHouse(now: now) }
        if let action = self.watchdog?.tick(now: now) { self.heed(action) }
        if let deadline = self.machine.deadline, now >= deadline {
            self.perform(self.machine.deadlineReached(now: now, jitter: self.environment.random()))
        }
    }

    // MARK: What clocks and other threads say

    func resolved(_ answer: NumericAddress.Answer) {
        switch answer {
        case .success(let addresses):
            // In the system's order of preference, so beginning with the family of the first.
            let family = addresses.first?.family
            let order = addresses.alternating(limit: Self.addressLimit) { $0.family == family }
            self.perform(self.machine.resolved(order, now: self.now))
        case .failure(let error):
            let error = MQTTLinkError(.nameNotResolved, detail: error.detail)
            self.perform(self.machine.resolutionFailed(error, now: self.now, jitter: self.environment.random()))
        }
    }

    func heed(_ outcome: AddressProbe.Outcome) {
        switch outcome {
        case .open: break
        case .won(let address): self.perform(self.machine.raceWon(address, now: self.now))
        case .lost(let error): self.perform(self.machine.raceLost(error, now: self.now, jitter: self.environment.random()))
        }
    }

    private func heed(_ action: LinkWatchdog.Action) {
        switch action {
        case .none: break
        case .ping: _ = self.handle?.ping()
        case .giveUp:
            self.end(MQTTLinkError(.halfOpen, detail: "nothing was heard from the broker for \(self.configuration.halfOpenLimit)"))
        }
    }

    private func heedWake() {
        if let action = self.watchdog?.suspect(now: self.now) { self.heed(action) }
        self.perform(self.machine.wake(now: self.now))
    }

    private func heedSuspend(_ slept: Duration) {
        if self.machine.liveEpoch != nil, slept >= self.configuration.halfOpenLimit {
            self.end(MQTTLinkError(.suspended, detail: "the machine slept for \(slept)"))
        }
        self.heedWake()
    }

    private func keepHouse(now: Duration) {
        self.scheduleHousekeeping(now: now)
        guard let handle = self.handle else { return }
        let result = handle.keepAlive()
        if result != .success { return self.end(self.reason(of: result, handle)) }
        if self.outbox.hasEntry(olderThan: self.configuration.acknowledgementLimit, now: now) {
            let detail = "the broker left something unacknowledged for \(self.configuration.acknowledgementLimit)"
            self.end(MQTTLinkError(.acknowledgementTimedOut, detail: detail))
        }
    }

    /// The library pings at the keep-alive, in whole seconds; asked at a quarter of it, it stays within the one and a half times that
    /// the broker grants.
    func scheduleHousekeeping(now: Duration) {
        let keepAlive = Duration.seconds(Int64(self.session?.serverKeepAliveSeconds ?? self.configuration.keepAliveSeconds))
        let own = min(.seconds(15), self.configuration.acknowledgementLimit / 4)
        self.housekeepingAt = now + (keepAlive == .zero ? own : min(own, keepAlive / 4))
    }
}
