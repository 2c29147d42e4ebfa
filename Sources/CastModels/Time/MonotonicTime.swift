/// A point in time on a clock that never goes back and ignores changes of the wall clock.
public struct MonotonicTime: Sendable, Hashable, Comparable {
    /// Nanoseconds since an unspecified start.
    public var nanoseconds: Int64

    /// Creates a time.
    /// - Parameter nanoseconds: nanoseconds since the start of the clock in use.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    public static func + (time: Self, duration: Duration) -> Self { Self(nanoseconds: time.nanoseconds &+ duration.wholeNanoseconds) }

    public static func - (time: Self, duration: Duration) -> Self { Self(nanoseconds: time.nanoseconds &- duration.wholeNanoseconds) }

    public static func - (later: Self, earlier: Self) -> Duration { .nanoseconds(later.nanoseconds &- earlier.nanoseconds) }

    /// Returns the earlier of two times; `nil` means never.
    package static func earlier(_ left: Self?, _ right: Self?) -> Self? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }

    /// Returns the seconds from `earlier` to this time.
    public func seconds(since earlier: Self) -> Double { Double(self.nanoseconds &- earlier.nanoseconds) / 1e9 }
}

extension Duration {
    /// The duration in nanoseconds, rounded toward zero; saturates at ±292 years.
    public var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = self.components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, overflowed) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        if overflowed { return seconds < 0 ? .min : .max }
        return sum
    }

    /// The duration in seconds, with nanosecond precision.
    public var inSeconds: Double { Double(self.wholeNanoseconds) / 1e9 }
}
