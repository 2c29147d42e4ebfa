import NetworkReach

/// Decides when to resolve, connect, wait, give up and retry on the way to the broker. Does no I/O and owns no timer.
///
/// Times are durations since any fixed origin of a monotonic clock; `jitter` is random in `0..<1`. A late event (for example an answer to
/// an abandoned attempt) changes nothing.
struct MQTTConnectionMachine: Sendable {
    private enum State {
        case idle
        case resolving(until: Duration, attemptUntil: Duration)
        case probing(until: Duration, attemptUntil: Duration)
        case connecting(to: NumericAddress, until: Duration, attemptUntil: Duration)
        case waitingConnack(from: NumericAddress, until: Duration)
        case up(epoch: UInt64, since: Duration)
        case closing(epoch: UInt64, until: Duration)
        case backoff(until: Duration)
        case stopped
    }

    enum Action: Equatable {
        case none
        /// Resolve the broker's name.
        case resolve
        /// Race TCP connections to these.
        case probe([NumericAddress])
        /// Create a new library object and connect it.
        case open(NumericAddress, MQTTProtocolVersion)
        /// TCP is connected: continue with TLS and CONNECT.
        case handshake
        /// The link is up: report it.
        case announce(epoch: UInt64, remember: MQTTProtocolVersion?)
        /// Close any open connection and report the failed attempt.
        case retry(after: Duration, MQTTLinkError)
        /// Close the link and report its end.
        case lose(epoch: UInt64, retryIn: Duration, MQTTLinkError)
        /// Publish the farewell; then `farewellDone`.
        case publishFarewell
        /// Send DISCONNECT, close, report the end and return from `run`.
        case disconnect(epoch: UInt64)
        /// Close any open connection and return from `run`; the broker publishes the will of a link that was up.
        case finish(epoch: UInt64?)
    }

    /// A link that lasted this long was stable: after it, delays start short again. Longer than the longest delay; otherwise two clients
    /// that take the link from each other would both seem stable.
    static let stableAfter = Duration.seconds(30)
    /// This many short links in a row, without a failed attempt between them, suggest a second client with our id: brokers before MQTT 5,
    /// and mosquitto 2.0 also over MQTT 5, close the old link without a reason.
    static let suspiciousLinks = 4
    /// The longest delay while the broker's host refuses connections: the service is probably restarting, and an attempt costs one packet.
    static let longestDelayWhileRefused = Duration.seconds(2)
    /// The shortest time between the starts of attempts that `wake` causes.
    static let wakeSpacing = Duration.seconds(1)

    /// The time limit of name resolution.
    let nameLimit: Duration
    /// The time limit of the TCP connection.
    let connectLimit: Duration
    private(set) var fallback: ProtocolFallback
    private var state = State.idle
    private let policy: ReconnectPolicy
    /// The number of failures in a row, except for permanent ones and refusals by the broker's host.
    private var failures = 0
    private var epoch: UInt64 = 0
    private var attemptStarted: Duration?
    /// Whether the version was changed in this outage; the first change is tried at once.
    private var changedVersion = false
    private var shortLinks = 0
    /// The address of the last successful connection; used when the broker's name cannot be resolved.
    private var lastAddress: NumericAddress?
    /// The error of name resolution because of which the current attempt uses `lastAddress`.
    private var nameError: MQTTLinkError?
    /// The addresses that arrived after the end of their attempt; the next attempt begins with them.
    private var lateAddresses: [NumericAddress]?

    init(nameLimit: Duration, connectLimit: Duration, attemptLimit: Duration, fallback: ProtocolFallback) {
        self.nameLimit = nameLimit
        self.connectLimit = connectLimit
        self.policy = ReconnectPolicy(attemptLimit: attemptLimit, stableAfter: Self.stableAfter)
        self.fallback = fallback
    }

    /// When `deadlineReached` is due.
    var deadline: Duration? {
        switch self.state {
        case .idle, .up, .stopped: nil
        case .resolving(let until, _), .probing(let until, _), .connecting(_, let until, _), .waitingConnack(_, let until),
            .closing(_, let until),
            .backoff(let until):
            until
        }
    }

    /// The epoch of the open link.
    var liveEpoch: UInt64? { if case .up(let epoch, _) = self.state { epoch } else { nil } }

    var isConnecting: Bool { if case .connecting = self.state { true } else { false } }

    var isWaitingConnack: Bool { if case .waitingConnack = self.state { true } else { false } }

    var hasStopped: Bool { if case .stopped = self.state { true } else { false } }

    // MARK: Attempts

    mutating func start(now: Duration) -> Action {
        if case .idle = self.state { self.beginAttempt(now: now) } else { .none }
    }

