import CastModels

/// What a media status tells of its queue.
public struct QueueOverview: Sendable, Hashable {
    /// Place of the current item among the told ones, from 0.
    public var index: Int?
    /// Number of told items: receivers tell a window around the current one.
    public var length: Int?
    public var repeatMode: RepeatMode?
    public var shuffle: Bool?
    public var hasNext: Bool
    public var hasPrevious: Bool

    public init(_ status: MediaStatus) {
        self.index = status.currentIndex
        self.length = status.items.isEmpty ? nil : status.items.count
        self.repeatMode = status.queueRepeatMode
        self.shuffle = status.isQueueShuffled
        self.hasNext = status.queueHasNextItem
        self.hasPrevious = status.queueHasPreviousItem
    }
}
