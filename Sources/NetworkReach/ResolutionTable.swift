/// Decides which names are resolved on which of a few threads; no lookup can be cancelled. Does no I/O.
///
/// There is one lookup of a name at a time, and further callers get the same answer.
struct ResolutionTable<Name: Hashable, Waiter> {
    struct Lookup: Hashable {
        let name: Name
        let number: UInt64
    }

    private struct Entry {
        var waiters: [Waiter] = []
        /// The start times of its lookups by number.
        var underWay: [UInt64: Duration] = [:]
    }

    /// The largest number of names that wait or are being resolved.
    static var nameLimit: Int { 1_024 }

    private let threadLimit: Int
    private let waiterLimit: Int
    /// The age at which a lookup counts as lost; `nil` for no limit.
    private let patience: Duration?
    private var entries: [Name: Entry] = [:]
    /// The names that wait for a thread, oldest first.
    private var queue: [Name] = []
    private var running = 0
    private var lastNumber: UInt64 = 0

    init(threadLimit: Int, waiterLimit: Int, patience: Duration?) {
        self.threadLimit = threadLimit
        self.waiterLimit = waiterLimit
        self.patience = patience
    }

    /// - Returns: `false` when too many callers wait for the name, or too many names wait.
    mutating func add(_ waiter: Waiter, for name: Name) -> Bool {
        guard self.entries.count < Self.nameLimit || self.entries[name] != nil, self.entries[name]?.waiters.count ?? 0 < self.waiterLimit
        else { return false }
        self.entries[name, default: Entry()].waiters.append(waiter)
        return true
    }

    /// Ensures that an answer will come.
    ///
    /// - Returns: the lookup to start; `nil` when none is needed.
    mutating func request(_ name: Name, now: Duration) -> Lookup? {
        let isYoungUnderWay = self.entries[name]?.underWay.values.contains { start in self.patience.map { now < start + $0 } ?? true }
        guard isYoungUnderWay != true, !self.queue.contains(name) else { return nil }
        self.queue.append(name)
        return self.next(now: now)
    }

    /// Handles a lookup that ended, or could not start.
    ///
    /// - Returns: the callers that get its answer, and the lookup to start on the free thread.
    mutating func ended(_ lookup: Lookup, now: Duration) -> (waiters: [Waiter], next: Lookup?) {
        self.running -= 1
        let waiters = self.entries[lookup.name]?.waiters ?? []
        self.entries[lookup.name]?.waiters = []
        self.entries[lookup.name]?.underWay[lookup.number] = nil
        if self.entries[lookup.name]?.underWay.isEmpty == true {
            self.entries[lookup.name] = nil
            self.queue.removeAll { $0 == lookup.name }
        }
        return (waiters, self.next(now: now))
    }

    private mutating func next(now: Duration) -> Lookup? {
        guard self.running < self.threadLimit, !self.queue.isEmpty else { return nil }
        let name = self.queue.removeFirst()
        self.running += 1
        self.lastNumber += 1
        self.entries[name, default: Entry()].underWay[self.lastNumber] = now
        return Lookup(name: name, number: self.lastNumber)
    }
}

extension ResolutionTable.Lookup: Sendable where Name: Sendable {}
