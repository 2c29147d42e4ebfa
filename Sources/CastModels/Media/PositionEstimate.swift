/// A position reported at one moment, with everything that moves it since. Every position between two statuses is computed here.
package struct PositionEstimate: Sendable, Hashable {
    /// Seconds from the start of the media.
    package var position: Double
    /// Media seconds per second while the position advances.
    package var rate: Double
    package var isAdvancing: Bool
    /// The duration in seconds; `nil` when unknown or endless.
    package var duration: Double?
    /// The live range at that moment, for live streams that can be seeked.
    package var liveRange: LiveSeekableRange?

    package init(position: Double, rate: Double, isAdvancing: Bool, duration: Double? = nil, liveRange: LiveSeekableRange? = nil) {
        self.position = position
        self.rate = rate
        self.isAdvancing = isAdvancing
        self.duration = duration
        self.liveRange = liveRange
    }

    /// Returns the position `seconds` later: never negative, and limited to the media or the live range while it advances.
    package func position(after seconds: Double) -> Double {
        guard self.isAdvancing else { return max(0, self.position) }
        let elapsed = max(0, seconds)
        // Content before the live window cannot be played; the player continues at the start of the window.
        let position = max(0, self.position, self.liveRange?.start ?? 0) + self.rate * elapsed
        guard let range = self.liveRange?.advanced(by: elapsed) else { return min(position, self.duration ?? .infinity) }
        return min(max(position, range.start), range.end)
    }
}
