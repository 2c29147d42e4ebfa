import CastModels

/// The present as a decision sees it: one reading of both clocks.
package struct Now: Sendable, Hashable {
    /// For every comparison and every interval.
    package var monotonic: MonotonicTime
    /// For what people read.
    package var wall: Timestamp

    package init(monotonic: MonotonicTime, wall: Timestamp) {
        self.monotonic = monotonic
        self.wall = wall
    }

    /// The wall-clock time of an earlier or later monotonic one, as of this reading.
    package func wall(at time: MonotonicTime) -> Timestamp { self.wall.adding(seconds: time.seconds(since: self.monotonic)) }
}
