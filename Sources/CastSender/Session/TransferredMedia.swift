import CastModels
import CastProtocol

/// What a media session needs to go on at another device.
enum TransferredMedia: Sendable, Hashable {
    /// What the receiver stored; its own affair.
    case stored(JSONValue)
    /// Loaded anew where receivers don't store sessions.
    case load(MediaLoadRequest)

    /// The most bytes of queue items that one LOAD carries beside the rest.
    static let itemBytes = 40_000

    /// A load that goes on where `status` is, as exactly as can be estimated.
    ///
    /// - Parameters:
    ///   - queue: all items in their order, where they are known; otherwise the status's window counts.
    ///   - now: the time on the status's clock.
    /// - Throws: `noMediaSession` when the status tells no media.
    static func load(continuing status: MediaStatus, queue: [MediaQueueItem]? = nil, at now: MonotonicTime) throws(CastError)
        -> MediaLoadRequest
    {
        guard let media = status.media else { throw CastError(.noMediaSession, detail: "the receiver tells no media to go on with") }
        var request = MediaLoadRequest(media: media)
        request.autoplay = status.playerState != .paused
        let position = status.approximateStreamPosition(at: now)
        request.startTime = status.isLiveStream ? nil : position
        if let rate = status.playbackRate, rate != 1, MediaLoadRequest.playbackRateRange.contains(rate) { request.playbackRate = rate }
        request.activeTrackIDs = status.activeTrackIDs
        request.customData = nil
        let items = Self.items(queue ?? status.items, current: status.currentItemID, media: media)
        guard items.list.count > 1 else { return request }
        var queueData = status.queueData ?? MediaQueueData()
        queueData.items = items.list
        queueData.startIndex = items.start
        queueData.startTime = request.startTime
        queueData.repeatMode = status.repeatMode ?? queueData.repeatMode
        // The items are in their shuffled order already.
        queueData.shuffle = nil
        request.queueData = queueData
        return request
    }

    /// The queue if it fits one message, else as much of it as fits from the current item on. The receiver gives new ids.
    private static func items(_ queue: [MediaQueueItem], current: Int?, media: MediaInformation) -> (list: [MediaQueueItem], start: Int) {
        let index = queue.firstIndex { $0.itemID == current } ?? 0
        var items = queue
        if items.indices.contains(index) { items[index].media = items[index].media ?? media }
        let known = items.enumerated().filter { $0.element.media != nil }
        var sizes = known.map { Self.size(of: $0.element) }
        var kept = known
        if sizes.reduce(0, +) > Self.itemBytes {
            kept = known.filter { $0.offset >= index }
            sizes = kept.map { Self.size(of: $0.element) }
        }
        var room = Self.itemBytes
        var list: [MediaQueueItem] = []
        var start = 0
        for (entry, size) in zip(kept, sizes) {
            room -= size
            guard room >= 0 else { break }
            if entry.offset == index { start = list.count }
            var item = entry.element
            item.itemID = nil
            item.orderID = nil
            list.append(item)
        }
        return (list, start)
    }

    private static func size(of item: MediaQueueItem) -> Int {
        let request = MediaRequest(.queueInsert(.init(items: [item])))
        return (try? request.text(requestID: 1).utf8.count) ?? Self.itemBytes
    }
}
