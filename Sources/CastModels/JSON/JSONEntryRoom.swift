import Synchronization

/// Memory for every value that a text of a given size can have.
@usableFromInline
struct JSONEntryRoom {
    @usableFromInline let start: UnsafeMutablePointer<JSONEntry>
    private let capacity: Int

    /// Memory for the values of most messages, used by one reader at a time. Allocating it for each message costs up to 4 800 instructions,
    /// 2 to 4 % of a status, because blocks of this size miss malloc's fast path.
    ///
    /// Safe: the thread that takes the pointer out is its only owner until it puts the pointer back for another thread.
    nonisolated(unsafe) private static let spare = Atomic<UnsafeMutablePointer<JSONEntry>?>(nil)
    private static let spareCapacity = 2048

    @usableFromInline
    init(forText size: Int) {
        // A value takes two bytes: its own, and a separator or closing bracket. Only the outermost value and containers that are still open
        // may take one.
        let needed = min(size, JSONParser.maximumSize) / 2 + JSONParser.maximumDepth + 2
        self.capacity = max(needed, Self.spareCapacity)
        let spare = needed <= Self.spareCapacity ? Self.spare.exchange(nil, ordering: .acquiring) : nil
        self.start = spare ?? .allocate(capacity: self.capacity)
    }

    /// Frees the memory. Call it once, after the last read of the entries.
    @usableFromInline
    func free() {
        let rest = self.capacity == Self.spareCapacity ? Self.spare.exchange(self.start, ordering: .acquiringAndReleasing) : self.start
        rest?.deallocate()
    }
}
