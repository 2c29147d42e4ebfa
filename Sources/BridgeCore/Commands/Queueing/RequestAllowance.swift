import CastModels

/// Limits how often a costly request is carried out: at most `limit` times in any period of the given length.
public struct RequestAllowance: Sendable, Hashable, CustomStringConvertible {
    private let limit: Int
    private let period: Duration
    /// When requests were allowed within the last period, oldest first; at most `limit`.
    private var allowed: [MonotonicTime] = []

    public init(_ limit: Int, every period: Duration) { (self.limit, self.period) = (limit, period) }

    /// Returns whether a request is allowed at `now`, and counts it if so.
    public mutating func take(now: MonotonicTime) -> Bool {
        self.allowed.removeAll { $0 + self.period <= now }
        guard self.allowed.count < self.limit else { return false }
        self.allowed.append(now)
        return true
    }

    /// A text for messages to users: `4 in 10 seconds`.
    public var description: String { "\(self.limit) in \(self.period.components.seconds) seconds" }
}
