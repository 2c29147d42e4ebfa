/// The player of an application: one media session that truly progresses with the time it is told.
struct Player: Sendable {
    enum State: Sendable, Hashable {
        /// No session, or one that ended for that reason.
        case idle(IdleReason?)
        /// The item is being fetched; senders see IDLE with LOADING in `extendedStatus`.
        case loading(until: Duration)
        /// The item is there but does not move yet.
        case buffering(until: Duration, position: Double, thenPaused: Bool)
        case playing(since: Duration, from: Double)
        case paused(at: Double)
    }

    enum IdleReason: String, Sendable, Hashable {
        case cancelled = "CANCELLED"
        case interrupted = "INTERRUPTED"
        case finished = "FINISHED"
        case error = "ERROR"
    }

    /// What happened by itself.
    enum Event: Sendable, Hashable {
        /// The item is loaded; its media and queue are to be told.
        case loaded
        /// The item could not be loaded.
        case loadFailed
        /// Only the state changed.
        case changed
        /// The item ended and the next one of the queue is being loaded.
        case advanced
        case finished
        /// Playback broke.
        case failed
    }

    private(set) var state = State.idle(nil)
    /// 0 until the first load; grows with each one.
    private(set) var mediaSessionID = 0
    private(set) var queue: MediaQueue?
    private(set) var rate = 1.0
    var streamVolume = Volume(level: 1)
    private(set) var activeTrackIDs: [Int] = []
    var textTrackStyle: JSON?
    /// When the session ended; the application quits some time later.
    private(set) var idleSince: Duration?
    /// Where the item that plays now began; what a receiver with a stale cache keeps telling.
    private(set) var lastAnchor = 0.0

    /// Whether requests that name the session are meaningful.
    var hasSession: Bool { if case .idle = self.state { false } else { true } }
    var isLoading: Bool { if case .loading = self.state { true } else { false } }

    var playerState: String {
        switch self.state {
        case .idle, .loading: "IDLE"
        case .buffering: "BUFFERING"
        case .playing: "PLAYING"
        case .paused: "PAUSED"
        }
    }

    /// Seconds from the start of the item.
    func position(at now: Duration) -> Double {
        switch self.state {
        case .idle, .loading: return 0
        case .buffering(_, let position, _), .paused(let position): return position
        case .playing(let since, let from):
            let position = from + max(0, (now - since).inSeconds) * self.rate
            return min(position, self.queue?.current.duration ?? position)
        }
    }

    /// When something happens by itself next.
    var nextDeadline: Duration? {
        switch self.state {
        case .idle, .paused: return nil
        case .loading(let until), .buffering(let until, _, _): return until
        case .playing(let since, let from):
            guard let item = self.queue?.current else { return nil }
            let end = [item.duration, item.errorPosition].compactMap { $0 }.min()
            return end.map { since + .seconds(max(0, $0 - from) / self.rate) }
        }
    }

    /// Starts a session with `queue`; what ran before is over.
    mutating func load(_ queue: MediaQueue, activeTrackIDs: [Int], rate: Double, timing: MediaTiming, at now: Duration) {
        self.mediaSessionID += 1
        self.queue = queue
        self.activeTrackIDs = activeTrackIDs
        self.rate = rate
        self.textTrackStyle = queue.current.media["textTrackStyle"]
        self.beginLoading(timing: timing, at: now)
    }

    private mutating func beginLoading(timing: MediaTiming, at now: Duration) {
        self.idleSince = nil
        self.state = .loading(until: now + (self.queue?.current.loadTime ?? timing.loading))
    }

    /// Performs the next thing that is due at `now`; call until it returns `nil`.
    mutating func tick(timing: MediaTiming, at now: Duration) -> Event? {
        guard let deadline = self.nextDeadline, deadline <= now, let item = self.queue?.current else { return nil }
        switch self.state {
        case .idle, .paused: return nil
        case .loading:
            if item.isMissing {
                self.end(.error, at: now)
                return .loadFailed
            }
            let start = min(item.startTime, item.duration ?? item.startTime)
            self.lastAnchor = start
            self.state = .buffering(until: deadline + timing.buffering, position: start, thenPaused: !item.autoplay)
            return .loaded
        case .buffering(_, let position, let thenPaused):
            self.lastAnchor = position
            self.state = thenPaused ? .paused(at: position) : .playing(since: deadline, from: position)
            return .changed
        case .playing:
            if let broken = item.errorPosition, broken < item.duration ?? .infinity {
                self.end(.error, at: now)
                return .failed
            }
            if self.queue?.advance() ?? false {
                self.beginLoading(timing: timing, at: deadline)
                return .advanced
            }
            self.end(.finished, at: now)
            return .finished
        }
    }

    /// Ends the session.
    mutating func end(_ reason: IdleReason, at now: Duration) {
        self.state = .idle(reason)
        self.idleSince = now
    }

    mutating func play(at now: Duration) {
        switch self.state {
        case .idle, .loading, .playing: break
        case .buffering(let until, let position, _): self.state = .buffering(until: until, position: position, thenPaused: false)
        case .paused(let position): self.resume(from: position, at: now)
        }
    }

    private mutating func resume(from position: Double, at now: Duration) {
        self.lastAnchor = position
        self.state = .playing(since: now, from: position)
    }

    mutating func pause(at now: Duration) {
        switch self.state {
        case .idle, .loading, .paused: break
        case .buffering, .playing: self.state = .paused(at: self.position(at: now))
        }
    }

    /// Moves within the item; it buffers for a moment when it is to play on.
    ///
    /// - Parameter playing: what it does afterwards; `nil` leaves it as it is.
    mutating func seek(to seconds: Double, playing: Bool?, timing: MediaTiming, at now: Duration) {
        let position = min(max(0, seconds), self.queue?.current.duration ?? max(0, seconds))
        let wasPlaying: Bool
        switch self.state {
        case .idle, .loading: return
        case .buffering(_, _, let thenPaused): wasPlaying = !thenPaused
        case .playing: wasPlaying = true
        case .paused: wasPlaying = false
        }
        self.lastAnchor = position
        self.state =
            playing ?? wasPlaying
            ? .buffering(until: now + timing.buffering, position: position, thenPaused: false) : .paused(at: position)
    }

    mutating func setRate(_ rate: Double, at now: Duration) {
        let position = self.position(at: now)
        self.rate = min(max(rate, 0.5), 2)
        if case .playing = self.state { self.resume(from: position, at: now) }
    }

    /// Goes to another item of the queue and loads it; false when there is none.
    mutating func jump(_ change: (inout MediaQueue) -> Bool, startTime: Double?, timing: MediaTiming, at now: Duration) -> Bool {
        guard var queue = self.queue, change(&queue) else { return false }
        if let startTime { queue.setStartTime(max(0, startTime)) }
        self.queue = queue
        self.activeTrackIDs = []
        self.beginLoading(timing: timing, at: now)
        return true
    }

    mutating func insert(_ items: [JSON], before: Int?) -> [Int]? { self.queue?.insert(items, before: before) }

    mutating func setRepeatMode(_ mode: String) { self.queue?.repeatMode = mode }

    /// Makes exactly these tracks active; false when the item has no such track.
    mutating func activate(tracks: [Int]) -> Bool {
        let known = (self.queue?.current.media["tracks"]?.elements ?? []).compactMap { $0["trackId"]?.int }
        guard tracks.allSatisfy(known.contains) else { return false }
        self.activeTrackIDs = tracks
        return true
    }
}

/// How long the simulated network takes.
struct MediaTiming: Sendable, Hashable {
    var loading: Duration
    var buffering: Duration
}
