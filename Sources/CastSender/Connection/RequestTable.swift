import CastModels
import NIOCore

/// What besides its answer completes a request: some receivers answer only by broadcast, or not at all.
enum ObservedState: Sendable, Hashable {
    /// Nothing but an answer.
    case none
    /// A receiver status that shows this application, ready or not.
    case applicationRuns(String)
    /// A receiver status without this application session.
    case sessionEnded(String)
    /// A receiver status with this level (0 to 1), as exactly as receivers can tell it.
    case deviceLevel(Double)
    case deviceMuted(Bool)
    /// A media status of this player state, or of playing for buffering.
    case playerState(PlayerState)
    /// A media status without this media session, or with it idle.
    case mediaSessionEnded(Int)
    /// A media status in which this clip of this break doesn't play.
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

/// Whom a request asks, and so who may answer it.
struct RequestPeer: Sendable, Hashable {
    var namespace: String
    /// The platform, or the transport id of an application.
    var id: String
}

/// What a request is about, for requests of which only the newest counts.
enum RequestKind: Sendable, Hashable {
    case deviceLevel, deviceMuted
    case streamLevel, streamMuted
    case seek, load, playbackRate
    case activeTracks, textTrackStyle, repeatMode
}

/// The requests of one link that wait for their answer. Does no I/O; `Waiter` is what the caller completes.
///
/// A waiter leaves the table exactly once, so that each request ends exactly once; what comes later finds nothing and is ignored.
struct RequestTable<Waiter> {
    /// How a request left the table without an answer of its own.
    enum End: Equatable {
        case timedOut
        /// As an earlier request of its type was: there was no answer, and the peer sent nothing else.
        case ignored
        case observed
    }

    /// A type of request that a peer ignores.
    private struct IgnoredType: Hashable {
        let peer: RequestPeer
        let type: String
    }

    private struct Entry {
        let peer: RequestPeer
        var deadline: NIODeadline
        let grace: TimeAmount
        let kind: RequestKind?
        let observed: ObservedState
        let type: String?
        /// The deadline without a broadcast of the peer, while an earlier request of this type was ignored.
        var silenceDeadline: NIODeadline?
        /// The wanted state was seen; the request succeeds at `deadline` unless its own answer comes first.
        var isObserved = false
        /// The peer broadcast something meanwhile, so it may be at work on the request.
        var isPeerActive = false
        let waiter: Waiter

        var end: End { self.isObserved ? .observed : self.silenceDeadline == nil ? .timedOut : .ignored }
    }

    /// The most requests that may wait at once.
    let capacity: Int
    private var entries: [Int: Entry] = [:]
    private var lastID: Int
    /// Each has at most one entry for an application that runs and a type of the protocol.
    private var ignoredTypes: Set<IgnoredType> = []

    /// The time that a request has while an earlier one of its type was ignored. It is made all the same, because a receiver may ignore a
    /// request in one state and obey it in another.
    static var silenceLimit: TimeAmount { .seconds(2) }

    /// - Parameter lastID: the id before the first one. Receivers tell all senders the id of whose request a status answers; a start of
    ///   its own for each link keeps those apart.
    init(capacity: Int = 128, lastID: Int = 0) {
        self.capacity = capacity
        self.lastID = lastID
    }

    var isEmpty: Bool { self.entries.isEmpty }

    /// Whether a request of this id to this peer still waits.
    func contains(_ id: Int, to peer: RequestPeer) -> Bool { self.entries[id]?.peer == peer }

    /// When `expire(now:)` has something to do; `nil` when nothing waits.
    var nextDeadline: NIODeadline? {
        // A closure: a key path would be made each time, which costs more than the rest of a request.
        self.entries.values.lazy.map { $0.silenceDeadline ?? $0.deadline }.min()
    }