    /// Handles resolved addresses. A late answer ends the back-off: while a name server is down, libc answers only after it has asked the
    /// next one.
    ///
    /// - Parameter addresses: in order of preference, not empty.
    mutating func resolved(_ addresses: [NumericAddress], now: Duration) -> Action {
        switch self.state {
        case .resolving(_, let attemptUntil):
            return self.reach(addresses, now: now, attemptUntil: attemptUntil)
        case .backoff:
            self.lateAddresses = addresses
            return self.beginAttempt(now: now)
        case .probing, .connecting, .waitingConnack:
            self.lateAddresses = addresses
            return .none
        case .idle, .up, .closing, .stopped:
            return .none
        }
    }

    mutating func resolutionFailed(_ error: MQTTLinkError, now: Duration, jitter: Double) -> Action {
        guard case .resolving(_, let attemptUntil) = self.state else { return .none }
        return self.namesFailed(error, now: now, jitter: jitter, attemptUntil: attemptUntil)
    }

    mutating func raceWon(_ address: NumericAddress, now: Duration) -> Action {
        guard case .probing(_, let attemptUntil) = self.state else { return .none }
        return self.beginConnecting(address, now: now, attemptUntil: attemptUntil)
    }

    mutating func raceLost(_ error: MQTTLinkError, now: Duration, jitter: Double) -> Action {
        if case .probing = self.state { self.attemptFailed(error, now: now, jitter: jitter) } else { .none }
    }

    /// The library's TCP connection is open.
    mutating func connected(now: Duration) -> Action {
        guard case .connecting(let address, _, let attemptUntil) = self.state else { return .none }
        self.state = .waitingConnack(from: address, until: attemptUntil)
        return .handshake
    }

    mutating func accepted(now: Duration) -> Action {
        guard case .waitingConnack(let address, _) = self.state else { return .none }
        self.epoch += 1
        (self.lastAddress, self.nameError, self.lateAddresses) = (address, nil, nil)
        self.state = .up(epoch: self.epoch, since: now)
        self.changedVersion = false
        return .announce(epoch: self.epoch, remember: self.fallback.accepted(now: now))
    }

    mutating func refused(_ reason: MQTTReasonCode, now: Duration, jitter: Double) -> Action {
        guard case .waitingConnack(let address, _) = self.state else { return .none }
        let error = MQTTLinkError(.refusedByBroker, reasonCode: reason, detail: "\(address) refused the connection")
        if self.fallback.refused(reason), !self.changedVersion {
            self.changedVersion = true
            self.state = .backoff(until: now)
            return .retry(after: .zero, error)
        }
        return self.retry(error, now: now, jitter: jitter)
    }

    // MARK: Ends

    /// The library's connection has ended, or must end.
    /// - Parameter isAnswered: whether the broker had answered every message; else it may have ended the link because of one.
    mutating func linkEnded(_ error: MQTTLinkError, isAnswered: Bool = true, now: Duration, jitter: Double) -> Action {
        switch self.state {
        case .connecting, .waitingConnack:
            return self.attemptFailed(error, now: now, jitter: jitter)
        case .up(let epoch, let since):
            let isStable = now >= since + Self.stableAfter
            if isStable { self.failures = 0 }
            self.shortLinks = isStable || error.code != .connectionLost ? 0 : self.shortLinks + (isAnswered ? 1 : 0)
            let delay = self.nextDelay(after: error, jitter: jitter)
            self.state = .backoff(until: now + delay)
            return .lose(epoch: epoch, retryIn: delay, self.shortLinks >= Self.suspiciousLinks ? error.repeated(self.shortLinks) : error)
        case .closing(let epoch, _):
            self.state = .stopped
            return .finish(epoch: epoch)
        case .idle, .resolving, .probing, .backoff, .stopped:
            return .none
        }
    }

    mutating func deadlineReached(now: Duration, jitter: Double) -> Action {
        guard let deadline, now >= deadline else { return .none }
        switch self.state {
        case .idle, .up, .stopped:
            return .none
        case .resolving(_, let attemptUntil):
            let error = MQTTLinkError(.nameResolutionTimedOut, detail: "no answer from the name service within \(self.nameLimit)")
            return self.namesFailed(error, now: now, jitter: jitter, attemptUntil: attemptUntil)
        case .probing:
            let error = MQTTLinkError(.connectTimedOut, detail: "no address answered within \(self.connectLimit)")
            return self.attemptFailed(error, now: now, jitter: jitter)
        case .connecting(let address, _, _):
            let error = MQTTLinkError(.connectTimedOut, detail: "\(address) did not answer within \(self.connectLimit)")
            return self.attemptFailed(error, now: now, jitter: jitter)
        case .waitingConnack(let address, _):
            let error = MQTTLinkError(
                .connackTimedOut, detail: "\(address) let us in but sent no CONNACK within \(self.policy.attemptLimit)")
            return self.attemptFailed(error, now: now, jitter: jitter)
        case .closing(let epoch, _):
            self.state = .stopped
            return .disconnect(epoch: epoch)
        case .backoff:
            return self.beginAttempt(now: now)
        }
    }

