import CastModels
import CastTransport
import EventLoopTiming
import NIOCore
import NetworkReach

/// Connects to one of a device's endpoints: the names, the addresses, and the race between them. One attempt at a time; belongs to its
/// supervisor's event loop.
final class EndpointRace {
    typealias Outcome = Result<(channel: any Channel, endpoint: DeviceEndpoint), CastError>

    private struct Attempt {
        /// The number of the race, by which late answers of an earlier one are ignored.
        let number: UInt64
        /// The time limit of the whole attempt.
        let limit: NIODeadline
        /// Calls `tick`.
        let timer: Deadline
        let onEnd: @Sendable (Outcome) -> Void
        /// The endpoints at which another device answered.
        var rejected: Set<DeviceEndpoint>
        var race = AddressRace<SocketAddress>([], stagger: EndpointRace.stagger)
        var endpoints: [SocketAddress: DeviceEndpoint] = [:]
        /// The endpoints whose names are being or were resolved.
        var asked: Set<DeviceEndpoint> = []
        var openLookups = 0
        var lastError: CastError?
    }

    /// The largest number of addresses that one attempt tries.
    private static let addressLimit = 16
    private static let stagger = Duration.milliseconds(250)

    private let connector: any CastConnector
    private let eventLoop: any EventLoop
    private var endpoints: [DeviceEndpoint]
    private var attempt: Attempt?
    private var count: UInt64 = 0

    init(_ endpoints: [DeviceEndpoint], connector: any CastConnector, eventLoop: any EventLoop) {
        self.endpoints = endpoints
        self.connector = connector
        self.eventLoop = eventLoop
    }

    /// Sets the possible endpoints, most likely first; `extend` adds them to the current attempt.
    ///
    /// - Returns: whether they are others than before.
    func update(_ endpoints: [DeviceEndpoint]) -> Bool {
        defer { self.endpoints = endpoints }
        return endpoints != self.endpoints
    }

    /// Begins an attempt; `onEnd` is called once, unless it is abandoned or begun again.
    ///
    /// - Parameters:
    ///   - limit: the time limit.
    ///   - timer: calls `tick`.
    func begin(until limit: NIODeadline, timer: Deadline, onEnd: @escaping @Sendable (Outcome) -> Void) {
        self.begin(until: limit, timer, without: [], onEnd)
    }

    private func begin(
        until limit: NIODeadline, _ timer: Deadline, without rejected: Set<DeviceEndpoint>, _ onEnd: @escaping @Sendable (Outcome) -> Void
    ) {
        self.count += 1
        timer.cancel()
        self.attempt = Attempt(number: self.count, limit: limit, timer: timer, onEnd: onEnd, rejected: rejected)
        self.lookUpEndpoints()
        let addresses = self.addresses
        if !addresses.isEmpty { self.attempt?.race = AddressRace(addresses, stagger: Self.stagger) }
        self.advance { addresses.isEmpty ? .none : $0.start(now: $1) }
        self.endIfNothingIsLeft()
    }

    /// Adds endpoints that became known during the attempt.
    func extend() {
        guard let known = self.attempt?.endpoints else { return }
        self.lookUpEndpoints()
        self.add(self.addresses.filter { known[$0] == nil })
    }

    /// Continues with the other addresses, because another device answered at this endpoint.
    func reject(_ endpoint: DeviceEndpoint) {
        guard let attempt else { return }
        self.begin(until: attempt.limit, attempt.timer, without: attempt.rejected.union([endpoint]), attempt.onEnd)
    }

    func abandon() {
        self.attempt?.timer.cancel()
        self.attempt = nil
    }

    /// Call when the timer fires.
    func tick() { self.advance { $0.tick(now: $1) } }

    // MARK: - Names and addresses

    /// The numeric addresses of the endpoints, in the order in which to try them.
    private var addresses: [SocketAddress] {
        let rank = Dictionary(self.endpoints.enumerated().map { ($1, $0) }, uniquingKeysWith: min)
        let sorted = (self.attempt?.endpoints ?? [:]).sorted { (rank[$0.value] ?? .max) < (rank[$1.value] ?? .max) }
        return Self.inOrder(sorted.map(\.key))
    }

