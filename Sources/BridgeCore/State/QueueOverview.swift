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

    /// Bits alone would hide controls that work: the Default Media Receiver plays queues without setting them.
    public init(_ status: MediaStatus) {
        let items = status.items
        self.index = status.currentItemID.flatMap { current in items.firstIndex { $0.itemID == current } }
        self.length = items.isEmpty ? nil : items.count
        self.repeatMode = status.repeatMode ?? status.queueData?.repeatMode
        let wraps = !items.isEmpty && (self.repeatMode == .all || self.repeatMode == .allAndShuffle)
        self.shuffle = status.queueData?.shuffle ?? self.repeatMode.map { $0 == .allAndShuffle }
        self.hasNext = status.supportedMediaCommands.contains(.queueNext) || wraps || self.index.map { $0 + 1 < items.count } ?? false
        self.hasPrevious = status.supportedMediaCommands.contains(.queuePrevious) || wraps || self.index.map { $0 > 0 } ?? false
    }

    /// Whether another item plays by itself when the current one ends.
    static func continues(after status: MediaStatus) -> Bool {
        let overview = QueueOverview(status)
        if overview.repeatMode == .single { return true }
        guard let index = overview.index, let length = overview.length else { return false }
        return index + 1 < length || overview.repeatMode == .all || overview.repeatMode == .allAndShuffle
    }
}
