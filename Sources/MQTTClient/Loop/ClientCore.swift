import Synchronization

/// One call of the owner, on its way to the MQTT thread.
enum ClientCommand: Sendable {
    case publish([MQTTMessage], completion: @Sendable ([MQTTPublished]) -> Void)
    case subscribe([MQTTSubscription], completion: @Sendable (MQTTSubscribeOutcome) -> Void)
    case unsubscribe([String], completion: @Sendable (MQTTSubscribeOutcome) -> Void)

    /// What it counts against `MQTTConfiguration.Outgoing.maximumBytes`.
    var weight: Int {
        switch self {
        case .publish(let messages, _): messages.reduce(0) { $0 + $1.weight }
        case .subscribe(let filters, _): filters.reduce(0) { $0 + $1.filter.utf8.count }
        case .unsubscribe(let filters, _): filters.reduce(0) { $0 + $1.utf8.count }
        }
    }

    /// What it counts against `MQTTConfiguration.Outgoing.maximumMessages`.
    var count: Int { if case .publish(let messages, _) = self { messages.count } else { 1 } }

    var isPublish: Bool { if case .publish = self { true } else { false } }

    func finishLost() {
        switch self {
        case .publish(let messages, let completion):
            completion(messages.indices.map { MQTTPublished(index: $0, outcome: .connectionLost) })
        case .subscribe(_, let completion), .unsubscribe(_, let completion): completion(.connectionLost)
        }
    }
}

extension MQTTMessage {
    /// What it counts against `MQTTConfiguration.Outgoing.maximumBytes`.
    var weight: Int { self.topic.utf8.count + self.payload.count }
}

/// What the MQTT thread and its callers share: a mailbox, bounded by `MQTTConfiguration.Outgoing`, and the link itself.
///
/// The link belongs to whoever occupies it. That is the MQTT thread except while it sleeps; then a caller who publishes does the thread's
/// work in its place, because waking it would take longer than the work.
final class ClientCore: Sendable {
    struct StopRequest: Sendable {
        var farewell: MQTTMessage?
        var within: Duration
    }

    /// What came in since the last time, beside commands.
    struct Mail {
        var stop: StopRequest?
        var isCancelled = false
        var isWoken = false
    }

    private enum Life { case fresh, running, ended }

    private struct State {
        var life = Life.fresh
        var wake: WakeEvent?
        var isSignalled = false
        /// Somebody works on the link.
        var isOccupied = false
        /// The MQTT thread waits until it is free.
        var isAwaited = false
        var liveEpoch: UInt64?
        var commands: [ClientCommand] = []
        var mail = Mail()
        /// Accepted and not finished.
        var outstanding = 0
        var outstandingBytes = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter: UInt64 = 0
    }

    private let state = Mutex(State())
    /// To be locked by the occupant only, so nobody ever waits here.
    private let link = Mutex<LinkLoop?>(nil)
    private let bounds: MQTTConfiguration.Outgoing

    init(bounds: MQTTConfiguration.Outgoing) { self.bounds = bounds }

    // MARK: Callers

    /// - Returns: why the command was not taken.
    func submit(_ command: ClientCommand, epoch: UInt64) -> MQTTRefusal? {
        let (weight, count) = (command.weight, command.count)
        enum Next {
            case refuse(MQTTRefusal)
            case carryOut
            case wake(WakeEvent?)
        }
        let next = self.state.withLock { state -> Next in
            guard state.liveEpoch == epoch else { return .refuse(.notConnected) }
            guard state.outstanding + count <= self.bounds.maximumMessages, state.outstandingBytes + weight <= self.bounds.maximumBytes
            else { return .refuse(.queueFull) }
            state.outstanding += count
            state.outstandingBytes += weight
            state.commands.append(command)
            guard !state.isOccupied, !state.isAwaited, state.commands.allSatisfy(\.isPublish) else { return .wake(Self.dueWake(&state)) }
            state.isOccupied = true
            return .carryOut
        }
        switch next {
        case .refuse(let refusal): return refusal
        case .carryOut: self.leave(isThreadNeeded: self.link.withLock { $0?.carryOutForCaller() ?? true })
        // The woken thread takes the lock first: signalled inside, it would spin on it.
        case .wake(let wake): wake?.signal()
        }
        return nil
    }

    func wake() {
        self.state.withLock { state in
            state.mail.isWoken = true
            Self.signal(&state)
        }
    }

    func cancel() {
        self.state.withLock { state in
            state.mail.isCancelled = true
            Self.signal(&state)
        }
    }

