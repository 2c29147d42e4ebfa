import CastProtocol

/// A Cast receiver as a state machine: events and the time go in, frames and the next deadline come out.
///
/// It opens no socket and owns no timer. Call `advance(to:)` at `nextDeadline`; every other event includes that call. Times are relative to
/// any common start and must not decrease.
public struct SimulatedReceiver: Sendable {
    static let pingInterval = Duration.seconds(5)
    /// The number of unanswered pings after which a sender is disconnected.
    static let maximumUnansweredPings = 3
    /// The largest number of TLS connections of one device.
    public static let maximumSockets = 64

    /// The largest number of player changes at one moment; more means that an item repeats without taking any time.
    private static let maximumPlayerSteps = 1_000

    public let description: DeviceDescription
    public internal(set) var settings: ReceiverSettings
    /// The groups of the device, for `eureka_info`.
    public var groups: [GroupReference] = []

    var random: SeededRandom
    var sockets: [SocketState] = []
    var speakers: Speakers
    var application: RunningApplication?
    var launch: PendingLaunch?
    var screen = Screen()
    var tampering = Tampering()
    /// The delayed answers, in the order of their times.
    var delayed: [DelayedAnswer] = []
    var fetches = MediaFetches()
    var nextPing: Duration
    /// The part of the announcement that depends on the running application.
    public internal(set) var announced = Announcement(isBusy: false, statusText: "")
    var actions: [ReceiverAction] = []

    public init(description: DeviceDescription, settings: ReceiverSettings = ReceiverSettings()) {
        self.description = description
        self.settings = settings
        self.random = SeededRandom(seed: description.seed)
        self.speakers = Speakers(of: description)
        self.nextPing = description.pingPhase
        self.application = self.idleScreen()
    }

    var volume: Volume { self.speakers.volume }

    /// When to call `advance(to:)` at the latest; `nil` while no change is due.
    public var nextDeadline: Duration? {
        var deadline = self.application?.player.nextDeadline
        func consider(_ time: Duration?) {
            if let time { deadline = deadline.map { min($0, time) } ?? time }
        }
        for socket in self.sockets { consider(socket.waiting.first?.due) }
        if !self.sockets.isEmpty { consider(self.nextPing) }
        consider(self.launch?.due)
        consider(self.delayed.first?.due)
        consider(self.application?.idleCheck)
        return deadline
    }

    /// Performs all changes that are due at `now`.
    public mutating func advance(to now: Duration) -> [ReceiverAction] {
        self.performDue(until: now)
        return self.takeActions()
    }

    /// A sender's TLS connection is ready. At most `maximumSockets` are accepted; a further one is closed.
    public mutating func opened(_ socket: SocketID, at now: Duration) -> [ReceiverAction] {
        self.performDue(until: now)
        guard self.sockets.count < Self.maximumSockets else { return self.takeActions() + [.close(socket)] }
        if self.sockets.isEmpty { self.skipMissedPings(at: now) }
        self.sockets.append(SocketState(id: socket, lastReceived: now))
        return self.takeActions()
    }

    /// A frame has arrived. It is processed after the answer delay, in the order of its socket; heartbeats are processed at once.
    public mutating func received(_ message: CastMessage, on socket: SocketID, at now: Duration) -> [ReceiverAction] {
        self.performDue(until: now)
        guard let index = self.sockets.firstIndex(where: { $0.id == socket }) else { return self.takeActions() }
        self.sockets[index].lastReceived = now
        if !self.has(.transportHeartbeat) { self.sockets[index].unansweredPings = 0 }
        switch message.payload {
        case .binary(let bytes) where message.namespace == Namespace.authentication:
            self.actions.append(.authenticate(challenge: bytes, sender: message.sourceID, on: socket))
        case .binary where message.namespace != Namespace.echo:
            break
        case .text, .binary:
            let incoming = SocketMessage(
                source: message.sourceID, destination: message.destinationID, namespace: message.namespace,
                json: message.text.flatMap { JSONTextReader.read($0) }, payload: message.payload)
            if message.namespace == Namespace.heartbeat {
                self.heartbeat(incoming, on: socket)
            } else if self.sockets[index].waiting.count >= SocketState.maximumWaiting {
                self.drop(socket, at: now)
            } else {
                let due = now + self.random.duration(in: self.settings.answerDelay)
                self.sockets[index].waiting.append((max(due, self.sockets[index].waiting.last?.due ?? due), incoming))
                self.performDue(until: now)
            }
        }
        return self.takeActions()
    }

