/// A queue as far as it is known: its items around the current one, and where among all of them they stand.
public struct MediaQueueWindow: Sendable, Hashable {
    /// The most items of one window.
    public static let limit = 50
    /// How many of them may have played before the current one.
    public static let before = 10

    /// The media session whose queue it is.
    public var mediaSessionID: Int
    /// Place of `items[0]` in the queue, from 0.
    public var firstIndex: Int
    /// Number of items in the queue; where the receiver doesn't tell its order, of those that its status names.
    public var itemCount: Int
    /// In the queue's order. One whose content the receiver hasn't told has its id only.
    public var items: [MediaQueueItem]

    public init(mediaSessionID: Int, firstIndex: Int, itemCount: Int, items: [MediaQueueItem]) {
        self.mediaSessionID = mediaSessionID
        self.firstIndex = firstIndex
        self.itemCount = itemCount
        self.items = items
    }

    /// Whether the window is all of the queue.
    public var isComplete: Bool { self.items.count == self.itemCount }

    /// The places around `current` that a window shows, of a queue of `count` items.
    public static func range(around current: Int?, of count: Int) -> Range<Int> {
        let start = max(0, min((current ?? 0) - self.before, count - self.limit))
        return start..<min(count, start + self.limit)
    }

    /// Place of the item in the queue, from 0; `nil` when the window doesn't have it.
    public func index(of itemID: Int?) -> Int? {
        guard let itemID, let index = self.items.firstIndex(where: { $0.itemID == itemID }) else { return nil }
        return self.firstIndex + index
    }
}
