import CastModels

/// The media of a device: as it was reported, as documents show it, and how the last one ended.
///
/// Decides what is shown: the end of an item is held back if a new item may follow, the position is an anchor, and the values of an item
/// disappear together.
public struct DeviceMedia: Sendable, Equatable {
    /// The last status as reported, independently of what is shown. Commands use it.
    public private(set) var reported: MediaStatus?
    /// The media session that documents show; `nil` when there is none or it ended.
    public private(set) var shown: MediaStatus?
    /// Why the last media ended, until other media is shown.
    public private(set) var idleReason: IdleReason?
    /// The queue as last read; ignored if it belongs to another media session than `shown`.
    @Shared private var queueWindow: MediaQueueWindow?
    /// The position of `shown`.
    public private(set) var anchor: PositionAnchor?
    /// The ad within `shown`.
    public private(set) var ad: AdAnchor?
    /// An end of an item that is not shown yet.
    private var hold: Hold?
    private var events = MediaEvents()
    /// The last error of the player that has not ended an item yet.
    private var failure: MediaFailure?
    /// Whether a command of the bridge stops `shown`. Some receivers report its end without a reason, like the gap between two items.
    private var isStopping = false

    /// An end of an item that a new item may follow.
    struct Hold: Sendable, Hashable {
        /// When to show the end; `nil` while a load of the bridge decides it.
        var until: MonotonicTime?
        var reason: IdleReason?
        /// When the device reported it.
        var since: Now
    }

    /// The queue of `shown`, if it was read.
    public var queue: MediaQueueWindow? { self.queueWindow?.mediaSessionID == self.shown?.mediaSessionID ? self.queueWindow : nil }

    /// When time alone changes what is shown; `nil` when it does not.
    var deadline: MonotonicTime? { MonotonicTime.earlier(self.hold?.until, self.ad?.deadline) }

    /// The queue in its box, to recognise copies.
    var sharedQueue: Shared<MediaQueueWindow?> { self._queueWindow }

    /// The reported session, unless it ended.
    private var active: MediaStatus? { self.reported.flatMap { $0.isEnded ? nil : $0 } }

    // MARK: Statuses

    /// Handles a status and decides whether it is shown at once.
    /// - Parameter app: the name of the running application.
    mutating func statusReported(_ status: MediaStatus?, _ load: RequestedLoad, app: String?, _ reduction: inout Reduction) {
        self.reported = status
        if let status, !status.isEnded {
            // This is the gap between two items of one session. If it lasts, it is shown as loading.
            if status.isLoading, let shown, shown.mediaSessionID == status.mediaSessionID, !shown.isLoading {
                return self.holdBack(for: reduction.options.idleDebounce, reason: status.idleReason, at: reduction.now)
            }
            return self.show(status, load, app: app, &reduction)
        }
        let reason = status?.idleReason ?? (self.isStopping ? .cancelled : nil)
        guard let shown, Self.mayContinue(after: reason) else { return self.show(nil, reason: reason, load, app: app, &reduction) }
        if load.isPending { return self.holdBack(for: nil, reason: reason, at: reduction.now) }
        let continues = reason == .finished && shown.queueContinues
        let options = reduction.options
        self.holdBack(for: continues ? options.queueGapDebounce : options.idleDebounce, reason: reason, at: reduction.now)
    }

    /// Corrects the times of the wall clock. They were computed from the monotonic clock by a wall clock that was wrong.
    mutating func clockStepped(by seconds: Double) {
        self.anchor?.wallAt.add(seconds: seconds)
        self.ad?.clockStepped(by: seconds)
        self.events.clockStepped(by: seconds)
    }

    /// Shows what was read after an absence, without events.
    mutating func read(_ status: MediaStatus?, _ load: RequestedLoad, app: String?, _ reduction: inout Reduction) {
        self.reported = status
        self.show(self.active, reason: status?.idleReason, load, app: app, silently: true, &reduction)
    }

    /// Ends the media of an application session that is no longer the running one.
    /// - Parameters:
    ///   - former: the application; `nil` if there was none.
    ///   - app: the name of the running application.
    mutating func applicationChanged(
        from former: ReceiverApplication?, _ load: RequestedLoad, app: String?, silently: Bool, _ reduction: inout Reduction
    ) {
        (self.reported, self.failure) = (nil, nil)
        let name = former?.displayName ?? app
        self.show(nil, load, app: name, silently: silently, isNewApplication: former != nil, &reduction)
    }

    /// Shows the media that was held back.
    private mutating func releaseHold(_ load: RequestedLoad, app: String?, _ reduction: inout Reduction) {
        guard let hold else { return }
        self.show(self.active, reason: hold.reason ?? self.reported?.idleReason, load, app: app, &reduction)
    }

