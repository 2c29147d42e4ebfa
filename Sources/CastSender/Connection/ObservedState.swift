import CastModels

/// The state that a request asks for. It ends the request: some receivers show the outcome and don't answer, others answer and do nothing.
///
/// Indirect, because requests copy it.
indirect enum ObservedState: Sendable, Hashable {
    /// Only an answer completes the request, whatever the receiver shows.
    case none
    /// A receiver status with this application, ready or not.
    case applicationRuns(String)
    /// A receiver status without this application session.
    case sessionEnded(String)
    case deviceLevel(WantedLevel)
    case deviceMuted(Bool)
    /// A media status with this player state; buffering also counts as playing.
    case playerState(PlayerState)
    case position(WantedPosition)
    case playbackRate(Double)
    case streamLevel(WantedLevel)
    case streamMuted(Bool)
    /// A media status in which these tracks are active and those are not; others are ignored.
    case tracks(active: Set<Int>, inactive: Set<Int>)
    /// A media status whose text style has at least these properties.
    case textStyle(TextTrackStyle)
    case repeatMode(RepeatMode)
    /// - formerIDs: the order of the queue before, which a receiver without a report of its shuffling changes.
    case shuffled(Bool, formerIDs: [Int])
    /// The queue plays or loads this item.
    /// - formerID: the item before; `nil` when it was not reported.
    case item(Int, formerID: Int?)
    /// The queue plays or loads another item than this, or this one from its start.
    case skipped(SkippedItem)
    case queue(QueueEdit)
    /// Other media than before plays, or is paused, after a load.
    case loaded(WantedMedia)
    /// A media status without this media session, or with the session idle.
    case mediaSessionEnded(Int)
    /// A media status in which this ad is not playing.
    case adEnded(PlayingAd)

    /// The parts of a device's state that change separately.
    enum Source: Sendable { case receiver, media, queue }

    /// Where the state shows, and what to ask the receiver for; `nil` when nothing shows it.
    var source: Source? {
        switch self {
        case .none: nil
        case .applicationRuns, .sessionEnded, .deviceLevel, .deviceMuted: .receiver
        case .playerState, .position, .playbackRate, .streamLevel, .streamMuted, .tracks, .textStyle, .repeatMode, .item, .skipped,
            .loaded, .mediaSessionEnded, .adEnded:
            .media
        case .shuffled, .queue: .queue
        }
    }

    /// Returns whether the state may show in this part.
    func shows(in source: Source) -> Bool {
        if case .shuffled = self, source == .media { return true }
        return source == self.source
    }

    /// Whether it may be reached by the end of the media.
    var mayEndMedia: Bool {
        switch self {
        case .mediaSessionEnded, .queue(.removed): true
        default: false
        }
    }

    /// What a device's state says of the wanted one.
    enum Evidence: Hashable {
        case shown
        /// The player loads or buffers, so the wanted state may still come.
        case onTheWay
        /// The receiver doesn't report this, so its answer can only be believed.
        case unreported
        /// Something else holds.
        /// - distance: how far a level is from the wanted one.
        case other(distance: Double? = nil)
        /// Another sender replaced what was wanted.
        case overtaken
        /// The media session, in which it was wanted, has ended.
        case ended
    }

    func evidence(in facts: ObservedFacts) -> Evidence {
        switch self {
        case .none: .unreported
        // A launch is judged by its caller, which waits longer.
        case .applicationRuns(let id): facts.receiver?.application?.matches(id) == true ? .shown : .unreported
        case .sessionEnded(let id): facts.receiver?.application?.sessionID == id ? .other() : .shown
        case .deviceLevel(let level): level.evidence(in: facts.receiver?.volume)
        case .deviceMuted(let isMuted): Evidence(facts.receiver?.volume?.isMuted) { $0 == isMuted }
        case .queue where facts.media?.isEnded ?? true: self.mayEndMedia ? .shown : .ended
        case .queue(let edit): edit.evidence(in: facts.queue)
        case .mediaSessionEnded(let id): facts.media.map { $0.mediaSessionID != id || $0.isEnded } ?? true ? .shown : .other()
        case .loaded(let media): media.evidence(in: facts.media)
        case .position(let position) where facts.media?.isEnded ?? true: position.isAtEnd ? .shown : .ended
        case .skipped where facts.media?.isEnded ?? true, .adEnded where facts.media?.isEnded ?? true: .shown
        default: self.evidence(in: facts.media, facts.queue)
        }
    }

    /// The evidence about media that plays.
    private func evidence(in status: MediaStatus?, _ queue: ObservedFacts.Queue?) -> Evidence {
        guard let status, !status.isEnded else { return .ended }
        let evidence: Evidence =
            switch self {
            case .playerState(.playing): status.playerState == .playing || status.playerState == .buffering ? .shown : .other()
            case .playerState(let state): status.playerState == state ? .shown : .other()
            case .position(let position): position.evidence(in: status)
            // Some receivers report 0 while paused, which is not a rate.
            case .playbackRate where status.playbackRate == 0 && status.playerState != .playing: .unreported
            case .playbackRate(let rate): Evidence(status.playbackRate) { abs($0 - rate) <= 0.01 }
            case .streamLevel(let level): level.evidence(in: status.streamVolume)
            case .streamMuted(let isMuted): Evidence(status.streamVolume?.isMuted) { $0 == isMuted }
            case .tracks(let active, let inactive):
                Evidence(status.reportedActiveTrackIDs) { active.isSubset(of: $0) && inactive.isDisjoint(with: $0) }
            // Some receivers take a style without reporting one, or keep reporting the previous one.
            case .textStyle(let style): status.media?.textTrackStyle.map { $0.merged(with: style) == $0 } ?? false ? .shown : .unreported
            case .repeatMode(let mode): Evidence(status.queueRepeatMode) { $0 == mode }
            case .shuffled(let isShuffled, let formerIDs): Self.shuffle(isShuffled, formerIDs, status, queue)
            case .item(_, nil) where status.reportedItemIDs.isEmpty: .unreported
            case .item(let id, _): status.reportedItemIDs.contains(id) ? .shown : .other()
            case .skipped(let item): item.evidence(in: status)
            case .adEnded(let ad): ad.evidence(in: status)
            case .none, .applicationRuns, .sessionEnded, .deviceLevel, .deviceMuted, .queue, .mediaSessionEnded, .loaded: .unreported
            }
        if case .other = evidence, self.dependsOnLoading, status.playerState == .buffering || status.isLoading { return .onTheWay }
        return evidence
    }

    /// Whether players reach the state only once they have loaded.
    private var dependsOnLoading: Bool {
        switch self {
        case .playerState, .position, .tracks, .item, .skipped, .adEnded: true
        default: false
        }
    }

    private static func shuffle(
        _ isShuffled: Bool, _ formerIDs: [Int], _ status: MediaStatus, _ queue: ObservedFacts.Queue?
    ) -> Evidence {
        if status.isQueueShuffled == isShuffled { return .shown }
        // Receivers report a shuffle in several ways, or not at all. One without shuffling may answer and keep its order; the order of two
        // items says nothing.
        guard !status.supportedMediaCommands.contains(.queueShuffle), let queue, queue.isWhole, formerIDs.count > 2 else {
            return .unreported
        }
        return queue.itemIDs == formerIDs ? .other() : .shown
    }
}

extension ObservedState.Evidence {
    /// - Parameter fact: what the receiver reports; `nil` when it reports none.
    fileprivate init<Fact>(_ fact: Fact?, _ holds: (Fact) -> Bool) {
        self = fact.map { holds($0) ? .shown : .other() } ?? .unreported
    }
}

/// The state of a device as a session knows it.
struct ObservedFacts {
    var receiver: ReceiverStatus?
    var media: MediaStatus?
    /// `nil` while the queue was not read.
    var queue: Queue?

    struct Queue {
        var itemIDs: [Int]
        /// Whether these are all items, not only those around the current one.
        var isWhole: Bool
        /// The items whose content changed just now.
        var updatedIDs: [Int] = []
    }
}

extension MediaStatus {
    /// The items that the receiver plays or loads.
    var reportedItemIDs: [Int] { [self.currentItemID, self.loadingItemID].compactMap { $0 } }
}
