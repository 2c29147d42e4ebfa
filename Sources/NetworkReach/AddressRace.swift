/// Decides when to try which of a peer's addresses (RFC 8305). Does no I/O and owns no timer.
///
/// Attempts start `stagger` apart, or at once when the previous one failed. So a family without a route costs one `stagger`, and a peer
/// with one dead address among several is still reached quickly. Times are durations since any fixed origin of a monotonic clock.
package struct AddressRace<Address> {
    private enum State: Equatable { case ready, running, over }

    package enum Action {
        case none
        /// Try the address as attempt number `attempt`.
        case connect(attempt: Int, Address)
        /// Every address has failed.
        case exhausted
    }

    private var state = State.ready
    private var addresses: [Address]
    private let stagger: Duration
    private var started = 0
    private var running: Set<Int> = []
    private var lastStart = Duration.zero
    /// When `tick` starts the next attempt; `nil` when there is no further address.
    package private(set) var deadline: Duration?

    /// - Parameter addresses: in the order in which to try them; see `alternating`.
    package init(_ addresses: [Address], stagger: Duration) { (self.addresses, self.stagger) = (addresses, stagger) }

    /// Whether no address has been tried.
    package var isUnused: Bool { self.state == .ready }

    package mutating func start(now: Duration) -> Action {
        guard self.state == .ready else { return .none }
        self.state = .running
        return self.startNext(now: now)
    }

    package mutating func tick(now: Duration) -> Action {
        guard let deadline, now >= deadline else { return .none }
        return self.startNext(now: now)
    }

    package mutating func failed(attempt: Int, now: Duration) -> Action {
        guard self.state == .running, self.running.remove(attempt) != nil else { return .none }
        return self.startNext(now: now)
    }

    /// Adds addresses that became known; they are the newest, so they come next.
    package mutating func add(_ addresses: [Address], now: Duration) -> Action {
        switch self.state {
        case .over: return .none
        case .ready:
            self.addresses = addresses + self.addresses
            return .none
        case .running:
            self.addresses.insert(contentsOf: addresses, at: self.started)
            if self.deadline == nil, self.started < self.addresses.count { self.deadline = self.lastStart + self.stagger }
            return self.tick(now: now)
        }
    }

    /// Reports a successful attempt.
    /// - Returns: whether this attempt wins; close the connection of a second winner.
    package mutating func succeeded(attempt: Int) -> Bool {
        guard self.state == .running else { return false }
        self.stop()
        return true
    }

    /// Ends the race without a winner.
    package mutating func stop() {
        self.state = .over
        self.deadline = nil
    }

    private mutating func startNext(now: Duration) -> Action {
        guard self.started < self.addresses.count else {
            self.deadline = nil
            guard self.running.isEmpty else { return .none }
            self.state = .over
            return .exhausted
        }
        let attempt = self.started
        self.started += 1
        self.running.insert(attempt)
        self.lastStart = now
        self.deadline = self.started < self.addresses.count ? now + self.stagger : nil
        return .connect(attempt: attempt, self.addresses[attempt])
    }
}

extension Sequence where Element: Hashable {
    /// Returns the elements with the two address families alternating, each in the given order, without repetitions (RFC 8305 section 4).
    ///
    /// - Parameter isFirst: returns whether an address belongs to the family to begin with.
    package func alternating(limit: Int, _ isFirst: (Element) -> Bool) -> [Element] {
        var seen: Set<Element> = []
        let unique = self.filter { seen.insert($0).inserted }
        let first = unique.filter(isFirst)
        let others = unique.filter { !isFirst($0) }
        var result: [Element] = []
        for index in 0..<Swift.max(first.count, others.count) {
            if index < first.count { result.append(first[index]) }
            if index < others.count { result.append(others[index]) }
        }
        return Array(result.prefix(limit))
    }
}
