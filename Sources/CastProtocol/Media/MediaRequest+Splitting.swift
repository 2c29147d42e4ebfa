import CastModels

/// Splits queue requests, because a frame carries 64 KiB and a queue may be larger.
extension MediaRequest {
    /// The largest payload in bytes. A frame has at most 65 536, of which the envelope (ids, namespace) needs less than 1 024.
    package static let maximumPayload = 65_536 - 1_024

    /// Returns this request as several that each fit a frame. Sent one after the answer to the other, they have the same effect together.
    ///
    /// Only QUEUE_INSERT, QUEUE_UPDATE with items, QUEUE_REMOVE and QUEUE_REORDER are split; see `QueueLoadPlan` for loads.
    /// - Throws: `messageTooBig` with the argument, when a single item does not fit.
    package func split(limit: Int = Self.maximumPayload) throws(CastError) -> [MediaRequest] {
        switch self.action {
        case .queueInsert(let insertion):
            let overhead = try self.size(
                .queueInsert(.init(items: [], insertBefore: .max, currentItemIndex: .max, startTime: insertion.startTime)))
            return try QueueBatches.of(insertion.items, room: limit - overhead).map { range in
                var part = insertion
                part.items = Array(insertion.items[range])
                let index = insertion.currentItemIndex.flatMap { range.contains($0) ? $0 - range.lowerBound : nil }
                part.currentItemIndex = index
                part.startTime = index == nil ? nil : insertion.startTime
                return self.with(.queueInsert(part))
            }
        case .queueUpdate(let update):
            guard let items = update.items else { return [self] }
            var rest = update
            rest.items = []
            let overhead = try self.size(.queueUpdate(rest))
            let parts = try QueueBatches.of(items, room: limit - overhead)
            return parts.enumerated().map { number, range in
                // Options that are not about the items are sent once, with the last part.
                var part = number == parts.count - 1 ? update : .init()
                part.items = Array(items[range])
                return self.with(.queueUpdate(part))
            }
        case .queueRemove(let ids, let currentItemID):
            let overhead = try self.size(.queueRemove(itemIDs: [], currentItemID: currentItemID))
            return QueueBatches.of(ids, room: limit - overhead).enumerated().map { number, range in
                self.with(.queueRemove(itemIDs: Array(ids[range]), currentItemID: number == 0 ? currentItemID : nil))
            }
        case .queueReorder(let ids, let insertBefore):
            let overhead = try self.size(.queueReorder(itemIDs: [], insertBefore: insertBefore))
            return QueueBatches.of(ids, room: limit - overhead).map { range in
                self.with(.queueReorder(itemIDs: Array(ids[range]), insertBefore: insertBefore))
            }
        default: return [self]
        }
    }

    private func with(_ action: Action) -> Self {
        var request = self
        request.action = action
        return request
    }

    /// Returns the size of this request with `action` in place of its own, in bytes.
    fileprivate func size(_ action: Action) throws(CastError) -> Int {
        try self.with(action).text(requestID: Int(Int32.max)).utf8.count
    }
}

extension MediaRequest.Action {
    /// The number of queue items in a request that can be split; 0 for others.
    package var itemCount: Int {
        switch self {
        case .queueInsert(let insertion): insertion.items.count
        case .queueUpdate(let update): update.items?.count ?? 0
        case .queueRemove(let ids, _), .queueReorder(let ids, _): ids.count
        default: 0
        }
    }
}

