import CastModels

/// How, when and where the shown item ended.
struct ItemEnd {
    /// Why it ended; `nil` when the application ended or a receiver gave no reason.
    private(set) var reason: IdleReason?
    /// Whether another item of its queue was chosen.
    private(set) var isSkipped = false
    let time: Now
    /// The position at that time.
    let position: Double?
    private(set) var failure: MediaFailure?

    var word: String? { self.isSkipped ? "skipped" : self.reason?.word }

    /// Creates the end of `former`.
    ///
    /// Many receivers start the next item of a queue without a report about the previous one, or report it as interrupted in either case. So
    /// the position decides whether it was played to its end.
    /// - Parameters:
    ///   - reason: the reported reason; `nil` when the device reported none.
    ///   - next: the status that replaces it; `nil` when nothing follows.
    ///   - isReplaced: whether a load of the bridge is pending.
    init(
        of former: MediaStatus, anchor: PositionAnchor?, hold: DeviceMedia.Hold?, reason: IdleReason?, next: MediaStatus?,
        failure: MediaFailure?, isReplaced: Bool, at now: Now
    ) {
        self.time = hold?.since ?? now
        self.position = anchor?.position(at: self.time.monotonic)
        self.reason = reason ?? hold?.reason ?? next.map { _ in .interrupted }
        let failure = failure.flatMap { $0.concerns(former, at: self.time.monotonic) ? $0 : nil }
        switch self.reason {
        case .error: self.failure = failure
        case nil, .interrupted:
            if let failure {
                (self.reason, self.failure) = (.error, failure)
            } else if !isReplaced, Self.isPlayedOut(former, at: self.position) {
                self.reason = .finished
            } else if !isReplaced, let next {
                self.isSkipped = former.mediaSessionID == next.mediaSessionID && Self.isInQueue(former, before: next)
            }
        case .finished, .cancelled, .unknown: break
        }
    }

    private static func isPlayedOut(_ status: MediaStatus, at position: Double?) -> Bool {
        guard let position, let duration = status.endingDuration, status.playerState == .playing || status.playerState == .buffering else {
            return false
        }
        return duration - position <= min(PositionAnchor.seekLimit, duration / 4)
    }

    private static func isInQueue(_ former: MediaStatus, before next: MediaStatus) -> Bool {
        if let item = former.currentItemID, let other = next.loadingItemID ?? next.currentItemID, item != other { return true }
        return former.queueHasNextItem || former.queueHasPreviousItem
    }
}

/// An error of the player that no request of the bridge caused.
struct MediaFailure: Sendable, Hashable {
    /// How long after the error an end or another item is attributed to it.
    private static let reach = Duration.seconds(10)

    /// The receiver's detailed error code; `nil` when it gave none.
    var code: Int?
    /// The queue item that the receiver named.
    var itemID: Int?
    var time: MonotonicTime
    /// Whether `load_failed` was reported for it.
    var isReported = false

    /// Returns the members of an event about an item that this error ended.
    /// - Parameter itemID: the item if the receiver named none.
    static func facts(_ failure: Self?, itemID: Int?) -> EventFacts {
        ["detailed_error_code": self.number(failure?.code), "item": self.number(failure?.itemID ?? itemID)]
    }

    static func number(_ value: Int?) -> JSONValue { value.map { .integer(Int64($0)) } ?? .null }

    /// Returns whether the error explains the end of `status` at `end`.
    func concerns(_ status: MediaStatus, at end: MonotonicTime) -> Bool {
        (self.itemID == nil || status.currentItemID == nil || self.itemID == status.currentItemID) && end <= self.time + Self.reach
    }
}
