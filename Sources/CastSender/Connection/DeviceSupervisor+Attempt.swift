import CastModels
import CastTransport
import NIOCore
import NetworkReach

/// One attempt to connect: its names, its addresses, and the race between them.
struct ConnectAttempt {
    /// The largest number of addresses that one attempt tries.
    static let addressLimit = 16

    var race: AddressRace<SocketAddress>
    /// The number of the race, by which late answers of an earlier race are ignored.
    let raceNumber: UInt64
    let deadline: NIODeadline
    var endpoints: [SocketAddress: DeviceEndpoint] = [:]
    /// The endpoints at which another device answered.
    var rejected: Set<DeviceEndpoint>
    /// The endpoints whose names are being or were resolved.
    var asked: Set<DeviceEndpoint> = []
    var openLookups = 0
    var lastError: CastError?
}

extension DeviceSupervisor {
    func startRace(deadline: NIODeadline, without rejected: Set<DeviceEndpoint>) {
        self.raceCount += 1
        self.raceDeadline.cancel()
        self.attempt = ConnectAttempt(
            race: Self.race([]), raceNumber: self.raceCount, deadline: deadline, rejected: rejected)
        self.lookUp(self.endpoints)
        let addresses = self.attempt?.addressesInOrder(self.endpoints) ?? []
        if !addresses.isEmpty { self.attempt?.race = Self.race(addresses) }
        self.advance { addresses.isEmpty ? .none : $0.start(now: $1) }
        self.endIfNothingIsLeft()
    }

    private static func race(_ addresses: [SocketAddress]) -> AddressRace<SocketAddress> {
        AddressRace(addresses, stagger: .milliseconds(250))
    }

    /// Adds addresses that became known during the attempt.
    func extendAttempt() {
        guard self.attempt != nil else { return }
        let known = Set(self.attempt?.endpoints.keys.map { $0 } ?? [])
        self.lookUp(self.endpoints)
        let addresses = (self.attempt?.addressesInOrder(self.endpoints) ?? []).filter { !known.contains($0) }
        self.add(addresses)
    }

    /// Continues with the other addresses after another device answered.
    func resumeRace() {
        guard let attempt else { return }
        self.startRace(deadline: attempt.deadline, without: attempt.rejected)
    }

    func abandonAttempt() {
        self.raceDeadline.cancel()
        self.attempt?.race.stop()
        self.attempt = nil
    }

    private func lookUp(_ endpoints: [DeviceEndpoint]) {
        let race = self.raceCount
        var names: [DeviceEndpoint] = []
        for endpoint in endpoints {
            guard let attempt, !attempt.rejected.contains(endpoint), !attempt.asked.contains(endpoint) else { continue }
            self.attempt?.asked.insert(endpoint)
            if let address = endpoint.numericAddress {
                self.attempt?.endpoints[address] = endpoint
            } else {
                names.append(endpoint)
            }
        }
        self.attempt?.openLookups += names.count
        for name in names {
            self.connector.resolve(name, on: self.eventLoop).whenComplete { result in
                self.assumeIsolated { $0.lookedUp(name, result, race) }
            }
        }
    }

    private func lookedUp(_ endpoint: DeviceEndpoint, _ result: Result<[SocketAddress], any Error>, _ race: UInt64) {
        guard self.attempt?.raceNumber == race else { return }
        self.attempt?.openLookups -= 1
        switch result {
        case .success(let addresses):
            let new = ConnectAttempt.inOrder(addresses).filter { self.attempt?.endpoints[$0] == nil }
            for address in new { self.attempt?.endpoints[address] = endpoint }
            self.add(new)
        case .failure(let error):
            self.attempt?.lastError = CastError(connection: error)
        }
        self.endIfNothingIsLeft()
    }

    private func add(_ addresses: [SocketAddress]) {
        guard !addresses.isEmpty else { return }
        self.advance { race, now in
            let action = race.add(addresses, now: now)
            if case .none = action { return race.start(now: now) }
            return action
        }
    }

    func advance(_ event: (inout AddressRace<SocketAddress>, Duration) -> AddressRace<SocketAddress>.Action) {
        guard var attempt else { return }
        let action = event(&attempt.race, .nanoseconds(MonotonicTime(self.eventLoop.now).nanoseconds))
        self.attempt = attempt
        self.raceDeadline.arm(at: attempt.race.deadline.map { .uptimeNanoseconds(UInt64($0.wholeNanoseconds)) })
        switch action {
        case .none: break
        case .connect(let number, let address): self.connect(to: address, number)
        case .exhausted:
            // The race of a name that is still being resolved starts again with its addresses.
            self.attempt?.race = Self.race([])
            self.endIfNothingIsLeft(isExhausted: true)
        }
    }

    private func connect(to address: SocketAddress, _ number: Int) {
        guard let attempt, let endpoint = attempt.endpoints[address] else { return }
        let race = attempt.raceNumber
        let timeout = max(.milliseconds(1), attempt.deadline - self.eventLoop.now)
        self.connector.connect(to: address, on: self.eventLoop, timeout: timeout).whenComplete { result in
            self.assumeIsolated { $0.connectEnded(number, endpoint, result, race) }
        }
    }

    private func connectEnded(_ number: Int, _ endpoint: DeviceEndpoint, _ result: Result<any Channel, any Error>, _ race: UInt64) {
        let isCurrent = self.attempt?.raceNumber == race
        switch result {
        case .success(let channel):
            guard isCurrent, self.attempt?.race.succeeded(attempt: number) == true else { return channel.close(promise: nil) }
            self.raceDeadline.cancel()
            self.connected(channel, at: endpoint)
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
        self.attemptEnded(attempt.lastError ?? (attempt.rejected.isEmpty ? noAddress : mismatch))
    }
}

extension ConnectAttempt {
    /// Returns the addresses with the families alternating, IPv4 first, each in the given order (newest first).
    static func inOrder(_ addresses: [SocketAddress]) -> [SocketAddress] {
        addresses.alternating(limit: Self.addressLimit) { $0.protocol == .inet }
    }

    /// Returns the numeric addresses among `endpoints`, in the order in which to try them.
    fileprivate func addressesInOrder(_ endpoints: [DeviceEndpoint]) -> [SocketAddress] {
        let rank = Dictionary(endpoints.enumerated().map { ($1, $0) }, uniquingKeysWith: min)
        let sorted = self.endpoints.sorted { (rank[$0.value] ?? .max) < (rank[$1.value] ?? .max) }
        return Self.inOrder(sorted.map(\.key))
    }
}
