import Synchronization

/// A call of the owner, to be executed by the MQTT thread.
enum ClientCommand: Sendable {
    case publish(MQTTBatch, isAwaited: Bool = true)
    case subscribe([MQTTSubscription], completion: @Sendable (MQTTSubscribeOutcome) -> Void)
    case unsubscribe([String], completion: @Sendable (MQTTSubscribeOutcome) -> Void)

    /// The size that counts towards `MQTTConfiguration.Outgoing.maximumBytes`.
    var weight: Int {
        switch self {
        case .publish(let batch, _): batch.weight
        case .subscribe(let filters, _): filters.reduce(0) { $0 + $1.filter.utf8.count }
        case .unsubscribe(let filters, _): filters.reduce(0) { $0 + $1.utf8.count }
        }
    }

    /// The number that counts towards `MQTTConfiguration.Outgoing.maximumMessages`.
    var count: Int { if case .publish(let batch, _) = self { batch.count } else { 1 } }
}

/// The state shared by the MQTT thread and its callers: a mailbox, bounded by `MQTTConfiguration.Outgoing`, and the link itself.
///
/// The link has a separate lock. The MQTT thread holds it while it is awake. While it sleeps, a caller of `publish` takes the lock and
/// sends directly, because waking the thread adds a tenth to the latency of a status. Callers never wait for that lock.
final class ClientCore: Sendable {
    struct StopRequest: Sendable {
        var farewell: MQTTBatch?
        var within: Duration
    }

    /// The requests of callers since the last turn, other than commands.
    struct Mail {
        var stop: StopRequest?
        var isCancelled = false
        var isWoken = false
    }

    private enum Phase { case fresh, running, ended }

    private struct State {
        var phase = Phase.fresh
        var wake: WakeEvent?
        var isSignalled = false
        var liveEpoch: UInt64?
        var commands: [ClientCommand] = []
        var mail = Mail()
        /// Whether the owner has handled the last `MQTTEvent.ownerCheck`.
        var hasOwnerAnswered = true
        /// The number of accepted calls and messages without an outcome.
        var outstanding = 0
        var outstandingBytes = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter: UInt64 = 0
    }

    private let state = Mutex(State())
    private let link = Mutex<LinkLoop?>(nil)
    private let bounds: MQTTConfiguration.Outgoing

    init(bounds: MQTTConfiguration.Outgoing) { self.bounds = bounds }

    // MARK: Callers

    /// Accepts a batch if there is room, and sends it at once while the MQTT thread sleeps.
    /// - Returns: why the batch was refused; `nil` if it was accepted.
    func publish(_ batch: MQTTBatch, epoch: UInt64, isAwaited: Bool = true) -> MQTTRefusal? {
        let command = ClientCommand.publish(batch, isAwaited: isAwaited)
        let (refusal, isNext) = self.state.withLock { state in
            (self.refusal(of: command, epoch, &state), state.commands.isEmpty)
        }
        if let refusal { return refusal }
        // Batches in the mailbox were published earlier and go first.
        if isNext,
            let isThreadNeeded = self.link.withLockIfAvailable({ $0?.carryOutForCaller(batch, epoch: epoch, isAwaited: isAwaited) }),
            let isThreadNeeded
        {
            if isThreadNeeded { self.signal() }
            return nil
        }
        return self.post(command, epoch)
    }

    /// Returns the known outcomes that are not reported yet; empty while the MQTT thread is awake, and for another epoch.
    func takeOutcomes(epoch: UInt64) -> [MQTTPublished] { self.link.withLockIfAvailable { $0?.takeOutcomes(epoch: epoch) ?? [] } ?? [] }

    /// Accepts a command for the MQTT thread.
    /// - Returns: why it was refused; `nil` if it was accepted.
    func submit(_ command: ClientCommand, epoch: UInt64) -> MQTTRefusal? {
        self.state.withLock { self.refusal(of: command, epoch, &$0) } ?? self.post(command, epoch)
    }

    /// Counts a command as outstanding, or returns why it is refused.
    private func refusal(of command: ClientCommand, _ epoch: UInt64, _ state: inout State) -> MQTTRefusal? {
        let (count, weight) = (command.count, command.weight)
        guard state.liveEpoch == epoch else { return .notConnected }
        guard state.outstanding + count <= self.bounds.maximumMessages, state.outstandingBytes + weight <= self.bounds.maximumBytes
        else { return .queueFull }
        state.outstanding += count
        state.outstandingBytes += weight
        return nil
    }

