import CastModels

/// The level that a request sets, 0 to 1. Within one step of the device it counts as reached, moved or not.
struct WantedLevel: Sendable, Hashable {
    var level: Double
    /// The level before; `nil` when it was not reported.
    var former: Double?

    /// The precision of receivers, which round to percent.
    private static let rounding = 0.005
    /// The largest step of a device that reports no step, and the largest reported one that is plausible.
    private static let largestStep = 0.1

    func evidence(in volume: DeviceVolume?) -> ObservedState.Evidence {
        guard let reported = volume?.level else { return .unreported }
        let distance = abs(reported - self.level)
        // The step next to the wanted level, not two steps that happen to be so near.
        let step = min(volume?.stepInterval ?? 0, Self.largestStep) * 0.99
        if distance < max(Self.rounding, step) { return .shown }
        let hasMoved = self.former.map { abs(reported - $0) > Self.rounding } ?? false
        return hasMoved && volume?.stepInterval == nil && distance < Self.largestStep / 2 ? .shown : .other(distance: distance)
    }
}

/// The position that a seek asks for. Players go to a key frame, play on, and stay behind a live edge.
struct WantedPosition: Sendable, Hashable {
    /// Seconds.
    var target: Double
    /// The position before; `nil` when it was not reported.
    private let former: Double?
    private let sentAt: MonotonicTime
    private let rate: Double
    private let mediaSessionID: Int
    private let itemID: Int?
    /// The largest distance to a key frame, or to a live edge.
    private let tolerance: Double
    private let isLiveEdge: Bool
    /// Whether the media may end at once there.
    let isAtEnd: Bool

    /// The precision of receivers, some of which report whole seconds.
    private static let rounding = 1.0
    private static let keyFrameDistance = 10.0
    /// Live players keep some segments in reserve.
    private static let liveDistance = 30.0

    /// - Parameter status: the status before the seek.
    init(_ target: Double, in status: MediaStatus, at now: MonotonicTime) {
        self.target = target
        self.former = status.approximateStreamPosition(at: now)
        self.sentAt = now
        self.rate = max(1, status.effectiveRate)
        self.mediaSessionID = status.mediaSessionID
        self.itemID = status.currentItemID
        let live = status.approximateLiveSeekableRange(at: now)
        self.tolerance = live == nil ? Self.keyFrameDistance : Self.liveDistance
        self.isLiveEdge = live.map { target >= $0.end - Self.rounding } ?? false
        self.isAtEnd = status.endingDuration.map { target >= $0 - Self.keyFrameDistance } ?? false
    }

    func evidence(in status: MediaStatus) -> ObservedState.Evidence {
        let isOtherItem = self.itemID.map { mine in status.currentItemID.map { $0 != mine } ?? false } ?? false
        guard status.mediaSessionID == self.mediaSessionID, !isOtherItem else {
            return self.isAtEnd ? .shown : .overtaken
        }
        // An ad has a position of its own, or holds the media where the break lies.
        guard let position = status.currentTime, !status.isPlayingAd else { return .unreported }
        guard status.receivedAt > self.sentAt else { return .other() }
        let run = status.receivedAt.seconds(since: self.sentAt) * self.rate
        func isNear(_ start: Double, _ tolerance: Double) -> Bool { position >= start - tolerance && position <= start + run + tolerance }
        if isNear(self.target, Self.rounding) { return .shown }
        if !self.isLiveEdge, let former, isNear(former, Self.rounding) { return .other() }
        return isNear(self.target, self.tolerance) ? .shown : .other()
    }
}

/// The item that a jump leaves.
struct SkippedItem: Sendable, Hashable {
    private let mediaSessionID: Int
    private let itemID: Int?
    private let contentID: String?
    private let position: Double?
    private let leftAt: MonotonicTime

    /// Seconds into an item that count as its start.
    private static let start = 3.0

    init(_ status: MediaStatus, at now: MonotonicTime) {
        self.mediaSessionID = status.mediaSessionID
        self.itemID = status.currentItemID
        self.contentID = status.media?.contentID
        self.position = status.approximateStreamPosition(at: now)
        self.leftAt = now
    }

