import CastModels
import CastProtocol
import CastTestSupport
import TestSupport
import Testing

@testable import CastSender

/// The knowledge of one sender about a queue, from payloads alone.
private struct View {
    var merger = MediaStatusMerger()
    var machine = MediaQueueStateMachine()
    /// The media session whose ids are to be asked for.
    var wanted: Int?

    mutating func receive(_ text: String) throws {
        let message = CastMessage(sourceID: "transport-1", destinationID: "*", namespace: CastNamespace.media, payload: .text(text))
        var memory = PayloadMemory()
        let payload = try ReceivedPayload(CastMessagePiece(decoding: message.encoded()), &memory)
        guard case .media(let content) = payload.content else { return }
        switch content {
        case .status(let updates):
            _ = self.merger.merge(updates, sessionID: "s", receivedAt: MonotonicTime(nanoseconds: 0))
            self.follow(self.machine.mediaStatus(self.merger.status))
        case .queueChange(let change): self.follow(self.machine.changed(change))
        case .queueItemIDs(let ids, let number):
            self.follow(self.machine.itemIDsAnswered(ids, sequenceNumber: number, of: self.merger.status?.mediaSessionID ?? 0))
        case .queueItems(let items, _): self.machine.itemsReceived(items)
        default: Issue.record("unexpected: \(text.prefix(200))")
        }
    }

    mutating func follow(_ outcome: MediaQueueStateMachine.Outcome) { if let session = outcome.fetchItemIDs { self.wanted = session } }
}

/// Two senders, a receiver, and the list that the operations should make of it.
private struct Household {
    var receiver = QueueReceiverModel()
    var views = [View(), View()]
    var list: [String] = []
    var random: SeededGenerator
    private static let title = "夜想曲 ночь ليل 🌙"
    private static let longTitle = String(repeating: "夜想曲 ночь ليل 🌙 ", count: 60)
    private var lastContent = 0
    private var lastRequestID = 0
    var largestPayload = 0

    init(seed: UInt64) {
        self.random = SeededGenerator(seed: seed)
        for index in self.views.indices { _ = self.views[index].machine.follow(nil) }
    }

    private mutating func newItems(_ count: Int) -> [MediaQueueItem] {
        (0..<count).map { _ in
            self.lastContent += 1
            // One in ten is long: 2 KB of many alphabets.
            let title = self.lastContent % 10 == 1 ? Self.longTitle : Self.title
            return MediaQueueItem(
                media: MediaInformation(
                    contentID: "item-\(self.lastContent)", metadata: .musicTrack(title: "\(self.lastContent) \(title)")))
        }
    }

    private static func names(_ items: [MediaQueueItem]) -> [String] { items.map { $0.media?.contentID ?? "" } }

    /// Sends a request as one sender and gives every sender what the receiver reports.
    mutating func send(_ request: MediaRequest, by sender: Int) throws {
        self.lastRequestID += 1
        let text = try request.text(requestID: self.lastRequestID)
        self.largestPayload = max(self.largestPayload, text.utf8.count)
        let body = try JSONParser.parse(text)
        let answered = self.receiver.replies(to: body["type"]?.stringValue ?? "", body, requestID: self.lastRequestID)
        let replies = try #require(answered)
        try self.deliver(replies, to: sender)
    }

    mutating func deliver(_ texts: [(to: String, text: String)], to sender: Int) throws {
        for (to, text) in texts {
            #expect(!text.contains(#""type":"INVALID_REQUEST""#), "the receiver refused")
            for index in self.views.indices where to == "*" || index == sender { try self.views[index].receive(text) }
        }
        for index in self.views.indices {
            guard let session = self.views[index].wanted else { continue }
            self.views[index].wanted = nil
            try self.send(MediaRequest(.queueGetItemIDs, mediaSessionID: session), by: index)
        }
    }

    private mutating func change(_ action: MediaRequest.Action, by sender: Int) throws {
        let session = try #require(self.views[sender].merger.status?.mediaSessionID)
        for part in try MediaRequest(action, mediaSessionID: session).split() { try self.send(part, by: sender) }
    }

    mutating func load(_ count: Int, by sender: Int) throws {
        let items = self.newItems(count)
        let start = Int.random(in: 0..<count, using: &self.random)
        let whole = MediaRequest(.queueLoad(.init(items: items, startIndex: start)))
        let plan = try QueueLoadPlan(whole)
        try self.send(
            MediaRequest(.queueLoad(.init(items: Array(items[plan.first]), startIndex: plan.startIndex))), by: sender)
        let anchor = try #require(self.views[sender].merger.status?.currentItemID)
        for range in plan.following { try self.change(.queueInsert(.init(items: Array(items[range]))), by: sender) }
        for range in plan.preceding { try self.change(.queueInsert(.init(items: Array(items[range]), insertBefore: anchor)), by: sender) }
        self.list = Self.names(items)
        #expect(self.receiver.items.first { $0.id == self.receiver.currentID }?.contentID == self.list[start])
    }

    /// One operation by one of the two, or by the receiver itself.
    mutating func step() throws {
        let sender = Int.random(in: 0...1, using: &self.random)
        let ids = self.views[sender].machine.itemIDs
        guard !ids.isEmpty else { return try self.load(Int.random(in: 1...3, using: &self.random), by: sender) }
        switch Int.random(in: 0..<100, using: &self.random) {
        case 0..<30: try self.insert(ids, by: sender)
        case 30..<50: try self.remove(ids, by: sender)
        case 50..<75: try self.reorder(ids, by: sender)
        case 75..<80:
            self.list = Array(self.list.dropFirst(self.list.count / 2) + self.list.prefix(self.list.count / 2))
            try self.change(.queueUpdate(.init(shuffle: true)), by: sender)
        case 80..<88 where self.receiver.sendsNotices:
            let index = Int.random(in: ids.indices, using: &self.random)
            var item = self.newItems(1)[0]
            self.list[index] = item.media?.contentID ?? ""
            item.itemID = ids[index]
            try self.change(.queueUpdate(.init(items: [item])), by: sender)
        case 88..<96:
            try self.change(.queueUpdate(.init(currentItemID: ids.randomElement(using: &self.random))), by: sender)
        default: try self.deliver(self.receiver.broadcast([]), to: sender)
        }
    }

