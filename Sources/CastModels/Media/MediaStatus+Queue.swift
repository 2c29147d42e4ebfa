/// The queue of a status. Receivers report a window around the current item, and the Default Media Receiver plays queues without setting
/// the bits of `supportedMediaCommands`. So these properties use both.
extension MediaStatus {
    /// The item that is playing; `nil` when the window does not contain it.
    public var currentQueueItem: MediaQueueItem? { self.currentIndex.map { self.items[$0] } }

    /// The item after the current one; `nil` when the window does not contain it.
    public var nextQueueItem: MediaQueueItem? {
        guard let index = self.currentIndex else { return nil }
        if index + 1 < self.items.count { return self.items[index + 1] }
        return self.preloadedItemID.flatMap { id in self.items.first { $0.itemID == id && id != self.currentItemID } }
    }

    /// How the queue repeats.
    public var queueRepeatMode: RepeatMode? { self.fields.repeatMode ?? self.fields.queueData?.repeatMode }

    /// Whether the queue is shuffled; `nil` when not reported.
    public var isQueueShuffled: Bool? { self.fields.queueData?.shuffle ?? self.queueRepeatMode.map { $0 == .allAndShuffle } }

    /// Whether a jump to the next item is possible.
    public var queueHasNextItem: Bool {
        self.supportedMediaCommands.contains(.queueNext) || self.queueWraps || self.currentIndex.map { $0 + 1 < self.items.count } ?? false
    }

    /// Whether a jump to the previous item is possible.
    public var queueHasPreviousItem: Bool {
        self.supportedMediaCommands.contains(.queuePrevious) || self.queueWraps || self.currentIndex.map { $0 > 0 } ?? false
    }

    /// Whether another item starts by itself when the current one ends.
    public var queueContinues: Bool {
        if self.queueRepeatMode == .single { return true }
        guard let index = self.currentIndex else { return false }
        return index + 1 < self.items.count || self.queueWraps
    }

    /// The index of the current item in the window.
    package var currentIndex: Int? {
        guard let currentItemID else { return nil }
        return self.fields.items.firstIndex { $0.itemID == currentItemID }
    }

    /// Whether the first item follows the last one.
    package var queueWraps: Bool { !self.fields.items.isEmpty && (self.queueRepeatMode == .all || self.queueRepeatMode == .allAndShuffle) }
}
