import CastModels

/// All commands of one device: decides which one runs when, and answers repeated ones. Does no I/O and owns no timer.
///
/// Commands run in order, one at a time in each lane: volume, playback, reading and checking do not wait for each other; a `set` that changes
/// several waits for all of them. `stop` and `quit_app` end the load before them, `quit_app` and `leave` a launch that waits for permission;
/// `stop`, `quit_app`, `pause` and the next load do not wait for a command that shows no progress. Every received command is answered exactly once.
public struct CommandQueue: Sendable {
    public struct Limits: Sendable, Hashable {
        /// The most waiting commands that act, and as many that read or check. Running ones are not included; there is at most one in each
        /// lane.
        public var maximumWaiting = 32
        /// The shortest time between two volume requests, and between two seeks.
        public var minimumInterval = Duration.milliseconds(120)
        /// No command begins later than this after its arrival.
        public var maximumWait = Duration.seconds(60)
        /// How long a hurried command waits for an earlier one that shows no progress.
        public var maximumStall = Duration.seconds(2)
        /// The most running commands with hurried ones.
        public var maximumRunning = 8
        /// The most announcements that play or wait in their own queue; more wait here.
        public var maximumAnnouncing = 64

        public init() {}
    }

    /// Identifies a command while it is in the queue; never reused.
    public struct Ticket: Sendable, Hashable {
        public var number: UInt64
    }

    /// The actions that the owner must do, in this order.
    public enum Action: Sendable, Hashable {
        /// Send this to the device and report its end with `finished`.
        case start(Ticket, DeviceCommand, deadline: MonotonicTime)
        /// Abandon this command, which was answered with this result; its end need not be reported.
        case abandon(Ticket, AnswerCode)
        case answer(CommandAnswer)
        /// Call `wake` at this time; replaces an earlier one.
        case wake(at: MonotonicTime)
    }

    private struct Waiting {
        var ticket: Ticket
        var envelope: CommandEnvelope
        var command: DeviceCommand
        let lanes: CommandLanes
        let coalescing: Coalescing?
        /// The command must not begin after this time.
        var latestStart: MonotonicTime
        /// The part of `latestStart` that the sender set with `expires_at`.
        var expires: MonotonicTime?
        /// Whether it ended a command before it.
        var hasEndedOthers = false
        /// Whether it changes the device, rather than read or check.
        var acts: Bool { !self.lanes.isDisjoint(with: [.volume, .playback]) }
    }

    private struct Running {
        var ticket: Ticket
        var envelope: CommandEnvelope
        var command: DeviceCommand
        let lanes: CommandLanes
        var touchesVolume: Bool
        var hasEndedOthers: Bool
        var startedAt: MonotonicTime
        var deadline: MonotonicTime
    }

    private let limits: Limits
    private var repeated = RepeatedCommands()
    private var isOnline = false
    private var waiting: [Waiting] = []
    private var running: [Running] = []
    private var nextTicket: UInt64 = 1
    private var pace = CommandPace()
    private var volume = VolumeTarget()
    private var announcedWake: MonotonicTime?
    /// Whether the player loads or buffers.
    private var isLoading = false
    /// Whether a launch waits for a person's permission.
    private var isAsking = false
    private var application: String?
    /// The last sign that the device works on a load.
    private var lastProgress: MonotonicTime?

    public init(limits: Limits = Limits()) { self.limits = limits }

    public var count: Int { self.waiting.count + self.running.count }

    /// Returns whether the command with this ticket is the device's share of a command to all.
    public func isShare(_ ticket: Ticket) -> Bool { self.running.contains { $0.ticket == ticket && $0.envelope.fanOut != nil } }

    /// Returns what belongs to the content of the running command with this ticket.
    public func content(of ticket: Ticket) -> CommandEnvelope.Content? {
        self.running.firstIndex { $0.ticket == ticket }.map { self.running[$0].envelope.content }
    }

    /// Handles a parsed command for this device.
    public mutating func receive(_ envelope: CommandEnvelope, _ command: DeviceCommand, now: Now) -> [Action] {
        var envelope = envelope
        return switch self.repeated.admit(&envelope, command, now: now.monotonic) {
        case .new: self.settled(self.submit(envelope, command, now: now), now.monotonic)
        case .waiting: []
        case .answered(let result): [.answer(self.answer(envelope, result, now.monotonic))]
        }
    }

