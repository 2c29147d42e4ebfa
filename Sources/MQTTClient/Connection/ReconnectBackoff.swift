/// Delay before the next attempt: exponential with full jitter, so that a fleet does not come back in one burst.
struct ReconnectBackoff: Sendable {
    /// Ceiling of the first delay.
    static let first = Duration.seconds(1)
    /// Ceiling of every delay, and the whole delay after a refusal that time does not heal.
    static let maximum = Duration.seconds(20)

    private var ceiling = Self.first

    /// - Parameter jitter: random in `0..<1`.
    mutating func next(heals: Bool, jitter: Double) -> Duration {
        guard heals else { return Self.maximum }
        let delay = self.ceiling * min(max(jitter, 0), 1)
        self.ceiling = min(self.ceiling * 2, Self.maximum)
        return delay
    }

    mutating func reset() { self.ceiling = Self.first }
}
