import NIOCore

/// A type of request that an application ignores.
struct IgnoredRequest: Hashable {
    /// The id of the application, since it ignores the type in each of its sessions; the peer's id for the platform.
    let application: String
    let namespace: String
    let type: String
}

/// The requests of one link that wait for their answer or for the state that they ask for. Does no I/O; `Waiter` is the object that the
/// caller completes.
///
/// A waiter leaves the table exactly once, so that each request ends exactly once. Later events for it are ignored.
struct RequestTable<Waiter> {
    private struct Entry {
        let peer: RequestPeer
        let kind: RequestKind?
        let observed: ObservedState
        let type: IgnoredRequest?
        /// Silence until this time means that the application ignores the type, unless it is dead.
        let ignoredAt: NIODeadline
        var progress: RequestProgress
        let waiter: Waiter

        func isIgnored(at now: NIODeadline) -> Bool { self.progress.isUnnoticed && now >= self.ignoredAt }
    }

    /// The largest number of waiting requests.
    let capacity: Int
    private var entries: [Int: Entry] = [:]
    private var lastID: Int
    /// The types that applications of the device ignore, at most `memoryLimit`. The next link continues with them.
    var ignored: Set<IgnoredRequest> = []
    /// The load that its caller cancelled before any sign of it; it may still begin.
    private var abandonedLoad: (id: Int, until: NIODeadline)?
    /// The types of ended requests whose answer may still come, at most `memoryLimit`.
    private var late: [Int: IgnoredRequest] = [:]
    private static var memoryLimit: Int { 64 }

    /// The time limit of a request while an earlier one of its type was ignored. It is sent nevertheless, because a receiver may ignore a
    /// request in one state and process it in another.
    static var silenceLimit: TimeAmount { .seconds(2) }
    /// How long a request gets no answer and no broadcast before its type is taken for ignored.
    static var ignoredTime: TimeAmount { .seconds(8) }
    /// The same for a load, which some applications answer late and do not announce.
    static var ignoredLoadTime: TimeAmount { .seconds(20) }

    /// - Parameter lastID: the id before the first one. Receivers broadcast the id of the request that caused a status; a different start
    ///   value for each link prevents mistaken matches.
    init(capacity: Int = 128, lastID: Int = 0) {
        self.capacity = capacity
        self.lastID = lastID
    }

    var isEmpty: Bool { self.entries.isEmpty }

    func contains(_ id: Int, to peer: RequestPeer) -> Bool { self.entries[id]?.peer == peer }

    /// When `expire(now:)` is due; `nil` when no request waits.
    var nextDeadline: NIODeadline? {
        // A closure, because a key path would be created at each call, which costs more than the rest of a request.
        self.entries.values.lazy.map { $0.progress.dueTime }.min()
    }

    /// Returns an id in 1…2³¹−1 that no waiting request has.
    mutating func nextID() -> Int {
        repeat { self.lastID = self.lastID >= Int(Int32.max) ? 1 : self.lastID + 1 } while self.entries[self.lastID] != nil
        return self.lastID
    }

    /// Adds a request.
    ///
    /// - Parameter id: an id from `nextID`.
    /// - Returns: `false` when the table is full.
    mutating func add(_ waiter: Waiter, id: Int, _ terms: RequestTerms, now: NIODeadline) -> Bool {
        guard self.entries.count < self.capacity else { return false }
        if terms.kind == .load { self.abandonedLoad = nil }
        let type = terms.type.map {
            IgnoredRequest(application: terms.application ?? terms.peer.id, namespace: terms.peer.namespace, type: $0)
        }
        let deadline = now + terms.timeout
        var progress = RequestProgress(terms, now: now)
        if let type, self.ignored.contains(type) { progress.expectSilence(until: min(deadline, now + Self.silenceLimit)) }
        self.entries[id] = Entry(
            peer: terms.peer, kind: terms.kind, observed: terms.observed, type: type,
            ignoredAt: min(deadline, now + (terms.kind == .load ? Self.ignoredLoadTime : Self.ignoredTime)), progress: progress,
            waiter: waiter)
        return true
    }

    /// Removes and returns the waiter of `id`, whose answer arrived; `nil` while the peer does not show the wanted state.
    ///
    /// - Parameter look: what the peer shows now, its answer included; a failure needs none.
    mutating func answered(_ id: Int, now: NIODeadline, _ look: (ObservedState) -> ObservedState.Evidence = { _ in .unreported }) -> Waiter?
    {
        guard var entry = self.entries.removeValue(forKey: id) else { return nil }
        if let type = entry.type { self.ignored.remove(type) }
        if entry.progress.answered(look(entry.observed), now: now) { return entry.waiter }
        self.entries[id] = entry
        return nil
    }

