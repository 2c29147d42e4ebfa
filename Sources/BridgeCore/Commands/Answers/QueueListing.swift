import CastModels

/// A whole queue, as returned by `get/queue` with `{"all":true}`.
public enum QueueListing {
    /// The most items in one answer.
    public static let maximumCount = 5000

    /// - Parameters:
    ///   - items: the listed items, in their order.
    ///   - length: the number of items in the queue.
    public static func data(_ items: [MediaQueueItem], length: Int, status: MediaStatus?) -> JSONObject {
        let current = status?.currentItemID
        return [
            "repeat": status?.queueRepeatMode.flatMap(\.word).map { .string($0) } ?? .null,
            "shuffle": status?.isQueueShuffled.map { .bool($0) } ?? .null,
            "current_item": self.number(current), "loading_item": self.number(status?.loadingItemID),
            "preloaded_item": self.number(status?.preloadedItemID),
            "index": self.number(items.firstIndex { $0.itemID == current && current != nil }),
            "length": .integer(Int64(length)), "complete": .bool(items.count == length),
            "items": .array(items.map { .object(Self.item($0)) }),
        ]
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
