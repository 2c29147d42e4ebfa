/// A position that was told at one moment, with what moves it since. The one place that computes where a player is between two statuses.
package struct PositionEstimate: Sendable, Hashable {
    /// Seconds from the start of the media.
    package var position: Double
    /// Media seconds per second while advancing.
    package var rate: Double
    package var isAdvancing: Bool
    /// Seconds; `nil` when unknown or endless.
    package var duration: Double?
    /// As of that moment, for live streams that can be sought.
    package var liveRange: LiveSeekableRange?

    package init(position: Double, rate: Double, isAdvancing: Bool, duration: Double? = nil, liveRange: LiveSeekableRange? = nil) {
        self.position = position
        self.rate = rate
        self.isAdvancing = isAdvancing
        self.duration = duration
        self.liveRange = liveRange
    }

    /// The position `seconds` later, never negative, kept within the media or the live range while it moves.
    package func position(after seconds: Double) -> Double {
        guard self.isAdvancing else { return max(0, self.position) }
        let elapsed = max(0, seconds)
        // What lies before a live window can't be played: the player goes on at its start.
        let position = max(0, self.position, self.liveRange?.start ?? 0) + self.rate * elapsed
        guard let range = self.liveRange?.advanced(by: elapsed) else { return min(position, self.duration ?? .infinity) }
        return min(max(position, range.start), range.end)
    }
}
