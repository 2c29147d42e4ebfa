import CastModels

/// Where to seek.
public enum SeekTarget: Sendable, Hashable {
    /// Seconds from the start of the media, or of a live stream's own time line.
    case position(Double)
    /// Seconds forward, or backward when negative, from where the player is.
    case relative(Double)
    /// The live edge.
    case live

    /// The position in seconds, kept within the media. Relative ones are computed here: applications disagree about them.
    ///
    /// - Throws: `invalidRequest` for what is no number, and for the live edge of media without one.
    func position(in status: MediaStatus, at now: MonotonicTime) throws(CastError) -> Double {
        let wanted: Double
        switch self {
        case .position(let seconds): wanted = seconds
        case .relative(let seconds):
            guard let position = status.approximateStreamPosition(at: now) else {
                throw CastError(.invalidState, detail: "the receiver tells no position to seek from")
            }
            wanted = position + seconds
        case .live:
            guard let range = status.liveSeekableRange else { throw CastError(.invalidRequest, detail: "the media has no live edge") }
            wanted = range.end + (range.isLiveDone ? 0 : max(0, now.seconds(since: status.receivedAt)))
        }
        guard wanted.isFinite else { throw CastError(.invalidRequest, detail: "not a position") }
        if let range = status.liveSeekableRange {
            let elapsed = range.isLiveDone ? 0 : max(0, now.seconds(since: status.receivedAt))
            return min(max(wanted, range.start + (range.isMovingWindow ? elapsed : 0), 0), range.end + elapsed)
        }
        guard let duration = status.media?.duration, duration > 0 else { return max(0, wanted) }
        return min(max(0, wanted), duration)
    }
}
