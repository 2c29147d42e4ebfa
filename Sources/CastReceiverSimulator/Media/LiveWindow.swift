/// The playable part of a live stream: its last seconds, which move with time.
struct LiveWindow: Sendable, Hashable {
    /// The length of the window in seconds.
    var lengthSeconds: Double
    /// Seconds after loading at which the broadcast ends; `nil` means never.
    var endsAfterSeconds: Double?

    /// Returns the first and the last position, in seconds of the stream.
    ///
    /// - Parameter elapsed: the seconds since loading.
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