    /// Adds a command, or answers it at once.
    private mutating func submit(_ envelope: CommandEnvelope, _ command: DeviceCommand, now: Now) -> [Action] {
        guard self.isOnline else { return [.answer(self.answer(envelope, Self.offline, now.monotonic))] }
        var actions: [Action] = []
        let isAsking = self.isAsking
        self.endRunning(now.monotonic, &actions) { command.ends($0, isAsking: isAsking) }
        for pointless in self.waiting where command.ends(pointless.command, isAsking: isAsking) {
            actions.append(.answer(self.answer(pointless.envelope, CommandResult(.superseded), now.monotonic)))
        }
        self.waiting.removeAll { command.ends($0.command, isAsking: isAsking) }
        var entry = self.entry(envelope, command, now: now)
        entry.hasEndedOthers = !actions.isEmpty
        if let index = self.mergeIndex(for: entry) {
            let older = self.waiting[index]
            self.waiting[index] = entry
            self.waiting[index].command = older.command.followed(by: command)
            actions.append(.answer(self.answer(older.envelope, CommandResult(.superseded), now.monotonic)))
        } else {
            self.waiting.append(entry)
            if let excess = self.excess(like: entry) {
                let result = CommandResult(.rateLimited, message: "\(self.limits.maximumWaiting) commands are waiting for this device.")
                actions.append(.answer(self.answer(self.waiting.remove(at: excess).envelope, result, now.monotonic)))
            }
        }
        self.advance(now.monotonic, &actions)
        return actions
    }

    /// Handles the end of a started command. Unknown tickets are ignored: they were abandoned.
    public mutating func finished(_ ticket: Ticket, _ result: CommandResult, now: MonotonicTime) -> [Action] {
        guard let index = self.running.firstIndex(where: { $0.ticket == ticket }) else { return [] }
        let ended = self.running.remove(at: index)
        if ended.touchesVolume { self.volume.ended(isError: result.isError, now: now) }
        // What it ended was all that there was to stop.
        let result = ended.hasEndedOthers && result.code == .noSession ? .done() : result
        var actions = [Action.answer(self.answer(ended.envelope, result, now))]
        self.advance(now, &actions)
        return self.settled(actions, now)
    }

    /// Stores the volume that the device reported; relative changes start from it.
    public mutating func volumeReported(level: Double?, stepInterval: Double?, now: MonotonicTime) {
        self.volume.reported(level: level, step: stepInterval, now: now)
    }

    /// Notes whether the device works on a load.
    /// - Parameters:
    ///   - isLoading: whether the player loads or buffers.
    ///   - application: the running application session; a new one is a sign of work.
    ///   - isAsking: whether a launch waits for a person's permission; a later `leave` then ends it.
    public mutating func progressed(isLoading: Bool, application: String?, isAsking: Bool = false, now: MonotonicTime) -> [Action] {
        self.isAsking = isAsking
        if isLoading || self.isLoading || application != self.application { self.lastProgress = now }
        (self.isLoading, self.application) = (isLoading, application)
        guard !self.waiting.isEmpty else { return [] }
        var actions: [Action] = []
        if isAsking, let index = self.waiting.firstIndex(where: { $0.command == .leave }) {
            self.endRunning(now, &actions) { DeviceCommand.leave.ends($0, isAsking: true) }
            self.waiting[index].hasEndedOthers = !actions.isEmpty
        }
        self.advance(now, &actions)
        return self.settled(actions, now)
    }

    /// Notes that the device is connected. Commands submitted from now on are accepted.
    public mutating func becameAvailable() { self.isOnline = true }

    /// Notes that the device is not connected. Waiting commands are refused; the owner ends running ones, since the device may have carried
    /// them out.
    public mutating func becameUnavailable(now: MonotonicTime) -> [Action] {
        self.isOnline = false
        let refused = self.waiting
        self.waiting = []
        self.volume = VolumeTarget()
        var actions = refused.map { Action.answer(self.answer($0.envelope, Self.offline, now)) }
        self.appendWake(now, to: &actions)
        return self.settled(actions, now)
    }

    /// Answers all commands, because the bridge stops or the device is removed.
    public mutating func close(now: MonotonicTime) -> [Action] {
        var actions = self.becameUnavailable(now: now)
        let result = CommandResult(CastError(.cancelled, detail: "the bridge stopped waiting"))
        for command in self.running {
            actions += [.abandon(command.ticket, result.code), .answer(self.answer(command.envelope, result, now))]
        }
        self.running = []
        return self.settled(actions, now)
    }

