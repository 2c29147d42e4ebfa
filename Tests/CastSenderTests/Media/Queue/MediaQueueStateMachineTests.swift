import CastModels
import Testing

@testable import CastProtocol
@testable import CastSender

@Suite struct MediaQueueStateMachineTests {
    private static func status(session: Int = 1, window: [Int] = [1, 2, 3], current: Int? = 1, state: PlayerState = .playing) -> MediaStatus
    {
        var status = MediaStatus(mediaSessionID: session, playerState: state, receivedAt: MonotonicTime(nanoseconds: 0))
        status.items = window.map { MediaQueueItem(itemID: $0, media: MediaInformation(contentID: "c\($0)")) }
        status.currentItemID = current
        return status
    }

    private static func change(_ type: String, _ ids: [Int] = [], before: Int? = nil, number: Int? = nil) -> MediaMessage.QueueChange {
        .init(changeType: type, itemIDs: ids, insertBefore: before, sequenceNumber: number)
    }

    /// A followed queue of the items 1 to 5 with 10 as its last number.
    private static func known(numbered: Bool = true) -> MediaQueueStateMachine {
        var machine = MediaQueueStateMachine()
        _ = machine.follow(Self.status())
        _ = machine.itemIDsAnswered([1, 2, 3, 4, 5], sequenceNumber: numbered ? 10 : nil, of: 1)
        return machine
    }

    @Test("nothing is asked before there is a reader")
    func unfollowed() {
        var machine = MediaQueueStateMachine()
        #expect(machine.mediaStatus(Self.status()) == .init())
        #expect(machine.changed(Self.change("INSERT", [9])) == .init())
        #expect(machine.follow(Self.status()) == .init(fetchItemIDs: 1))
        #expect(machine.follow(Self.status()) == .init())
        #expect(machine.mediaStatus(Self.status()) == .init(), "asked already")
        #expect(machine.itemIDsAnswered([1, 2, 3], sequenceNumber: nil, of: 1) == .init(change: .reloaded(itemCount: 3)))
        #expect(machine.isKnown)
    }

    /// A notice, the order after it, and what follows; `nil` where the ids must be read again.
    static let changes: [(MediaMessage.QueueChange, [Int], MediaQueueChange?)] = [
        (Self.change("INSERT", [8, 9], before: 3, number: 11), [1, 2, 8, 9, 3, 4, 5], .inserted(itemIDs: [8, 9], index: 2)),
        (Self.change("INSERT", [8], number: 11), [1, 2, 3, 4, 5, 8], .inserted(itemIDs: [8], index: 5)),
        (Self.change("INSERT", [8], before: 77, number: 11), [1, 2, 3, 4, 5], nil),
        (Self.change("INSERT", [3], number: 11), [1, 2, 3, 4, 5], nil), (Self.change("INSERT", [8, 8], number: 11), [1, 2, 3, 4, 5], nil),
        (Self.change("INSERT", number: 11), [1, 2, 3, 4, 5], nil),
        (Self.change("REMOVE", [2, 5], number: 11), [1, 3, 4], .removed(itemIDs: [2, 5])),
        (Self.change("REMOVE", [2, 6], number: 11), [1, 2, 3, 4, 5], nil),
        (Self.change("ITEMS_CHANGE", [2], number: 11), [1, 2, 3, 4, 5], .updated(itemIDs: [2])),
        (Self.change("UPDATE", [5, 4, 3, 2, 1], number: 11), [5, 4, 3, 2, 1], .reordered),
        (Self.change("UPDATE", [5, 4], number: 11), [1, 2, 3, 4, 5], nil), (Self.change("UPDATE", number: 11), [1, 2, 3, 4, 5], nil),
        (Self.change("SORT", number: 11), [1, 2, 3, 4, 5], nil), (Self.change("REMOVE", [2], number: 12), [1, 2, 3, 4, 5], nil),
    ]

    @Test("a notice is applied when it matches the known order, else the ids are read again", arguments: Self.changes.indices)
    func change(index: Int) {
        let (change, ids, reported) = Self.changes[index]
        var machine = Self.known()
        let outcome = machine.changed(change)
        #expect(machine.itemIDs == ids)
        #expect(outcome == (reported.map { .init(change: $0) } ?? .init(fetchItemIDs: 1)))
        #expect(machine.isKnown == (reported != nil))
    }

