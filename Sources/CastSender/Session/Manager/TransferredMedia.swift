import CastModels
import CastProtocol

/// The data with which another device continues a media session.
enum TransferredMedia: Sendable, Hashable {
    /// The state that the receiver stored; opaque to us.
    case stored(JSONValue)
    /// A new load, for receivers that do not store sessions.
    /// - queue: the part of the queue that it contains; `nil` without a queue.
    case load(MediaLoadRequest, queue: StreamTransfer.Queue?)

    /// Creates a load that continues at the estimated position of `status`.
    ///
    /// - Parameters:
    ///   - queue: all items in order, if known; otherwise the window of the status is used.
    ///   - now: the time on the status's clock.
    /// - Throws: `noMediaSession` when the status has no media.
    static func load(continuing status: MediaStatus, queue: [MediaQueueItem]? = nil, at now: MonotonicTime) throws(CastError)
        -> MediaLoadRequest
    {
        guard let media = status.media else {
            throw CastError(.noMediaSession, detail: "the receiver does not report media to continue with")
        }
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
        // The items are already in their shuffled order.
        queueData.shuffle = nil
        // Large media do not fit into a frame twice, and the queue contains them as well.
        let size = (try? MediaRequest(.load(request, sessionID: nil)).text(requestID: 1).utf8.count) ?? 0
        if size > MediaRequest.maximumPayload / 3 { request.media = nil }
        request.queueData = queueData
        return request
    }

    /// Returns the items whose media is known, and the index of the current one. The receiver assigns new ids.
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
    /// The part of a queue that was loaded.
    public struct Queue: Sendable, Hashable {
        public var takenItemCount: Int
        /// The number of items of the queue; `nil` when the receiver reported only those around the current one.
        public var itemCount: Int?

        public init(takenItemCount: Int, itemCount: Int?) {
            self.takenItemCount = takenItemCount
            self.itemCount = itemCount
        }
    }
}
