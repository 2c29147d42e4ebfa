import CastModels

/// The target of a seek.
public enum SeekTarget: Sendable, Hashable {
    /// Seconds from the start of the media, or of a live stream's own time line.
    case position(Double)
    /// Seconds relative to the current position; negative is backward.
    case relative(Double)
    /// The live edge.
    case live

    /// Checks that the target is a finite number.
    func validate() throws(CastError) {
        switch self {
        case .position(let seconds): try CastError.checkOffset(seconds, "position")
        case .relative(let seconds): try CastError.checkOffset(seconds, "offset")
        case .live: break
        }
    }

    /// Returns the position in seconds, limited to the media. Relative targets are computed here, because applications interpret them
    /// differently.
    ///
    /// - Throws: `invalidRequest` for a value that is not a number; `unsupportedFeature` for the live edge of media without one;
    ///   `invalidState` for a relative target when no position is known.
    func position(in status: MediaStatus, at now: MonotonicTime) throws(CastError) -> Double {
        try self.validate()
        let range = status.approximateLiveSeekableRange(at: now)
        let wanted: Double
        switch self {
        case .position(let seconds): wanted = seconds
        case .relative(let seconds):
            guard let position = status.approximateStreamPosition(at: now) else {
                throw CastError(.invalidState, detail: "the receiver does not report a position to seek from")
            }
            wanted = position + seconds
        case .live:
            guard let range else { throw CastError(.unsupportedFeature, detail: "the media has no live edge") }
            wanted = range.end
        }
        if let range { return min(max(wanted, range.start, 0), range.end) }
        guard let duration = status.media?.duration, duration > 0 else { return max(0, wanted) }
        return min(max(0, wanted), duration)
    }
}
