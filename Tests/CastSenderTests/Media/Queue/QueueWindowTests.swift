import CastModels
import CastTestSupport
import NIOCore
import Testing

@testable import CastProtocol
@testable import CastSender

@Suite struct QueueWindowTests {
    private static func status(_ window: ClosedRange<Int>, current: Int, session: Int = 1) -> MediaStatus {
        var status = MediaStatus(mediaSessionID: session, playerState: .playing, receivedAt: MonotonicTime(nanoseconds: 0))
        status.items = window.map { MediaQueueItem(itemID: $0, media: MediaInformation(contentID: "c\($0)")) }
        status.currentItemID = current
        return status
    }

    /// Followed, with the order of `count` items known, the first of which plays.
    private static func known(_ count: Int, session: Int = 1) -> (QueueWindowStateMachine, MediaQueueStateMachine, MediaStatus) {
        var (window, queue, status) = (
            QueueWindowStateMachine(), MediaQueueStateMachine(), self.status(1...3, current: 1, session: session)
        )
        window.follow()
        _ = queue.watch(status)
        _ = window.update(status, queue)
        _ = queue.itemIDsAnswered(Array(1...count), sequenceNumber: 1, of: session)
        status.currentTime = 1
        return (window, queue, status)
    }

    @Test("media of a single item is no queue: nothing is asked")
    func single() {
        var (window, queue) = (QueueWindowStateMachine(), MediaQueueStateMachine())
        window.follow()
        let status = Self.status(1...1, current: 1)
        #expect(queue.watch(status) == .init())
        #expect(window.update(status, queue) == .init(isChanged: true))
        #expect(window.window?.isComplete == true)
        #expect(queue.mediaStatus(Self.status(1...2, current: 1)) == .init(fetchItemIDs: 1), "now there are two")
    }

    @Test("nothing is kept for a session that doesn't follow")
    func unfollowed() {
        var window = QueueWindowStateMachine()
        #expect(window.update(Self.status(1...3, current: 1), MediaQueueStateMachine()) == .init())
        #expect(window.window == nil)
    }

    @Test("missing items of the window are requested in pages, one at a time, until it is complete")
    func pages() {
        var (window, queue, status) = Self.known(100)
        var outcome = window.update(status, queue)
        var asked: [Int] = []
        while let (session, ids) = outcome.fetch {
            #expect(session == 1 && ids.count <= 20)
            asked += ids
            #expect(window.update(status, queue, isForced: true).fetch == nil, "one is under way")
            queue.itemsReceived(ids.map { MediaQueueItem(itemID: $0, media: MediaInformation(contentID: "c\($0)")) })
            outcome = window.answered(status, queue, of: 1)
        }
        #expect(asked == Array(4...50))
        #expect(window.window?.items.map { $0.media?.contentID } == (1...50).map { "c\($0)" })
        #expect(window.window?.itemCount == 100)
        #expect(window.update(status, queue) == .init())
    }

    @Test("items that the receiver does not report are asked for once")
    func unreported() {
        var (window, queue, status) = Self.known(5)
        #expect(window.update(status, queue) == .init(isChanged: true, fetch: (1, [4, 5])))
        #expect(window.answered(status, queue, of: 1) == .init())
        status.currentItemID = 2
        #expect(window.update(status, queue).fetch == nil)
        #expect(window.window?.items.last == MediaQueueItem(itemID: 5))
    }

    @Test("an answer that doesn't come is asked for in halves, then left")
    func halves() {
        var (window, queue, status) = Self.known(7)
        #expect(window.update(status, queue).fetch?.itemIDs == [4, 5, 6, 7])
        #expect(window.lost(status, queue, of: 1).fetch?.itemIDs == [4, 5])
        #expect(window.lost(status, queue, of: 1).fetch?.itemIDs == [4])
        #expect(window.lost(status, queue, of: 1).fetch?.itemIDs == [5])
        window.refused(of: 1)
        status.currentTime = 9
        #expect(window.update(status, queue, isForced: true).fetch == nil)
    }

