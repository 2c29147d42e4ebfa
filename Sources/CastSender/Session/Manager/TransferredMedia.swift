import CastModels
import CastProtocol

/// What a media session needs to go on at another device.
enum TransferredMedia: Sendable, Hashable {
    /// What the receiver stored; its own affair.
    case stored(JSONValue)
    /// Loaded anew where receivers don't store sessions.
    /// - queue: what of the queue is in it; `nil` when there is none.
    case load(MediaLoadRequest, queue: StreamTransfer.Queue?)

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
        // Large media don't fit a frame twice, and are in the queue as well.
        let size = (try? MediaRequest(.load(request, sessionID: nil)).text(requestID: 1).utf8.count) ?? 0
        if size > MediaRequest.maximumPayload / 3 { request.media = nil }
        request.queueData = queueData
        return request
    }

    /// The items whose media is known, and where the current one is. The receiver gives new ids.
    private static func items(_ queue: [MediaQueueItem], current: Int?, media: MediaInformation) -> (list: [MediaQueueItem], start: Int) {
        let index = queue.firstIndex { $0.itemID == current } ?? 0
        var list: [MediaQueueItem] = []
        var start = 0
        for (offset, var item) in queue.enumerated() {
            if offset == index {
                start = list.count
                item.media = item.media ?? media
            }
            guard item.media != nil else { continue }
            item.itemID = nil
            item.orderID = nil
            list.append(item)
        }
        return (list, start)
    }
}

extension StreamTransfer {
    /// What of a queue was loaded anew.
    public struct Queue: Sendable, Hashable {
        public var takenItemCount: Int
        /// How many the queue had; `nil` when the receiver told only those around the current one.
        public var itemCount: Int?

        public init(takenItemCount: Int, itemCount: Int?) {
            self.takenItemCount = takenItemCount
            self.itemCount = itemCount
        }
    }
}