    /// Returns the addresses with the families alternating, IPv4 first, each in the given order (newest first).
    static func inOrder(_ addresses: [SocketAddress]) -> [SocketAddress] {
        addresses.alternating(limit: Self.addressLimit) { $0.protocol == .inet }
    }

    private func lookUpEndpoints() {
        var names: [DeviceEndpoint] = []
        for endpoint in self.endpoints where self.attempt?.rejected.contains(endpoint) == false {
            guard self.attempt?.asked.insert(endpoint).inserted == true else { continue }
            if let address = endpoint.numericAddress {
                self.attempt?.endpoints[address] = endpoint
            } else {
                names.append(endpoint)
            }
        }
        self.attempt?.openLookups += names.count
        let number = self.count
        for name in names {
            self.connector.resolve(name, on: self.eventLoop).assumeIsolated().whenComplete { self.lookedUp(name, $0, in: number) }
        }
    }

    private func lookedUp(_ endpoint: DeviceEndpoint, _ result: Result<[SocketAddress], any Error>, in number: UInt64) {
        guard self.attempt?.number == number else { return }
        self.attempt?.openLookups -= 1
        switch result {
        case .success(let addresses):
            let new = Self.inOrder(addresses).filter { self.attempt?.endpoints[$0] == nil }
            for address in new { self.attempt?.endpoints[address] = endpoint }
            self.add(new)
        case .failure(let error): self.attempt?.lastError = CastError(connection: error)
        }
        self.endIfNothingIsLeft()
    }

    // MARK: - The race

    private func add(_ addresses: [SocketAddress]) {
        guard !addresses.isEmpty else { return }
        self.advance { race, now in
            let action = race.add(addresses, now: now)
            if case .none = action { return race.start(now: now) }
            return action
        }
    }

    private func advance(_ event: (inout AddressRace<SocketAddress>, Duration) -> AddressRace<SocketAddress>.Action) {
        guard var attempt else { return }
        let action = event(&attempt.race, .nanoseconds(MonotonicTime(self.eventLoop.now).nanoseconds))
        self.attempt = attempt
        attempt.timer.arm(at: attempt.race.deadline.map { .uptimeNanoseconds(UInt64($0.wholeNanoseconds)) })
        switch action {
        case .none: break
        case .connect(let number, let address): self.connect(to: address, number)
        case .exhausted:
            // The race of a name that is still being resolved starts again with its addresses.
            self.attempt?.race = AddressRace([], stagger: Self.stagger)
            self.endIfNothingIsLeft(isExhausted: true)
        }
    }

    private func connect(to address: SocketAddress, _ number: Int) {
        guard let attempt, let endpoint = attempt.endpoints[address] else { return }
        let timeout = max(.milliseconds(1), attempt.limit - self.eventLoop.now)
        self.connector.connect(to: address, on: self.eventLoop, timeout: timeout).assumeIsolated().whenComplete {
            self.connectEnded(number, endpoint, $0, in: attempt.number)
        }
    }

    private func connectEnded(_ number: Int, _ endpoint: DeviceEndpoint, _ result: Result<any Channel, any Error>, in race: UInt64) {
        let isCurrent = self.attempt?.number == race
        switch result {
        case .success(let channel):
            guard isCurrent, self.attempt?.race.succeeded(attempt: number) == true else { return channel.close(promise: nil) }
            self.attempt?.timer.cancel()
            self.attempt?.onEnd(.success((channel, endpoint)))
        case .failure(let error):
            guard isCurrent else { return }
            self.attempt?.lastError = CastError(connection: error)
            self.advance { $0.failed(attempt: number, now: $1) }
        }
    }

    private func endIfNothingIsLeft(isExhausted: Bool = false) {
        guard let attempt, attempt.openLookups == 0, isExhausted || attempt.race.isUnused else { return }
        let noAddress = CastError(.networkError, detail: "no address to connect to")
        let mismatch = CastError(.deviceIdentityMismatch, detail: "another device answers at every known address")
        attempt.onEnd(.failure(attempt.lastError ?? (attempt.rejected.isEmpty ? noAddress : mismatch)))
    }
}
