import CastModels

/// The present as a decision sees it: one reading of both clocks.
public struct Now: Sendable, Hashable {
    /// For every comparison and every interval.
    public var monotonic: MonotonicTime
    /// For what people read.
    public var wall: Timestamp

    public init(monotonic: MonotonicTime, wall: Timestamp) {
        self.monotonic = monotonic
        self.wall = wall
    }

    /// The wall-clock time of an earlier or later monotonic one, as of this reading.
    public func wall(at time: MonotonicTime) -> Timestamp { self.wall.adding(seconds: time.seconds(since: self.monotonic)) }
}
