/// The changes of a session without a request.
extension Player {
    func playingDeadline(since: Duration, from: Double) -> Duration? {
        guard let item = self.queue?.current else { return nil }
        if let window = item.liveWindow { return self.liveDeadline(window, since: since, from: from) }
        let positions = [item.end, item.errorPosition, self.nextBreak(after: from)?.position, self.preloadPosition(after: from)]
        return positions.compactMap { $0 }.min().map { since + .bounded(seconds: max(0, $0 - from) / self.speed) }
    }

    /// Returns when a live broadcast ends, and then when playback reaches its end.
    private func liveDeadline(_ window: LiveWindow, since: Duration, from: Double) -> Duration? {
        guard let endsAfter = window.endsAfterSeconds else { return nil }
        let end = self.loadedAt + .bounded(seconds: endsAfter)
        if since < end { return end }
        return since + .bounded(seconds: max(0, window.range(after: endsAfter).upperBound - from) / self.speed)
    }

    /// Returns the first break after this position.
    private func nextBreak(after position: Double) -> ScheduledBreak? { self.breaks.first { !$0.isPostRoll && $0.position > position } }

    private func preloadPosition(after position: Double) -> Double? {
        guard let next = self.queue?.next, let end = self.queue?.current.end, self.preloadedItemID != next.itemID,
            let time = next.preloadTime
        else { return nil }
        let start = max(0, end - time)
        return start > position ? start : position
    }

    /// Performs the next change that is due at `now`; call it until it returns `nil`.
    mutating func tick(timing: MediaTiming, at now: Duration) -> Event? {
        guard let deadline = self.nextDeadline, deadline <= now, let item = self.queue?.current else { return nil }
        switch self.state {
        case .idle, .fetching: return nil
        case .paused: return .abandoned
        case .loading:
            if item.isMissing, !self.traits.fetches { return self.fail(code: item.errorCode ?? 905, at: now) }
            return self.loaded(item, timing: timing, at: deadline)
        case .buffering(_, let position, let thenPaused):
            self.lastAnchor = position
            if thenPaused { self.state = .paused(at: position, since: deadline) } else { self.start(from: position, at: deadline) }
            return .changed
        case .playing(let since, let from):
            let position = from + (deadline - since).inSeconds * self.speed
            if let window = item.liveWindow { return self.progress(window, since: since, position: position, timing: timing, at: deadline) }
            return self.progress(item, position: position, timing: timing, at: deadline)
        case .advertising(var progress):
            if progress.isSkippable(at: deadline), progress.clipTime(at: deadline) < progress.clip.durationSeconds - 0.001 {
                progress.settle(at: deadline, isMoving: true)
                self.state = .advertising(progress)
                return .changed
            }
            return self.endClip(timing: timing, at: deadline)
        }
    }

    /// Handles the result of a request for media.
    mutating func fetched(_ finding: FetchFinding, timing: MediaTiming, at now: Duration) -> Event? {
        guard case .fetching = self.state, let queue = self.queue else { return nil }
        switch finding {
        case .failed(let code, _): return self.fail(code: code, at: now)
        case .playable(let seconds, _):
            if !queue.current.isLive { self.queue?.items[queue.currentIndex].found(seconds: seconds) }
            return self.loaded(self.queue?.current ?? queue.current, timing: timing, at: now)
        }
    }

    /// A stream has ended at that time stamp: playback ends when it reaches it.
    mutating func streamEnded(seconds: Double?, at now: Duration) {
        guard self.hasSession, let queue = self.queue else { return }
        let position = self.position(at: now)
        self.queue?.items[queue.currentIndex].found(seconds: max(position, seconds ?? position))
    }

    /// Ends the session because the item could not be loaded.
    mutating func fail(code: Int, at now: Duration) -> Event {
        self.end(.error, at: now)
        return .loadFailed(code: code)
    }

    /// The item is loaded and buffers at its start.
    mutating func loaded(_ item: MediaItem, timing: MediaTiming, at now: Duration) -> Event {
        self.loadedAt = now
        let range = self.liveRange(at: now)
        var start = item.startTime ?? range?.upperBound ?? 0
        if let range { start = min(max(start, range.lowerBound), range.upperBound) } else { start = min(start, item.duration ?? start) }
        self.breaks = ScheduledBreak.all(of: item.media).filter { !$0.isWatched }
        self.lastAnchor = start
        self.state = .buffering(until: now + timing.buffering, position: start, thenPaused: !item.autoplay)
        return .loaded
    }