    private mutating func insert(_ ids: [Int], by sender: Int) throws {
        let items = self.newItems(Int.random(in: 1...4, using: &self.random))
        let index = Int.random(in: 0...ids.count, using: &self.random)
        self.list.insert(contentsOf: Self.names(items), at: index)
        let playing = Int.random(in: 0..<10, using: &self.random) == 0 ? Int.random(in: items.indices, using: &self.random) : nil
        try self.change(
            .queueInsert(.init(items: items, insertBefore: index < ids.count ? ids[index] : nil, currentItemIndex: playing)), by: sender)
    }

    private mutating func remove(_ ids: [Int], by sender: Int) throws {
        let indices = Set((0..<Int.random(in: 1...4, using: &self.random)).map { _ in Int.random(in: ids.indices, using: &self.random) })
        self.list = self.list.enumerated().filter { !indices.contains($0.offset) }.map(\.element)
        try self.change(.queueRemove(itemIDs: indices.sorted().map { ids[$0] }, currentItemID: nil), by: sender)
    }

    private mutating func reorder(_ ids: [Int], by sender: Int) throws {
        let indices = Array(
            Set((0..<Int.random(in: 1...4, using: &self.random)).map { _ in Int.random(in: ids.indices, using: &self.random) })
        )
        .shuffled(using: &self.random)
        let anchor = ids.indices.filter { !indices.contains($0) }.randomElement(using: &self.random)
        let isAtEnd = Int.random(in: 0..<4, using: &self.random) == 0 || anchor == nil
        let moved = indices.map { self.list[$0] }
        let before = isAtEnd ? nil : anchor.map { self.list[$0] }
        self.list.removeAll { moved.contains($0) }
        self.list.insert(contentsOf: moved, at: before.flatMap { self.list.firstIndex(of: $0) } ?? self.list.count)
        try self.change(.queueReorder(itemIDs: indices.map { ids[$0] }, insertBefore: isAtEnd ? nil : anchor.map { ids[$0] }), by: sender)
    }

    /// Both senders know the list, and find the right items at some places of it.
    mutating func check(_ step: Int) throws {
        var names: [Int: String] = [:]
        for item in self.receiver.items { names[item.id] = item.contentID }
        for index in self.views.indices {
            let ids = self.views[index].machine.itemIDs
            try #require(ids.map { names[$0] ?? "gone" } == self.list, "sender \(index), step \(step)")
            guard let session = self.views[index].merger.status?.mediaSessionID, !ids.isEmpty else { continue }
            let start = Int.random(in: ids.indices, using: &self.random)
            let page = Array(ids[start..<min(start + 3, ids.count)])
            let missing = page.filter { self.views[index].machine.cachedItem($0) == nil }
            if !missing.isEmpty { try self.send(MediaRequest(.queueGetItems(itemIDs: missing), mediaSessionID: session), by: index) }
            for id in page { try #require(self.views[index].machine.cachedItem(id)?.media?.contentID == names[id], "step \(step)") }
            try #require(self.views[index].machine.cache.count <= 100)
        }
    }
}

@Suite("A queue that two senders change")
struct MediaQueueModelTests {
    enum Behaviour: String, CaseIterable, CustomTestStringConvertible {
        case numbered, unnumbered, statusFirst, noNotices
        var testDescription: String { self.rawValue }
    }

    /// Sizes with the operations done on each.
    static let sizes: [(size: Int, steps: Int)] = [(0, 400), (1, 400), (49, 300), (50, 300), (51, 300), (1_000, 60)]

    private static func run(size: Int, steps: Int, behaviour: Behaviour) throws -> Household {
        var household = Household(seed: UInt64(size * 10 + steps))
        household.receiver.numbersChanges = behaviour != .unnumbered
        household.receiver.sendsStatusFirst = behaviour == .statusFirst
        household.receiver.sendsNotices = behaviour != .noNotices
        if size > 0 { try household.load(size, by: 0) }
        if behaviour == .noNotices { try household.refresh() }
        try household.check(0)
        for step in 1...steps {
            try household.step()
            // Without notices a change far from what plays is seen with the next look at the whole.
            if behaviour == .noNotices { try household.refresh() }
            try household.check(step)
        }
        return household
    }

    @Test("both senders' views equal the list after each operation", arguments: Self.sizes.indices, Behaviour.allCases)
    func operations(index: Int, behaviour: Behaviour) throws {
        let (size, steps) = Self.sizes[index]
        let household = try Self.run(size: size, steps: steps, behaviour: behaviour)
        #expect(household.largestPayload <= MediaRequest.maximumPayload)
    }

    @Test("ten thousand items stay consistent")
    func tenThousand() throws {
        let household = try Self.run(size: 10_000, steps: 25, behaviour: .numbered)
        #expect(household.list.count > 9_900)
        #expect(household.largestPayload <= MediaRequest.maximumPayload)
        #expect(household.largestPayload > 60_000, "the frames are used")
    }
}

extension Household {
    /// Both senders read the ids again.
    fileprivate mutating func refresh() throws {
        for index in self.views.indices {
            guard let session = self.views[index].merger.status?.mediaSessionID else { continue }
            try self.send(MediaRequest(.queueGetItemIDs, mediaSessionID: session), by: index)
        }
    }
}