    /// The network or the machine recovered: end the delay.
    mutating func wake(now: Duration) -> Action {
        guard case .backoff(let until) = self.state else { return .none }
        if let attemptStarted, now < attemptStarted + Self.wakeSpacing {
            self.state = .backoff(until: min(until, attemptStarted + Self.wakeSpacing))
            return .none
        }
        return self.beginAttempt(now: now)
    }

    // MARK: Leaving

    /// - Parameter farewellUntil: the deadline of the farewell's acknowledgement; `nil` when there is no farewell.
    mutating func stop(farewellUntil: Duration?) -> Action {
        switch self.state {
        case .up(let epoch, _):
            guard let farewellUntil else {
                self.state = .stopped
                return .disconnect(epoch: epoch)
            }
            self.state = .closing(epoch: epoch, until: farewellUntil)
            return .publishFarewell
        case .idle, .resolving, .probing, .connecting, .waitingConnack, .backoff:
            self.state = .stopped
            return .finish(epoch: nil)
        case .closing, .stopped:
            return .none
        }
    }

    mutating func farewellDone() -> Action {
        guard case .closing(let epoch, _) = self.state else { return .none }
        self.state = .stopped
        return .disconnect(epoch: epoch)
    }

    /// Stops at once, without a message to the broker.
    mutating func cancel() -> Action {
        let state = self.state
        self.state = .stopped
        switch state {
        case .stopped: return .none
        case .up(let epoch, _), .closing(let epoch, _): return .finish(epoch: epoch)
        case .idle, .resolving, .probing, .connecting, .waitingConnack, .backoff: return .finish(epoch: nil)
        }
    }

    // MARK: Steps

    private mutating func beginAttempt(now: Duration) -> Action {
        self.fallback.attemptStarts(now: now)
        self.attemptStarted = now
        self.nameError = nil
        let attemptUntil = now + self.policy.attemptLimit
        if let lateAddresses {
            self.lateAddresses = nil
            return self.reach(lateAddresses, now: now, attemptUntil: attemptUntil)
        }
        self.state = .resolving(until: min(now + self.nameLimit, attemptUntil), attemptUntil: attemptUntil)
        return .resolve
    }

    private mutating func reach(_ addresses: [NumericAddress], now: Duration, attemptUntil: Duration) -> Action {
        if addresses.count == 1, let only = addresses.first { return self.beginConnecting(only, now: now, attemptUntil: attemptUntil) }
        self.state = .probing(until: min(now + self.connectLimit, attemptUntil), attemptUntil: attemptUntil)
        return .probe(addresses)
    }

    private mutating func namesFailed(_ error: MQTTLinkError, now: Duration, jitter: Double, attemptUntil: Duration) -> Action {
        guard let lastAddress, error.code != .invalidConfiguration else { return self.attemptFailed(error, now: now, jitter: jitter) }
        self.nameError = error
        return self.beginConnecting(lastAddress, now: now, attemptUntil: attemptUntil)
    }

    private mutating func beginConnecting(_ address: NumericAddress, now: Duration, attemptUntil: Duration) -> Action {
        self.state = .connecting(to: address, until: min(now + self.connectLimit, attemptUntil), attemptUntil: attemptUntil)
        return .open(address, self.fallback.version)
    }

    private mutating func attemptFailed(_ error: MQTTLinkError, now: Duration, jitter: Double) -> Action {
        switch error.code {
        // A broker of an older version may also send an answer that the library cannot parse.
        case .closedBeforeConnack, .protocolError: self.fallback.closedBeforeConnack()
        case .connackTimedOut: self.fallback.wasSilent()
        default: self.fallback.endedOtherwise()
        }
        self.shortLinks = 0
        return self.retry(error, now: now, jitter: jitter)
    }

    /// - Returns: the longest delay after a permanent refusal.
    private mutating func nextDelay(after error: MQTTLinkError, jitter: Double) -> Duration {
        guard error.isTemporary else { return self.policy.maximum }
        if error.isRefusedByHost {
            // The previous links ended because the broker stopped, so delays start short again.
            self.failures = 0
            return Self.longestDelayWhileRefused * min(max(jitter, 0), 1)
        }
        self.failures += 1
        return self.policy.delay(failures: self.failures, random: jitter)
    }

    private mutating func retry(_ error: MQTTLinkError, now: Duration, jitter: Double) -> Action {
        var error = error
        if let nameError { error.detail += "; it is the last known address, for the name was not resolved: \(nameError.detail)" }
        let failedDelay = self.nextDelay(after: error, jitter: jitter)
        let delay = self.lateAddresses == nil ? failedDelay : .zero
        self.state = .backoff(until: now + delay)
        return .retry(after: delay, error)
    }
}

extension MQTTLinkError {
    fileprivate func repeated(_ times: Int) -> MQTTLinkError {
        var error = self
        error.code = .repeatedlyLost
        error.detail += "; \(times) links in a row ended within \(MQTTConnectionMachine.stableAfter)"
        return error
    }
}
