import EventLoopTiming
import Logging
import NIOCore

/// Tracks the services of one type on the local network (RFC 6762, RFC 6763), sharing UDP port 5353 with other programs.
///
/// An actor on the event loop given to it: `onChange` is called there, in order, and code on that loop may use `assumeIsolated`.
package actor Browser {
    private let serviceType: String
    private let interfaces: InterfaceSelection
    private let eventLoop: any EventLoop
    private let logger: Logger
    private let limits: Limits
    private let random: @Sendable (ClosedRange<Double>) -> Double
    private let onChange: @Sendable (ServiceChange) -> Void

    private var running: Running?
    private var statisticsSoFar = BrowserStatistics()
    private lazy var deadline = Deadline(of: self, on: self.eventLoop) { $0.tick() }

    private struct Running {
        var machine: BrowseStateMachine
        let links: LinkSet
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { self.eventLoop.executor.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - serviceType: type and domain, for example `_googlecast._tcp.local`.
    ///   - eventLoop: a loop of a `MultiThreadedEventLoopGroup`.
    ///   - random: a number in the given range; for delays.
    ///   - onChange: called on the event loop.
    package init(
        serviceType: String, interfaces: InterfaceSelection = .all, eventLoop: any EventLoop, logger: Logger, limits: Limits = Limits(),
        random: @escaping @Sendable (ClosedRange<Double>) -> Double = { Double.random(in: $0) },
        onChange: @escaping @Sendable (ServiceChange) -> Void
    ) {
        self.serviceType = serviceType
        self.interfaces = interfaces
        self.eventLoop = eventLoop
        self.logger = logger
        self.limits = limits
        self.random = random
        self.onChange = onChange
    }

    /// Browses until the task is cancelled, then closes every socket and returns. It waits for missing or failing interfaces instead of
    /// throwing.
    /// - Throws: `invalidName` for the service type, `alreadyRunning`.
    package func run() async throws {
        guard self.running == nil else { throw MulticastDNSError(.alreadyRunning, detail: "the browser runs already") }
        let machine = BrowseStateMachine(serviceType: try DNSName(self.serviceType), limits: self.limits)
        let links = LinkSet(
            selection: self.interfaces, kinds: [.shared, .oneShot], eventLoop: self.eventLoop, limits: self.limits, logger: self.logger
        ) { [weak self] event in
            self?.assumeIsolated { $0.handle(event) }
        }
        self.statisticsSoFar = BrowserStatistics()
        self.running = Running(machine: machine, links: links)
        links.start()
        await untilCancelled()
        self.deadline.cancel()
        self.running = nil
        try? await links.stop().get()
    }

    /// Queries every interface at once from a separate port, so that answers arrive even where another program receives port 5353's
    /// unicast. Has no effect outside of `run()`.
    package func queryNow() {
        guard let running = self.running else { return }
        for scope in running.links.scopes { self.sendOneShot(on: scope) }
    }

    /// The counters of the current `run()`.
    package var statistics: BrowserStatistics {
        var statistics = self.statisticsSoFar
        guard let running = self.running else { return statistics }
        statistics.servicesKnown = running.machine.serviceCount
        statistics.interfaces = running.links.statuses
        return statistics
    }

    private func handle(_ event: LinkSet.Event) {
        let now = NIODeadline.now()
        switch event {
        case .ready(let scope, let hasMoved):
            self.running?.machine.linkReady(scope, hasMoved: hasMoved, now: now, random: self.random)
        case .removed(let scope):
            self.running?.machine.linkRemoved(scope, now: now)
        case .packet(let packet):
            self.receive(packet, now)
        case .networkChanged:
            self.onChange(.networkChanged)
        }
        self.schedule()
    }

    private func receive(_ packet: ReceivedPacket, _ now: NIODeadline) {
        if packet.isResponse || !packet.isFromThisHost {
            self.statisticsSoFar.packetsReceived += 1
            self.statisticsSoFar.lastReceived = now
        }
        guard packet.isResponse else { return }
        var decoder = MessageDecoder(packet.bytes)
        let message = try? decoder.decode()
        if message == nil || decoder.isCut { self.statisticsSoFar.packetsMalformed += 1 }
        guard let message else { return }
        let changes = self.running?.machine.receive(
            message, on: packet.link, isOneShot: packet.isOneShot, now: now, random: self.random)
        for change in changes ?? [] { self.onChange(change) }
    }

    private func tick() {
        guard let work = self.running?.machine.advance(to: .now()) else { return }
        for query in work.queries { self.send(query) }
        for change in work.changes { self.onChange(change) }
        self.schedule()
    }

    private func send(_ query: BrowseStateMachine.Query) {
        let packets = QueryPackets.make(
            questions: query.questions, knownAnswers: query.knownAnswers, packetBytes: self.limits.packetBytes)
        self.running?.links.multicast(packets, on: query.link.index)
        if query.isOneShotToo { self.sendOneShot(on: query.link) }
    }

    private func sendOneShot(on link: InterfaceScope) {
        guard let running = self.running else { return }
        let id = UInt16(self.random(1...65_535))
        let packets = QueryPackets.make(questions: [running.machine.oneShotQuestion], id: id, packetBytes: self.limits.packetBytes)
        running.links.multicast(packets, on: link.index, from: .oneShot)
    }

    private func schedule() { self.deadline.arm(at: self.running?.machine.nextDeadline) }
}