    /// Puts a counted command into the mailbox.
    private func post(_ command: ClientCommand, _ epoch: UInt64) -> MQTTRefusal? {
        let isTaken = self.state.withLock { state in
            guard state.liveEpoch == epoch else { return false }
            state.commands.append(command)
            return true
        }
        if isTaken { self.signal() } else { self.finished(command.count, bytes: command.weight) }
        return isTaken ? nil : .notConnected
    }

    func wake() {
        self.state.withLock { $0.mail.isWoken = true }
        self.signal()
    }

    func confirmOwner() { self.state.withLock { $0.hasOwnerAnswered = true } }

    func cancel() {
        self.state.withLock { $0.mail.isCancelled = true }
        self.signal()
    }

    /// - Returns: whether a running thread will stop.
    func stop(_ request: StopRequest) -> Bool {
        let isRunning = self.state.withLock { state in
            if state.phase == .fresh { state.phase = .ended }
            if state.phase == .running, state.mail.stop == nil { state.mail.stop = request }
            return state.phase == .running
        }
        if isRunning { self.signal() }
        return isRunning
    }

    var outstanding: Int { self.state.withLock { $0.outstanding } }

    /// Wakes the MQTT thread, unless it was signalled since it took its mail. The signal is sent outside the lock, because the woken thread
    /// would wait for the lock.
    private func signal() {
        let wake = self.state.withLock { state in
            defer { state.isSignalled = state.wake != nil }
            return state.isSignalled ? nil : state.wake
        }
        wake?.signal()
    }

    // MARK: Lifetime

    /// - Returns: whether the thread may start: only once, and not after a stop.
    func begin(wake: WakeEvent) -> Bool {
        self.state.withLock { state in
            guard state.phase == .fresh else { return false }
            state.phase = .running
            state.wake = wake
            // The first turn of the thread reads the mail that arrived before it started.
            state.isSignalled = true
            return true
        }
    }

    /// Returns from every `waitForEnd`.
    func end() {
        let waiters = self.state.withLock { state in
            state.phase = .ended
            defer { state.waiters.removeAll() }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits for `end`, or for `release` of the waiter whose number `register` gets.
    func waitForEnd(_ register: (UInt64) -> Void) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let number = self.state.withLock { state -> UInt64? in
                guard state.phase == .running else { return nil }
                state.lastWaiter += 1
                state.waiters[state.lastWaiter] = continuation
                return state.lastWaiter
            }
            if let number { register(number) } else { continuation.resume() }
        }
    }

    /// Returns from one `waitForEnd` before the end.
    func release(waiter number: UInt64) { self.state.withLock { $0.waiters.removeValue(forKey: number) }?.resume() }

    // MARK: The MQTT thread

    /// Runs the MQTT thread; returns after a stop or cancellation.
    func run(makeLink: () -> sending LinkLoop) {
        var sleep: LinkLoop.Sleep? = LinkLoop.Sleep()
        self.link.withLock { link in
            link = makeLink()
            link?.start()
            link?.prepare(&sleep)
        }
        while sleep != nil {
            sleep?.sleep()
            self.link.withLock { $0?.turn(&sleep) }
        }
        self.link.withLock { $0 = nil }
    }

    /// - Parameter commands: empty; it is swapped with the filled array, so that neither is allocated again.
    func take(into commands: inout [ClientCommand]) -> Mail {
        self.state.withLock { state in
            state.isSignalled = false
            swap(&state.commands, &commands)
            defer { state.mail = Mail() }
            return state.mail
        }
    }

    var hasOwnerAnswered: Bool { self.state.withLock { $0.hasOwnerAnswered } }

    func expectOwner() { self.state.withLock { $0.hasOwnerAnswered = false } }

    func open(epoch: UInt64) { self.state.withLock { $0.liveEpoch = epoch } }

    /// - Returns: the accepted commands that will not be executed.
    func closeEpoch() -> [ClientCommand] {
        self.state.withLock { state in
            state.liveEpoch = nil
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Releases the room of commands, or of `count` messages, whose outcome is about to be reported, so that the owner can use it at once.
    func finished(_ count: Int = 1, bytes: Int) {
        self.state.withLock { state in
            state.outstanding -= count
            state.outstandingBytes -= bytes
        }
    }
}
