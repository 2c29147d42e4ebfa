import CastModels

/// The current time for a decision: one reading of both clocks.
package struct Now: Sendable, Hashable {
    /// For comparisons and intervals.
    package var monotonic: MonotonicTime
    /// For values that people read.
    package var wall: Timestamp

    package init(monotonic: MonotonicTime, wall: Timestamp) {
        self.monotonic = monotonic
        self.wall = wall
    }

    /// Returns the wall-clock time of an earlier or later monotonic time, according to this reading.
    package func wall(at time: MonotonicTime) -> Timestamp { self.wall.adding(seconds: time.seconds(since: self.monotonic)) }
}