/// The order for loading a queue that is larger than a frame: first the item to start with and as many after it as fit, then the following
/// items, then the preceding ones. So the wanted item plays at once, and no item of an incomplete queue is skipped.
package struct QueueLoadPlan: Sendable, Hashable {
    /// The items of the load request.
    package let first: Range<Int>
    /// The index of the item to start with in `first`.
    package let startIndex: Int
    /// The parts to append, in this order.
    package let following: [Range<Int>]
    /// The parts to insert before the first loaded item, in this order.
    package let preceding: [Range<Int>]

    /// - Parameters:
    ///   - request: the load with all its items: LOAD with `queueData`, or QUEUE_LOAD.
    ///   - limit: the largest payload in bytes.
    /// - Throws: `messageTooBig` with the argument, when a single item does not fit.
    package init(_ request: MediaRequest, limit: Int = MediaRequest.maximumPayload) throws(CastError) {
        let items: [MediaQueueItem]
        let start: Int
        let bare: MediaRequest.Action
        switch request.action {
        case .queueLoad(var load):
            (items, start) = (load.items, load.startIndex ?? 0)
            (load.items, load.startIndex) = ([], .max)
            bare = .queueLoad(load)
        case .load(var load, let sessionID):
            (items, start) = (load.queueData?.items ?? [], load.queueData?.startIndex ?? 0)
            load.queueData?.items = []
            load.queueData?.startIndex = .max
            bare = .load(load, sessionID: sessionID)
        default: (items, start, bare) = ([], 0, request.action)
        }
        let overhead = try request.size(bare) + 16
        guard limit > overhead else {
            throw CastError(.messageTooBig, detail: "the request fits no frame even without items", argument: "media")
        }
        let sizes = QueueBatches.sizes(of: items)
        if let tooBig = sizes.firstIndex(where: { $0 > limit - overhead }) { throw QueueBatches.tooBig(tooBig, sizes[tooBig]) }
        if sizes.reduce(0, +) <= limit - overhead || items.isEmpty {
            (self.first, self.startIndex, self.following, self.preceding) = (items.indices, start, [], [])
            return
        }
        let insertion = try MediaRequest(
            .queueInsert(.init(items: [], insertBefore: .max)), mediaSessionID: .max, customData: request.customData
        )
        .text(requestID: Int(Int32.max)).utf8.count
        let forward = QueueBatches.of(sizes: Array(sizes[start...]), room: limit - max(overhead, insertion)).map { $0.shifted(by: start) }
        self.first = forward[0]
        self.startIndex = 0
        self.following = Array(forward.dropFirst())
        self.preceding = start == 0 ? [] : QueueBatches.of(sizes: Array(sizes[..<start]), room: limit - insertion)
    }
}

/// Divides a list into consecutive parts that each fit the available room.
private enum QueueBatches {
    static func of(_ items: [MediaQueueItem], room: Int) throws(CastError) -> [Range<Int>] {
        let sizes = Self.sizes(of: items)
        if let tooBig = sizes.firstIndex(where: { $0 > room }) { throw Self.tooBig(tooBig, sizes[tooBig]) }
        return Self.of(sizes: sizes, room: room)
    }

    static func of(_ ids: [Int], room: Int) -> [Range<Int>] { Self.of(sizes: ids.map { String($0).utf8.count + 1 }, room: room) }

    /// Returns the size of each written item in bytes, with a comma.
    static func sizes(of items: [MediaQueueItem]) -> [Int] {
        items.map { item in
            var writer = JSONWriter()
            item.writeValue(to: &writer)
            return writer.bytes.count + 1
        }
    }

    static func tooBig(_ index: Int, _ size: Int) -> CastError {
        CastError(.messageTooBig, detail: "\(size) bytes fit no frame", argument: "items[\(index)]")
    }

    /// Returns the parts. An empty list gives one empty part, because the request is still sent.
    static func of(sizes: [Int], room: Int) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var start = 0
        var sum = 0
        for (index, size) in sizes.enumerated() {
            if sum + size > room, index > start {
                parts.append(start..<index)
                (start, sum) = (index, 0)
            }
            sum += size
        }
        if start < sizes.count || sizes.isEmpty { parts.append(start..<sizes.count) }
        return parts
    }
}

extension Range<Int> {
    fileprivate func shifted(by amount: Int) -> Self { (self.lowerBound + amount)..<(self.upperBound + amount) }
}
