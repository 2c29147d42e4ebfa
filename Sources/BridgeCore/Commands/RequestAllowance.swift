import CastModels

/// How often something costly may be asked for: so many times in any such period.
public struct RequestAllowance: Sendable, Hashable, CustomStringConvertible {
    private let limit: Int
    private let period: Duration
    /// When it was given lately, oldest first; at most `limit` of them.
    private var given: [MonotonicTime] = []

    public init(_ limit: Int, every period: Duration) { (self.limit, self.period) = (limit, period) }

    /// Whether it may be given now; then it counts.
    public mutating func take(now: MonotonicTime) -> Bool {
        self.given.removeAll { $0 + self.period <= now }
        guard self.given.count < self.limit else { return false }
        self.given.append(now)
        return true
    }

    /// For people: `4 in 10 seconds`.
    public var description: String { "\(self.limit) in \(self.period.components.seconds) seconds" }
}
