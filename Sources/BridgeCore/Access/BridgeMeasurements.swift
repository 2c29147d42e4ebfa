/// The bridge as monitoring sees it.
public protocol BridgeMonitoring: Sendable {
    /// Reads the counters. Takes as long as the bridge's event loop needs to come to it.
    func measurements() async -> BridgeMeasurements
}

/// The numbers of a bridge at one moment. Counters count since its start.
public struct BridgeMeasurements: Sendable, Hashable {
    public var health: HealthReport
    /// Whether everything is published and `bridge/state` is `online`.
    public var isOnline: Bool
    /// Whether this bridge waits as the standby of a pair, with a link to the broker.
    public var isWaiting = false
    public var tally: BridgeTally
    /// Commands that wait for their turn, and those that run.
    public var commandsWaiting: Int
    public var commandsRunning: Int
    /// Processor time since the start of the process, in seconds.
    public var cpuSeconds: Double?

    public init(
        health: HealthReport, isOnline: Bool, tally: BridgeTally = BridgeTally(), commandsWaiting: Int = 0, commandsRunning: Int = 0,
        cpuSeconds: Double? = nil
    ) {
        self.health = health
        self.isOnline = isOnline
        self.tally = tally
        self.commandsWaiting = commandsWaiting
        self.commandsRunning = commandsRunning
        self.cpuSeconds = cpuSeconds
    }
}

/// The counts for monitoring that `bridge/health` does not have.
public struct BridgeTally: Sendable, Hashable {
    /// Statuses of receivers and media that devices reported.
    public var statuses = 0
    public var commands = CommandTally()

    public init() {}
}

/// How commands ended, and how long they took.
public struct CommandTally: Sendable, Hashable {
    /// The upper bounds of `buckets`, in seconds.
    public static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

    public private(set) var answers: [AnswerCode: Int] = [:]
    /// For each of `bounds`, the commands that took longer than the one before and at most that; the last element has those that took longer.
    public private(set) var buckets = [Int](repeating: 0, count: Self.bounds.count + 1)
    /// Of all commands, in seconds.
    public private(set) var totalSeconds = 0.0

    public init() {}

    public var count: Int { self.buckets.reduce(0, +) }

    public mutating func add(_ code: AnswerCode, elapsed: Duration) {
        let seconds = elapsed / .seconds(1)
        self.answers[code, default: 0] += 1
        self.buckets[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
        self.totalSeconds += seconds
    }
}
