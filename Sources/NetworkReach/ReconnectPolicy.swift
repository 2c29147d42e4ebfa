/// The delay before the next attempt to connect: exponential with full jitter, without end.
///
/// The longest delay and the limit of one attempt together stay under 30 s, so that a peer that is reachable again is found within that
/// time.
public struct ReconnectPolicy: Sendable, Hashable {
    /// The upper limit of the first delay; it doubles with each failure.
    public var base: Duration
    /// The upper limit of every delay.
    public var maximum: Duration
    /// The time limit of one attempt, from name resolution to a usable link.
    public var attemptLimit: Duration
    /// How long a link must have been up before its loss counts as a first failure.
    public var stableAfter: Duration

    public init(
        base: Duration = .seconds(1), maximum: Duration = .seconds(20), attemptLimit: Duration = .seconds(8),
        stableAfter: Duration = .seconds(10)
    ) {
        self.base = base
        self.maximum = maximum
        self.attemptLimit = attemptLimit
        self.stableAfter = stableAfter
    }

    /// Returns the delay before the next attempt.
    ///
    /// - Parameters:
    ///   - failures: the number of failures in a row; at least 1 after a loss.
    ///   - random: in `0..<1`; spreads the attempts to peers that were lost together.
    public func delay(failures: Int, random: Double) -> Duration {
        guard failures > 0 else { return .zero }
        let doublings = min(failures - 1, 30)
        return min(self.maximum, self.base * (1 << doublings)) * min(max(random, 0), 1)
    }
}
