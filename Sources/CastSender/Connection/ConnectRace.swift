import NIOCore

/// Decides when to try which address of one device (RFC 8305, IPv4 first). Does no I/O and owns no timer.
///
/// Attempts start 250 ms apart, or at once when the one before failed; the families alternate. So a family without a route costs
/// 250 ms at most, and a device with one dead address among several is still reached quickly.
struct ConnectRace<Address> {
    private enum State: Equatable { case ready, running, over }

    private var state = State.ready
    private var addresses: [Address]
    private let stagger: TimeAmount
    private var started = 0
    private var running: Set<Int> = []
    private var nextStart = NIODeadline.distantFuture

    /// - Parameter addresses: in the order in which to try them; see `AddressOrder`.
    init(addresses: [Address], stagger: TimeAmount = .milliseconds(250)) {
        self.addresses = addresses
        self.stagger = stagger
    }

    enum Action {
        /// Try `address` as attempt number `attempt`, and call `tick` at `next` when there is more to try.
        case connect(attempt: Int, Address, next: NIODeadline?)
        case wait(until: NIODeadline)
        /// Every address has failed.
        case exhausted
        case none
    }

    /// Whether nothing has been tried.
    var isUnused: Bool { self.state == .ready }

    mutating func start(now: NIODeadline) -> Action {
        switch self.state {
        case .ready:
            self.state = .running
            return self.startNext(now: now)
        case .running, .over: return .none
        }
    }

    mutating func tick(now: NIODeadline) -> Action {
        switch self.state {
        case .ready, .over: return .none
        case .running:
            guard self.started < self.addresses.count else { return .none }
            return now >= self.nextStart ? self.startNext(now: now) : .wait(until: self.nextStart)
        }
    }

    mutating func failed(attempt: Int, now: NIODeadline) -> Action {
        switch self.state {
        case .ready, .over: return .none
        case .running:
            guard self.running.remove(attempt) != nil else { return .none }
            return self.startNext(now: now)
        }
    }

    /// More addresses became known; they are the newest, so they come next.
    mutating func add(_ addresses: [Address], now: NIODeadline) -> Action {
        switch self.state {
        case .over: return .none
        case .ready:
            self.addresses = addresses + self.addresses
            return .none
        case .running:
            self.addresses.insert(contentsOf: addresses, at: self.started)
            return self.tick(now: now)
        }
    }

    /// Whether this attempt wins; a second winner is to be closed.
    mutating func succeeded(attempt: Int) -> Bool {
        switch self.state {
        case .ready, .over: return false
        case .running:
            self.state = .over
            return true
        }
    }

    /// Nothing is wanted any more.
    mutating func stop() { self.state = .over }

    private mutating func startNext(now: NIODeadline) -> Action {
        guard self.started < self.addresses.count else {
            guard self.running.isEmpty else { return .none }
            self.state = .over
            return .exhausted
        }
        let attempt = self.started
        self.started += 1
        self.running.insert(attempt)
        self.nextStart = now + self.stagger
        return .connect(attempt: attempt, self.addresses[attempt], next: self.started < self.addresses.count ? self.nextStart : nil)
    }
}
