import CastModels
import CastProtocol
import NIOCore

extension ApplicationStateMachine {
    /// The application that we are connected to.
    struct Transport: Equatable {
        let id: String
        let sessionID: String
        let applicationID: String
        /// Whether the application has a player. Others are connected to for custom channels, and because we launched or joined them.
        var speaksMedia = true
        var kind: VirtualConnectionKind
        var openedAt: NIODeadline
        /// Whether the application has reported its media status, or will not report it.
        var isStatusKnown = false
        /// Whether it reports changes to all senders, and not only to the one that asks.
        var hasBroadcast = false
        /// Whether any message of it arrived since it was asked for its status.
        var hasSpoken = false

        mutating func reopened(as kind: VirtualConnectionKind, at now: NIODeadline) {
            (self.kind, self.openedAt) = (kind, now)
        }

        /// How long an application may be silent after we connected and asked for its status.
        static let silenceLimit = TimeAmount.seconds(5)

        /// How long the launch of a silent one may take. With ``silenceLimit`` it is longer than a lost link is noticed in, so that a device
        /// that says nothing at all is offline, not one with a dead application.
        static let launchLimit = TimeAmount.seconds(8)

        /// Returns whether the application is listed and does not answer.
        func isSilent(at now: NIODeadline) -> Bool { !self.hasSpoken && self.speaksMedia && now >= self.openedAt + Self.silenceLimit }
    }

    /// The application session that appeared last.
    struct NewestSession: Equatable {
        let sessionID: String
        /// The end of its first second, when another sender launched it; `nil` once that is over.
        var waitsUntil: NIODeadline?
    }

    /// A launch of ours whose application session has not appeared.
    struct Launch {
        enum Phase: Equatable {
            /// The launch is sent, and a caller waits.
            case pending
            /// Its caller gave up. What starts is ours.
            case abandoned
            /// It was permitted and showed no application in time. What starts later is ours.
            case overdue
            /// We left before it started: what starts later was launched by us, and we are not its sender.
            case left
            /// We quit before it started: what starts later is stopped.
            case unwanted
        }

        let applicationID: String
        /// What ran before it.
        let formerSessionID: String?
        let at: NIODeadline
        var phase = Phase.pending
        /// Whether the device asks its viewers for permission.
        var isAsking = false

        /// How long after a LAUNCH of ours an application is taken for its result.
        static let memory = TimeAmount.minutes(3)

        /// Whether the application may start any moment.
        var isUnderWay: Bool { self.phase == .pending || self.phase == .abandoned }
    }

    /// The attempts to connect to an application that closes our connections. Some do so while they start, and welcome later ones.
    struct ConnectionAttempts: Equatable {
        /// When to try, after the first attempt.
        static let times: [TimeAmount] = [.zero, .seconds(1), .seconds(3), .seconds(10), .seconds(30)]
        /// A connection that lasts this long and brings a message was welcome. Two attempts are as far apart.
        static let shortest = TimeAmount.seconds(1)

        let transportID: String
        private var first: NIODeadline
        private var count = 0
        private var earliest: NIODeadline

        init(transportID: String, first: NIODeadline) {
            self.transportID = transportID
            self.first = first
            self.earliest = first
        }

        /// When the next attempt is due; `nil` after the last one.
        var due: NIODeadline? { self.count < Self.times.count ? max(self.first + Self.times[self.count], self.earliest) : nil }

        /// Returns the attempts after the one at `time` failed.
        func failed(at time: NIODeadline) -> Self {
            var attempts = self
            attempts.count += 1
            attempts.earliest = time + Self.shortest
            return attempts
        }

        /// Restarts the series with an attempt at `now`. Does nothing when `id` is another transport.
        mutating func restart(at now: NIODeadline, of id: String?) {
            guard id == self.transportID else { return }
            (self.first, self.count) = (now, 0)
        }
    }
}
