/// The part of a live stream that can be played: its last seconds, which move with the time.
struct LiveWindow: Sendable, Hashable {
    /// How far back it reaches.
    var lengthSeconds: Double
    /// How long after it was loaded the broadcast ends; `nil` never.
    var endsAfterSeconds: Double?

    /// The first and the last position, in seconds of the stream.
    ///
    /// - Parameter elapsed: seconds since it was loaded.
    func range(after elapsed: Double) -> ClosedRange<Double> {
        let moved = min(max(0, elapsed), self.endsAfterSeconds ?? .infinity)
        return moved...(moved + self.lengthSeconds)
    }

    func isDone(after elapsed: Double) -> Bool { self.endsAfterSeconds.map { elapsed >= $0 } ?? false }

    /// `liveSeekableRange`.
    func json(after elapsed: Double) -> JSON {
        let (range, isDone) = (self.range(after: elapsed), self.isDone(after: elapsed))
        return [
            "start": .number(range.lowerBound), "end": .number(range.upperBound), "isMovingWindow": .bool(!isDone),
            "isLiveDone": .bool(isDone),
        ]
    }
}
