import CastModels

/// The items of a queue in the answer to `get/queue`: all of them, or a page.
public enum QueueListing {
    /// The largest number of items in one answer.
    public static let maximumCount = 5000
    /// The number of items in a page whose size was not given.
    public static let usualCount = 100
    /// The largest index at which a page may begin: the library follows so many ids of a queue.
    static let maximumIndex = 100_000

    public struct Page: Sendable, Hashable {
        /// The index of its first item in the queue, from 0.
        public var from: Int
        /// The largest number of its items; 0 for none.
        public var count: Int
        /// Whether the answer also has the ids of the whole queue.
        public var hasIDs: Bool

        /// The page that begins with the first item and has as many as one answer can.
        public static let all = Page()

        public init(from: Int = 0, count: Int = QueueListing.maximumCount, hasIDs: Bool = false) {
            (self.from, self.count, self.hasIDs) = (from, count, hasIDs)
        }

        /// The ids of its items, of those of the whole queue in order.
        public func ids(of queue: [Int]) -> [Int] { Array(queue.dropFirst(self.from).prefix(self.count)) }

        /// Takes `all`, `from`, `count` and `ids` out of a command's object.
        /// - Returns: `nil` when none of them asks for a page: the document is wanted.
        static func parse(_ reader: inout ArgumentReader) throws(CommandRejection) -> Page? {
            let all = try reader.bool("all") ?? false
            let from = try reader.integer("from", in: 0...QueueListing.maximumIndex)
            let count = try reader.integer("count", in: 0...QueueListing.maximumCount)
            let hasIDs = try reader.bool("ids") ?? false
            guard all || hasIDs || from != nil || count != nil else { return nil }
            let usual = all ? QueueListing.maximumCount : QueueListing.usualCount
            return Page(from: from ?? 0, count: count ?? usual, hasIDs: hasIDs)
        }
    }

    /// - Parameters:
    ///   - items: the items of `page` that the receiver has reported, in order.
    ///   - ids: the ids of the whole queue in order.
    public static func data(_ items: [MediaQueueItem], of page: Page, ids: [Int], status: MediaStatus?) -> JSONObject {
        let current = status?.currentItemID
        var data: JSONObject = [
            "repeat": status?.queueRepeatMode.flatMap(\.word).map { .string($0) } ?? .null,
            "shuffle": status?.isQueueShuffled.map { .bool($0) } ?? .null,
            "current_item": self.number(current), "loading_item": self.number(status?.loadingItemID),
            "preloaded_item": self.number(status?.preloadedItemID),
            "index": self.number(current.flatMap { ids.firstIndex(of: $0) }),
            "length": .integer(Int64(ids.count)), "complete": .bool(items.count == ids.count), "from": .integer(Int64(page.from)),
            "items": .array(items.map { .object(Self.item($0)) }),
        ]
        if page.hasIDs { data["ids"] = .array(ids.map { .integer(Int64($0)) }) }
        return data
    }

    private static func item(_ item: MediaQueueItem) -> JSONObject {
        let metadata = item.media?.metadata
        let text = { (value: String?) in value.map { JSONValue.string($0) } ?? .null }
        return [
            "item": self.number(item.itemID), "title": text(metadata?.title), "artist": text(metadata?.artist),
            "duration": item.media?.duration.map { .number($0) } ?? .null, "content_id": text(item.media?.contentID),
            "image": text(metadata?.images.first?.url), "autoplay": item.autoplay.map { .bool($0) } ?? .null,
            "start_time": item.startTime.map { .number($0) } ?? .null, "preload_time": item.preloadTime.map { .number($0) } ?? .null,
            "active_tracks": .array((item.activeTrackIDs ?? []).map { .integer(Int64($0)) }),
        ]
    }

    private static func number(_ value: Int?) -> JSONValue { value.map { .integer(Int64($0)) } ?? .null }
}
