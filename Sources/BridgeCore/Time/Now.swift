import CastModels

/// The current time for a decision: one reading of both clocks.
public struct Now: Sendable, Hashable {
    /// For comparisons and intervals.
    public var monotonic: MonotonicTime
    /// For values that people read.
    public var wall: Timestamp

    public init(monotonic: MonotonicTime, wall: Timestamp) { (self.monotonic, self.wall) = (monotonic, wall) }

    /// Returns how far the wall clock was set since an earlier reading, in seconds; `nil` below a second, as clocks are corrected by and by.
    /// - Parameter slept: the time in between in which the machine slept and the monotonic clock stood still.
    public func wallStep(since former: Now, slept: Duration) -> Double? {
        let step = Double(self.wall.milliseconds - former.wall(at: self.monotonic).milliseconds) / 1000 - slept.inSeconds
        return abs(step) >= 1 ? step : nil
    }

    /// Returns the wall-clock time of an earlier or later monotonic time, according to this reading.
    public func wall(at time: MonotonicTime) -> Timestamp { self.wall.adding(seconds: time.seconds(since: self.monotonic)) }
}
