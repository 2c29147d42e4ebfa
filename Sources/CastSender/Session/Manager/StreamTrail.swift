import CastModels

/// The media that a device was playing when its application ended. It serves to recognise the same stream on another device.
///
/// A transfer by another sender appears as an application that ends on one device and runs on another: with the same session id, or, when
/// the target launched it again, with the same content at the same position.
package struct StreamTrail: Sendable, Hashable {
    /// How long the stream is searched for.
    package static let patience = Duration.seconds(10)
    /// The longest time between the end of the media and the end of its application that still counts as a move: receivers report the end
    /// of the player first.
    package static let longestGap = Duration.seconds(2)
    /// The allowed difference of the position on the other device, in seconds.
    static let tolerance = 2.0

    package let sessionID: String?
    private let contentID: String?
    /// The position at `endedAt` in seconds; `nil` when the receiver reported none.
    private let position: Double?
    /// The playback rate from then on, if playback continued; 0 when it was paused.
    private let rate: Double
    private let endedAt: MonotonicTime

    /// - Parameters:
    ///   - media: the last status before the end.
    ///   - reason: the player's reason for the end; `nil` when it reports none.
    /// - Returns: `nil` when no media was playing that could continue on another device.
    package init?(of application: ReceiverApplication?, media: MediaStatus?, endedAt: MonotonicTime, reason: IdleReason? = nil) {
        guard let application, !application.isIdleScreen, let media, !media.isEnded else { return nil }
        switch reason {
        case .finished, .error: return nil
        case .cancelled, .interrupted, .unknown, nil: break
        }
        self.sessionID = application.sessionID
        self.contentID = media.shownMedia?.shownContentID
        self.position = media.approximateStreamPosition(at: endedAt)
        self.rate = media.isStreamPositionAdvancing ? media.effectiveRate : 0
        self.endedAt = endedAt
    }

    /// Returns whether the application may have ended because the stream moved.
    package func isFresh(at now: MonotonicTime) -> Bool { now < self.endedAt + Self.longestGap }

    /// Returns whether the stream is still searched for.
    package func isOpen(at now: MonotonicTime) -> Bool { now < self.endedAt + Self.patience }

    /// Returns whether the device with this state continues the stream.
    package func isContinued(by application: ReceiverApplication?, media: MediaStatus?, at now: MonotonicTime) -> Bool {
        guard let application, !application.isIdleScreen else { return false }
        if let sessionID, application.sessionID == sessionID { return true }
        guard let contentID, let position, let media, media.playerState == .playing || media.playerState == .paused,
            media.shownMedia?.shownContentID == contentID, let found = media.approximateStreamPosition(at: now)
        else { return false }
        // The position may have stood still while the other device loaded the stream.
        let furthest = position + max(0, now.seconds(since: self.endedAt)) * self.rate
        return (min(position, furthest) - Self.tolerance...max(position, furthest) + Self.tolerance).contains(found)
    }
}
