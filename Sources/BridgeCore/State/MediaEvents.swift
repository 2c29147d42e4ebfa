import CastModels

/// One change of the shown media, with the data for its events.
struct MediaStep {
    var former: MediaStatus?
    var current: MediaStatus?
    /// The end of `former`; `nil` when it continues in `current`.
    var end: ItemEnd?
    /// Whether a load of the bridge has no answer yet, which reports its failure.
    var isLoadUnanswered: Bool
    var app: String?
    /// The anchor before the position jumped; `nil` without a seek.
    var seekedFrom: PositionAnchor?
    var anchor: PositionAnchor?
    var adChange: (former: AdAnchor?, current: AdAnchor?)
}

/// The events of the shown media: decides which are reported, and keeps which were.
struct MediaEvents: Sendable, Hashable {
    private var playback: Playback?

    /// The events that were reported for the shown item.
    private struct Playback: Sendable, Hashable {
        var isAnnounced = false
        var hasPlayed = false
        /// Whether it was paused, ignoring phases of buffering.
        var isPaused = false
        /// Seconds that it has played until `playingSince`.
        var playedSeconds = 0.0
        var playingSince: MonotonicTime?
        /// When its beginning was reported; `nil` for media that was already playing when the device was first seen.
        var startedAt: Timestamp?

        func played(at time: MonotonicTime) -> Double {
            self.playedSeconds + (self.playingSince.map { max(0, time.seconds(since: $0)) } ?? 0)
        }

        mutating func stopCounting(at time: MonotonicTime) {
            self.playedSeconds = self.played(at: time)
            self.playingSince = nil
        }
    }

    mutating func clockStepped(by seconds: Double) { self.playback?.startedAt?.add(seconds: seconds) }

    /// The shown item no longer plays.
    mutating func stopCounting(at time: MonotonicTime) { self.playback?.stopCounting(at: time) }

    /// Reports the events of `step`.
    /// - Parameter silently: whether events are omitted, because the time of the change is unknown.
    mutating func report(_ step: MediaStep, silently: Bool, _ reduction: inout Reduction) {
        let count = reduction.outputs.count
        switch (step.former, step.current) {
        case (nil, nil): break
        case (nil, let current?):
            self.playback = Playback()
            self.follow(current, step, &reduction)
        case (let former?, nil):
            self.end(former, step, &reduction)
        case (let former?, let current?):
            if former.mediaSessionID != current.mediaSessionID {
                self.end(former, step, &reduction)
                self.playback = Playback()
            } else if step.end != nil {
                self.changeItem(from: former, to: current, step, &reduction)
            } else {
                Self.reportWithinItem(former, current, step, isAnnounced: self.playback?.isAnnounced ?? false, &reduction)
            }
            self.follow(current, step, &reduction)
        }
        guard silently else { return }
        self.playback?.startedAt = nil
        reduction.keep(count)
    }

    /// Reports the player's own transitions.
    private mutating func follow(_ status: MediaStatus, _ step: MediaStep, _ reduction: inout Reduction) {
        guard var playback = self.playback else { return }
        if !playback.isAnnounced, !status.isLoading {
            playback.isAnnounced = true
            playback.startedAt = reduction.now.wall
            reduction.report(Self.event(.mediaStarted, status, step, ["position": Self.seconds(step.anchor?.position)]))
        }
        if status.playerState == .playing {
            if playback.isPaused { reduction.report(Self.event(.resumed, status, step, ["position": Self.seconds(step.anchor?.position)])) }
            playback.isPaused = false
            playback.hasPlayed = true
            if playback.playingSince == nil { playback.playingSince = reduction.now.monotonic }
        } else {
            playback.stopCounting(at: reduction.now.monotonic)
            if status.playerState == .paused {
                if !playback.isPaused, playback.hasPlayed {
                    reduction.report(Self.event(.paused, status, step, ["position": Self.seconds(step.anchor?.position)]))
                }
                playback.isPaused = true
            }
        }
        self.playback = playback
    }

    private mutating func end(_ former: MediaStatus, _ step: MediaStep, _ reduction: inout Reduction) {
        let playback = self.playback ?? Playback()
        self.playback = nil
        guard let end = step.end else { return }
        let time = end.time == reduction.now ? nil : end.time.wall
        if step.adChange.former != nil { reduction.report(Self.adEvent(.adEnded, former, step.adChange.former, step, at: time)) }
        let error = MediaFailure.facts(end.failure, itemID: former.currentItemID)
        if !playback.hasPlayed, !step.isLoadUnanswered, end.reason == .error, end.failure?.isReported != true {
            reduction.report(Self.event(.loadFailed, former, step, ["code": "load_failed"] + error))
        }
        guard playback.isAnnounced else { return }
        let facts: EventFacts =
            [
                "reason": end.word.map { .string($0) } ?? .null, "played_s": Self.seconds(playback.played(at: end.time.monotonic)),
                "position": Self.seconds(end.position), "started_at": playback.startedAt.map { .string($0.text) } ?? .null,
            ] + error
        if end.reason == .cancelled || (end.reason == nil && step.current == nil) {
            reduction.report(Self.event(.stopped, former, step, facts, at: time))
        }
        reduction.report(Self.event(.mediaEnded, former, step, facts, at: time))
    }

