import CastModels
import NIOCore

/// The observed state that completes a request without its answer: some receivers answer only by broadcast, or not at all.
enum ObservedState: Sendable, Hashable {
    /// Only an answer completes the request.
    case none
    /// A receiver status with this application, ready or not.
    case applicationRuns(String)
    /// A receiver status without this application session.
    case sessionEnded(String)
    /// A receiver status with this level (0 to 1), within the precision of receivers.
    case deviceLevel(Double)
    case deviceMuted(Bool)
    /// A media status with this player state; buffering also counts as playing.
    case playerState(PlayerState)
    /// A media status without this media session, or with the session idle.
    case mediaSessionEnded(Int)
    /// A media status in which this clip of this break is not playing.
    case adClipEnded(breakID: String?, clipID: String?)

    func holds(in status: ReceiverStatus) -> Bool {
        switch self {
        case .applicationRuns(let id): return status.application.map { $0.applicationID == id || $0.universalApplicationID == id } ?? false
        case .sessionEnded(let id): return status.application?.sessionID != id
        case .deviceLevel(let level): return status.volume?.level.map { abs($0 - level) < 0.005 } ?? false
        case .deviceMuted(let isMuted): return status.volume?.isMuted == isMuted
        case .none, .playerState, .mediaSessionEnded, .adClipEnded: return false
        }
    }

    func holds(in status: MediaStatus?) -> Bool {
        switch self {
        case .playerState(.playing): return status.map { $0.playerState == .playing || $0.playerState == .buffering } ?? false
        case .playerState(let state): return status?.playerState == state
        case .mediaSessionEnded(let id): return status.map { $0.mediaSessionID != id || $0.isEnded } ?? true
        case .adClipEnded(let breakID, let clipID):
            guard let ad = status?.adBreakStatus else { return true }
            return ad.breakID != breakID || ad.breakClipID != clipID
        case .none, .applicationRuns, .sessionEnded, .deviceLevel, .deviceMuted: return false
        }
    }
}

/// The peer that a request goes to, and that may answer it.
struct RequestPeer: Sendable, Hashable {
    var namespace: String
    /// The platform, or the transport id of an application.
    var id: String
}

/// The kind of a request of which only the newest matters.
enum RequestKind: Sendable, Hashable {
    case deviceLevel, deviceMuted
    case streamLevel, streamMuted
    case seek, load, playbackRate
    case activeTracks, textTrackStyle, repeatMode
}

/// A type of request that an application ignores.
struct IgnoredRequest: Hashable {
    /// The id of the application, since it ignores the type in each of its sessions; the peer's id for the platform.
    let application: String
    let namespace: String
    let type: String
}

/// The requests of one link that wait for their answer. Does no I/O; `Waiter` is the object that the caller completes.
///
/// A waiter leaves the table exactly once, so that each request ends exactly once. Later events for it are ignored.
struct RequestTable<Waiter> {
    /// How a request left the table without its own answer.
    enum End: Equatable {
        case timedOut
        /// The request was ignored, like an earlier one of its type: no answer came, and the peer sent nothing else.
        case ignored
        case observed
    }

    private struct Entry {
        let peer: RequestPeer
        var deadline: NIODeadline
        /// The deadline once the peer shows that it works.
        let limit: NIODeadline
        let grace: TimeAmount
        let kind: RequestKind?
        let observed: ObservedState
        let type: IgnoredRequest?
        /// Silence until this time means that the application ignores the type.
        let ignoredAt: NIODeadline
        /// When to ask the peer for its status, since the answer may be lost.
        var probe: NIODeadline?
        /// The deadline that applies unless the peer sends a broadcast, while an earlier request of this type was ignored.
        var silenceDeadline: NIODeadline?
        /// The wanted state was observed; the request succeeds at `deadline` unless its own answer comes first.
        var isObserved = false
        /// The peer sent a broadcast meanwhile, so it may be working on the request.
        var isPeerActive = false
        let waiter: Waiter

        var end: End { self.isObserved ? .observed : self.silenceDeadline == nil ? .timedOut : .ignored }

        func isIgnored(at now: NIODeadline) -> Bool { !self.isObserved && !self.isPeerActive && now >= self.ignoredAt }
    }

