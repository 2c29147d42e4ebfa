/// Requests of senders to a session.
extension Player {
    mutating func play(at now: Duration) {
        switch self.state {
        case .idle, .fetching, .loading, .playing: break
        case .buffering(let until, let position, _): self.state = .buffering(until: until, position: position, thenPaused: false)
        case .paused(let position, _): self.start(from: self.liveRange(at: now).map { max(position, $0.lowerBound) } ?? position, at: now)
        case .advertising(var progress):
            if progress.since == nil { progress.settle(at: now, isMoving: true) }
            self.state = .advertising(progress)
        }
    }

    mutating func pause(at now: Duration) {
        switch self.state {
        case .idle, .fetching, .loading, .paused: break
        case .buffering, .playing: self.state = .paused(at: self.position(at: now), since: now)
        case .advertising(var progress):
            progress.settle(at: now, isMoving: false)
            self.state = .advertising(progress)
        }
    }

    /// Moves within the item; it buffers for a short time if it continues to play.
    ///
    /// - Parameter playing: whether it plays afterwards; `nil` keeps its state.
    mutating func seek(to seconds: Double, playing: Bool?, timing: MediaTiming, at now: Duration) {
        let range = self.liveRange(at: now) ?? 0...max(0, self.queue?.current.end ?? seconds)
        let position = min(max(range.lowerBound, seconds), range.upperBound)
        let wasPlaying: Bool
        switch self.state {
        case .idle, .fetching, .loading, .advertising: return
        case .buffering(_, _, let thenPaused): wasPlaying = !thenPaused
        case .playing: wasPlaying = true
        case .paused: wasPlaying = false
        }
        self.lastAnchor = position
        if playing ?? wasPlaying {
            self.state = .buffering(until: now + timing.buffering, position: position, thenPaused: false)
        } else {
            self.state = .paused(at: position, since: now)
        }
    }

    /// Plays another item from `seconds` on without loading it, like music services that keep their own queue: the item takes the place and
    /// id of the current one, and the session continues.
    mutating func goOn(with item: MediaItem, from seconds: Double, at now: Duration) {
        guard let queue = self.queue else { return }
        var next = item
        next.itemID = queue.current.itemID
        self.queue?.items[queue.currentIndex] = next
        self.tracks.begin(next)
        self.preloadedItemID = nil
        self.loadedAt = now
        self.breaks = ScheduledBreak.all(of: next.media).filter { !$0.isWatched }
        self.start(from: min(max(0, seconds), next.duration ?? seconds), at: now)
    }

    mutating func setRate(_ rate: Double, at now: Duration) {
        let position = self.position(at: now)
        self.rate = min(max(rate, 0.5), 2)
        if case .playing = self.state { self.start(from: position, at: now) }
    }

    /// Continues with the next clip or the item; `nil` when no clip is playing that may be skipped now.
    mutating func skipAd(timing: MediaTiming, at now: Duration) -> Event? {
        guard self.adBreak?.isSkippable(at: now) ?? false else { return nil }
        return self.endClip(timing: timing, at: now)
    }

    /// Preloads an item of the queue; returns `false` when there is no such item.
    mutating func preload(itemID: Int) -> Bool {
        guard self.queue?.index(of: itemID) != nil else { return false }
        self.preloadedItemID = itemID
        return true
    }

    mutating func edit<Result>(_ change: (inout PlayerQueue) -> Result?) -> Result? {
        guard var queue = self.queue, let result = change(&queue) else { return nil }
        self.queue = queue
        if let preloadedItemID, queue.index(of: preloadedItemID) == nil { self.preloadedItemID = nil }
        return result
    }
}