    /// Returns whether an end with this reason is often followed by a new item. A stop and an error are final.
    private static func mayContinue(after reason: IdleReason?) -> Bool {
        switch reason {
        case .finished, .interrupted, nil: true
        case .cancelled, .error, .unknown: false
        }
    }

    /// Holds the end of the shown item back. A pending hold keeps its deadline, so that no sequence of statuses can hide an end forever, and
    /// its time, which is that of the end.
    private mutating func holdBack(for patience: Duration?, reason: IdleReason?, at now: Now) {
        self.events.stopCounting(at: now.monotonic)
        self.hold = Hold(
            until: self.hold?.until ?? patience.map { now.monotonic + $0 }, reason: reason ?? self.hold?.reason,
            since: self.hold?.since ?? now)
    }

    /// Shows `status` and derives everything that depends on it.
    /// - Parameters:
    ///   - reason: why the player is idle, when `status` is `nil`.
    ///   - app: the name of the application whose media it is or was.
    private mutating func show(
        _ status: MediaStatus?, reason: IdleReason? = nil, _ load: RequestedLoad, app: String?, silently: Bool = false,
        isNewApplication: Bool = false, _ reduction: inout Reduction
    ) {
        let former = self.shown
        let isSameItem = self.continuesItem(with: status)
        let end =
            isSameItem
            ? nil
            : former.map {
                ItemEnd(
                    of: $0, anchor: self.anchor, hold: self.hold, reason: status == nil ? reason : nil, next: status,
                    failure: self.failure, isReplaced: load.isPending || load.isUnanswered, at: reduction.now)
            }
        self.hold = nil
        self.shown = status
        if end?.failure != nil, !load.isUnanswered { self.failure = nil }
        if status?.mediaSessionID != former?.mediaSessionID { self.isStopping = false }
        if status == nil, self.queueWindow != nil {
            self.queueWindow = nil
            reduction.documents.insert(.queue)
        }

        // Receivers repeat that they are idle without the reason of the first time.
        let formerReason = former == nil && !isNewApplication ? self.idleReason : nil
        let idleReason = status == nil ? reason ?? formerReason : nil
        let formerAnchor = self.anchor
        let formerAd = self.ad
        var seeked = false
        if let status {
            let shown = isSameItem ? former : nil
            (self.anchor, seeked) = PositionAnchor.following(formerAnchor, shown: shown, status: status, at: reduction.now)
            self.ad = AdAnchor.following(formerAd, status: status, at: reduction.now)
        } else {
            self.anchor = nil
            self.ad = nil
        }
        if self.anchor != formerAnchor || self.ad != formerAd || idleReason != self.idleReason
            || !MediaStatus.looksEqual(former, status)
        {
            reduction.documents.formUnion(.playback)
            reduction.documents.formUnion(Self.documents(between: former, status, hasWindow: self.queueWindow?.items.isEmpty == false))
        }
        self.idleReason = idleReason
        let step = MediaStep(
            former: former, current: status, end: end, isLoadUnanswered: load.isUnanswered, app: app,
            seekedFrom: seeked ? formerAnchor : nil, anchor: self.anchor, adChange: (formerAd, self.ad))
        self.events.report(step, silently: silently, &reduction)
    }

    /// Returns whether `status` is about the shown item. After its end the same item plays again.
    private func continuesItem(with status: MediaStatus?) -> Bool {
        guard let status, let shown, self.hold?.reason != .finished else { return false }
        return shown.isSameItem(as: status, positionContinues: self.anchor?.isContinued(by: status, after: shown))
    }

    // MARK: Other events

    /// Handles the queue as it was read. Media that is still shown keeps its queue; both end together.
    mutating func queueRead(_ window: MediaQueueWindow?, _ reduction: inout Reduction) {
        guard window != self.queueWindow, window != nil || self.shown == nil else { return }
        let former = self.queue
        let overview = self.shown.map { QueueOverview($0, former) }
        self.queueWindow = window
        if self.queue != former { reduction.documents.insert(.queue) }
        if self.shown.map({ QueueOverview($0, self.queue) }) != overview { reduction.documents.insert(.state) }
    }

    mutating func stopRequested() { self.isStopping = self.shown != nil }

    mutating func stopFailed() { self.isStopping = false }

    mutating func loadRequested() { self.failure = nil }

    /// A load of the bridge no longer decides a held end.
    mutating func loadStalled(_ reduction: Reduction) {
        if let hold, hold.until == nil { self.hold?.until = reduction.now.monotonic + reduction.options.idleDebounce }
    }

