import Glibc
import Logging
import NetworkReach

/// The way to the broker: performs the decisions of `MQTTConnectionMachine` when a descriptor is ready or a deadline is reached.
///
/// Nothing here blocks: names are resolved elsewhere, sockets are non-blocking, and the library is called only when its socket is ready.
/// Used by one thread at a time, see `ClientCore`.
final class LinkLoop {
    /// The largest number of addresses that one attempt tries.
    static let addressLimit = 8

    /// The given configuration, with the last password that was read, and except for a will that the broker cannot accept.
    private var configuration: MQTTConfiguration
    private let environment: MQTTEnvironment
    private let core: ClientCore
    private let wake: WakeEvent
    private let onEvent: @Sendable (MQTTEvent) -> Void
    private let resolver: NameResolver

    private var log: OutageLog
    private var machine: MQTTConnectionMachine
    private var suspend: SuspendDetector
    private var probe: AddressProbe?
    private var link: OpenLink?
    private var farewell: MQTTBatch?
    /// A spare array for `processMail`.
    private var commands: [ClientCommand] = []

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

    private var now: Duration { self.environment.now() }

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
        self.link?.reportIfDue(now: now)
        sleep?.descriptors.removeAll(keepingCapacity: true)
        sleep?.descriptors.append(pollfd(fd: self.wake.descriptor, events: Int16(POLLIN), revents: 0))
        if let handle = self.link?.handle {
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
        guard self.machine.liveEpoch == epoch, let link = self.link else { return nil }
        link.publish(batch, isAwaited: isAwaited)
        self.processNotices()
        // The other outcomes are reported with an acknowledgement, for which the MQTT thread wakes anyway.
        link.reportIfDue(now: self.now)
        return link.error != nil || link.handle.wantsWrite
    }

    /// Returns the known outcomes of the epoch that are not reported yet.
    func takeOutcomes(epoch: UInt64) -> [MQTTPublished] { self.link?.takeOutcomes(epoch: epoch) ?? [] }

    private func processMail() {
        if let answer = self.resolver.take() { self.resolved(answer) }
        self.closeIfBroken()
        // Commands are accepted only while a link is up.
        let mail = self.core.take(into: &self.commands)
        if !self.commands.isEmpty { self.link?.carryOut(self.commands) }
        self.commands.removeAll(keepingCapacity: true)
        self.processNotices()
        self.closeIfBroken()
        if mail.isCancelled { self.perform(self.machine.cancel()) }
        if mail.isWoken { self.checkLink() }
        if let stop = mail.stop {
            self.farewell = stop.farewell
            self.perform(self.machine.stop(farewellUntil: stop.farewell == nil ? nil : self.now + stop.within))
        }
    }

    private func closeIfBroken() { if let error = self.link?.error { self.close(error) } }

    private var deadline: Duration? { .earlier(.earlier(self.machine.deadline, self.probe?.deadline), self.link?.deadline) }

    private func serve(_ descriptors: [pollfd], now: Duration) {
        let (link, probe) = (self.link, self.probe)
        if let first = descriptors.first, first.revents != 0 { self.wake.drain() }
        for descriptor in descriptors.dropFirst() where descriptor.revents != 0 {
            // Descriptor numbers are reused: a poll result of one connection does not apply to the next.
            guard self.link === link, self.probe === probe else { break }
            if let link {
                self.serve(link, revents: Int32(descriptor.revents), now: now)
            } else if let probe {
                self.handle(probe.ready(descriptor.fd, now: self.now))
            }
        }
    }

    private func serve(_ link: OpenLink, revents: Int32, now: Duration) {
        // CONNECT may be sent in this turn, long after the attempt began. The broker then ends the link of any other client with this id.
        if self.machine.isConnecting || self.machine.isWaitingConnack {
            do throws(MQTTLinkError) { try self.requirePermission() } catch { return self.close(error) }
        }
        if self.machine.isConnecting {
            let error = SystemError(code: SocketOption.pendingError(of: link.handle.socket))
            if error.code == 0 { return self.perform(self.machine.connected(now: self.now)) }
            link.handle.fail(with: error)
            return self.close(link, .connectionLost)
        }
        let result = link.serve(revents: revents, now: now)
        self.processNotices()
        // A notice may have ended the connection.
        guard self.link === link else { return }
        link.endTurn(result)
        if result != .success || link.handle.socket < 0 {
            self.close(link, result)
        } else if self.machine.isWaitingConnack || revents & (POLLERR | POLLHUP) != 0, SocketOption.isAtEnd(link.handle.socket) {
            // During a TLS handshake the library treats the end of the stream as a reason to wait, and would spin.
            self.close(link, .connectionLost)
        }
    }

    private func processNotices() {
        while let fact = self.link?.nextFact() {
            switch fact {
            case .accepted: self.perform(self.machine.accepted(now: self.now))
            case .refused(let reason):
                self.adaptWill(to: reason)
                self.perform(self.machine.refused(reason, now: self.now, jitter: self.environment.random()))
            case .farewellDone: self.perform(self.machine.farewellDone())
            }
        }
    }

    /// Simplifies the will for the next attempt: a broker without retained messages or QoS 1 refuses a link because of its will (MQTT 5
    /// section 3.2.2.3).
    private func adaptWill(to reason: MQTTReasonCode) {
        switch reason {
        case .retainNotSupported: self.configuration.will?.retain = false
        case .qosNotSupported: self.configuration.will?.qos = .atMostOnce
        default: break
        }
    }

