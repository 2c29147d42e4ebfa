import CastModels

/// What a device played when its application ended, by which the same stream is recognised on another device.
///
/// A transfer that another sender makes shows as an application that ends on one device and runs on another: with the same session id, or, where
/// the target launched it again, with the same content at the position where it was.
package struct StreamTrail: Sendable, Hashable {
    /// How long the stream is looked for.
    package static let patience = Duration.seconds(10)
    /// How long before its application media may end and still have moved: receivers report the player's end first.
    package static let longestGap = Duration.seconds(2)
    /// How far the position on the other device may be off, in seconds.
    static let tolerance = 2.0

    package let sessionID: String?
    private let contentID: String?
    /// Seconds at `endedAt`; `nil` when the receiver reported none.
    private let position: Double?
    /// Media seconds per second from then on, if it went on.
    private let rate: Double
    private let endedAt: MonotonicTime

    /// - Parameters:
    ///   - media: its last status before the end.
    ///   - reason: why the player says that it ended; `nil` when it says nothing.
    /// - Returns: `nil` when nothing was played that could go on elsewhere.
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

    /// Whether the application can have ended because the stream moved.
    package func isFresh(at now: MonotonicTime) -> Bool { now < self.endedAt + Self.longestGap }

    /// Whether it is still looked for.
    package func isOpen(at now: MonotonicTime) -> Bool { now < self.endedAt + Self.patience }

    /// Whether the stream goes on at a device that reports this.
    package func isContinued(by application: ReceiverApplication?, media: MediaStatus?, at now: MonotonicTime) -> Bool {
        guard let application, !application.isIdleScreen else { return false }
        if let sessionID, application.sessionID == sessionID { return true }
        guard let contentID, let position, let media, media.playerState == .playing || media.playerState == .paused,
            media.shownMedia?.shownContentID == contentID, let found = media.approximateStreamPosition(at: now)
        else { return false }
        // It may have stood still while the other device loaded it.
        let furthest = position + max(0, now.seconds(since: self.endedAt)) * self.rate
        return (min(position, furthest) - Self.tolerance...max(position, furthest) + Self.tolerance).contains(found)
    }
}
