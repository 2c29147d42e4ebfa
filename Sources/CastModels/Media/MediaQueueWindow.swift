/// The known part of a queue: items around the current one, and their position in the whole queue.
public struct MediaQueueWindow: Sendable, Hashable {
    /// The largest number of items in a window.
    public static let limit = 50
    /// The largest number of items before the current one.
    public static let before = 10

    /// The media session that plays the queue.
    public var mediaSessionID: Int
    /// The index of `items[0]` in the queue, from 0.
    public var firstIndex: Int
    /// The number of items in the queue. When the receiver does not report the queue's order, the number of items in its status.
    public var itemCount: Int
    /// The items in queue order. An item whose content the receiver has not reported has only its id.
    public var items: [MediaQueueItem]

    public init(mediaSessionID: Int, firstIndex: Int, itemCount: Int, items: [MediaQueueItem]) {
        self.mediaSessionID = mediaSessionID
        self.firstIndex = firstIndex
        self.itemCount = itemCount
        self.items = items
    }

    /// Whether the window holds the whole queue.
    public var isComplete: Bool { self.items.count == self.itemCount }

    /// Returns the indices that a window around `current` covers in a queue of `count` items.
    public static func range(around current: Int?, of count: Int) -> Range<Int> {
        let start = max(0, min((current ?? 0) - self.before, count - self.limit))
        return start..<min(count, start + self.limit)
    }

    /// Returns the index of the item in the queue, from 0; `nil` when the window does not contain it.
    public func index(of itemID: Int?) -> Int? {
        guard let itemID, let index = self.items.firstIndex(where: { $0.itemID == itemID }) else { return nil }
        return self.firstIndex + index
    }
}