    private func serveClocks(now: Duration) {
        if let slept = self.suspend.slept(bootLead: self.environment.bootLead()) { self.wokeUp(after: slept) }
        if let probe = self.probe { self.handle(probe.tick(now: now)) }
        if let error = self.link?.tick(now: now) { self.close(error) }
        if let deadline = self.machine.deadline, now >= deadline {
            self.perform(self.machine.deadlineReached(now: now, jitter: self.environment.random()))
        }
    }

    // MARK: Clocks and other threads

    private func resolved(_ answer: NumericAddress.Answer) {
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

    private func handle(_ outcome: AddressProbe.Outcome) {
        switch outcome {
        case .open: break
        case .won(let address): self.perform(self.machine.raceWon(address, now: self.now))
        case .lost(let error): self.perform(self.machine.raceLost(error, now: self.now, jitter: self.environment.random()))
        }
    }

    /// Pings the broker over an open link; without one, tries to connect at once.
    private func checkLink() {
        self.link?.suspect(now: self.now)
        self.perform(self.machine.wake(now: self.now))
    }

    private func wokeUp(after slept: Duration) {
        if self.machine.liveEpoch != nil, slept >= self.configuration.halfOpenLimit {
            self.close(MQTTLinkError(.suspended, detail: "the machine slept for \(slept)"))
        }
        self.checkLink()
    }

    // MARK: Actions

    private func perform(_ action: MQTTConnectionMachine.Action) {
        switch action {
        case .none: break
        case .resolve: self.resolve()
        case .probe(let addresses):
            let probe = AddressProbe(addresses)
            self.probe = probe
            self.handle(probe.begin(now: self.now))
        case .open(let address, let version): self.open(address, version)
        case .handshake:
            // TLS and CONNECT continue as the socket becomes ready.
            if let handle = self.link?.handle { SocketOption.setUserTimeout(self.configuration.halfOpenLimit, of: handle.socket) }
        case .announce(let epoch, let remember): self.announce(epoch: epoch, remember: remember)
        case .retry(let delay, let error):
            self.dropConnection()
            self.log.failed(error, retryIn: delay, now: self.now)
            self.onEvent(.attemptFailed(error, retryIn: delay))
        case .lose(let epoch, let delay, let error):
            self.closeLink(epoch: epoch, error)
            self.log.lost(error, retryIn: delay, now: self.now)
        case .publishFarewell:
            guard self.link?.publishFarewell(self.farewell) == true else { return self.perform(self.machine.farewellDone()) }
            self.processNotices()
        case .disconnect(let epoch):
            self.link?.sendDisconnect()
            self.closeLink(epoch: epoch, MQTTLinkError(.stopped, detail: "the client was stopped"))
            self.log.left()
        case .finish(let epoch):
            let error = MQTTLinkError(.stopped, detail: "the client was stopped without a word to the broker")
            if let epoch { self.closeLink(epoch: epoch, error) } else { self.dropConnection() }
            self.log.left()
        }
    }

    /// Ends the current connection or attempt.
    private func close(_ error: MQTTLinkError) {
        let isAnswered = self.link?.isAnswered ?? true
        self.perform(self.machine.linkEnded(error, isAnswered: isAnswered, now: self.now, jitter: self.environment.random()))
    }

    private func close(_ link: OpenLink, _ result: MosquittoResult) {
        let isConnecting = self.machine.isConnecting
        self.close(link.handle.reason(of: result, isConnecting: isConnecting, isEarly: isConnecting || self.machine.isWaitingConnack))
    }

    private func resolve() {
        if let problem = self.configuration.problem() {
            let error = MQTTLinkError(.invalidConfiguration, detail: problem)
            return self.perform(self.machine.resolutionFailed(error, now: self.now, jitter: self.environment.random()))
        }
        let numeric = NumericAddress.resolve(self.configuration.host, port: self.configuration.port, isNumeric: true)
        if case .success = numeric { return self.resolved(numeric) }
        self.resolver.begin()
    }

    private func open(_ address: NumericAddress, _ version: MQTTProtocolVersion) {
        self.probe = nil
        if let password = self.configuration.readPassword?() { self.configuration.password = password }
        do throws(MQTTLinkError) {
            try self.requirePermission()
            let handle = try MosquittoHandle(self.configuration, address: address, version: version)
            let link = OpenLink(
                handle, configuration: self.configuration, environment: self.environment, core: self.core, onEvent: self.onEvent)
            self.link = link
            let result = handle.connect(
                keepAliveSeconds: self.configuration.keepAliveSeconds, sessionExpirySeconds: self.configuration.sessionExpirySeconds)
            if result != .success || handle.socket < 0 { return self.close(link, result) }
            SocketOption.closeOnExec(handle.socket)
        } catch {
            self.close(error)
        }
    }

    private func requirePermission() throws(MQTTLinkError) {
        if self.configuration.mayConnect?() == false { throw MQTTLinkError(.heldBack, detail: "another client has this part") }
    }

    private func announce(epoch: UInt64, remember: MQTTProtocolVersion?) {
        let now = self.now
        guard let session = self.link?.begin(epoch: epoch, now: now) else { return }
        self.log.connected(session, now: now)
        if let remember { self.onEvent(.protocolChosen(remember)) }
        self.core.open(epoch: epoch)
        self.onEvent(.connected(session))
    }

    private func closeLink(epoch: UInt64, _ error: MQTTLinkError) {
        let link = self.link
        self.dropConnection()
        link?.loseAll()
        self.onEvent(.disconnected(epoch: epoch, error))
    }

    private func dropConnection() { (self.link, self.probe) = (nil, nil) }
}
