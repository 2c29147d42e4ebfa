import CastModels

/// The media that a device was playing when its application ended. It serves to recognise the same stream on another device.
///
/// A transfer by another sender appears as an application that ends on one device and runs on another: with the same session id, or, when
/// the target launched it again, with the same content at the same position.
struct StreamTrail: Sendable, Hashable {
    /// How long the stream is searched for.
    static let patience = Duration.seconds(10)
    /// The longest time between the end of the media and the end of its application that still counts as a move: receivers report the end
    /// of the player first.
    static let longestGap = Duration.seconds(2)
    /// The allowed difference of the position on the other device, in seconds.
    static let tolerance = 2.0

    let sessionID: String?
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
    init?(of application: ReceiverApplication?, media: MediaStatus?, endedAt: MonotonicTime, reason: IdleReason? = nil) {
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
    func isFresh(at now: MonotonicTime) -> Bool { now < self.endedAt + Self.longestGap }

    /// Returns whether the stream is still searched for.
    func isOpen(at now: MonotonicTime) -> Bool { now < self.endedAt + Self.patience }

    /// Returns whether the device with this state continues the stream.
    func isContinued(by application: ReceiverApplication?, media: MediaStatus?, at now: MonotonicTime) -> Bool {
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

/// Follows what one device plays, for the moment in which it may move to another one. Does no I/O.
package struct StreamWatch: Sendable {
    /// When the media session was first reported; `nil` when none was.
    fileprivate var began: MonotonicTime?
    /// The stream that was playing when its player last ended; some receivers end the player before the application.
    private var ended: StreamTrail?

    package init() {}

    /// A media status is reported.
    ///
    /// - Parameters:
    ///   - former: the one before it.
    ///   - application: the application of both.
    package mutating func changes(
        _ former: MediaStatus?, to status: MediaStatus?, in application: @autoclosure () -> ReceiverApplication?, at now: MonotonicTime
    ) {
        guard status?.mediaSessionID != former?.mediaSessionID || status?.isEnded != former?.isEnded else { return }
        guard status?.isEnded ?? true else { return (self.began, self.ended) = (now, nil) }
        self.ended = StreamTrail(of: application(), media: former, endedAt: now, reason: status?.idleReason) ?? self.ended
    }

    /// The application session ends.
    ///
    /// - Parameters:
    ///   - media: its last status.
    ///   - part: our part in it, as reported last. An application that we stopped did not move.
    /// - Returns: the lost stream; `nil` when nothing was playing that could continue on another device.
    package mutating func ends(
        _ application: ReceiverApplication, media: MediaStatus?, part: ApplicationSession, at now: MonotonicTime
    ) -> LostStream? {
        let trail = StreamTrail(of: application, media: media, endedAt: now) ?? self.ended
        self.ended = nil
        guard let trail, trail.isFresh(at: now), part.role != .stopping || part.id != application.sessionID else { return nil }
        return LostStream(trail: trail, began: self.began)
    }
}

/// A stream that ended with its application, and may continue on another device.
package struct LostStream: Sendable {
    private let trail: StreamTrail
    /// When it began; `nil` when it was playing before the device was first seen.
    private let began: MonotonicTime?

    fileprivate init(trail: StreamTrail, began: MonotonicTime?) {
        self.trail = trail
        self.began = began
    }

    /// Returns whether the stream is still searched for.
    package func isOpen(at now: MonotonicTime) -> Bool { self.trail.isOpen(at: now) }

    /// Returns whether a device that is looked at because of this stream continues it.
    package func isContinued(by application: ReceiverApplication?, media: MediaStatus?, at now: MonotonicTime) -> Bool {
        self.isOpen(at: now) && self.trail.isContinued(by: application, media: media, at: now)
    }

    /// The same for a device that is watched all the time, and may play the same by itself: there the stream has to begin recently, and
    /// later than on the device that lost it.
    package func isContinued(
        by application: ReceiverApplication?, media: MediaStatus?, watched watch: StreamWatch, at now: MonotonicTime
    ) -> Bool {
        if application?.sessionID == nil || application?.sessionID != self.trail.sessionID {
            guard let here = watch.began, here > now - (StreamTrail.patience + StreamTrail.longestGap),
                self.began.map({ here > $0 + StreamTrail.longestGap }) ?? true
            else { return false }
        }
        return self.isContinued(by: application, media: media, at: now)
    }
}
