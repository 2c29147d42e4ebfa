import CastModels
import CastProtocol

/// Tracks the order of a receiver's queue, as any sender changes it, and caches the most recently used items. Does no I/O and owns no
/// timer.
///
/// The ids are read once (QUEUE_GET_ITEM_IDS) and then updated by the receiver's QUEUE_CHANGE notices. Anything that contradicts the known
/// order (a gap in the sequence numbers, an unknown id, a status whose window has other neighbours) causes them to be read again.
struct MediaQueueStateMachine {
    /// The largest number of ids kept; the rest of a longer queue is ignored.
    static let itemLimit = 100_000
    /// The largest number of requests in a row, while no answer comes or while each answer may be older than a change.
    static let attemptLimit = 3

    private enum State: Equatable {
        /// There is no media session, or no caller has read its queue.
        case unknown
        /// The ids were requested.
        /// - again: whether a change happened meanwhile that the answer may not contain.
        case fetching(again: Bool)
        case known
        /// The receiver does not report the ids, so only the window of the status is known.
        /// - isRefused: whether it refused; otherwise it did not answer, and its next notice causes another request.
        case unreported(isRefused: Bool)
    }

    /// Whether any caller follows the queue.
    var isFollowed: Bool { self.interest != .none }
    private var interest = Interest.none
    private(set) var itemIDs: [Int] = []
    /// Whether the receiver reported `itemIDs` as its whole queue. They may be older than its last change while they are read again.
    private(set) var isWhole = false
    private(set) var cache = QueueItemCache(capacity: 100)
    private var state = State.unknown
    private var members: Set<Int> = []
    private var mediaSessionID: Int?
    private var sequenceNumber: Int?
    /// The newest sequence number of a change that arrived while the ids were being read.
    private var lateSequenceNumber: Int?
    /// The number of missing answers in a row.
    private var lostAnswers = 0
    /// The number of answers in a row that may be older than a change.
    private var staleAnswers = 0
    /// The window and current item for which the ids were read again. The same ones do not cause it twice.
    private var checked: (window: [Int], current: Int?)?
    /// The ids of the last status.
    private var window: [Int] = []
    /// The largest numbers of items before and after the current one in a status. A shorter window has reached an end of the queue.
    private var reach = (before: 0, after: 0)

    /// Which queues are followed.
    private enum Interest {
        case none
        /// Only media with several items; for other media the status is complete.
        case severalItems
        case everything
    }

    /// The actions that follow an event.
    struct Outcome: Equatable {
        /// Send QUEUE_GET_ITEM_IDS for this media session.
        var fetchItemIDs: Int?
        var change: MediaQueueChange?
    }

    /// Whether `itemIDs` is the whole queue.
    var isKnown: Bool { self.state == .known }

    /// Whether the receiver does not report its queue, so that `itemIDs` is the window of the status.
    var isUnreported: Bool { if case .unreported = self.state { true } else { false } }

    /// The order for requests that change it; `nil` while it was not read.
    var facts: ObservedFacts.Queue? {
        switch self.state {
        case .unknown: nil
        case .fetching: self.isWhole ? .init(itemIDs: self.itemIDs, isWhole: true) : nil
        case .known: .init(itemIDs: self.itemIDs, isWhole: true)
        case .unreported: .init(itemIDs: self.itemIDs, isWhole: false)
        }
    }

    /// Reads the ids of a known queue again.
    mutating func readAgain() -> Outcome { self.isKnown ? Outcome(fetchItemIDs: self.fetch()) : Outcome() }

    mutating func setCacheCapacity(_ capacity: Int) { self.cache.capacity = max(1, capacity) }

    /// Forgets the queue, because another link begins, over which it is read again.
    mutating func reopened() -> Outcome { self.ended() }

    /// A caller follows the queue of `status`.
    mutating func follow(_ status: MediaStatus?) -> Outcome {
        guard self.interest != .everything else { return Outcome() }
        self.interest = .everything
        return self.mediaStatus(status)
    }

    /// A caller follows every queue with more than one item.
    mutating func watch(_ status: MediaStatus?) -> Outcome {
        guard !self.isFollowed else { return Outcome() }
        self.interest = .severalItems
        return self.mediaStatus(status)
    }