    @Test("a repeated notice and an empty one change nothing")
    func old() {
        var machine = Self.known()
        #expect(machine.changed(Self.change("REMOVE", [1], number: 10)) == .init())
        #expect(machine.changed(Self.change("NO_CHANGE", number: 11)) == .init())
        #expect(machine.changed(Self.change("REMOVE", [1], number: 12)) == .init(change: .removed(itemIDs: [1])))
    }

    @Test("without numbers every notice counts")
    func unnumbered() {
        var machine = Self.known(numbered: false)
        #expect(machine.changed(Self.change("REMOVE", [1])) == .init(change: .removed(itemIDs: [1])))
        #expect(machine.changed(Self.change("INSERT", [1], before: 2)) == .init(change: .inserted(itemIDs: [1], index: 0)))
    }

    @Test("an answer older than a change that was reported before it is requested again")
    func staleAnswer() {
        var machine = Self.known()
        #expect(machine.changed(Self.change("SORT", number: 11)) == .init(fetchItemIDs: 1))
        #expect(machine.changed(Self.change("REMOVE", [1], number: 12)) == .init())
        #expect(machine.itemIDsAnswered([1, 2, 3], sequenceNumber: 11, of: 1) == .init(fetchItemIDs: 1, change: .reloaded(itemCount: 3)))
        #expect(machine.itemIDsAnswered([2, 3], sequenceNumber: 12, of: 1) == .init(change: .reloaded(itemCount: 2)))
        #expect(machine.isKnown)
    }

    /// A window of a status, the current item, and whether it agrees with 1 to 5.
    static let windows: [([Int], Int?, Bool)] = [
        ([1, 2, 3], 1, true), ([4, 5], 5, true), ([5, 1, 2], 5, true), ([], 3, true), ([], nil, true), ([1, 3], 1, false),
        ([2, 1], 2, false),
        ([7], 7, false), ([1, 2, 7], 1, false), ([], 7, false), ([1, 2, 3, 4, 5, 6], 1, false),
    ]

    @Test("a status with other neighbours has the ids read again, once for each window", arguments: Self.windows.indices)
    func window(index: Int) {
        let (window, current, fits) = Self.windows[index]
        var machine = Self.known()
        #expect(machine.mediaStatus(Self.status(window: window, current: current)).fetchItemIDs == (fits ? nil : 1))
        _ = machine.itemIDsAnswered([1, 2, 3, 4, 5], sequenceNumber: 10, of: 1)
        #expect(machine.mediaStatus(Self.status(window: window, current: current)) == .init(), "the receiver has been asked about this")
    }

    @Test("another media session is another queue, and its end empties it")
    func sessions() {
        var machine = Self.known()
        #expect(machine.mediaStatus(Self.status(session: 2)) == .init(fetchItemIDs: 2, change: .reloaded(itemCount: 0)))
        _ = machine.itemIDsAnswered([1], sequenceNumber: 3, of: 2)
        #expect(machine.mediaStatus(Self.status(session: 2, state: .idle)) == .init(change: .reloaded(itemCount: 0)))
        #expect(machine.itemIDsAnswered([1], sequenceNumber: 3, of: 2) == .init(), "nothing plays any more")
        #expect(machine.mediaStatus(nil) == .init())
        #expect(machine.itemIDs == [])
    }

    @Test("for a receiver that does not report its ids the window of its status is used")
    func unreported() {
        var machine = MediaQueueStateMachine()
        _ = machine.follow(Self.status())
        #expect(machine.itemIDsRefused() == .init(change: .reloaded(itemCount: 3)))
        #expect(machine.itemIDs == [1, 2, 3])
        #expect(machine.isUnreported)
        #expect(machine.mediaStatus(Self.status(window: [2, 3, 4])) == .init(change: .reloaded(itemCount: 3)))
        #expect(machine.mediaStatus(Self.status(window: [])) == .init(), "unchanged windows are left out")
        #expect(machine.itemIDs == [2, 3, 4])
    }

