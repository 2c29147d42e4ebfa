import CastModels
import CastProtocol

/// The queue of the media session (SDK: `GCKMediaQueue`; wire: QUEUE_… of the media namespace).
///
/// From the first look at it, the order is read and then follows the receiver's notices, whoever changed it; items are fetched in pages
/// when asked for, and the ones used last are kept. What doesn't fit one message is sent in several, in order. Errors are those of
/// `RemoteMediaClient`.
public struct MediaQueue: Sendable {
    let client: RemoteMediaClient
    var session: CastSession { self.client.session }

    /// Where to insert items.
    public enum Place: Sendable, Hashable {
        /// Before the item of this id.
        case before(itemID: Int)
        /// After the current item; `unsupportedFeature` when the receiver doesn't tell which one follows it.
        case next
        case end
    }
}

extension RemoteMediaClient {
    /// The queue of what plays.
    public var queue: MediaQueue { MediaQueue(client: self) }
}

/// What is in it.
extension MediaQueue {
    /// The ids of the whole queue in order; at most 100 000. Of a receiver that doesn't tell them, the ids of the items around the
    /// current one.
    ///
    /// - Throws: `noMediaSession`.
    public var itemIDs: [Int] { get async throws(CastError) { try await self.session.queueItemIDs() } }

    /// The number of items.
    public var itemCount: Int { get async throws(CastError) { try await self.session.queueItemIDs().count } }

    /// The item at an index from 0, fetched with the page it is on when it isn't in the cache.
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

    /// The items of these ids in this order, fetched in pages as far as they aren't in the cache; ids that the receiver doesn't know are
    /// left out.
    nonisolated(nonsending) public func items(withIDs ids: [Int]) async throws(CastError) -> [MediaQueueItem] {
        try await self.session.queueItems(ids)
    }

    /// The item of this id if it is in the cache; nothing is fetched.
    nonisolated(nonsending) public func cachedItem(withID id: Int) async -> MediaQueueItem? { await self.session.cachedQueueItem(id) }

    /// What happens to the queue, whoever does it; the newest 64 are kept for a slow reader. Ends with the session.
    public var changes: EventSequence<MediaQueueChange> { get async { await self.session.mediaQueueChanges } }

    /// Sets the bounds of what is kept and fetched.
    ///
    /// - Parameters:
    ///   - cacheSize: the most items kept, 1 to 10 000; 100 unless set.
    ///   - pageSize: the most items fetched with one request, 1 to 500; 20 unless set.
    nonisolated(nonsending) public func configure(cacheSize: Int, pageSize: Int) async throws(CastError) {
        guard (1...10_000).contains(cacheSize) else { throw .invalidArgument("cacheSize", "1 to 10000, not \(cacheSize)") }
        guard (1...500).contains(pageSize) else { throw .invalidArgument("pageSize", "1 to 500, not \(pageSize)") }
        await self.session.configureQueue(cacheSize: cacheSize, pageSize: pageSize)
    }
}
