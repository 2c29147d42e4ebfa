/// The player of an application: one media session that progresses with the time passed in.
struct Player: Sendable {
    enum State: Sendable, Hashable {
        /// There is no session, or it ended for that reason.
        case idle(IdleReason?)
        /// The item's URL is being requested; `fetched` ends this state.
        case fetching
        /// The item is being loaded; senders see IDLE with LOADING in `extendedStatus`, as while fetching.
        case loading(until: Duration)
        /// The item is loaded but its position does not advance yet.
        case buffering(until: Duration, position: Double, thenPaused: Bool)
        case playing(since: Duration, from: Double)
        case paused(at: Double, since: Duration)
        /// A break of the item is playing or paused.
        case advertising(AdBreakProgress)
    }

    enum IdleReason: String, Sendable, Hashable {
        case cancelled = "CANCELLED"
        case interrupted = "INTERRUPTED"
        case finished = "FINISHED"
        case error = "ERROR"
    }

    /// A change without a request.
    enum Event: Sendable, Hashable {
        /// The item is loaded; its media and queue must be reported.
        case loaded
        /// The item could not be loaded.
        case loadFailed(code: Int)
        /// Only the state changed.
        case changed
        /// The state and the media changed.
        case mediaChanged
        /// The item ended and the next one of the queue is being loaded.
        case advanced
        case finished
        case failed(code: Int)
        /// It was paused for so long that the application ends.
        case abandoned
    }

    /// The properties of an application's player.
    struct Traits: Sendable, Hashable {
        /// The bits of `supportedMediaCommands` that do not depend on the item.
        var commands = 0
        /// The time in pause after which the session ends; `nil` means never.
        var pauseLimit: Duration?
        /// Whether each item of a queue is a separate media session.
        var hasSessionPerItem = false
        /// Whether URLs are requested.
        var fetches = false
    }

    let traits: Traits
    // The properties below change only in the files of this type.
    var state = State.idle(nil)
    /// 0 until the first load; increases with each one.
    var mediaSessionID = 0
    var queue: PlayerQueue?
    /// The requested playback rate; items without rates play at 1.
    var rate = 1.0
    var streamVolume = Volume(level: 1)
    var tracks = ActiveTracks()
    /// When the session ended; the application ends some time later.
    var idleSince: Duration?
    /// The position at which the current stretch of playback began; a receiver with a stale cache keeps reporting it.
    var lastAnchor = 0.0
    /// When the current item was loaded; the window of a live stream moves from then on.
    var loadedAt = Duration.zero
    /// The breaks of the current item that were not played.
    var breaks: [ScheduledBreak] = []
    /// The next item, once it is preloaded.
    var preloadedItemID: Int?
    /// The id of the last request; `nil` until `takeFetch` is called for the current item.
    private(set) var fetchID: Int?

    init(traits: Traits = Traits()) { self.traits = traits }

    /// Whether requests that name the session are valid.
    var hasSession: Bool { if case .idle = self.state { false } else { true } }

    var isLoading: Bool {
        switch self.state {
        case .fetching, .loading: true
        case .idle, .buffering, .playing, .paused, .advertising: false
        }
    }

    var adBreak: AdBreakProgress? { if case .advertising(let progress) = self.state { progress } else { nil } }

    var playerState: String {
        switch self.state {
        case .idle, .fetching, .loading: "IDLE"
        case .buffering: "BUFFERING"
        case .playing: "PLAYING"
        case .paused: "PAUSED"
        case .advertising(let progress): progress.since == nil ? "PAUSED" : "PLAYING"
        }
    }

    /// Returns the seconds from the start of the item.
    func position(at now: Duration) -> Double {
        switch self.state {
        case .idle, .fetching, .loading: return 0
        case .buffering(_, let position, _), .paused(let position, _): return position
        case .advertising(let progress): return progress.position(at: now)
        case .playing(let since, let from):
            let position = from + max(0, (now - since).inSeconds) * self.speed
            if let range = self.liveRange(at: now) { return min(max(position, range.lowerBound), range.upperBound) }
            return min(position, self.queue?.current.end ?? position)
        }
    }

    /// Returns the playable range of a live stream; `nil` when it has no window.
    func liveRange(at now: Duration) -> ClosedRange<Double>? {
        self.queue?.current.liveWindow?.range(after: (now - self.loadedAt).inSeconds)
    }

    /// When the next change without a request is due.
    var nextDeadline: Duration? {
        switch self.state {
        case .idle, .fetching: return nil
        case .loading(let until), .buffering(let until, _, _): return until
        case .paused(_, let since): return self.traits.pauseLimit.map { since + $0 }
        case .advertising(let progress): return progress.nextDeadline
        case .playing(let since, let from): return self.playingDeadline(since: since, from: from)
        }
    }

    /// Starts a session with `queue`, which replaces the previous one.
    mutating func load(_ queue: PlayerQueue, activeTrackIDs: [Int], rate: Double, timing: MediaTiming, at now: Duration) {
        self.mediaSessionID += 1
        self.queue = queue
        self.rate = rate
        self.beginLoading(timing: timing, at: now)
        self.tracks.begin(queue.current, activeIDs: activeTrackIDs)
    }

    /// Moves to another item of the queue and loads it; returns `false` when there is none.
    mutating func jump(_ change: (inout PlayerQueue) -> Bool, startTime: Double?, timing: MediaTiming, at now: Duration) -> Bool {
        guard var queue = self.queue, change(&queue) else { return false }
        if let startTime { queue.setStartTime(max(0, startTime)) }
        self.queue = queue
        self.nextSession()
        self.beginLoading(timing: timing, at: now)
        return true
    }

    func nextSessionID() -> Int { self.mediaSessionID + (self.traits.hasSessionPerItem ? 1 : 0) }
    mutating func nextSession() { self.mediaSessionID = self.nextSessionID() }

    mutating func beginLoading(timing: MediaTiming, at now: Duration) {
        if self.traits.fetches, let index = self.queue?.currentIndex { self.queue?.items[index].awaitContent() }
        guard let item = self.queue?.current else { return }
        self.idleSince = nil
        self.tracks.continue(with: item)
        let isPreloaded = self.preloadedItemID == item.itemID
        self.preloadedItemID = nil
        self.fetchID = nil
        self.state = self.traits.fetches ? .fetching : .loading(until: isPreloaded ? now : now + (item.loadTime ?? timing.loading))
    }

    /// Ends the session.
    mutating func end(_ reason: IdleReason, at now: Duration) {
        self.state = .idle(reason)
        self.idleSince = now
        self.preloadedItemID = nil
        self.fetchID = nil
    }

    /// Returns the pending request for media, once.
    mutating func takeFetch(id: Int) -> MediaFetch? {
        guard case .fetching = self.state, self.fetchID == nil, let item = self.queue?.current else { return nil }
        self.fetchID = id
        return MediaFetch(id: id, media: item.media)
    }
}

/// The delays of the simulated network.
struct MediaTiming: Sendable, Hashable {
    var loading: Duration
    var buffering: Duration
}
