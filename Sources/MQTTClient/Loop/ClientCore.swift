import Synchronization

/// One call of the owner, on its way to the MQTT thread.
enum ClientCommand: Sendable {
    case publish(MQTTBatch)
    case subscribe([MQTTSubscription], completion: @Sendable (MQTTSubscribeOutcome) -> Void)
    case unsubscribe([String], completion: @Sendable (MQTTSubscribeOutcome) -> Void)

    /// Counts against `MQTTConfiguration.Outgoing.maximumBytes`.
    var weight: Int {
        switch self {
        case .publish(let batch): batch.weight
        case .subscribe(let filters, _): filters.reduce(0) { $0 + $1.filter.utf8.count }
        case .unsubscribe(let filters, _): filters.reduce(0) { $0 + $1.utf8.count }
        }
    }

    /// Counts against `MQTTConfiguration.Outgoing.maximumMessages`.
    var count: Int { if case .publish(let batch) = self { batch.count } else { 1 } }
}

/// What the MQTT thread and its callers share: a mailbox, bounded by `MQTTConfiguration.Outgoing`, and the link itself.
///
/// The link belongs to its occupant: the MQTT thread while it is awake, or a caller of `publish` while the thread sleeps, because waking the thread
/// takes longer than the work.
final class ClientCore: Sendable {
    struct StopRequest: Sendable {
        var farewell: MQTTBatch?
        var within: Duration
    }

    /// What callers asked for since the last turn, beside commands.
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
        /// The MQTT thread or a caller works on the link.
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

    /// Takes a publish if there is room, and carries it out unless the MQTT thread is awake.
    /// - Returns: why the batch was not taken.
    func publish(_ batch: MQTTBatch, epoch: UInt64) -> MQTTRefusal? {
        enum Next {
            case refuse(MQTTRefusal)
            case carryOut
            case wake(WakeEvent?)
        }
        let (count, weight) = (batch.count, batch.weight)
        let next = self.state.withLock { state -> Next in
            if let refusal = self.refusal(of: count, weight, epoch, &state) { return .refuse(refusal) }
            // What waits in the mailbox was published before.
            if state.isOccupied || state.isAwaited || !state.commands.isEmpty {
                state.commands.append(.publish(batch))
                return .wake(Self.dueWake(&state))
            }
            state.isOccupied = true
            return .carryOut
        }
        switch next {
        case .refuse(let refusal): return refusal
        case .carryOut:
            let isThreadNeeded = self.link.withLock { $0?.carryOutForCaller(batch) }
            self.leave(isThreadNeeded: isThreadNeeded ?? true)
            if isThreadNeeded != nil { return nil }
            // An epoch ends before its link goes.
            self.finished(count, bytes: weight)
            return .notConnected
        // The woken thread takes the lock first: signalled inside, it would spin on it.
        case .wake(let wake): wake?.signal()
        }
        return nil
    }

    /// Takes a command for the MQTT thread.
    /// - Returns: why it was not taken.
    func submit(_ command: ClientCommand, epoch: UInt64) -> MQTTRefusal? {
        let (refusal, wake) = self.state.withLock { state -> (MQTTRefusal?, WakeEvent?) in
            if let refusal = self.refusal(of: command.count, command.weight, epoch, &state) { return (refusal, nil) }
            state.commands.append(command)
            return (nil, Self.dueWake(&state))
        }
        wake?.signal()
        return refusal
    }

    /// Counts a command as outstanding, or returns why it can't be.
    private func refusal(of count: Int, _ weight: Int, _ epoch: UInt64, _ state: inout State) -> MQTTRefusal? {
        guard state.liveEpoch == epoch else { return .notConnected }
        guard state.outstanding + count <= self.bounds.maximumMessages, state.outstandingBytes + weight <= self.bounds.maximumBytes
        else { return .queueFull }
        state.outstanding += count
        state.outstandingBytes += weight
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

    /// - Returns: whether a thread runs that will stop.
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

    /// What to signal so that the thread takes its mail; `nil` when it is signalled already.
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

    /// Returns from every `waitForEnd`.
    func end() {
        let waiters = self.state.withLock { state in
            state.life = .ended
            defer { state.waiters.removeAll() }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits for `end`, or for `release` of the waiter whose number `register` gets.
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

    /// Returns from one `waitForEnd` before the end.
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

    /// Runs the MQTT thread; returns after a stop or cancellation.
    func run(_ wake: WakeEvent, makeLink: () -> sending LinkLoop) {
        var sleep: LinkLoop.Sleep? = LinkLoop.Sleep()
        self.occupy(wake) { link in
            link = makeLink()
            link?.start()
            link?.prepare(&sleep)
        }
        while sleep != nil {
            sleep?.sleep()
            self.occupy(wake) { $0?.turn(&sleep) }
        }
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

    func open(epoch: UInt64) { self.state.withLock { $0.liveEpoch = epoch } }

    /// - Returns: commands that were taken and are not carried out.
    func closeEpoch() -> [ClientCommand] {
        self.state.withLock { state in
            state.liveEpoch = nil
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Commands, or `count` messages, have an outcome that is about to be reported: their room is free again, also for what the owner sends then.
    func finished(_ count: Int = 1, bytes: Int) {
        self.state.withLock { state in
            state.outstanding -= count
            state.outstandingBytes -= bytes
        }
    }
}
