import CastModels

/// Keeps the items around the current one of a receiver's queue. Does no I/O and owns no timer.
///
/// The order comes from `MediaQueueStateMachine` once it is known, until then the items that the status names must do. What the window
/// lacks is asked for in pages; what the receiver doesn't tell is asked for once.
struct QueueWindowStateMachine {
    /// The most items asked for with one request.
    static let pageSize = 20

    /// Whether anyone wants to know.
    private(set) var isFollowed = false
    private(set) var window: MediaQueueWindow?
    private var key: Key?
    /// Items that were asked for in this media session in vain.
    private var untold: Set<Int> = []
    /// Items that are being asked for.
    private var asked: [Int] = []
    private var page = Self.pageSize

    /// What a window is made of: while it is the same, so is the window.
    private struct Key: Equatable {
        var mediaSessionID: Int
        var current: Int?
        var items: [MediaQueueItem]
        var itemIDs: [Int]
    }

    /// What follows from an event.
    struct Outcome: Equatable {
        var isChanged = false
        /// QUEUE_GET_ITEMS for these items of this media session.
        var fetch: (mediaSessionID: Int, itemIDs: [Int])?

        static func == (left: Self, right: Self) -> Bool {
            left.isChanged == right.isChanged && left.fetch?.mediaSessionID == right.fetch?.mediaSessionID
                && left.fetch?.itemIDs == right.fetch?.itemIDs
        }
    }

    mutating func follow() { self.isFollowed = true }

    /// The status, the order or the content of items may have changed.
    /// - Parameters:
    ///   - queue: follows the same session.
    ///   - isForced: items became known or lost their content, which the key doesn't show.
    mutating func update(_ status: MediaStatus?, _ queue: MediaQueueStateMachine, isForced: Bool = false) -> Outcome {
        guard self.isFollowed else { return Outcome() }
        guard let status, !status.isEnded else {
            defer { self = Self(isFollowed: true) }
            return Outcome(isChanged: self.window != nil)
        }
        let key = Key(
            mediaSessionID: status.mediaSessionID, current: status.currentItemID ?? status.loadingItemID, items: status.items,
            itemIDs: queue.isKnown ? queue.itemIDs : [])
        guard isForced || key != self.key else { return Outcome() }
        if key.mediaSessionID != self.key?.mediaSessionID {
            self.untold = []
            self.asked = []
            self.page = Self.pageSize
        }
        self.key = key
        let former = self.window
        self.window = self.makeWindow(key, queue)
        return Outcome(isChanged: self.window != former, fetch: self.fetch(key.mediaSessionID))
    }

    /// The items that were asked for came, or some of them.
    mutating func answered(_ status: MediaStatus?, _ queue: MediaQueueStateMachine, of mediaSessionID: Int) -> Outcome {
        guard self.key?.mediaSessionID == mediaSessionID else { return Outcome() }
        self.untold.formUnion(self.asked.filter { queue.peek($0)?.media == nil })
        self.asked = []
        return self.update(status, queue, isForced: true)
    }

    /// No answer came: it may have been too large for a frame, so fewer are asked for at once.
    mutating func lost(_ status: MediaStatus?, _ queue: MediaQueueStateMachine, of mediaSessionID: Int) -> Outcome {
        guard self.key?.mediaSessionID == mediaSessionID else { return Outcome() }
        if self.asked.count > 1 { self.page = max(1, self.asked.count / 2) } else { self.untold.formUnion(self.asked) }
        self.asked = []
        return self.update(status, queue, isForced: true)
    }

    /// The receiver doesn't tell items.
    mutating func refused(of mediaSessionID: Int) {
        guard self.key?.mediaSessionID == mediaSessionID else { return }
        self.untold.formUnion(self.window?.items.compactMap(\.itemID) ?? [])
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
            if let told = key.items.first(where: { $0.itemID == id }), told.media != nil { return told }
            return queue.peek(id) ?? MediaQueueItem(itemID: id)
        }
        return MediaQueueWindow(
            mediaSessionID: key.mediaSessionID, firstIndex: range.lowerBound, itemCount: key.itemIDs.count, items: items)
    }

    /// The next page of what the window lacks; one is under way at a time.
    private mutating func fetch(_ mediaSessionID: Int) -> (mediaSessionID: Int, itemIDs: [Int])? {
        // Of a receiver that doesn't tell its order, nothing more is asked.
        guard self.asked.isEmpty, let window, self.key?.itemIDs.isEmpty == false else { return nil }
        let missing = window.items.compactMap { $0.media == nil ? $0.itemID : nil }.filter { !self.untold.contains($0) }
        guard !missing.isEmpty else { return nil }
        self.asked = Array(missing.prefix(self.page))
        return (mediaSessionID, self.asked)
    }
}
