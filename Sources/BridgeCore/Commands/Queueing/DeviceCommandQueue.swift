import CastModels

/// All commands of one device: repeats are told from new ones, new ones go through the queue.
///
/// Does no I/O and owns no timer. Every received command is answered exactly once.
public struct DeviceCommandQueue: Sendable {
    public typealias Action = CommandQueue.Action
    public typealias Ticket = CommandQueue.Ticket

    private var queue: CommandQueue
    private var repeated = RepeatedCommands()

    public init(limits: CommandQueue.Limits = CommandQueue.Limits()) { self.queue = CommandQueue(limits: limits) }

    /// Commands that wait or run.
    public var count: Int { self.queue.count }

    /// Whether what runs under this ticket is the device's share of a command to all.
    public func isShare(_ ticket: Ticket) -> Bool { self.queue.isShare(ticket) }

    /// A parsed command for this device arrived.
    public mutating func receive(_ envelope: CommandEnvelope, _ command: DeviceCommand, now: Now) -> [Action] {
        switch self.repeated.admit(envelope, now: now.monotonic) {
        case .new: self.settled(self.queue.submit(envelope, command, now: now), now.monotonic)
        case .waiting: []
        case .answered(let result): [.answer(CommandAnswer(to: envelope, result, now: now.monotonic))]
        }
    }

    /// A started command ended; see `CommandQueue.finished`.
    public mutating func finished(_ ticket: Ticket, _ result: CommandResult, now: MonotonicTime) -> [Action] {
        self.settled(self.queue.finished(ticket, result, now: now), now)
    }

    /// The device told its volume.
    public mutating func volumeReported(level: Double?, stepInterval: Double?, now: MonotonicTime) {
        self.queue.volumeReported(level: level, stepInterval: stepInterval, now: now)
    }

    /// The device can be told things.
    public mutating func becameAvailable() { self.queue.becameAvailable() }

    /// The device can't be reached; what has not begun is refused.
    public mutating func becameUnavailable(now: MonotonicTime) -> [Action] { self.settled(self.queue.becameUnavailable(now: now), now) }

    /// The bridge stops, or the device is gone for good: everything is answered.
    public mutating func close(now: MonotonicTime) -> [Action] { self.settled(self.queue.close(now: now), now) }

    /// Looks at the time; call it when the last `wake` asked for it.
    public mutating func wake(now: MonotonicTime) -> [Action] { self.settled(self.queue.wake(now: now), now) }

    /// Adds the answers of repeats that waited for the answers in `actions`.
    private mutating func settled(_ actions: [Action], _ now: MonotonicTime) -> [Action] {
        guard !self.repeated.isEmpty else { return actions }
        var all: [Action] = []
        for action in actions {
            all.append(action)
            guard case .answer(let answer) = action else { continue }
            for envelope in self.repeated.answered(answer) {
                all.append(.answer(CommandAnswer(to: envelope, answer.result.repeated, now: now)))
            }
        }
        return all
    }
}