    private mutating func progress(_ item: MediaItem, position: Double, timing: MediaTiming, at now: Duration) -> Event {
        // Deadlines are rounded to the clock, so a position this close counts as reached.
        let reached = position + 0.001
        if let broken = item.errorPosition, broken < item.end ?? .infinity, reached >= broken {
            self.end(.error, at: now)
            return .failed(code: item.errorCode ?? 301)
        }
        if let next = self.breaks.first(where: { !$0.isPostRoll }), next.position <= reached, next.position < item.end ?? .infinity {
            self.start(from: next.position, at: now)
            return .changed
        }
        if reached < item.end ?? .infinity, self.preloadPosition(after: position).map({ $0 <= reached }) ?? false {
            self.preloadedItemID = self.queue?.next?.itemID
            self.state = .playing(since: now, from: position)
            return .changed
        }
        if let postRoll = self.breaks.first(where: \.isPostRoll) {
            self.breaks.removeAll { $0.isPostRoll }
            self.state = .advertising(
                AdBreakProgress(adBreak: postRoll, since: now, contentPosition: item.end ?? position, endsItem: true))
            return .changed
        }
        return self.endItem(timing: timing, at: now)
    }

    /// Handles the end of a live broadcast, which is reported first, and the end of playback.
    private mutating func progress(_ window: LiveWindow, since: Duration, position: Double, timing: MediaTiming, at now: Duration) -> Event
    {
        let range = window.range(after: (now - self.loadedAt).inSeconds)
        // A session that plays since the end or later has reported it.
        let isEndReported = window.endsAfterSeconds.map { since >= self.loadedAt + .bounded(seconds: $0) } ?? false
        guard isEndReported, position + 0.001 >= range.upperBound else {
            self.state = .playing(since: now, from: min(max(position, range.lowerBound), range.upperBound))
            return .changed
        }
        return self.endItem(timing: timing, at: now)
    }

    mutating func endItem(timing: MediaTiming, at now: Duration) -> Event {
        if self.queue?.advance() ?? false {
            self.nextSession()
            self.beginLoading(timing: timing, at: now)
            return .advanced
        }
        self.end(.finished, at: now)
        return .finished
    }

    /// Plays from a position on. A break at or before it that was not played yet plays first.
    mutating func start(from position: Double, at now: Duration) {
        self.lastAnchor = position
        if let due = self.breaks.last(where: { !$0.isPostRoll && $0.position <= position + 0.001 }) {
            self.breaks.removeAll { !$0.isPostRoll && $0.position <= position + 0.001 }
            self.state = .advertising(AdBreakProgress(adBreak: due, since: now, contentPosition: position))
        } else {
            self.state = .playing(since: now, from: position)
        }
    }

    /// Handles the end of a clip: the next clip, the item again, or the end of the item.
    mutating func endClip(timing: MediaTiming, at now: Duration) -> Event {
        guard case .advertising(var progress) = self.state else { return .changed }
        let isMoving = progress.since != nil
        if progress.nextClip(at: now) {
            self.state = .advertising(progress)
            return .changed
        }
        self.markWatched(progress.adBreak)
        if progress.endsItem { return self.endItem(timing: timing, at: now) }
        let length = progress.adBreak.clips.map(\.durationSeconds).reduce(0, +)
        let position = progress.contentPosition + (progress.adBreak.isEmbedded ? length : 0)
        if isMoving { self.start(from: position, at: now) } else { self.state = .paused(at: position, since: now) }
        return .mediaChanged
    }

    private mutating func markWatched(_ adBreak: ScheduledBreak) {
        guard let queue = self.queue, case .array(var breaks)? = queue.current.media["breaks"], breaks.indices.contains(adBreak.index)
        else { return }
        breaks[adBreak.index]["isWatched"] = true
        self.queue?.items[queue.currentIndex].media["breaks"] = .array(breaks)
    }
}