    /// - Returns: whether a thread is there to obey.
    func stop(_ request: StopRequest) -> Bool {
        self.state.withLock { state in
            switch state.life {
            case .fresh:
                state.life = .ended
                return false
            case .running:
                if state.mail.stop == nil { state.mail.stop = request }
                Self.signal(&state)
                return true
            case .ended:
                return false
            }
        }
    }

    var outstanding: Int { self.state.withLock { $0.outstanding } }

    private static func signal(_ state: inout State) { self.dueWake(&state)?.signal() }

    /// What to signal so that the thread looks; `nil` when it has been told already.
    private static func dueWake(_ state: inout State) -> WakeEvent? {
        guard !state.isSignalled, let wake = state.wake else { return nil }
        state.isSignalled = true
        return wake
    }

    // MARK: Life

    /// - Returns: whether the thread may start; once only, and not after a stop.
    func begin(wake: WakeEvent) -> Bool {
        self.state.withLock { state in
            guard state.life == .fresh else { return false }
            state.life = .running
            state.wake = wake
            // What came before there was a thread is read in its first turn.
            state.isSignalled = true
            return true
        }
    }

    /// Lets everybody go who waits for the end.
    func end() {
        let waiters = self.state.withLock { state in
            state.life = .ended
            defer { state.waiters.removeAll() }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits for `end`, or until the returned-to waiter is let go.
    func waitForEnd(_ register: (UInt64) -> Void) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let number = self.state.withLock { state -> UInt64? in
                guard state.life == .running else { return nil }
                state.lastWaiter += 1
                state.waiters[state.lastWaiter] = continuation
                return state.lastWaiter
            }
            if let number { register(number) } else { continuation.resume() }
        }
    }

    /// Lets one waiter go before the end.
    func release(waiter number: UInt64) { self.state.withLock { $0.waiters.removeValue(forKey: number) }?.resume() }

    // MARK: The occupant

    /// Lets the MQTT thread work on the link, or makes it wait for a signal: `false`.
    private func enter() -> Bool {
        self.state.withLock { state in
            state.isAwaited = state.isOccupied
            if state.isOccupied { return false }
            state.isOccupied = true
            return true
        }
    }

    private func leave(isThreadNeeded: Bool) {
        self.state.withLock { state -> WakeEvent? in
            state.isOccupied = false
            // A thread that waits for the link has already read the signal that woke it.
            return state.isAwaited ? state.wake : isThreadNeeded ? Self.dueWake(&state) : nil
        }?.signal()
    }

    /// The life of the MQTT thread; returns after a stop or cancellation.
    func run(_ wake: WakeEvent, makeLink: () -> sending LinkLoop) {
        self.occupy(wake) { link in
            link = makeLink()
            link?.start()
        }
        var sleep: LinkLoop.Sleep?
        repeat {
            self.occupy(wake) { sleep = $0?.prepareToSleep() }
            sleep?.sleep()
            if let slept = sleep { self.occupy(wake) { $0?.serve(slept) } }
        } while sleep != nil
        self.occupy(wake) { $0 = nil }
    }

    private func occupy(_ wake: WakeEvent, _ work: (inout LinkLoop?) -> Void) {
        while !self.enter() { wake.wait() }
        self.link.withLock { work(&$0) }
        self.leave(isThreadNeeded: false)
    }

    /// - Parameter commands: empty; changes places with the filled array, so that neither is allocated anew.
    func take(into commands: inout [ClientCommand]) -> Mail {
        self.state.withLock { state in
            state.isSignalled = false
            swap(&state.commands, &commands)
            defer { state.mail = Mail() }
            return state.mail
        }
    }

    /// Takes publishes only, and leaves the rest of the mail.
    /// - Parameter commands: as for `take`.
    func takePublishes(into commands: inout [ClientCommand]) {
        self.state.withLock { state in if state.commands.allSatisfy(\.isPublish) { swap(&state.commands, &commands) } }
    }

    func open(epoch: UInt64) { self.state.withLock { $0.liveEpoch = epoch } }

    /// - Returns: the commands that were taken and not yet seen.
    func closeEpoch() -> [ClientCommand] {
        self.state.withLock { state in
            state.liveEpoch = nil
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Commands, or `count` messages, are about to be completed: their room is free again, also for what their completion sends.
    func finished(_ count: Int = 1, bytes: Int) {
        self.state.withLock { state in
            state.outstanding -= count
            state.outstandingBytes -= bytes
        }
    }
}
