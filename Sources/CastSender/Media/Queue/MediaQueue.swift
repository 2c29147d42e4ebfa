import CastModels
import CastProtocol

/// The queue of the media session (SDK: `GCKMediaQueue`; wire: QUEUE_… of the media namespace).
///
/// From the first access on, the order is read and then kept up to date by the receiver's notices, whichever sender changed it. Items are
/// fetched in pages when requested, and the most recently used ones are cached. Requests that do not fit one message are sent in several,
/// in order. Errors are those of `RemoteMediaClient`.
public struct MediaQueue: Sendable {
    let client: RemoteMediaClient
    var session: CastSession { self.client.session }

    /// Where to insert items.
    public enum Place: Sendable, Hashable {
        /// Before the item with this id.
        case before(itemID: Int)
        /// After the current item; `unsupportedFeature` when the receiver does not report which item follows it.
        case next
        case end
    }
}

extension RemoteMediaClient {
    /// The queue of the media session.
    public var queue: MediaQueue { MediaQueue(client: self) }
}

/// Reads the content of the queue.
extension MediaQueue {
    /// The ids of the whole queue in order; at most 100 000. If the receiver does not report them, the ids of the items around the current
    /// one.
    ///
    /// - Throws: `noMediaSession`.
    public var itemIDs: [Int] { get async throws(CastError) { try await self.session.queueItemIDs() } }

    /// Reads the ids of the whole queue from the receiver, also known ones; otherwise like `itemIDs`.
    @discardableResult
    nonisolated(nonsending) public func requestItemIDs() async throws(CastError) -> [Int] {
        try await self.session.queueItemIDs(again: true)
    }

    /// The number of items.
    public var itemCount: Int { get async throws(CastError) { try await self.session.queueItemIDs().count } }

    /// Returns the item at an index from 0. If it is not in the cache, the page that contains it is fetched.
    ///
    /// - Returns: `nil` when another sender removed it meanwhile.
    /// - Throws: `invalidRequest` with the argument `index`.
    nonisolated(nonsending) public func item(at index: Int) async throws(CastError) -> MediaQueueItem? {
        let ids = try await self.itemIDs
        guard ids.indices.contains(index) else { throw .invalidArgument("index", "\(index) is none of \(ids.count)") }
        if let item = await self.session.cachedQueueItem(ids[index]) { return item }
        let page = await self.session.queuePageSize
        let start = index / page * page
        return try await self.session.queueItems(Array(ids[start..<min(start + page, ids.count)])).first { $0.itemID == ids[index] }
    }

    /// Returns the items with these ids in this order. Items that are not in the cache are fetched in pages; ids that the receiver does not
    /// know are left out.
    nonisolated(nonsending) public func items(withIDs ids: [Int]) async throws(CastError) -> [MediaQueueItem] {
        try await self.session.queueItems(ids)
    }

    /// Returns the item with this id if it is in the cache; nothing is fetched.
    nonisolated(nonsending) public func cachedItem(withID id: Int) async -> MediaQueueItem? { await self.session.cachedQueueItem(id) }

    /// The changes of the queue by any sender; the newest 64 are kept for a slow reader. Ends with the session.
    public var changes: EventSequence<MediaQueueChange> { get async { await self.session.mediaQueueChanges } }

    /// Sets the limits of the cache and of requests.
    ///
    /// - Parameters:
    ///   - cacheSize: the largest number of cached items, 1 to 10 000; 100 by default.
    ///   - pageSize: the largest number of items in one request, 1 to 500; 20 by default.
    nonisolated(nonsending) public func configure(cacheSize: Int, pageSize: Int) async throws(CastError) {
        guard (1...10_000).contains(cacheSize) else { throw .invalidArgument("cacheSize", "1 to 10000, not \(cacheSize)") }
        guard (1...500).contains(pageSize) else { throw .invalidArgument("pageSize", "1 to 500, not \(pageSize)") }
        await self.session.configureQueue(cacheSize: cacheSize, pageSize: pageSize)
    }
}