    /// An answer came to a request that has ended, so the application does not ignore its type.
    mutating func answeredLate(_ id: Int) {
        // Every message with an id that no request waits for comes here.
        if !self.late.isEmpty, let type = self.late.removeValue(forKey: id) { self.ignored.remove(type) }
        if id == self.abandonedLoad?.id { self.abandonedLoad = nil }
    }

    /// Returns, once, whether a load that its caller cancelled before any sign of it may still begin.
    mutating func takeAbandonedLoad(now: NIODeadline) -> Bool { self.abandonedLoad.take().map { now < $0.until } ?? false }

    /// Removes the request `id`, because it could not be sent or, at `now`, its caller cancelled it.
    mutating func remove(_ id: Int, cancelledAt now: NIODeadline? = nil) -> Waiter? {
        guard let entry = self.entries.removeValue(forKey: id) else { return nil }
        if let now {
            self.learn(from: entry, id, now: now)
            if entry.kind == .load, !entry.progress.isPeerActive { self.abandonedLoad = (id, entry.progress.endTime) }
        }
        return entry.waiter
    }

    private mutating func learn(from entry: Entry, _ id: Int, now: NIODeadline) {
        guard let type = entry.type, entry.isIgnored(at: now) || entry.progress.end == .ignored else { return }
        if self.ignored.count >= Self.memoryLimit { _ = self.ignored.popFirst() }
        if self.late.count >= Self.memoryLimit { _ = self.late.popFirst() }
        self.ignored.insert(type)
        self.late[id] = type
    }

    /// The peer sent a message. A broadcast means that it may be working on its requests.
    mutating func heard(from peer: RequestPeer, isBroadcast: Bool) {
        for (id, entry) in self.entries where entry.peer == peer && !entry.progress.isPeerActive {
            self.entries[id]?.progress.heard(isBroadcast: isBroadcast)
        }
    }

    /// Removes and returns the waiters that a newer request of this kind to this peer replaces, oldest first.
    mutating func removeAll(of kind: RequestKind, to peer: RequestPeer) -> [Waiter] {
        guard !self.entries.isEmpty else { return [] }
        let replaced = self.entries.filter { $0.value.kind == kind && $0.value.peer == peer }.sorted { $0.key < $1.key }
        for (id, _) in replaced { self.entries[id] = nil }
        return replaced.map(\.value.waiter)
    }

    /// Moves a deadline, because the receiver reported that it needs longer (a question on the screen).
    mutating func extend(_ id: Int, to deadline: NIODeadline) {
        self.entries[id]?.progress.extend(to: deadline)
    }

    /// The peer reported this part of its state.
    mutating func observe(_ source: ObservedState.Source, now: NIODeadline, _ look: (ObservedState) -> ObservedState.Evidence) {
        for (id, entry) in self.entries where entry.observed.shows(in: source) {
            self.entries[id]?.progress.follow(look(entry.observed), now: now)
        }
    }

    /// Returns what to ask the peers for, because requests do not show their effect. Each is returned once for a request.
    mutating func questions(now: NIODeadline) -> Set<ObservedState.Source> {
        var sources: Set<ObservedState.Source> = []
        for (id, entry) in self.entries {
            guard self.entries[id]?.progress.asks(now: now) == true, let source = entry.observed.source else { continue }
            sources.insert(source)
        }
        return sources
    }

    /// Removes and returns the requests whose deadline has passed, oldest id first.
    mutating func expire(now: NIODeadline) -> [(id: Int, waiter: Waiter, end: RequestProgress.End)] {
        guard !self.entries.isEmpty else { return [] }
        let due = self.entries.filter { $0.value.progress.endTime <= now }.sorted { $0.key < $1.key }
        for (id, entry) in due {
            self.entries[id] = nil
            self.learn(from: entry, id, now: now)
        }
        return due.map { ($0.key, $0.value.waiter, $0.value.progress.end) }
    }

    /// Removes and returns the requests to the application `id`, which has ended, oldest first.
    mutating func removeAll(to id: String) -> [(waiter: Waiter, isObserved: Bool)] {
        let orphans = self.entries.filter { $0.value.peer.id == id }.sorted { $0.key < $1.key }
        for (id, _) in orphans { self.entries[id] = nil }
        self.abandonedLoad = nil
        return orphans.map { ($0.value.waiter, $0.value.progress.phase == .ending(.observed)) }
    }

    /// Removes and returns all requests, because the link is closed, oldest id first.
    mutating func removeAll() -> [Waiter] {
        defer { self.entries = [:] }
        return self.entries.sorted { $0.key < $1.key }.map(\.value.waiter)
    }
}
