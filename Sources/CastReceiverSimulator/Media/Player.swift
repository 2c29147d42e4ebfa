/// The player of an application: one media session that truly progresses with the time it is told.
struct Player: Sendable {
    enum State: Sendable, Hashable {
        /// No session, or one that ended for that reason.
        case idle(IdleReason?)
        /// The item's URL is being asked for; `fetched` ends it.
        case fetching
        /// The item is being loaded; senders see IDLE with LOADING in `extendedStatus`, as while fetching.
        case loading(until: Duration)
        /// The item is there but does not move yet.
        case buffering(until: Duration, position: Double, thenPaused: Bool)
        case playing(since: Duration, from: Double)
        case paused(at: Double)
        /// A break of the item plays or is paused.
        case advertising(AdBreakProgress)
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
        case loadFailed(code: Int)
        /// Only the state changed.
        case changed
        /// The state and the media changed.
        case mediaChanged
        /// The item ended and the next one of the queue is being loaded.
        case advanced
        case finished
        /// Playback broke.
        case failed(code: Int)
        /// It was paused for so long that the application gives up.
        case abandoned
    }

    /// What an application's player is like.
    struct Traits: Sendable, Hashable {
        /// Bits of `supportedMediaCommands` beside those for playing, which follow from the item.
        var commands = 0
        /// After this long in pause the session ends; `nil` never.
        var pauseLimit: Duration?
        /// Whether each item of a queue is a media session of its own.
        var hasSessionPerItem = false
        /// Whether URLs are asked for.
        var fetches = false
    }

    let traits: Traits
    // Everything below changes in the files of this type only.
    var state = State.idle(nil) { didSet { self.pausedSince = nil } }
    /// 0 until the first load; grows with each one.
    var mediaSessionID = 0
    var queue: MediaQueue?
    /// What was asked for; items that have no rates play at 1 all the same.
    var rate = 1.0
    var streamVolume = Volume(level: 1)
    var activeTrackIDs: [Int] = []
    var textTrackStyle: JSON?
    /// When the session ended; the application quits some time later.
    var idleSince: Duration?
    /// Where the item that plays now began; what a receiver with a stale cache keeps telling.
    var lastAnchor = 0.0
    /// When the current item was loaded; the window of a live stream moves since.
    var loadedAt = Duration.zero
    /// Breaks of the current item that have not been passed.
    var breaks: [AdBreak] = []
    var pausedSince: Duration?
    /// The next item once it is loaded ahead of its time.
    var preloadedItemID: Int?
    /// The item is to be asked for and `takeFetch` was not called yet.
    var wantsFetch = false
    /// Names what was asked for last.
    var fetchID: Int?

    init(traits: Traits = Traits()) { self.traits = traits }

    /// Whether requests that name the session are meaningful.
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

    /// Seconds from the start of the item.
    func position(at now: Duration) -> Double {
        switch self.state {
        case .idle, .fetching, .loading: return 0
        case .buffering(_, let position, _), .paused(let position): return position
        case .advertising(let progress): return progress.position(at: now)
        case .playing(let since, let from):
            let position = from + max(0, (now - since).inSeconds) * self.speed
            if let range = self.liveRange(at: now) { return min(max(position, range.lowerBound), range.upperBound) }
            return min(position, self.queue?.current.end ?? position)
        }
    }

    /// What can be played of a live stream that has a window.
    func liveRange(at now: Duration) -> ClosedRange<Double>? {
        self.queue?.current.liveWindow?.range(after: (now - self.loadedAt).inSeconds)
    }

    /// When something happens by itself next.
    var nextDeadline: Duration? {
        switch self.state {
        case .idle, .fetching: return nil
        case .loading(let until), .buffering(let until, _, _): return until
        case .paused: return self.traits.pauseLimit.flatMap { limit in self.pausedSince.map { $0 + limit } }
        case .advertising(let progress): return progress.nextDeadline
        case .playing(let since, let from): return self.playingDeadline(since: since, from: from)
        }
    }

    /// Starts a session with `queue`; what ran before is over.
    mutating func load(_ queue: MediaQueue, activeTrackIDs: [Int], rate: Double, timing: MediaTiming, at now: Duration) {
        self.mediaSessionID += 1
        self.queue = queue
        self.rate = rate
        self.beginLoading(timing: timing, at: now)
        if !activeTrackIDs.isEmpty { self.activeTrackIDs = activeTrackIDs }
        self.textTrackStyle = queue.current.media["textTrackStyle"]
    }

    /// Goes to another item of the queue and loads it; false when there is none.
    mutating func jump(_ change: (inout MediaQueue) -> Bool, startTime: Double?, timing: MediaTiming, at now: Duration) -> Bool {
        guard var queue = self.queue, change(&queue) else { return false }
        if let startTime { queue.setStartTime(max(0, startTime)) }
        self.queue = queue
        self.nextSession()
        self.beginLoading(timing: timing, at: now)
        return true
    }

    func nextSessionID() -> Int { self.mediaSessionID + (self.traits.hasSessionPerItem ? 1 : 0) }
    mutating func nextSession() { self.mediaSessionID = self.nextSessionID() }

    /// Begins to load the current item of the queue.
    mutating func beginLoading(timing: MediaTiming, at now: Duration) {
        if self.traits.fetches, let index = self.queue?.currentIndex { self.queue?.items[index].awaitContent() }
        guard let item = self.queue?.current else { return }
        self.idleSince = nil
        self.activeTrackIDs = item.activeTrackIDs
        let isPreloaded = self.preloadedItemID == item.itemID
        self.preloadedItemID = nil
        self.wantsFetch = self.traits.fetches
        self.fetchID = nil
        self.state = self.wantsFetch ? .fetching : .loading(until: isPreloaded ? now : now + (item.loadTime ?? timing.loading))
    }

    /// Ends the session.
    mutating func end(_ reason: IdleReason, at now: Duration) {
        self.state = .idle(reason)
        self.idleSince = now
        self.preloadedItemID = nil
        self.wantsFetch = false
        self.fetchID = nil
    }
}

/// How long the simulated network takes.
struct MediaTiming: Sendable, Hashable {
    var loading: Duration
    var buffering: Duration
}
