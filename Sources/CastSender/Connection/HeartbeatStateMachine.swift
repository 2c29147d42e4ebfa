import NIOCore

/// Decides when to ping and when to close a link as lost. Does no I/O and owns no timer.
///
/// Only a complete frame counts as a sign of life: a peer that trickles single bytes of one frame is as dead as a silent one. Source:
/// chromium `components/media_router/common/providers/cast/channel/keep_alive_handler.cc`.
struct HeartbeatStateMachine {
    private enum State {
        case idle
        case listening(lastReceived: NIODeadline)
        case pinged(at: NIODeadline)
        case dead
    }

    /// How long a frame counts as a recent sign of life.
    static let fresh = TimeAmount.seconds(2)

    private var state = State.idle
    /// The silence after which we ping.
    let interval: TimeAmount
    /// The silence after which the link is lost; exceeds `interval`.
    let timeout: TimeAmount

    init(interval: TimeAmount = .seconds(5), timeout: TimeAmount = .seconds(10)) {
        self.interval = interval
        self.timeout = max(timeout, interval + .nanoseconds(1))
    }

    enum TickAction: Equatable {
        case sendPing(next: NIODeadline)
        case wait(until: NIODeadline)
        case closeConnection
        case none
    }

    /// The link is up; the silence starts now.
    mutating func start(now: NIODeadline) {
        switch self.state {
        case .idle: self.state = .listening(lastReceived: now)
        case .listening, .pinged, .dead: break
        }
    }

    /// A complete frame of any kind arrived.
    mutating func frameReceived(at now: NIODeadline) {
        switch self.state {
        case .listening, .pinged: self.state = .listening(lastReceived: now)
        case .idle, .dead: break  // a late frame must not revive a closed link
        }
    }

    /// A timer fired. A late call is judged by the time since our ping, so that a stall of this process never closes a healthy link.
    mutating func tick(now: NIODeadline) -> TickAction {
        switch self.state {
        case .idle, .dead:
            return .none
        case .listening(let lastReceived):
            guard now >= lastReceived + self.interval else { return .wait(until: lastReceived + self.interval) }
            return self.ping(now: now)
        case .pinged(let at):
            let end = self.lastMoment(pingedAt: at)
            guard now >= end else { return .wait(until: end) }
            self.state = .dead
            return .closeConnection
        }
    }

    /// Pings now, after a network change or a suspend, instead of waiting for the silence to reach `interval`.
    mutating func probe(now: NIODeadline) -> TickAction {
        switch self.state {
        case .idle, .dead: return .none
        case .listening(let lastReceived):
            // A frame received a moment ago is proof enough.
            guard now >= lastReceived + Self.fresh else { return .wait(until: lastReceived + self.interval) }
            return self.ping(now: now)
        case .pinged(let at): return .wait(until: self.lastMoment(pingedAt: at))
        }
    }

    /// The link was closed elsewhere.
    mutating func stop() { self.state = .dead }

    private mutating func ping(now: NIODeadline) -> TickAction {
        self.state = .pinged(at: now)
        return .sendPing(next: self.lastMoment(pingedAt: now))
    }

    /// Returns the deadline of the answer to a ping: the peer always has `timeout - interval`.
    private func lastMoment(pingedAt: NIODeadline) -> NIODeadline { pingedAt + (self.timeout - self.interval) }
}