    /// The largest number of waiting requests.
    let capacity: Int
    private var entries: [Int: Entry] = [:]
    private var lastID: Int
    /// The types that applications of the device ignore, at most `memoryLimit`. The next link continues with them.
    var ignored: Set<IgnoredRequest> = []
    /// The load that its caller cancelled before any sign of it; it may still begin.
    private var abandonedLoad: Int?
    /// The types of ended requests whose answer may still come, at most `memoryLimit`.
    private var late: [Int: IgnoredRequest] = [:]
    private static var memoryLimit: Int { 64 }

    /// The time limit of a request while an earlier one of its type was ignored. It is sent nevertheless, because a receiver may ignore a
    /// request in one state and process it in another.
    static var silenceLimit: TimeAmount { .seconds(2) }
    /// How long a request gets no answer and no broadcast before its type is taken for ignored.
    static var ignoredTime: TimeAmount { .seconds(8) }

    /// - Parameter lastID: the id before the first one. Receivers broadcast the id of the request that caused a status; a different start
    ///   value for each link prevents mistaken matches.
    init(capacity: Int = 128, lastID: Int = 0) {
        self.capacity = capacity
        self.lastID = lastID
    }

    var isEmpty: Bool { self.entries.isEmpty }

    /// Returns whether a request with this id to this peer is waiting.
    func contains(_ id: Int, to peer: RequestPeer) -> Bool { self.entries[id]?.peer == peer }

    /// When `expire(now:)` is due; `nil` when no request waits.
    var nextDeadline: NIODeadline? {
        // A closure, because a key path would be created at each call, which costs more than the rest of a request.
        self.entries.values.lazy.map { min($0.silenceDeadline ?? $0.deadline, $0.probe ?? .distantFuture) }.min()
    }

    /// Returns an id in 1…2³¹−1 that no waiting request has.
    mutating func nextID() -> Int {
        repeat { self.lastID = self.lastID >= Int(Int32.max) ? 1 : self.lastID + 1 } while self.entries[self.lastID] != nil
        return self.lastID
    }

    /// Adds a request.
    ///
    /// - Parameters:
    ///   - id: an id from `nextID`.
    ///   - deadline: when it ends without an answer and without a broadcast of the peer.
    ///   - limit: when it ends while the peer sends broadcasts; `nil` means `deadline`.
    ///   - grace: how long the request waits for its own answer after the wanted state was observed. If the link breaks before that, the
    ///     request may never have arrived, and another sender may have caused the state.
    ///   - type: the request's type on the wire; `nil` for requests that always get their whole time limit.
    ///   - application: the id of the application behind `peer`.
    ///   - probe: when `dueProbes` returns the peer, unless the request has ended.
    /// - Returns: `false` when the table is full.
    mutating func add(
        _ waiter: Waiter, id: Int, to peer: RequestPeer, now: NIODeadline, deadline: NIODeadline, limit: NIODeadline? = nil,
        kind: RequestKind? = nil,
        observed: ObservedState = .none, grace: TimeAmount = .milliseconds(500), type: String? = nil, application: String? = nil,
        probe: NIODeadline? = nil
    ) -> Bool {
        guard self.entries.count < self.capacity else { return false }
        let type = type.map { IgnoredRequest(application: application ?? peer.id, namespace: peer.namespace, type: $0) }
        var entry = Entry(
            peer: peer, deadline: deadline, limit: max(deadline, limit ?? deadline), grace: grace, kind: kind, observed: observed,
            type: type,
            ignoredAt: min(deadline, now + Self.ignoredTime), probe: probe, waiter: waiter)
        if let type, self.ignored.contains(type) {
            entry.silenceDeadline = min(deadline, now + Self.silenceLimit)
        }
        self.entries[id] = entry
        return true
    }

    /// Removes and returns the waiter of `id`, whose answer arrived.
    mutating func answered(_ id: Int) -> Waiter? {
        guard let entry = self.entries.removeValue(forKey: id) else { return nil }
        if let type = entry.type { self.ignored.remove(type) }
        return entry.waiter
    }

    /// An answer came to a request that has ended, so the application does not ignore its type.
    mutating func answeredLate(_ id: Int) {
        if let type = self.late.removeValue(forKey: id) { self.ignored.remove(type) }
        if id == self.abandonedLoad { self.abandonedLoad = nil }
    }

    /// Returns, once, whether the caller of a load cancelled it before any sign of it.
    mutating func takeAbandonedLoad() -> Bool { self.abandonedLoad.take() != nil }