    /// Handles the time of the last `wake`. Early and late calls are harmless.
    public mutating func wake(now: MonotonicTime) -> [Action] {
        self.announcedWake = nil
        var actions: [Action] = []
        self.advance(now, &actions)
        return self.settled(actions, now)
    }

    // MARK: -

    private static let offline = CommandResult(.deviceOffline, message: "The device is not connected.")

    /// Adds the answers of repeats that waited for the answers in `actions`.
    private mutating func settled(_ actions: [Action], _ now: MonotonicTime) -> [Action] {
        guard !self.repeated.isEmpty else { return actions }
        return actions.flatMap { action in
            guard case .answer(let answer) = action else { return [action] }
            return [action] + self.repeated.answered(answer).map { .answer(self.answer($0, answer.result.repeated, now)) }
        }
    }

    private mutating func entry(_ envelope: CommandEnvelope, _ command: DeviceCommand, now: Now) -> Waiting {
        let arrival = envelope.received.monotonic
        var latestStart = arrival + min(envelope.timeout ?? self.limits.maximumWait, self.limits.maximumWait)
        let expires = envelope.expiresAt.map { expiry in
            now.monotonic + .milliseconds(min(max(expiry.milliseconds - now.wall.milliseconds, 0), 1_000_000_000))
        }
        if let expires { latestStart = min(latestStart, expires) }
        defer { self.nextTicket += 1 }
        return Waiting(
            ticket: Ticket(number: self.nextTicket), envelope: envelope, command: command, lanes: command.lanes,
            coalescing: command.coalescing, latestStart: latestStart, expires: expires)
    }

    /// Returns the waiting command that `entry` replaces: the newest value wins, unless a command between the two depends on the order.
    private func mergeIndex(for entry: Waiting) -> Int? {
        guard let kind = entry.coalescing else { return nil }
        guard let index = self.waiting.lastIndex(where: { kind.conflicts(with: $0.command) }), self.waiting[index].coalescing == kind,
            // A value that expires sooner than the one it replaces could make that one expire as well.
            entry.latestStart >= self.waiting[index].latestStart
        else { return nil }
        return index
    }

    /// Returns the index of the command to refuse after `entry` was added; `nil` when all have room, or `entry` ended others.
    ///
    /// Commands that act and those that read each have `maximumWaiting` places. The caller that occupies most of the places loses its newest
    /// command, so that it cannot keep others out.
    private func excess(like entry: Waiting) -> Int? {
        guard self.waiting.count > self.limits.maximumWaiting, !entry.hasEndedOthers else { return nil }
        let rivals = self.waiting.indices.filter { self.waiting[$0].acts == entry.acts }
        guard rivals.count > self.limits.maximumWaiting else { return nil }
        let counts = Dictionary(grouping: rivals) { self.waiting[$0].envelope.caller }.mapValues(\.count)
        let most = counts.values.max()
        return rivals.last { counts[self.waiting[$0].envelope.caller] == most }
    }

    private func answer(_ envelope: CommandEnvelope, _ result: CommandResult, _ now: MonotonicTime) -> CommandAnswer {
        CommandAnswer(to: envelope, result, now: now)
    }

    private mutating func endRunning(_ now: MonotonicTime, _ actions: inout [Action], where isPointless: (DeviceCommand) -> Bool) {
        guard self.running.contains(where: { isPointless($0.command) }) else { return }
        let result = CommandResult(.superseded)
        for command in self.running where isPointless(command.command) {
            actions += [.abandon(command.ticket, result.code), .answer(self.answer(command.envelope, result, now))]
        }
        self.running.removeAll { isPointless($0.command) }
    }

    /// Returns when the waiting command at `index` stops waiting for `running`: because it is hurried, or holds a hurried one up. `nil` when
    /// neither is so, and while the device works on a load.
    private func stall(at index: Int, behind running: Running) -> MonotonicTime? {
        guard !self.isLoading else { return nil }
        let lanes = self.waiting[index].lanes
        let hurried = self.waiting[index...].first { $0.command.isHurried(behind: running.command) && !$0.lanes.isDisjoint(with: lanes) }
        guard let hurried else { return nil }
        let since = min(running.startedAt, hurried.envelope.received.monotonic)
        return max(since, self.lastProgress ?? since) + self.limits.maximumStall
    }

