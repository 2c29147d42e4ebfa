import CastModels

extension DeviceState {
    /// Handles a media status and decides whether it is shown at once.
    mutating func mediaStatus(_ status: MediaStatus?, at now: Now, _ options: DeviceOptions, _ effects: inout Effects) {
        self.media = status
        if let status, !status.isEnded {
            if self.isLoadPending, status.mediaSessionID != self.sessionBeforeLoad { self.isLoadPending = false }
            if let lateLoad, status.mediaSessionID != lateLoad.sessionBefore, status.playerState == .playing {
                // The load succeeded after all.
                self.lateLoad = nil
                if self.errorCode == AnswerCode.timeout.rawValue { self.setErrorCode(nil, &effects) }
            }
            // This is the gap between two items of one session. If it lasts, it is shown as loading.
            if status.isLoading, let shown = self.shownMedia, shown.mediaSessionID == status.mediaSessionID, !shown.isLoading {
                return self.holdBack(for: options.idleDebounce, reason: status.idleReason, at: now)
            }
            return self.show(status, reason: nil, at: now, silently: false, &effects)
        }
        let isStopped = self.stoppedSession != nil && self.shownMedia?.mediaSessionID == self.stoppedSession
        let reason = status?.idleReason ?? (isStopped ? .cancelled : nil)
        guard let shown = self.shownMedia, Self.mayContinue(after: reason) else {
            return self.show(nil, reason: reason, at: now, silently: false, &effects)
        }
        if self.isLoadPending { return self.holdBack(for: nil, reason: reason, at: now) }
        let continues = reason == .finished && shown.queueContinues
        self.holdBack(for: continues ? options.queueGapDebounce : options.idleDebounce, reason: reason, at: now)
    }

    /// Shows the media that was held back.
    mutating func releaseHold(at now: Now, _ effects: inout Effects) {
        guard let hold = self.hold else { return }
        let active = self.media.flatMap { $0.isEnded ? nil : $0 }
        self.show(active, reason: hold.reason ?? self.media?.idleReason, at: now, silently: false, &effects)
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
        self.playback?.stopCounting(at: now.monotonic)
        self.hold = Hold(
            until: self.hold?.until ?? patience.map { now.monotonic + $0 }, reason: reason ?? self.hold?.reason,
            since: self.hold?.since ?? now)
    }

    /// Shows `status` and derives everything that depends on it.
    /// - Parameters:
    ///   - reason: why the player is idle, when `status` is `nil`.
    ///   - application: the application whose media ended, when it is no longer running.
    mutating func show(
        _ status: MediaStatus?, reason: IdleReason?, at now: Now, silently: Bool, application: ReceiverApplication? = nil,
        _ effects: inout Effects
    ) {
        let former = self.shownMedia
        let isSameItem = self.continuesItem(with: status)
        let end =
            isSameItem
            ? nil
            : former.map {
                ItemEnd(
                    of: $0, anchor: self.anchor, hold: self.hold, reason: status == nil ? reason : nil, next: status,
                    failure: self.mediaFailure, isReplaced: self.isLoadPending || self.isLoadUnanswered, at: now)
            }
        self.hold = nil
        self.shownMedia = status
        if end?.failure != nil, !self.isLoadUnanswered { self.mediaFailure = nil }
        if status?.mediaSessionID != self.stoppedSession { self.stoppedSession = nil }
        if status == nil, self.queueWindow != nil {
            self.queueWindow = nil
            effects.documents.insert(.queue)
        }

        // Receivers repeat that they are idle without the reason of the first time.
        let formerReason = former == nil && application == nil ? self.idleReason : nil
        let idleReason = status == nil ? reason ?? formerReason : nil
        let formerAnchor = self.anchor
        let formerAd = self.ad
        var seeked = false
        if let status {
            (self.anchor, seeked) = PositionAnchor.following(formerAnchor, shown: isSameItem ? former : nil, status: status, at: now)
            self.ad = AdAnchor.following(formerAd, status: status, at: now)
        } else {
            self.anchor = nil
            self.ad = nil
        }
        if self.anchor != formerAnchor || self.ad != formerAd || idleReason != self.idleReason
            || !MediaStatus.looksEqual(former, status)
        {
            effects.documents.formUnion(.playback)
            effects.documents.formUnion(Self.documents(between: former, status, hasWindow: self.queueWindow != nil))
        }
        self.idleReason = idleReason
        let app = application?.displayName ?? self.runningApplication
        let step = MediaStep(
            former: former, current: status, end: end, app: app, seekedFrom: seeked ? formerAnchor : nil, anchor: self.anchor,
            adChange: (formerAd, self.ad), now: now)
        self.report(step, silently: silently, &effects)
    }

    /// Returns whether `status` is about the shown item. After its end the same item plays again.
    private func continuesItem(with status: MediaStatus?) -> Bool {
        guard let status, let shown = self.shownMedia, self.hold?.reason != .finished else { return false }
        return shown.isSameItem(as: status, positionContinues: self.anchor?.isContinued(by: status, after: shown))
    }

    /// The name of the running application.
    private var runningApplication: String? {
        // Read in place, because the application would be copied otherwise.
        if let name = self.receiver?.application?.name, !name.isEmpty { return name }
        return self.receiver?.application?.applicationID
    }

    /// Returns the documents that differ when `current` is shown after `former`, apart from those of `playback`.
    /// - Parameter hasWindow: whether the queue of one of them was read.
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
        if !isSameItem || hasOtherNext || hasOtherModes || former?.items != current?.items || !isSameMedia && hasItems {
            documents.insert(.queue)
        }
        return documents
    }
}

extension MediaStatus {
    /// Returns whether two statuses give the same documents. Position, live range and the time within an ad are compared by their anchors
    /// instead, because they change with every status.
    static func looksEqual(_ left: Self?, _ right: Self?) -> Bool {
        guard let left, let right else { return (left == nil) == (right == nil) }
        return left.isEqualButForProgress(to: right)
    }
}
