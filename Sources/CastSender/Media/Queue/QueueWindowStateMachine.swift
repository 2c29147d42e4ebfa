import CastModels

/// Keeps the items around the current one of a receiver's queue. Does no I/O and owns no timer.
///
/// The order comes from `MediaQueueStateMachine` once it was read, also while it is read again; until then from the status. Missing items
/// are requested in pages, and items that the receiver does not report are requested only once.
struct QueueWindowStateMachine {
    /// The largest number of items in one request.
    static let pageSize = 20

    /// Whether a caller follows the window.
    private(set) var isFollowed = false
    private(set) var window: MediaQueueWindow?
    private var key: Key?
    /// Items that were requested in this media session without success.
    private var unreported: Set<Int> = []
    /// Items that are being requested.
    private var asked: [Int] = []
    private var page = Self.pageSize

    /// The inputs of a window; the window changes only when they change.
    private struct Key: Equatable {
        var mediaSessionID: Int
        var current: Int?
        var items: [MediaQueueItem]
        var itemIDs: [Int]
    }

    /// The actions that follow an event.
    struct Outcome: Equatable {
        var isChanged = false
        /// Send QUEUE_GET_ITEMS for these items of this media session.
        var fetch: (mediaSessionID: Int, itemIDs: [Int])?

        static func == (left: Self, right: Self) -> Bool {
            left.isChanged == right.isChanged && left.fetch?.mediaSessionID == right.fetch?.mediaSessionID
                && left.fetch?.itemIDs == right.fetch?.itemIDs
        }
    }

    mutating func follow() { self.isFollowed = true }

    /// Updates the window after a change of the status, the order or the content of items.
    /// - Parameters:
    ///   - queue: the queue of the same session.
    ///   - isForced: whether items became known or lost their content, which the key does not show.
    mutating func update(_ status: MediaStatus?, _ queue: MediaQueueStateMachine, isForced: Bool = false) -> Outcome {
        guard self.isFollowed else { return Outcome() }
        guard let status, !status.isEnded else {
            defer { self = Self(isFollowed: true) }
            return Outcome(isChanged: self.window != nil)
        }
        let key = Key(
            mediaSessionID: status.mediaSessionID, current: status.currentItemID ?? status.loadingItemID, items: status.items,
            itemIDs: queue.isWhole ? queue.itemIDs : [])
        guard isForced || key != self.key else { return Outcome() }
        if key.mediaSessionID != self.key?.mediaSessionID {
            self.unreported = []
            self.asked = []
            self.page = Self.pageSize
        }
        self.key = key
        let former = self.window
        self.window = self.makeWindow(key, queue)
        return Outcome(isChanged: self.window != former, fetch: self.fetch(key.mediaSessionID))
    }

    /// Handles an answer with all or some of the requested items.
    mutating func answered(_ status: MediaStatus?, _ queue: MediaQueueStateMachine, of mediaSessionID: Int) -> Outcome {
        guard self.key?.mediaSessionID == mediaSessionID else { return Outcome() }
        self.unreported.formUnion(self.asked.filter { queue.peek($0)?.media == nil })
        self.asked = []
        return self.update(status, queue, isForced: true)
    }

    /// No answer came. It may have been too large for a frame, so the next request has fewer items.
    mutating func lost(_ status: MediaStatus?, _ queue: MediaQueueStateMachine, of mediaSessionID: Int) -> Outcome {
        guard self.key?.mediaSessionID == mediaSessionID else { return Outcome() }
        if self.asked.count > 1 { self.page = max(1, self.asked.count / 2) } else { self.unreported.formUnion(self.asked) }
        self.asked = []
        return self.update(status, queue, isForced: true)
    }

    /// The receiver does not report items.
    mutating func refused(of mediaSessionID: Int) {
        guard self.key?.mediaSessionID == mediaSessionID else { return }
        self.unreported.formUnion(self.window?.items.compactMap(\.itemID) ?? [])
        self.asked = []
    }

    private init(isFollowed: Bool) { self.isFollowed = isFollowed }
    init() {}

    private func makeWindow(_ key: Key, _ queue: MediaQueueStateMachine) -> MediaQueueWindow {
        guard !key.itemIDs.isEmpty else {
            return MediaQueueWindow(mediaSessionID: key.mediaSessionID, firstIndex: 0, itemCount: key.items.count, items: key.items)
        }
        let range = MediaQueueWindow.range(around: key.current.flatMap { key.itemIDs.firstIndex(of: $0) }, of: key.itemIDs.count)
        let items = key.itemIDs[range].map { id in
            if let reported = key.items.first(where: { $0.itemID == id }), reported.media != nil { return reported }
            return queue.peek(id) ?? MediaQueueItem(itemID: id)
        }
        return MediaQueueWindow(
            mediaSessionID: key.mediaSessionID, firstIndex: range.lowerBound, itemCount: key.itemIDs.count, items: items)
    }

    /// Returns the next page of missing items; there is one request at a time.
    private mutating func fetch(_ mediaSessionID: Int) -> (mediaSessionID: Int, itemIDs: [Int])? {
        // A receiver that does not report its order is not asked for more items.
        guard self.asked.isEmpty, let window, self.key?.itemIDs.isEmpty == false else { return nil }
        let missing = window.items.compactMap { $0.media == nil ? $0.itemID : nil }.filter { !self.unreported.contains($0) }
        guard !missing.isEmpty else { return nil }
        self.asked = Array(missing.prefix(self.page))
        return (mediaSessionID, self.asked)
    }
}
