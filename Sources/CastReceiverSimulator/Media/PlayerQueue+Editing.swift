/// The content of `QUEUE_CHANGE` after an edit.
struct QueueChange: Sendable, Hashable {
    var type: Kind
    var itemIDs: [Int]
    /// The item before which items were inserted; `nil` is the end.
    var insertBefore: Int?
    /// The items that were moved.
    var reordered: [Int]?

    enum Kind: String, Sendable, Hashable {
        case insert = "INSERT"
        case remove = "REMOVE"
        case itemsChange = "ITEMS_CHANGE"
        case update = "UPDATE"
    }

    /// Returns the message. It lists the moved items only while both lists fit in a frame; the new order is sufficient.
    func json(sequenceNumber: Int) -> JSON {
        let json = JSON.members([
            "type": "QUEUE_CHANGE", "changeType": .string(self.type.rawValue), "itemIds": .array(self.itemIDs.map(JSON.integer)),
            "insertBefore": self.insertBefore.map(JSON.integer), "reorderItemIds": self.reordered.map { .array($0.map(JSON.integer)) },
            "sequenceNumber": .integer(sequenceNumber),
        ])
        // Leaves room for `requestId`, which is added later.
        guard self.reordered != nil, json.utf8.count > SimulatedReceiver.maximumTextSize - 100 else { return json }
        var shorter = self
        (shorter.insertBefore, shorter.reordered) = (nil, nil)
        return shorter.json(sequenceNumber: sequenceNumber)
    }
}

/// Edits the queue. Every edit returns `nil` and changes nothing when the request does not match the queue.
extension PlayerQueue {
    /// The largest item id: all ids of a full queue must fit in one frame.
    static let maximumItemID = 99_999

    /// Inserts items before the item with id `before`, else at the end.
    mutating func insert(_ json: [JSON], before: Int?) -> QueueChange? {
        // Items with an id are refused, as by receivers, which assign the ids themselves.
        guard !json.isEmpty, self.items.count + json.count <= Self.maximumItems, self.nextItemID + json.count - 1 <= Self.maximumItemID,
            json.allSatisfy({ $0["itemId"] == nil })
        else { return nil }
        var added = json.enumerated().compactMap { MediaItem($1, itemID: self.nextItemID + $0) }
        guard added.count == json.count, let index = Self.place(before: before, in: self.items) else { return nil }
        for offset in added.indices { added[offset].orderID = self.items.count + offset }
        self.nextItemID += added.count
        self.items.insert(contentsOf: added, at: index)
        if index <= self.currentIndex { self.currentIndex += added.count }
        self.edited()
        return QueueChange(type: .insert, itemIDs: added.map(\.itemID), insertBefore: before)
    }

    /// The effect of a removal on the current item.
    enum Removal: Sendable, Hashable {
        case kept(QueueChange)
        /// It was removed, and the next item is current now.
        case replaced(QueueChange)
        /// It was removed and no item follows: the session ends, and the queue is unchanged.
        case ended
    }

    /// Removes the items with these ids; unknown ids are ignored unless all are unknown.
    mutating func remove(_ itemIDs: [Int]) -> Removal? {
        let ids = Set(itemIDs)
        let removed = self.items.filter { ids.contains($0.itemID) }.map(\.itemID)
        guard !removed.isEmpty else { return nil }
        let currentID = self.current.itemID
        let isReplaced = ids.contains(currentID)
        var kept = self.items.filter { !ids.contains($0.itemID) }
        var index = self.items[..<self.currentIndex].count { !ids.contains($0.itemID) }
        if isReplaced, index >= kept.count {
            guard self.repeatMode.hasPrefix("REPEAT_ALL"), !kept.isEmpty else { return .ended }
            index = 0
        }
        swap(&self.items, &kept)
        self.currentIndex = index
        self.edited()
        let change = QueueChange(type: .remove, itemIDs: removed)
        return isReplaced ? .replaced(change) : .kept(change)
    }

    /// Moves items, in the given order, before the item with id `before`, else to the end; the current item stays current.
    mutating func reorder(_ itemIDs: [Int], before: Int?) -> QueueChange? {
        let ids = Set(itemIDs)
        guard ids.count == itemIDs.count, before.map({ !ids.contains($0) }) ?? true else { return nil }
        let places = Dictionary(uniqueKeysWithValues: self.items.enumerated().map { ($1.itemID, $0) })
        let moved = itemIDs.compactMap { places[$0] }.map { self.items[$0] }
        var rest = self.items.filter { !ids.contains($0.itemID) }
        guard !moved.isEmpty, let index = Self.place(before: before, in: rest) else { return nil }
        rest.insert(contentsOf: moved, at: index)
        self.replaceOrder(rest)
        return QueueChange(
            type: .update, itemIDs: self.items.map(\.itemID), insertBefore: before, reordered: moved.map(\.itemID))
    }

    /// Changes items by their ids; all ids must be known.
    mutating func update(_ json: [JSON]) -> QueueChange? {
        var items = self.items
        var changed: [Int] = []
        for change in json {
            guard let id = change["itemId"]?.int, let index = self.index(of: id), items[index].update(change) else { return nil }
            changed.append(id)
        }
        guard !changed.isEmpty else { return nil }
        self.items = items
        self.sequenceNumber += 1
        return QueueChange(type: .itemsChange, itemIDs: changed)
    }

    /// Shuffles the items after the current one, which becomes the first; or restores the original order.
    @discardableResult
    mutating func shuffle(_ isOn: Bool) -> QueueChange {
        // The order is derived from the queue itself, so that it is reproducible.
        var random = SeededRandom(
            seed: UInt64(truncatingIfNeeded: self.sequenceNumber), purpose: "shuffle", index: self.nextItemID)
        let current = self.current
        if isOn {
            self.isShuffled = true
            let rest = self.items.filter { $0.itemID != current.itemID }
            self.replaceOrder([current] + rest.shuffled(using: &random))
        } else {
            self.isShuffled = false
            self.replaceOrder(self.items.sorted { ($0.orderID, $0.itemID) < ($1.orderID, $1.itemID) })
        }
        return QueueChange(type: .update, itemIDs: self.items.map(\.itemID))
    }

    /// Returns the index of the item with that id, or the end of the list; `nil` when the list lacks the item.
    private static func place(before itemID: Int?, in items: [MediaItem]) -> Int? {
        itemID.map { id in items.firstIndex { $0.itemID == id } } ?? items.count
    }

    private mutating func replaceOrder(_ items: [MediaItem]) {
        let currentID = self.current.itemID
        self.items = items
        self.currentIndex = self.index(of: currentID) ?? 0
        self.edited()
    }

    private mutating func edited() {
        self.sequenceNumber += 1
        if !self.isShuffled { for index in self.items.indices { self.items[index].orderID = index } }
    }
}