    mutating func mediaStatus(_ status: MediaStatus?) -> Outcome {
        guard self.isFollowed else { return Outcome() }
        guard let status, !status.isEnded else { return self.ended() }
        var outcome = Outcome()
        if status.mediaSessionID != self.mediaSessionID {
            outcome = self.ended()
            self.mediaSessionID = status.mediaSessionID
        }
        for item in status.items { self.cache.insert(item) }
        let window = status.items.compactMap(\.itemID)
        let isShort = window != self.window && self.isShort(window, current: status.currentItemID)
        self.window = window
        self.extendReach(window, current: status.currentItemID)
        switch self.state {
        case .unknown: if self.interest == .everything || window.count > 1 { outcome.fetchItemIDs = self.fetch() }
        case .fetching: break
        case .unreported:
            if !window.isEmpty, window != self.itemIDs {
                self.setItemIDs(window)
                outcome.change = .reloaded(itemCount: window.count)
            }
        case .known:
            guard isShort || !self.fits(window, current: status.currentItemID) else { break }
            if let checked, checked.window == window, checked.current == status.currentItemID { break }
            self.checked = (window, status.currentItemID)
            outcome.fetchItemIDs = self.fetch()
        }
        return outcome
    }

    /// Handles QUEUE_ITEM_IDS of this media session; an answer of another one is ignored.
    mutating func itemIDsAnswered(_ ids: [Int], sequenceNumber: Int?, of mediaSessionID: Int) -> Outcome {
        guard self.mediaSessionID == mediaSessionID else { return Outcome() }
        self.lostAnswers = 0
        if ids.isEmpty, !self.window.isEmpty {
            // The status has items, so the receiver does not report its queue.
            self.state = .fetching(again: false)
            return self.markUnreported(isRefused: true)
        }
        let mayBeStale = self.state == .fetching(again: true) && self.mayBeOlder(sequenceNumber)
        let isStale = mayBeStale && self.staleAnswers < Self.attemptLimit - 1
        self.staleAnswers = isStale ? self.staleAnswers + 1 : 0
        let ids = Array(ids.prefix(Self.itemLimit))
        let isChanged = ids != self.itemIDs || self.state != .known
        self.setItemIDs(ids, isWhole: true)
        self.sequenceNumber = sequenceNumber ?? self.sequenceNumber
        self.state = .known
        return Outcome(fetchItemIDs: isStale ? self.fetch() : nil, change: isChanged ? .reloaded(itemCount: ids.count) : nil)
    }

    /// The receiver refused to report the ids, so the window of `status` is used.
    mutating func itemIDsRefused() -> Outcome { self.markUnreported(isRefused: true) }

    /// No answer came. A single answer may have been lost; after several, the receiver is treated as not reporting the ids.
    mutating func itemIDsLost() -> Outcome {
        self.lostAnswers += 1
        guard self.lostAnswers >= Self.attemptLimit else {
            return Outcome(fetchItemIDs: self.isKnown || self.isUnreported ? nil : self.fetch())
        }
        return self.markUnreported(isRefused: false)
    }

    private mutating func markUnreported(isRefused: Bool) -> Outcome {
        guard self.mediaSessionID != nil, !self.isKnown, !self.isUnreported else { return Outcome() }
        self.state = .unreported(isRefused: isRefused)
        self.setItemIDs(self.window)
        return Outcome(change: .reloaded(itemCount: self.itemIDs.count))
    }

    /// The request was abandoned; the next status causes another one.
    mutating func itemIDsAbandoned() { if case .fetching = self.state { self.state = .unknown } }

    /// Handles QUEUE_ITEMS.
    mutating func itemsReceived(_ items: [MediaQueueItem]) {
        guard self.isFollowed else { return }
        for item in items { self.cache.insert(item) }
    }

    /// Returns the item and marks it as used; `nil` when it must be fetched.
    mutating func cachedItem(_ id: Int) -> MediaQueueItem? { self.cache.item(id) }

    /// Returns the item if it is known, without marking it as used.
    func peek(_ id: Int) -> MediaQueueItem? { self.cache.peek(id) }

    /// Handles QUEUE_CHANGE.
    mutating func changed(_ change: MediaMessage.QueueChange) -> Outcome {
        guard self.isFollowed, self.mediaSessionID != nil else { return Outcome() }
        if change.changeType == "ITEMS_CHANGE" || change.changeType == "UPDATE" { self.cache.remove(change.itemIDs) }
        switch self.state {
        case .unknown: return Outcome(fetchItemIDs: self.fetch())
        case .unreported(let isRefused): return isRefused ? Outcome() : Outcome(fetchItemIDs: self.fetch())
        case .fetching:
            // Messages keep their order, but an answer may have been created before the change that was reported before it.
            self.state = .fetching(again: true)
            self.lateSequenceNumber = change.sequenceNumber
            return Outcome()
        case .known: break
        }
        if let number = change.sequenceNumber, let last = self.sequenceNumber {
            if number <= last { return Outcome() }
            guard number == last + 1 else { return self.fetchAgain(number) }
        }
        self.sequenceNumber = change.sequenceNumber ?? self.sequenceNumber
        switch change.changeType {
        case "INSERT": return self.inserted(change)
        case "REMOVE": return self.removed(change)
        case "ITEMS_CHANGE": return Outcome(change: .updated(itemIDs: change.itemIDs))
        case "UPDATE": return self.updated(change)
        case "NO_CHANGE": return Outcome()
        default: return self.fetchAgain(change.sequenceNumber)
        }
    }

