import NIOCore

/// Decides when to ping and when to give a link up. Does no I/O and owns no timer.
///
/// Only a complete frame counts as life: a peer that trickles single bytes into one frame is as dead as a silent one.
/// Source: chromium `components/media_router/common/providers/cast/channel/keep_alive_handler.cc`.
struct HeartbeatStateMachine {
    private enum State {
        case idle
        case listening(lastHeard: NIODeadline)
        case pinged(at: NIODeadline)
        case dead
    }

    /// How long a frame counts as proof of life.
    static let fresh = TimeAmount.seconds(2)

    private var state = State.idle
    /// Silence after which we ping.
    let interval: TimeAmount
    /// Silence after which the link is lost; exceeds `interval`.
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

    /// The link is up; silence counts from here.
    mutating func start(now: NIODeadline) {
        switch self.state {
        case .idle: self.state = .listening(lastHeard: now)
        case .listening, .pinged, .dead: break
        }
    }

    /// A complete frame arrived, of whatever kind.
    mutating func frameReceived(at now: NIODeadline) {
        switch self.state {
        case .listening, .pinged: self.state = .listening(lastHeard: now)
        case .idle, .dead: break  // a late frame must not revive a closed link
        }
    }

    /// A timer fired. Late calls are judged by the time since our ping, so that a stall of our own never kills a healthy link.
    mutating func tick(now: NIODeadline) -> TickAction {
        switch self.state {
        case .idle, .dead:
            return .none
        case .listening(let lastHeard):
            guard now >= lastHeard + self.interval else { return .wait(until: lastHeard + self.interval) }
            return self.ping(now: now)
        case .pinged(let at):
            let end = self.lastMoment(pingedAt: at)
            guard now >= end else { return .wait(until: end) }
            self.state = .dead
            return .closeConnection
        }
    }

    /// Something happened to the network or to us (a suspend): ask for life now instead of waiting for the silence to be long enough.
    mutating func probe(now: NIODeadline) -> TickAction {
        switch self.state {
        case .idle, .dead: return .none
        case .listening(let lastHeard):
            // What was heard a moment ago needs no proof.
            guard now >= lastHeard + Self.fresh else { return .wait(until: lastHeard + self.interval) }
            return self.ping(now: now)
        case .pinged(let at): return .wait(until: self.lastMoment(pingedAt: at))
        }
    }

    /// The link was closed by someone else.
    mutating func stop() { self.state = .dead }

    private mutating func ping(now: NIODeadline) -> TickAction {
        self.state = .pinged(at: now)
        return .sendPing(next: self.lastMoment(pingedAt: now))
    }

    /// The peer always has `timeout - interval` to answer a ping.
    private func lastMoment(pingedAt: NIODeadline) -> NIODeadline { pingedAt + (self.timeout - self.interval) }
}