    /// The TLS connection has ended, from either side. Earlier messages are still processed, also those that wait for their answer delay.
    public mutating func closed(_ socket: SocketID, at now: Duration) -> [ReceiverAction] {
        self.performDue(until: now)
        while let index = self.sockets.firstIndex(where: { $0.id == socket && !$0.waiting.isEmpty }) {
            self.process(self.sockets[index].waiting.removeFirst().message, on: socket, at: now)
        }
        self.forget(socket, at: now)
        return self.takeActions()
    }

    /// The device was frozen until now; its senders get time to send again.
    public mutating func thawed(at now: Duration) -> [ReceiverAction] {
        self.skipMissedPings(at: now)
        for index in self.sockets.indices { self.sockets[index].unansweredPings = 0 }
        return self.advance(to: now)
    }

    /// Moves the next ping into the future without changing its phase.
    private mutating func skipMissedPings(at now: Duration) {
        guard self.nextPing <= now else { return }
        self.nextPing += Self.pingInterval * (Int(((now - self.nextPing) / Self.pingInterval).rounded(.down)) + 1)
    }

    /// Restarts after a loss of power: no connections, no application, no media; volume and identity are kept.
    public mutating func restart() {
        self.sockets = []
        (self.launch, self.delayed) = (nil, [])
        self.application = self.idleScreen()
        self.announced = Announcement(isBusy: false, statusText: "")
        _ = self.speakers.occupy(false)
    }

    public mutating func setAnswerDelay(_ delay: ClosedRange<Duration>) { self.settings.answerDelay = delay }

    /// The ids of a group's members, the leader first.
    public var memberIDs: [String] { self.speakers.members.map(\.id) }

    func isSabotaged(_ sabotage: Sabotage) -> Bool { self.settings.sabotages.contains(sabotage) }

    private mutating func takeActions() -> [ReceiverAction] {
        if self.settings.fetchesMedia { self.updateFetch() }
        defer { self.actions.removeAll(keepingCapacity: true) }
        return self.actions
    }

    // Each step happens at its own time even if the call is late, so that one big step gives the same result as many small ones.
    mutating func performDue(until now: Duration) {
        var steps = (at: now, count: 0)
        while let due = self.nextDeadline, due <= now {
            if let index = self.sockets.firstIndex(where: { $0.waiting.first.map { $0.due <= due } ?? false }) {
                let message = self.sockets[index].waiting.removeFirst().message
                self.process(message, on: self.sockets[index].id, at: due)
            } else if let launch, launch.due <= due {
                self.continueLaunch(launch, at: due)
            } else if let delayed = self.delayed.first, delayed.due <= due {
                self.delayed.removeFirst()
                self.answerLate(delayed)
            } else if self.nextPing <= due, !self.sockets.isEmpty {
                // After a suspend of the whole process, senders are not blamed for pings that were never sent.
                if now - due < Self.pingInterval { self.ping(at: due) } else { self.skipMissedPings(at: now) }
            } else if let check = self.application?.idleCheck, check <= due {
                self.endIdleApplication(at: due)
            } else {
                steps = (due, steps.at == due ? steps.count + 1 : 1)
                if steps.count <= Self.maximumPlayerSteps { self.tickPlayer(at: due) } else { self.failPlayer(at: due) }
            }
        }
    }
}
