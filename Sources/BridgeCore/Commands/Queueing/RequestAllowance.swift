import CastModels

/// Limits how often a costly request is carried out: at most `limit` times in any period of the given length.
package struct RequestAllowance: Sendable, Hashable, CustomStringConvertible {
    private let limit: Int
    private let period: Duration
    /// When requests were allowed within the last period, oldest first; at most `limit`.
    private var allowed: [MonotonicTime] = []

    package init(_ limit: Int, every period: Duration) { (self.limit, self.period) = (limit, period) }

    /// Returns whether a request is allowed at `now`, and counts it if so.
    package mutating func take(now: MonotonicTime) -> Bool {
        self.allowed.removeAll { $0 + self.period <= now }
        guard self.allowed.count < self.limit else { return false }
        self.allowed.append(now)
        return true
    }

    /// As messages to users show it: `4 in 10 seconds`.
    package var description: String { "\(self.limit) in \(self.period.components.seconds) seconds" }
}
