import CastModels

/// The most recently used queue items, by id. Holds at most `capacity` items; when it is full, the least recently used quarter is removed.
struct QueueItemCache {
    private struct Entry {
        var item: MediaQueueItem
        var usedAt: UInt64
    }

    /// The largest number of items, at least 1.
    var capacity: Int { didSet { self.trim(to: self.capacity) } }
    private var entries: [Int: Entry] = [:]
    private var clock: UInt64 = 0

    init(capacity: Int) { self.capacity = max(1, capacity) }

    var count: Int { self.entries.count }

    func peek(_ id: Int) -> MediaQueueItem? { self.entries[id]?.item }

    /// Returns the item and marks it as used.
    mutating func item(_ id: Int) -> MediaQueueItem? {
        self.clock += 1
        self.entries[id]?.usedAt = self.clock
        return self.entries[id]?.item
    }

    /// Adds an item. One without id or media is ignored.
    mutating func insert(_ item: MediaQueueItem) {
        guard let id = item.itemID, item.media != nil else { return }
        self.clock += 1
        if self.entries[id] == nil, self.entries.count >= self.capacity { self.trim(to: max(0, self.capacity - max(1, self.capacity / 4))) }
        self.entries[id] = Entry(item: item, usedAt: self.clock)
    }

    mutating func remove(_ ids: some Sequence<Int>) { for id in ids { self.entries[id] = nil } }

    /// Removes the items that are no longer in the queue.
    mutating func keep(_ ids: Set<Int>) { self.entries = self.entries.filter { ids.contains($0.key) } }

    mutating func removeAll() { self.entries = [:] }

    private mutating func trim(to count: Int) {
        guard self.entries.count > count else { return }
        for (id, _) in self.entries.sorted(by: { $0.value.usedAt < $1.value.usedAt }).prefix(self.entries.count - count) {
            self.entries[id] = nil
        }
    }
}
