import CastModels

/// The known facts of a queue apart from its items: from the media status, and from the order of the whole queue if the receiver reports
/// it.
package struct QueueOverview: Sendable, Hashable {
    /// The index of the current item, from 0.
    package var index: Int?
    /// The number of items. If the receiver does not report its queue, the number in the window around the current one.
    package var length: Int?
    package var repeatMode: RepeatMode?
    package var shuffle: Bool?
    package var hasNext: Bool
    package var hasPrevious: Bool

    /// - Parameter window: the queue of the same media session; `nil` when none was read.
    package init(_ status: MediaStatus, _ window: MediaQueueWindow? = nil) {
        self.index = status.currentIndex
        self.length = status.items.isEmpty ? nil : status.items.count
        self.repeatMode = status.queueRepeatMode
        self.shuffle = status.isQueueShuffled
        self.hasNext = status.queueHasNextItem
        self.hasPrevious = status.queueHasPreviousItem
        guard let window, window.itemCount > 0, let index = window.index(of: status.currentItemID) else { return }
        self.index = index
        self.length = window.itemCount
        self.hasNext = self.hasNext || index + 1 < window.itemCount
        self.hasPrevious = self.hasPrevious || index > 0
    }
}
