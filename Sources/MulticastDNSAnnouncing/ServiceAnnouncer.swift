import EventLoopTiming
import LogKeys
import Logging
import MulticastDNS
import NIOCore

/// Announces services on the local network and answers for them (RFC 6762, RFC 6763), sharing UDP port 5353 with other programs.
///
/// An actor on the event loop given to it; code on that loop may use `assumeIsolated`.
package actor ServiceAnnouncer {
    private let interfaces: InterfaceSelection
    package nonisolated let eventLoop: any EventLoop
    private let logger: Logger
    private let limits: Limits
    private let random: @Sendable (ClosedRange<Double>) -> Double
    private let onRename: @Sendable (_ old: AnnouncedService, _ new: AnnouncedService) -> Void

    private var machine: AnnounceStateMachine
    private var links: LinkSet?
    private var sent = SentPackets()
    private lazy var deadline = Deadline(of: self, on: self.eventLoop) { $0.tick() }
    private var waiters: [Int: CheckedContinuation<AnnouncedService, any Error>] = [:]

    package nonisolated var unownedExecutor: UnownedSerialExecutor { self.eventLoop.executor.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - eventLoop: a loop of a `MultiThreadedEventLoopGroup`.
    ///   - random: a number in the given range; for delays.
    ///   - onRename: called on the event loop when another host has a requested name; `new` is probed next.
    package init(
        interfaces: InterfaceSelection = .all, eventLoop: any EventLoop, logger: Logger, limits: Limits = Limits(),
        random: @escaping @Sendable (ClosedRange<Double>) -> Double = { Double.random(in: $0) },
        onRename: @escaping @Sendable (_ old: AnnouncedService, _ new: AnnouncedService) -> Void = { _, _ in }
    ) {
        self.interfaces = interfaces
        self.eventLoop = eventLoop
        self.logger = logger
        self.limits = limits
        self.random = random
        self.onRename = onRename
        self.machine = AnnounceStateMachine(limits: limits)
    }

    /// Announces until the task is cancelled, then sends a goodbye for every remaining service, removes them, closes every socket and
    /// returns.
    /// - Throws: `alreadyRunning`.
    package func run() async throws {
        guard self.links == nil else { throw MulticastDNSError(.alreadyRunning, detail: "the announcer runs already") }
        let links = LinkSet(
            selection: self.interfaces, kinds: [.shared], eventLoop: self.eventLoop, limits: self.limits, logger: self.logger
        ) { [weak self] event in
            self?.assumeIsolated { $0.handle(event) }
        }
        self.links = links
        links.start()
        self.schedule()
        await untilCancelled()
        self.perform(self.machine.withdrawAll())
        self.deadline.cancel()
        self.links = nil
        for waiter in self.waiters.values { waiter.resume(throwing: MulticastDNSError(.stopped, detail: "the announcer has ended")) }
        self.waiters = [:]
        try? await links.stop().get()
    }

    /// Announces a service. Returns when the names are ours: with probing about a second after the start of `run()`, without it at once.
    /// The announcement follows shortly, together with those of other services announced then.
    /// - Parameter probing: whether to check first if another host has the names; if so, the service is renamed (`-2`, `-3` …).
    /// - Returns: the service with its final names.
    /// - Throws: `invalidName`, `invalidService`, `alreadyAnnounced`, `limitReached`; `stopped` when `run()` ends first, and
    ///   `CancellationError`, after which the service is not announced.
    @discardableResult
    package func announce(_ service: AnnouncedService, probing: Bool = true) async throws -> AnnouncedService {
        let (ticket, actions) = try self.machine.announce(service, probes: probing, now: .now(), random: self.random)
        self.perform(actions)
        self.schedule()
        guard probing else { return service }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // The task was cancelled before it began to wait: the handler has already run and found no waiter.
                if Task.isCancelled { self.abandon(ticket, continuation) } else { self.waiters[ticket] = continuation }
            }
        } onCancel: {
            self.eventLoop.execute { self.assumeIsolated { $0.abandon(ticket, $0.waiters.removeValue(forKey: ticket)) } }
        }
    }

    private func abandon(_ ticket: Int, _ continuation: CheckedContinuation<AnnouncedService, any Error>?) {
        guard let continuation else { return }
        if let instance = self.machine.registrations.first(where: { $0.value.ticket == ticket })?.key,
            let service = self.machine.records.services[instance]?.announced
        {
            _ = try? self.machine.withdraw(service, sendGoodbye: false)
        }
        continuation.resume(throwing: CancellationError())
    }

    /// Announces a new port, host, text or new addresses of the service with the same instance name and type.
    /// - Throws: `invalidName`, `invalidService`, `notAnnounced`.
    package func update(_ service: AnnouncedService) throws {
        self.perform(try self.machine.update(service, now: .now()))
        self.schedule()
    }

    /// Stops answering for the service.
    /// - Parameter sendGoodbye: `false` sends nothing, like a device that loses power.
    /// - Throws: `invalidName`, `invalidService`, `notAnnounced`.
    package func withdraw(_ service: AnnouncedService, sendGoodbye: Bool = true) throws {
        let ticket = (try? ServiceNames(service)).flatMap { self.machine.registrations[$0.instance]?.ticket }
        self.perform(try self.machine.withdraw(service, sendGoodbye: sendGoodbye))
        let waiter = ticket.flatMap { self.waiters.removeValue(forKey: $0) }
        waiter?.resume(throwing: MulticastDNSError(.stopped, detail: "the service was withdrawn"))
    }

    /// The interfaces in use, and the named ones that cannot be used now with the reason in `lastError`.
    package var interfaceStatuses: [InterfaceStatus] { self.links?.statuses ?? [] }

    private func handle(_ event: LinkSet.Event) {
        switch event {
        case .ready(let scope, _): self.machine.linkReady(scope.index, now: .now())
        case .removed(let scope): self.machine.linkRemoved(scope.index)
        case .packet(let packet): self.receive(packet)
        case .networkChanged: break
        }
        self.schedule()
    }

    private func receive(_ packet: ReceivedPacket) {
        let now = NIODeadline.now()
        guard let links = self.links, !self.sent.contains(packet.bytes, now: now) else { return }
        var decoder = MessageDecoder(packet.bytes)
        guard let message = try? decoder.decode() else { return }
        let isOnLink = links.isOnLink(packet.source, packet.link.index)
        self.perform(
            self.machine.receive(message, from: packet.source, isOnLink: isOnLink, on: packet.link.index, now: now, random: self.random))
    }

    private func tick() {
        self.perform(self.machine.advance(to: .now(), random: self.random))
        self.schedule()
    }

    private func perform(_ actions: [AnnounceStateMachine.Action]) {
        for action in actions {
            switch action {
            case .multicast(let packets, let link):
                for packet in packets { self.sent.insert(packet, now: .now()) }
                for index in link.map({ [$0] }) ?? self.links?.scopes.map(\.index) ?? [] { self.links?.multicast(packets, on: index) }
            case .unicast(let packets, let address, let link):
                self.links?.unicast(packets, to: address, on: link)
            case .established(let ticket, let service):
                self.waiters.removeValue(forKey: ticket)?.resume(returning: service)
            case .renamed(let old, let new):
                self.logger.debug("service renamed", metadata: [.previous: "\(old.instanceName)", .name: "\(new.instanceName)"])
                self.onRename(old, new)
            }
        }
    }

    /// Sets the timer; time passes only during `run()`.
    private func schedule() { if self.links != nil { self.deadline.arm(at: self.machine.nextDeadline) } }
}