    private mutating func changeItem(from former: MediaStatus, to current: MediaStatus, _ step: MediaStep, _ reduction: inout Reduction) {
        let playback = self.playback ?? Playback()
        guard playback.isAnnounced, !current.isLoading, let end = step.end else {
            // Announced only; reported when it loads.
            self.end(former, step, &reduction)
            self.playback = Playback()
            return
        }
        self.playback = Playback(isAnnounced: true, startedAt: reduction.now.wall)
        let media = former.shownMedia
        let facts: EventFacts = [
            "reason": "item", "previous_title": (media?.metadata?.title).map { .string($0) } ?? .null,
            "previous_content_id": (media?.contentID).map { .string($0) } ?? .null,
            "previous_reason": end.word.map { .string($0) } ?? .null, "previous_position": Self.seconds(end.position),
            "played_s": Self.seconds(playback.played(at: end.time.monotonic)),
            "started_at": playback.startedAt.map { .string($0.text) } ?? .null,
            "previous_detailed_error_code": MediaFailure.number(end.failure?.code),
        ]
        reduction.report(Self.event(.mediaChanged, current, step, facts))
    }

    /// Reports the events within one item.
    /// - Parameter isAnnounced: whether `media_started` was reported. Before that, a jump of the position is the start of the item.
    private static func reportWithinItem(
        _ former: MediaStatus, _ current: MediaStatus, _ step: MediaStep, isAnnounced: Bool, _ reduction: inout Reduction
    ) {
        if former.shownMedia != current.shownMedia, let formerTitle = former.shownMedia?.metadata?.title,
            let title = current.shownMedia?.metadata?.title, title != formerTitle
        {
            reduction.report(self.event(.mediaChanged, current, step, ["reason": "metadata", "previous_title": .string(formerTitle)]))
        }
        if isAnnounced, let start = step.seekedFrom {
            let from = start.position(at: step.anchor?.at ?? reduction.now.monotonic)
            reduction.report(self.event(.seeked, current, step, ["from": self.seconds(from), "to": self.seconds(step.anchor?.position)]))
        }
        let (formerAd, currentAd) = step.adChange
        if formerAd != nil, formerAd?.breakID != currentAd?.breakID || formerAd?.clipID != currentAd?.clipID {
            reduction.report(self.adEvent(.adEnded, former, formerAd, step))
        }
        if let currentAd, formerAd?.breakID != currentAd.breakID || formerAd?.clipID != currentAd.clipID || formerAd == nil {
            reduction.report(self.adEvent(.adStarted, current, currentAd, step))
        }
        // A queue is usually unchanged, which is checked first.
        guard
            former.items != current.items || former.queueRepeatMode != current.queueRepeatMode
                || former.isQueueShuffled != current.isQueueShuffled
        else { return }
        let items = (former.items.map(\.itemID), current.items.map(\.itemID))
        let modes = (QueueOverview(former), QueueOverview(current))
        if !items.0.isEmpty, !items.1.isEmpty,
            items.0 != items.1 || modes.0.repeatMode != modes.1.repeatMode || modes.0.shuffle != modes.1.shuffle
        {
            reduction.report(
                self.event(
                    .queueChanged, current, step,
                    [
                        "length": modes.1.length.map { .integer(Int64($0)) } ?? .null,
                        "repeat": modes.1.repeatMode?.word.map { .string($0) } ?? .null,
                        "shuffle": modes.1.shuffle.map { .bool($0) } ?? .null,
                    ]))
        }
    }

    private static func event(
        _ kind: PublishedEvent.Kind, _ status: MediaStatus, _ step: MediaStep, _ facts: EventFacts = [:],
        at time: Timestamp? = nil
    ) -> PublishedEvent {
        let media = status.shownMedia
        let reportsItem =
            switch kind {
            case .mediaStarted, .mediaChanged, .mediaEnded, .stopped: true
            case .paused, .resumed, .seeked, .appChanged, .adStarted, .adEnded, .loadFailed, .commandFailed, .queueChanged,
                .sessionStarted, .sessionResumed, .sessionSuspended, .sessionEnded:
                false
            }
        return PublishedEvent(
            kind, title: media?.metadata?.title, contentID: media?.contentID ?? media?.contentURL, app: step.app,
            item: reportsItem ? PublishedEvent.Item(status) : nil, facts: facts,
            time: time)
    }

    private static func adEvent(
        _ kind: PublishedEvent.Kind, _ status: MediaStatus, _ ad: AdAnchor?, _ step: MediaStep, at time: Timestamp? = nil
    ) -> PublishedEvent {
        let facts: EventFacts = ["break": ad?.breakID.map { .string($0) } ?? .null, "clip": ad?.clipID.map { .string($0) } ?? .null]
        return self.event(kind, status, step, facts, at: time)
    }

    /// Returns seconds with at most 3 decimals.
    private static func seconds(_ value: Double?) -> JSONValue {
        guard let value, value.isFinite, abs(value) < 9e12 else { return .null }
        return .number((value * 1000).rounded() / 1000)
    }
}