    /// Removes the request `id`, because it could not be sent or, at `now`, its caller cancelled it.
    mutating func remove(_ id: Int, cancelledAt now: NIODeadline? = nil) -> Waiter? {
        guard let entry = self.entries.removeValue(forKey: id) else { return nil }
        if let now {
            self.learn(from: entry, id, now: now)
            if entry.kind == .load, !entry.isPeerActive { self.abandonedLoad = id }
        }
        return entry.waiter
    }

    private mutating func learn(from entry: Entry, _ id: Int, now: NIODeadline) {
        guard let type = entry.type, entry.isIgnored(at: now) || entry.end == .ignored else { return }
        if self.ignored.count >= Self.memoryLimit { _ = self.ignored.popFirst() }
        if self.late.count >= Self.memoryLimit { _ = self.late.popFirst() }
        self.ignored.insert(type)
        self.late[id] = type
    }

    /// Returns the peers that are to report their status now.
    mutating func dueProbes(now: NIODeadline) -> [RequestPeer] {
        self.entries.filter { $0.value.probe.map { $0 <= now } ?? false }.map { id, entry in
            self.entries[id]?.probe = nil
            return entry.peer
        }
    }

    /// The peer sent a broadcast, so it may be working on its requests.
    mutating func broadcastReceived(from peer: RequestPeer) {
        for (id, entry) in self.entries where entry.peer == peer && !entry.isPeerActive {
            self.entries[id]?.isPeerActive = true
            self.entries[id]?.silenceDeadline = nil
            if !entry.isObserved { self.entries[id]?.deadline = max(entry.deadline, entry.limit) }
        }
    }

    /// Removes and returns the waiters that a newer request of this kind to this peer replaces, oldest first.
    mutating func removeAll(of kind: RequestKind, to peer: RequestPeer) -> [Waiter] {
        let replaced = self.entries.filter { $0.value.kind == kind && $0.value.peer == peer }.sorted { $0.key < $1.key }
        for (id, _) in replaced { self.entries[id] = nil }
        return replaced.map(\.value.waiter)
    }

    /// Moves a deadline, because the receiver reported that it needs longer (a question on the screen).
    mutating func extend(_ id: Int, to deadline: NIODeadline) {
        guard let entry = self.entries[id], !entry.isObserved, deadline > entry.deadline else { return }
        self.entries[id]?.deadline = deadline
        self.entries[id]?.silenceDeadline = nil
    }

    mutating func observe(_ status: ReceiverStatus, now: NIODeadline) {
        self.observe(now: now) { $0.holds(in: status) }
    }

    mutating func observe(_ status: MediaStatus?, now: NIODeadline) {
        self.observe(now: now) { $0.holds(in: status) }
    }

    /// Removes and returns the requests whose deadline has passed, oldest id first.
    mutating func expire(now: NIODeadline) -> [(id: Int, waiter: Waiter, end: End)] {
        guard !self.entries.isEmpty else { return [] }
        let due = self.entries.filter { ($0.value.silenceDeadline ?? $0.value.deadline) <= now }.sorted { $0.key < $1.key }
        for (id, entry) in due {
            self.entries[id] = nil
            self.learn(from: entry, id, now: now)
        }
        return due.map { ($0.key, $0.value.waiter, $0.value.end) }
    }

    /// Removes and returns the requests to the application `id`, which has ended, oldest first.
    mutating func removeAll(to id: String) -> [(waiter: Waiter, isObserved: Bool)] {
        let orphans = self.entries.filter { $0.value.peer.id == id }.sorted { $0.key < $1.key }
        for (id, _) in orphans { self.entries[id] = nil }
        return orphans.map { ($0.value.waiter, $0.value.isObserved) }
    }

    /// Removes and returns all requests, because the link is closed, oldest id first.
    mutating func removeAll() -> [Waiter] {
        defer { self.entries = [:] }
        return self.entries.sorted { $0.key < $1.key }.map(\.value.waiter)
    }

    private mutating func observe(now: NIODeadline, _ holds: (ObservedState) -> Bool) {
        for (id, entry) in self.entries where !entry.isObserved && entry.observed != .none && holds(entry.observed) {
            self.entries[id]?.isObserved = true
            self.entries[id]?.silenceDeadline = nil
            self.entries[id]?.deadline = min(entry.deadline, now + entry.grace)
        }
    }
}