    /// Returns the lanes that running commands occupy for the waiting command at `index`.
    private func lanesInUse(forWaitingAt index: Int, _ now: MonotonicTime) -> CommandLanes {
        let isFull = self.running.count >= self.limits.maximumRunning
        return self.running.reduce(into: []) { lanes, running in
            if isFull || self.stall(at: index, behind: running).map({ now < $0 }) ?? true { lanes.formUnion(running.lanes) }
        }
    }

    /// Answers expired commands, then starts those that may start.
    private mutating func advance(_ now: MonotonicTime, _ actions: inout [Action]) {
        for command in self.running.filter({ $0.deadline <= now }) {
            let result = CommandResult(.timeout, message: "The device did not answer in time.")
            actions += [.abandon(command.ticket, result.code), .answer(self.answer(command.envelope, result, now))]
            if command.touchesVolume { self.volume.ended(isError: true, now: now) }
        }
        self.running.removeAll { $0.deadline <= now }
        for command in self.waiting.filter({ $0.latestStart <= now }) {
            let isExpired = command.expires.map { $0 <= now } ?? false
            let result =
                isExpired
                ? CommandResult(.expired, message: "expires_at passed while earlier commands ran.")
                : CommandResult(.timeout, message: "Earlier commands took too long; this one was not begun.")
            actions.append(.answer(self.answer(command.envelope, result, now)))
        }
        self.waiting.removeAll { $0.latestStart <= now }
        // Lanes of earlier waiting commands, which no command overtakes.
        var blocked = CommandLanes()
        var index = 0
        while index < self.waiting.count, blocked != .all {
            let lanes = self.waiting[index].lanes
            let hasRoom = !lanes.isEmpty || self.running.count { $0.lanes.isEmpty } < self.limits.maximumAnnouncing
            if hasRoom, blocked.union(self.lanesInUse(forWaitingAt: index, now)).isDisjoint(with: lanes),
                self.pace.opening(for: self.waiting[index].coalescing).map({ $0 <= now }) ?? true
            {
                let command = self.waiting.remove(at: index)
                if command.command.isLoad { self.endRunning(now, &actions) { $0.mayLoad } }
                if command.command.isAccepted { actions.append(.answer(self.answer(command.envelope, CommandResult(.accepted), now))) }
                actions.append(self.start(command, now: now))
            } else {
                index += 1
                blocked.formUnion(lanes)
            }
        }
        self.appendWake(now, to: &actions)
    }

    private mutating func start(_ entry: Waiting, now: MonotonicTime) -> Action {
        var command = entry.command
        var touchesVolume = false
        if case .set(var changes) = command {
            for (index, change) in changes.enumerated() {
                guard case .volume(let change) = change else { continue }
                touchesVolume = true
                changes[index] = .volume(self.volume.begin(change, now: now))
            }
            if touchesVolume { command = .set(changes) }
        }
        // The sender's limit counts from the arrival, ours from the start.
        let deadline = entry.envelope.timeout.map { entry.envelope.received.monotonic + $0 } ?? (now + command.defaultTimeout)
        self.pace.started(command, now: now, interval: self.limits.minimumInterval)
        self.running.append(
            Running(
                ticket: entry.ticket, envelope: entry.envelope, command: command, lanes: entry.lanes, touchesVolume: touchesVolume,
                hasEndedOthers: entry.hasEndedOthers, startedAt: now, deadline: deadline))
        return .start(entry.ticket, command, deadline: deadline)
    }

    private mutating func appendWake(_ now: MonotonicTime, to actions: inout [Action]) {
        var next: MonotonicTime?
        func consider(_ time: MonotonicTime?) { next = MonotonicTime.earlier(next, time) }
        // By index, because a copy of a command costs more than the comparison.
        for index in self.running.indices { consider(self.running[index].deadline) }
        for index in self.waiting.indices {
            consider(self.waiting[index].latestStart)
            // A command that the pace allows waits for a lane. Lanes become free by events, not by time.
            if let opening = self.pace.opening(for: self.waiting[index].coalescing), opening > now { consider(opening) }
            for running in self.running { consider(self.stall(at: index, behind: running).flatMap { $0 > now ? $0 : nil }) }
        }
        if let next, next != self.announcedWake { actions.append(.wake(at: next)) }
        self.announcedWake = next
    }
}
