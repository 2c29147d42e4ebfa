/// A point on a clock that never goes back and that no change of the wall clock moves.
public struct MonotonicTime: Sendable, Hashable, Comparable {
    /// Nanoseconds since an unspecified start.
    public var nanoseconds: Int64

    /// - Parameter nanoseconds: nanoseconds since the start of the clock in use.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    public static func + (time: Self, duration: Duration) -> Self { Self(nanoseconds: time.nanoseconds &+ duration.wholeNanoseconds) }

    public static func - (time: Self, duration: Duration) -> Self { Self(nanoseconds: time.nanoseconds &- duration.wholeNanoseconds) }

    public static func - (later: Self, earlier: Self) -> Duration { .nanoseconds(later.nanoseconds &- earlier.nanoseconds) }

    /// The earlier of two times; `nil` is never.
    package static func earlier(_ left: Self?, _ right: Self?) -> Self? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }

    /// Seconds from `earlier` to here.
    public func seconds(since earlier: Self) -> Double { Double(self.nanoseconds &- earlier.nanoseconds) / 1e9 }
}

extension Duration {
    /// The whole duration in nanoseconds; saturates at ±292 years.
    public var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = self.components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, overflowed) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        if overflowed { return seconds < 0 ? .min : .max }
        return sum
    }

    /// The whole duration in seconds.
    public var inSeconds: Double { Double(self.wholeNanoseconds) / 1e9 }
}