    @Test("the window keeps the size of the queue while the order is read again")
    func readAgain() {
        var (window, queue, status) = Self.known(100)
        _ = window.update(status, queue)
        #expect(queue.readAgain() == .init(fetchItemIDs: 1))
        status.currentItemID = 2
        #expect(window.update(status, queue).isChanged == false)
        #expect(window.window?.itemCount == 100)
        _ = queue.itemIDsAnswered([], sequenceNumber: nil, of: 1)
        _ = window.update(status, queue)
        #expect(window.window?.itemCount == 3, "from now on the receiver reports no order")
    }

    @Test("a receiver that reports no order is not asked for the items of its former window")
    func askedAgainWithoutOrder() {
        var (window, queue, status) = Self.known(100)
        for _ in 1...3 {
            _ = queue.readAgain()
            _ = queue.itemIDsLost()
        }
        _ = window.update(status, queue)
        #expect(queue.isUnreported && window.window?.itemCount == 3)
        let change = MediaMessage.QueueChange(changeType: "UPDATE", itemIDs: [1], insertBefore: nil, sequenceNumber: nil)
        #expect(queue.changed(change) == .init(fetchItemIDs: 1))
        status.items = (4...5).map { MediaQueueItem(itemID: $0) }
        status.currentItemID = 4
        #expect(window.update(status, queue) == .init(isChanged: true))
        #expect(window.window?.items.map(\.itemID) == [4, 5])
    }

    @Test("a late answer about another media session is ignored, and the end removes the window")
    func otherSession() {
        var (window, queue, status) = Self.known(5)
        _ = window.update(status, queue)
        #expect(window.answered(status, queue, of: 9) == .init())
        #expect(window.update(nil, queue) == .init(isChanged: true))
        #expect(window.window == nil)
        #expect(window.answered(status, queue, of: 1) == .init())
        #expect(window.isFollowed)
    }

    private static func playing(_ count: Int, _ change: @escaping @Sendable (inout QueueReceiverModel) -> Void = { _ in }) -> FakeReceiver {
        FakeReceiver { state in
            state.application = FakeReceiver.Application()
            var queue = QueueReceiverModel()
            change(&queue)
            let elements = (1...count).map { JSONValue.object(["media": ["contentId": .string("c\($0)")]]) }
            _ = queue.replies(to: "QUEUE_LOAD", ["items": .array(elements)], requestID: 1)
            state.queue = queue
        }
    }

    private static func lastWindow(_ world: SupervisorWorld) -> MediaQueueWindow? {
        world.log.events.reversed().lazy.compactMap { if case .queueWindow(let window) = $0 { window } else { nil } }.first
    }

    @Test("a supervisor that follows the queue reports it, over the invisible connection")
    func session() async throws {
        let receiver = Self.playing(70)
        let (world, task) = await SupervisorWorld.connected(to: receiver, followsQueue: true)
        await world.virtual.advance(.seconds(1))
        let window = try #require(Self.lastWindow(world))
        #expect(window.itemCount == 70 && window.firstIndex == 0)
        #expect(window.items.map { $0.media?.contentID } == (1...50).map { "c\($0)" })
        #expect(world.log.connections == [.invisible])
        #expect(receiver.types("media").filter { $0 == "QUEUE_GET_ITEM_IDS" }.count == 1)
        let ready = world.log.events.firstIndex { if case .ready = $0 { true } else { false } } ?? .max
        let first = world.log.events.firstIndex { if case .queueWindow = $0 { true } else { false } } ?? 0
        #expect(ready < first)
        _ = await world.end(task)
    }

    @Test("a receiver that answers at most six items at once is still read")
    func smallPages() async throws {
        let (world, task) = await SupervisorWorld.connected(to: Self.playing(30) { $0.largestPage = 6 }, followsQueue: true)
        await world.virtual.advance(.seconds(120))
        #expect(Self.lastWindow(world)?.items.map { $0.media?.contentID } == (1...30).map { "c\($0)" })
        _ = await world.end(task)
    }

    @Test("a queue that no caller follows is not requested, nor one with a single item", arguments: [(70, false), (1, true)])
    func silent(count: Int, follows: Bool) async throws {
        let receiver = Self.playing(count)
        let (world, task) = await SupervisorWorld.connected(to: receiver, followsQueue: follows)
        await world.virtual.advance(.seconds(5))
        #expect(!receiver.types("media").contains { $0.hasPrefix("QUEUE") })
        _ = await world.end(task)
    }
}