    // MARK: -

    /// Returns whether an answer with this number may be older than the last reported change. Without numbers this cannot be known.
    private func mayBeOlder(_ number: Int?) -> Bool {
        guard let number, let late = self.lateSequenceNumber else { return true }
        return number < late
    }

    private mutating func ended() -> Outcome {
        let hadItems = !self.itemIDs.isEmpty
        self.state = .unknown
        self.mediaSessionID = nil
        self.sequenceNumber = nil
        self.lateSequenceNumber = nil
        self.lostAnswers = 0
        self.staleAnswers = 0
        self.checked = nil
        self.window = []
        self.reach = (0, 0)
        self.cache.removeAll()
        self.setItemIDs([])
        return Outcome(change: hadItems ? .reloaded(itemCount: 0) : nil)
    }

    private mutating func setItemIDs(_ ids: [Int], isWhole: Bool = false) {
        self.isWhole = isWhole
        guard ids != self.itemIDs else { return }
        self.itemIDs = ids
        self.members = Set(ids)
        self.cache.keep(self.members)
    }

    private mutating func fetch() -> Int? {
        self.state = .fetching(again: false)
        self.lateSequenceNumber = nil
        return self.mediaSessionID
    }

    private mutating func fetchAgain(_ number: Int?) -> Outcome {
        self.sequenceNumber = number ?? self.sequenceNumber
        return Outcome(fetchItemIDs: self.fetch())
    }

    /// Returns whether the window of a status is a part of the known order. The window of a repeating queue may wrap around.
    private func fits(_ window: [Int], current: Int?) -> Bool {
        if let current, !self.members.contains(current) { return false }
        guard let first = window.first else { return true }
        guard let start = self.itemIDs.firstIndex(of: first) else { return false }
        let count = self.itemIDs.count
        guard window.count <= count else { return false }
        return window.indices.allSatisfy { self.itemIDs[(start + $0) % count] == window[$0] }
    }

    /// Returns whether a window has fewer items on a side of the current one than the known order and earlier windows suggest: some
    /// receivers report a removal by their window only.
    private func isShort(_ window: [Int], current: Int?) -> Bool {
        guard let current, let place = window.firstIndex(of: current), let index = self.itemIDs.firstIndex(of: current) else {
            return false
        }
        return place < min(index, self.reach.before) || window.count - place - 1 < min(self.itemIDs.count - index - 1, self.reach.after)
    }

    private mutating func extendReach(_ window: [Int], current: Int?) {
        guard let place = current.flatMap({ window.firstIndex(of: $0) }) else { return }
        self.reach = (max(place, self.reach.before), max(window.count - place - 1, self.reach.after))
    }

    private mutating func inserted(_ change: MediaMessage.QueueChange) -> Outcome {
        let ids = change.itemIDs
        let index = change.insertBefore.map { self.itemIDs.firstIndex(of: $0) } ?? self.itemIDs.count
        guard let index, !ids.isEmpty, Set(ids).count == ids.count, self.members.isDisjoint(with: ids),
            self.itemIDs.count + ids.count <= Self.itemLimit
        else { return self.fetchAgain(change.sequenceNumber) }
        self.itemIDs.insert(contentsOf: ids, at: index)
        self.members.formUnion(ids)
        return Outcome(change: .inserted(itemIDs: ids, index: index))
    }

    private mutating func removed(_ change: MediaMessage.QueueChange) -> Outcome {
        let ids = Set(change.itemIDs)
        guard !ids.isEmpty, self.members.isSuperset(of: ids) else { return self.fetchAgain(change.sequenceNumber) }
        self.itemIDs.removeAll { ids.contains($0) }
        self.members.subtract(ids)
        self.cache.remove(ids)
        return Outcome(change: .removed(itemIDs: change.itemIDs))
    }

    /// The order changed. Only a full list of the same items is certain to be the new order.
    private mutating func updated(_ change: MediaMessage.QueueChange) -> Outcome {
        guard change.itemIDs.count == self.itemIDs.count, Set(change.itemIDs) == self.members else {
            return self.fetchAgain(change.sequenceNumber)
        }
        let isChanged = change.itemIDs != self.itemIDs
        self.itemIDs = change.itemIDs
        return Outcome(change: isChanged ? .reordered : nil)
    }
}