    /// An id in 1…2³¹−1 that no waiting request has.
    mutating func nextID() -> Int {
        repeat { self.lastID = self.lastID >= Int(Int32.max) ? 1 : self.lastID + 1 } while self.entries[self.lastID] != nil
        return self.lastID
    }

    /// Takes a request in.
    ///
    /// - Parameters:
    ///   - id: from `nextID`.
    ///   - grace: how long an observed state waits for the answer proper. A request whose link breaks meanwhile may never have
    ///     arrived, and the state may be another sender's doing.
    ///   - type: the request's name on the wire; `nil` for requests that get their whole time whatever became of earlier ones.
    /// - Returns: `false` when the table is full.
    mutating func add(
        _ waiter: Waiter, id: Int, to peer: RequestPeer, now: NIODeadline, deadline: NIODeadline, kind: RequestKind? = nil,
        observed: ObservedState = .none, grace: TimeAmount = .milliseconds(500), type: String? = nil
    ) -> Bool {
        guard self.entries.count < self.capacity else { return false }
        var entry = Entry(peer: peer, deadline: deadline, grace: grace, kind: kind, observed: observed, type: type, waiter: waiter)
        if let type, self.ignoredTypes.contains(IgnoredType(peer: peer, type: type)) {
            entry.silenceDeadline = min(deadline, now + Self.silenceLimit)
        }
        self.entries[id] = entry
        return true
    }

    /// The answer to `id` arrived.
    mutating func answered(_ id: Int) -> Waiter? {
        guard let entry = self.entries.removeValue(forKey: id) else { return nil }
        if let type = entry.type { self.ignoredTypes.remove(IgnoredType(peer: entry.peer, type: type)) }
        return entry.waiter
    }

    /// The caller of `id` gave up, or it could not be sent.
    mutating func remove(_ id: Int) -> Waiter? { self.entries.removeValue(forKey: id)?.waiter }

    /// The peer sent a broadcast: it may be at work on what it was asked for.
    mutating func broadcastReceived(from peer: RequestPeer) {
        for (id, entry) in self.entries where entry.peer == peer && !entry.isPeerActive {
            self.entries[id]?.isPeerActive = true
            self.entries[id]?.silenceDeadline = nil
        }
    }

    /// A newer request of this kind to this peer is about to be made: those it replaces, oldest first.
    mutating func removeAll(of kind: RequestKind, to peer: RequestPeer) -> [Waiter] {
        let replaced = self.entries.filter { $0.value.kind == kind && $0.value.peer == peer }.sorted { $0.key < $1.key }
        for (id, _) in replaced { self.entries[id] = nil }
        return replaced.map(\.value.waiter)
    }

    /// The receiver said that it needs longer (a question on the screen).
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

    /// The requests that are over by now, oldest id first.
    mutating func expire(now: NIODeadline) -> [(id: Int, waiter: Waiter, end: End)] {
        guard !self.entries.isEmpty else { return [] }
        let due = self.entries.filter { ($0.value.silenceDeadline ?? $0.value.deadline) <= now }.sorted { $0.key < $1.key }
        for (id, entry) in due {
            self.entries[id] = nil
            guard let type = entry.type, !entry.isObserved, !entry.isPeerActive else { continue }
            self.ignoredTypes.insert(IgnoredType(peer: entry.peer, type: type))
        }
        return due.map { ($0.key, $0.value.waiter, $0.value.end) }
    }

    /// The application `id` is gone: what still waits for it, oldest first.
    mutating func removeAll(to id: String) -> [(waiter: Waiter, isObserved: Bool)] {
        let orphans = self.entries.filter { $0.value.peer.id == id }.sorted { $0.key < $1.key }
        for (id, _) in orphans { self.entries[id] = nil }
        self.ignoredTypes = self.ignoredTypes.filter { $0.peer.id != id }
        return orphans.map { ($0.value.waiter, $0.value.isObserved) }
    }

    /// The link is gone: everything that still waits, oldest id first.
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
