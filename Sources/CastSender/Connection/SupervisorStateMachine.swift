import CastModels
import NIOCore

/// Decides when to connect to one device. Does no I/O and owns no timer; it retries until stopped.
struct SupervisorStateMachine {
    private enum State {
        case initial
        /// No address is known.
        case homeless
        case waiting(until: NIODeadline)
        /// Waiting for the handshake gate.
        case queued
        case connecting(since: NIODeadline, restartedByWake: Bool)
        /// Connected; the state is being read.
        case preparing(since: NIODeadline)
        case ready(since: NIODeadline)
        case stopped
    }

    private var state = State.initial
    private let policy: ReconnectPolicy
    private var hasEndpoints: Bool
    private var failures = 0
    /// Whether the device was seen since the current attempt was permitted. It is reachable then, so the next attempt comes soon and has
    /// priority.
    private var isSighted = false
    /// Whether the device was ever connected. An announcement alone proves nothing, so it gives no handshake priority.
    private(set) var isVerified: Bool
    /// Whether the last attempt reached the device and its proof failed; a sighting does not change that.
    private var isUntrusted = false

    init(policy: ReconnectPolicy, hasEndpoints: Bool, isVerified: Bool = true) {
        self.policy = policy
        self.hasEndpoints = hasEndpoints
        self.isVerified = isVerified
    }

    enum Action: Equatable {
        case none
        /// Request a permit from the handshake gate, replacing an earlier request. Report it with `permitted`.
        ///
        /// - isSighted: whether the device was just seen, so that it has priority.
        case requestPermit(isSighted: Bool)
        /// Connect; the attempt, including reading the state, must end by `deadline`.
        case connect(deadline: NIODeadline)
        /// End the current connection attempt without a report and connect again.
        case reconnect(deadline: NIODeadline)
        /// Add the new addresses to the current attempt.
        case connectAlso
        /// Call `tick` at `deadline`.
        case wait(until: NIODeadline)
        /// Report the failure, call `tick` at `deadline`.
        case retry(in: Duration, at: NIODeadline, attempts: Int)
        /// Report the failure; there is no address to try until `endpointsChanged`.
        case giveUpUntilAddress(attempts: Int)
        /// Check that the open link is alive.
        case probe
        /// End the attempt or link.
        case stop
    }

    var isReady: Bool {
        if case .ready = self.state { true } else { false }
    }

    var isStopped: Bool {
        if case .stopped = self.state { true } else { false }
    }

    mutating func start(now: NIODeadline) -> Action {
        guard case .initial = self.state else { return .none }
        return self.begin()
    }

    /// A timer fired; the retry may be due.
    mutating func tick(now: NIODeadline) -> Action {
        guard case .waiting(let until) = self.state else { return .none }
        return now >= until ? self.begin() : .wait(until: until)
    }

    mutating func permitted(now: NIODeadline) -> Action {
        guard case .queued = self.state else { return .none }
        self.state = .connecting(since: now, restartedByWake: false)
        self.isSighted = false
        return .connect(deadline: now + self.attemptLimit)
    }

    mutating func connected() {
        guard case .connecting(let since, _) = self.state else { return }
        self.state = .preparing(since: since)
    }

    /// Another device answered: the same attempt continues with the other addresses.
    mutating func rejected() {
        guard case .preparing(let since) = self.state else { return }
        self.state = .connecting(since: since, restartedByWake: true)
    }

    mutating func becameReady(now: NIODeadline) {
        guard case .preparing = self.state else { return }
        self.state = .ready(since: now)
        self.isVerified = true
    }

    /// The attempt ended without a link, or the link ended; the delay starts now.
    ///
    /// - Parameter isUntrusted: whether the device answered and did not prove that it is genuine.
    mutating func failed(now: NIODeadline, random: Double, isUntrusted: Bool = false) -> Action {
        self.isUntrusted = isUntrusted
        if isUntrusted { self.isSighted = false }
        switch self.state {
        case .connecting, .preparing:
            self.failures = self.isSighted ? 1 : self.failures + 1
        case .ready(let since):
            self.failures = since + .init(self.policy.stableAfter) <= now || self.isSighted ? 1 : self.failures + 1
        case .initial, .homeless, .waiting, .queued, .stopped:
            return .none
        }
        self.isSighted = false
        guard self.hasEndpoints else {
            self.state = .homeless
            return .giveUpUntilAddress(attempts: self.failures)
        }
        let delay = self.policy.delay(failures: self.failures, random: random)
        let deadline = now + .init(delay)
        self.state = .waiting(until: deadline)
        return .retry(in: delay, at: deadline, attempts: self.failures)
    }

    /// The device was seen, or the network changed: the next attempt follows within a second, at a random moment to spread many devices.
    mutating func wake(now: NIODeadline, random: Double) -> Action {
        switch self.state {
        case .initial, .homeless, .stopped: return .none
        case .queued:
            guard !self.isSighted else { return .none }
            self.isSighted = true
            return .requestPermit(isSighted: true)
        case .waiting where self.isUntrusted: return .none
        case .waiting(let until):
            self.isSighted = true
            self.failures = 0
            let soon = now + .init(self.policy.delay(failures: 1, random: random))
            guard soon < until else { return .none }
            self.state = .waiting(until: soon)
            return .wait(until: soon)
        case .connecting(let since, let restartedByWake):
            self.isSighted = true
            // TCP repeats a lost SYN after 1, 3 and 7 s; a new attempt reaches a device sooner that has just started.
            guard !restartedByWake, now >= since + .seconds(1) else { return .none }
            return self.restart(now: now)
        case .preparing:
            self.isSighted = true
            return .none
        case .ready: return .probe
        }
    }

    /// - Parameter isEmpty: whether no address remains.
    mutating func endpointsChanged(isEmpty: Bool, now: NIODeadline, random: Double) -> Action {
        self.hasEndpoints = !isEmpty
        // Another device may answer at the new addresses.
        self.isUntrusted = false
        switch self.state {
        case .homeless:
            self.isSighted = !isEmpty
            return isEmpty ? .none : self.begin()
        case .connecting:
            self.isSighted = true
            return isEmpty ? .none : .connectAlso
        case .initial, .waiting, .queued, .preparing, .ready, .stopped:
            return isEmpty ? .none : self.wake(now: now, random: random)
        }
    }

    mutating func stop() -> Action {
        if case .stopped = self.state { return .none }
        self.state = .stopped
        return .stop
    }

    private var attemptLimit: TimeAmount { .init(self.policy.attemptLimit) }

    private mutating func begin() -> Action {
        guard self.hasEndpoints else {
            self.state = .homeless
            return .none
        }
        self.state = .queued
        return .requestPermit(isSighted: self.isSighted)
    }

    private mutating func restart(now: NIODeadline) -> Action {
        self.state = .connecting(since: now, restartedByWake: true)
        return .reconnect(deadline: now + self.attemptLimit)
    }
}