    /// - Parameters:
    ///   - failure: the code of the answer, `nil` on success.
    ///   - detail: the receiver's detailed error code.
    ///   - media: what was to be loaded.
    mutating func loadAnswered(
        _ failure: String?, _ detail: Int?, _ media: MediaInformation?, _ load: RequestedLoad, app: String?, _ reduction: inout Reduction
    ) {
        guard let failure else {
            self.loadStalled(reduction)
            return self.reportFailedItem(app: app, &reduction)
        }
        if let hold, hold.until == nil { self.releaseHold(load, app: app, &reduction) }
        self.reportFailedLoad(failure, detail ?? self.failure?.code, self.failure?.itemID, media, app: app, &reduction)
        self.failure = nil
    }

    /// Handles an error of the player. One of the item that plays is part of its end, which a status reports.
    mutating func failed(_ error: CastError, _ load: RequestedLoad, app: String?, _ reduction: inout Reduction) {
        guard error.code == .mediaError || error.code == .mediaLoadFailed else { return }
        self.failure = MediaFailure(code: error.detailedErrorCode, itemID: error.itemID, time: reduction.now.monotonic)
        if !load.isUnanswered { self.reportFailedItem(app: app, &reduction) }
    }

    /// Reports an item of a queue that could not be loaded; the receiver plays the next one.
    private mutating func reportFailedItem(app: String?, _ reduction: inout Reduction) {
        guard let failure, let itemID = failure.itemID, !failure.isReported else { return }
        if let shown, shown.currentItemID == itemID, !shown.isLoading { return }
        self.failure?.isReported = true
        self.reportFailedLoad("load_failed", failure.code, itemID, app: app, &reduction)
    }

    /// - Parameter requested: what a command wanted to load.
    private func reportFailedLoad(
        _ code: String, _ detail: Int?, _ itemID: Int?, _ requested: MediaInformation? = nil, app: String?, _ reduction: inout Reduction
    ) {
        let items = [self.queueWindow?.items, self.reported?.items, self.shown?.items].compactMap(\.self).joined()
        let media = itemID.flatMap { id in items.first { $0.itemID == id }?.media } ?? requested
        let facts: EventFacts = [
            "code": .string(code), "detailed_error_code": MediaFailure.number(detail), "item": MediaFailure.number(itemID),
        ]
        reduction.report(
            PublishedEvent(
                .loadFailed, title: media?.metadata?.title, contentID: media?.contentID ?? media?.contentURL, app: app, facts: facts))
    }

    /// The device is offline: nothing is to be shown later, and nothing plays as far as is known.
    mutating func wentOffline(at time: MonotonicTime) {
        (self.hold, self.ad) = (nil, nil)
        self.events.stopCounting(at: time)
    }

    mutating func timer(_ load: RequestedLoad, app: String?, _ reduction: inout Reduction) {
        let time = reduction.now.monotonic
        if let until = self.hold?.until, time >= until { self.releaseHold(load, app: app, &reduction) }
        if let deadline = self.ad?.deadline, time >= deadline {
            self.ad?.update(at: time)
            reduction.documents.insert(.state)
        }
    }

    // MARK: Comparison

    /// Returns the documents that differ when `current` is shown after `former`, apart from those of `playback`.
    /// - Parameter hasWindow: whether the queue was read and has items.
    static func documents(between former: MediaStatus?, _ current: MediaStatus?, hasWindow: Bool) -> DeviceDocuments {
        var documents: DeviceDocuments = []
        let (formerMedia, currentMedia) = (former?.shownMedia, current?.shownMedia)
        let isSameMedia = formerMedia == currentMedia
        let isSameItem = former?.mediaSessionID == current?.mediaSessionID && former?.currentItemID == current?.currentItemID
        if former?.activeTrackIDs != current?.activeTrackIDs
            || !isSameMedia
                && (formerMedia?.tracks != currentMedia?.tracks || formerMedia?.textTrackStyle != currentMedia?.textTrackStyle)
        {
            documents.insert(.tracks)
        }
        let hasOtherModes = former?.queueRepeatMode != current?.queueRepeatMode || former?.isQueueShuffled != current?.isQueueShuffled
        if !isSameMedia || hasOtherModes { documents.insert(.mediaValues) }
        // The document describes items, and with them the media; it has no items for a queue that the device does not report.
        let hasItems = hasWindow || former?.items.isEmpty == false || current?.items.isEmpty == false
        let hasOtherNext = former?.loadingItemID != current?.loadingItemID || former?.preloadedItemID != current?.preloadedItemID
        if !isSameItem || hasOtherNext || hasOtherModes || former?.items != current?.items || !isSameMedia && hasItems
            || former?.queueData != current?.queueData
        {
            documents.insert(.queue)
        }
        return documents
    }
}

extension MediaStatus {
    /// Returns whether two statuses give the same documents. Position, live range and the time within an ad are compared by their anchors
    /// instead, because they change with every status.
    fileprivate static func looksEqual(_ left: Self?, _ right: Self?) -> Bool {
        guard let left, let right else { return (left == nil) == (right == nil) }
        return left.isEqualButForProgress(to: right)
    }
}