    func evidence(in status: MediaStatus) -> ObservedState.Evidence {
        if status.mediaSessionID != self.mediaSessionID || status.media?.contentID != self.contentID { return .shown }
        if let itemID, status.reportedItemIDs.contains(where: { $0 != itemID }) { return .shown }
        // A queue of one item, and players whose way back begins with the start of the current item.
        if let position, let now = status.currentTime, status.receivedAt > self.leftAt,
            now <= Self.start + status.receivedAt.seconds(since: self.leftAt), now + 1 < position, position > Self.start + 1
        {
            return .shown
        }
        // The only item of a queue, at its start, does not show a jump to its start. It follows itself where the queue repeats.
        let isAlone = status.items.count == 1 && status.queueWraps || !status.queueHasNextItem && !status.queueHasPreviousItem
        return self.itemID == nil || isAlone && (self.position ?? 0) <= Self.start + 1 ? .unreported : .other()
    }
}

/// A change of a queue's order.
enum QueueEdit: Sendable, Hashable {
    case inserted(formerIDs: Set<Int>)
    case removed([Int])
    /// - before: `nil` is the end.
    case reordered([Int], before: Int?, formerIDs: [Int])
    /// New content, which shows in notices only.
    case updated([Int])

    func evidence(in queue: ObservedFacts.Queue?) -> ObservedState.Evidence {
        guard let queue else { return .unreported }
        let isShown: Bool
        switch self {
        case .inserted(let formerIDs): isShown = queue.itemIDs.contains { !formerIDs.contains($0) }
        case .removed(let ids): isShown = Set(ids).isDisjoint(with: queue.itemIDs)
        case .reordered(let ids, let before, let formerIDs):
            isShown = queue.itemIDs != formerIDs || Self.hasOrder(queue.itemIDs, ids, before: before)
        case .updated(let ids): return Set(ids).isDisjoint(with: queue.updatedIDs) ? .unreported : .shown
        }
        return isShown ? .shown : queue.isWhole ? .other() : .unreported
    }

    /// Returns whether `moved` are in this order directly before an item, or at the end.
    private static func hasOrder(_ ids: [Int], _ moved: [Int], before item: Int?) -> Bool {
        let end = item.map { ids.firstIndex(of: $0) } ?? ids.endIndex
        return end.map { ids[..<$0].suffix(moved.count).elementsEqual(moved) } ?? false
    }
}

/// The media that a load asks for.
struct WantedMedia: Sendable, Hashable {
    /// The media session before; `nil` without one.
    var formerSessionID: Int?
    /// The identifiers of the media; empty when the application chooses them.
    var contentIDs: Set<String>

    /// Returns whether another media session than before plays, or is paused.
    func isFollowed(by status: MediaStatus?) -> Bool {
        guard let status, status.mediaSessionID != self.formerSessionID else { return false }
        return status.playerState == .playing || status.playerState == .paused
    }

    /// Never reports another state: another sender's load may show meanwhile, so only the answer proves a failure.
    func evidence(in status: MediaStatus?) -> ObservedState.Evidence {
        guard self.isFollowed(by: status), let media = status?.media else { return .unreported }
        return !self.contentIDs.isDisjoint(with: [media.contentID, media.contentURL].compactMap { $0 }) ? .shown : .unreported
    }
}

/// An ad that is to be skipped.
struct PlayingAd: Sendable, Hashable {
    var isReported: Bool
    var breakID: String?
    var clipID: String?

    init(_ status: MediaStatus) {
        self.isReported = status.isPlayingAd
        self.breakID = status.adBreakStatus?.breakID
        self.clipID = status.adBreakStatus?.breakClipID
    }

    func evidence(in status: MediaStatus) -> ObservedState.Evidence {
        guard status.isPlayingAd else { return self.isReported || !status.supportedMediaCommands.contains(.skipAd) ? .shown : .unreported }
        return status.adBreakStatus?.breakID == self.breakID && status.adBreakStatus?.breakClipID == self.clipID ? .other() : .shown
    }
}
