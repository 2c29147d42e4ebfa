import CastModels

/// All commands of one device: answers repeated commands, and passes new ones to the queue.
///
/// Does no I/O and owns no timer. Every received command is answered exactly once.
public struct DeviceCommandQueue: Sendable {
    public typealias Action = CommandQueue.Action
    public typealias Ticket = CommandQueue.Ticket

    private var queue: CommandQueue
    private var repeated = RepeatedCommands()

    public init(limits: CommandQueue.Limits = CommandQueue.Limits()) { self.queue = CommandQueue(limits: limits) }

    /// The number of waiting and running commands.
    public var count: Int { self.queue.count }

    /// Returns whether the command with this ticket is the device's share of a command to all.
    public func isShare(_ ticket: Ticket) -> Bool { self.queue.isShare(ticket) }

    /// Handles a parsed command for this device.
    public mutating func receive(_ envelope: CommandEnvelope, _ command: DeviceCommand, now: Now) -> [Action] {
        switch self.repeated.admit(envelope, now: now.monotonic) {
        case .new: self.settled(self.queue.submit(envelope, command, now: now), now.monotonic)
        case .waiting: []
        case .answered(let result): [.answer(CommandAnswer(to: envelope, result, now: now.monotonic))]
        }
    }

    /// Handles the end of a started command; see `CommandQueue.finished`.
    public mutating func finished(_ ticket: Ticket, _ result: CommandResult, now: MonotonicTime) -> [Action] {
        self.settled(self.queue.finished(ticket, result, now: now), now)
    }

    /// Stores the volume that the device reported.
    public mutating func volumeReported(level: Double?, stepInterval: Double?, now: MonotonicTime) {
        self.queue.volumeReported(level: level, stepInterval: stepInterval, now: now)
    }

    /// Notes whether the device works on a load, or asks a person; see `CommandQueue.progressed`.
    public mutating func progressed(isLoading: Bool, application: String?, isAsking: Bool, now: MonotonicTime) -> [Action] {
        self.settled(self.queue.progressed(isLoading: isLoading, application: application, isAsking: isAsking, now: now), now)
    }

    /// Notes that the device is connected.
    public mutating func becameAvailable() { self.queue.becameAvailable() }

    /// Notes that the device is not connected. Waiting commands are refused.
    public mutating func becameUnavailable(now: MonotonicTime) -> [Action] { self.settled(self.queue.becameUnavailable(now: now), now) }

    /// Answers all commands, because the bridge stops or the device is removed.
    public mutating func close(now: MonotonicTime) -> [Action] { self.settled(self.queue.close(now: now), now) }

    /// Handles the time of the last `wake`.
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