    @Test("one lost answer is requested again; a receiver that is silent three times counts as not reporting, until it sends a notice")
    func lost() {
        var machine = MediaQueueStateMachine()
        _ = machine.follow(Self.status())
        #expect(machine.itemIDsLost() == .init(fetchItemIDs: 1))
        #expect(!machine.isUnreported)
        #expect(machine.itemIDsLost() == .init(fetchItemIDs: 1))
        #expect(machine.itemIDsLost() == .init(change: .reloaded(itemCount: 3)))
        #expect(machine.isUnreported)
        #expect(machine.changed(Self.change("REMOVE", [1], number: 4)) == .init(fetchItemIDs: 1))
        #expect(machine.itemIDsAnswered([2, 3, 4], sequenceNumber: 4, of: 1) == .init(change: .reloaded(itemCount: 3)))
        #expect(machine.isKnown)
        #expect(machine.itemIDsLost() == .init(), "another asker has got its answer")
    }

    @Test("a receiver that refused is not asked again when something changes")
    func refused() {
        var machine = MediaQueueStateMachine()
        _ = machine.follow(Self.status())
        _ = machine.itemIDsRefused()
        #expect(machine.changed(Self.change("REMOVE", [1])) == .init())
        #expect(machine.isUnreported)
    }

    @Test("without numbers an answer during which something changed is asked for again, but not for ever")
    func unnumberedChangeWhileFetching() {
        var machine = MediaQueueStateMachine()
        _ = machine.follow(Self.status())
        _ = machine.changed(Self.change("REMOVE", [1]))
        #expect(machine.itemIDsAnswered([1, 2, 3], sequenceNumber: nil, of: 1) == .init(fetchItemIDs: 1, change: .reloaded(itemCount: 3)))
        #expect(machine.itemIDsAnswered([2, 3], sequenceNumber: nil, of: 1) == .init(change: .reloaded(itemCount: 2)))
        #expect(machine.isKnown)
        _ = machine.changed(Self.change("SORT"))
        var questions = 0
        for _ in 0..<10 where !machine.isKnown {
            _ = machine.changed(Self.change("SORT"))
            questions += machine.itemIDsAnswered([2, 3], sequenceNumber: nil, of: 1).fetchItemIDs == nil ? 0 : 1
        }
        #expect(questions == MediaQueueStateMachine.attemptLimit - 1)
    }

    @Test("the ids of a media session that was replaced meanwhile are not the new one's")
    func otherSession() {
        var machine = MediaQueueStateMachine()
        _ = machine.follow(Self.status(session: 2))
        #expect(machine.itemIDsAnswered([7, 8], sequenceNumber: 1, of: 1) == .init())
        #expect(!machine.isKnown)
    }

    @Test("items come from the window and from pages, and go with their item or their content")
    func cache() {
        var machine = Self.known()
        #expect(machine.peek(2)?.media?.contentID == "c2")
        #expect(machine.peek(4) == nil)
        machine.itemsReceived([MediaQueueItem(itemID: 4, media: MediaInformation(contentID: "c4")), MediaQueueItem(itemID: 5)])
        #expect(machine.cachedItem(4)?.media?.contentID == "c4")
        #expect(machine.peek(5) == nil, "an item without media is not shown")
        _ = machine.changed(Self.change("ITEMS_CHANGE", [4], number: 11))
        #expect(machine.peek(4) == nil)
        _ = machine.changed(Self.change("REMOVE", [2], number: 12))
        #expect(machine.peek(2) == nil)
    }

    @Test("the items used last are kept, never more than the bound", arguments: [1, 2, 3, 10])
    func eviction(capacity: Int) {
        var cache = QueueItemCache(capacity: capacity)
        for id in 1...100 {
            cache.insert(MediaQueueItem(itemID: id, media: MediaInformation(contentID: "c\(id)")))
            if capacity > 2 { #expect(id == 1 || cache.item(1) != nil, "used again and again") }
            #expect(cache.count <= capacity)
            #expect(cache.peek(id) != nil)
        }
        #expect(cache.peek(50) == nil)
        cache.capacity = 1
        #expect(cache.count <= 1)
    }
}
