/// What a status tells of its queue. Receivers tell a window around the current item, and the Default Media Receiver plays queues
/// without setting the bits of `supportedMediaCommands`, so both are looked at.
extension MediaStatus {
    /// The item that plays, if the window has it.
    public var currentQueueItem: MediaQueueItem? { self.currentIndex.map { self.items[$0] } }

    /// The item after the current one, as far as the window shows it.
    public var nextQueueItem: MediaQueueItem? {
        guard let index = self.currentIndex else { return nil }
        if index + 1 < self.items.count { return self.items[index + 1] }
        return self.preloadedItemID.flatMap { id in self.items.first { $0.itemID == id && id != self.currentItemID } }
    }

    /// How the queue repeats.
    public var queueRepeatMode: RepeatMode? { self.fields.repeatMode ?? self.fields.queueData?.repeatMode }

    /// Whether the queue is shuffled; `nil` when not told.
    public var isQueueShuffled: Bool? { self.fields.queueData?.shuffle ?? self.queueRepeatMode.map { $0 == .allAndShuffle } }

    /// Whether a jump forward leads to an item.
    public var queueHasNextItem: Bool {
        self.supportedMediaCommands.contains(.queueNext) || self.wraps || self.currentIndex.map { $0 + 1 < self.items.count } ?? false
    }

    /// Whether a jump backward leads to an item.
    public var queueHasPreviousItem: Bool {
        self.supportedMediaCommands.contains(.queuePrevious) || self.wraps || self.currentIndex.map { $0 > 0 } ?? false
    }

    /// Whether another item plays by itself when the current one ends.
    public var queueContinues: Bool {
        if self.queueRepeatMode == .single { return true }
        guard let index = self.currentIndex else { return false }
        return index + 1 < self.items.count || self.wraps
    }

    /// Place of the current item in the window.
    package var currentIndex: Int? {
        guard let currentItemID else { return nil }
        return self.fields.items.firstIndex { $0.itemID == currentItemID }
    }

    private var wraps: Bool { !self.fields.items.isEmpty && (self.queueRepeatMode == .all || self.queueRepeatMode == .allAndShuffle) }
}
