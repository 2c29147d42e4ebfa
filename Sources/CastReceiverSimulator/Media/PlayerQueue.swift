/// The items of a media session and the current position in them.
struct PlayerQueue: Sendable {
    /// The largest number of items in one queue.
    static let maximumItems = 10_000
    /// The largest total size of media and custom data in the window of a status, in bytes of JSON. Items that do not fit are sent without
    /// them.
    static let maximumWindowSize = 24_576
    static let repeatModes = ["REPEAT_OFF", "REPEAT_ALL", "REPEAT_SINGLE", "REPEAT_ALL_AND_SHUFFLE"]

    // Settable for PlayerQueue+Editing.swift, which adds, removes and orders items, and for the player, which changes the current item.
    var items: [MediaItem]
    var currentIndex: Int
    var nextItemID: Int
    var isShuffled = false
    /// Increases with every change of the items or their order. A sender that misses a number requests all ids again.
    var sequenceNumber = 1

    var repeatMode: String
    /// QueueData as the sender wrote it, without the members that this type represents; `nil` when the sender sent none.
    private(set) var data: JSON?

    /// Reads the items of a queue request; `nil` when there are none or too many, when one has no content, or when `startIndex` is not one
    /// of them.
    init?(items json: [JSON], startIndex: Int, repeatMode: String?) {
        guard !json.isEmpty, json.count <= Self.maximumItems, json.indices.contains(startIndex) else { return nil }
        let items = json.enumerated().compactMap { MediaItem($1, itemID: $0 + 1) }
        guard items.count == json.count else { return nil }
        self.items = items
        self.currentIndex = startIndex
        self.repeatMode = repeatMode.flatMap { Self.repeatModes.contains($0) ? $0 : nil } ?? "REPEAT_OFF"
        self.nextItemID = items.count + 1
    }

    /// Reads QueueData with its items.
    init?(data: JSON) {
        self.init(
            items: data["items"]?.elements ?? [], startIndex: data["startIndex"]?.int ?? 0, repeatMode: data["repeatMode"]?.text)
        if let start = data["startTime"]?.double { self.setStartTime(max(0, start)) }
        var rest = data
        for name in ["items", "startIndex", "startTime", "repeatMode", "shuffle"] { rest[name] = nil }
        self.data = rest
        if data["shuffle"]?.boolean ?? false { self.shuffle(true) }
    }

    init(_ item: MediaItem) {
        self.items = [item]
        self.currentIndex = 0
        self.repeatMode = "REPEAT_OFF"
        self.nextItemID = item.itemID + 1
    }

    var current: MediaItem { self.items[self.currentIndex] }

    /// The item that follows when the current one ends by itself, for a preload; `nil` also when the queue is shuffled first.
    var next: MediaItem? {
        if self.repeatMode == "REPEAT_SINGLE" { return self.current }
        if self.currentIndex + 1 < self.items.count { return self.items[self.currentIndex + 1] }
        return self.repeatMode == "REPEAT_ALL" ? self.items[0] : nil
    }

    /// `items` of a status: the current item, one before and two after it; receivers send no more.
    var window: JSON {
        var room = Self.maximumWindowSize
        let indices = max(0, self.currentIndex - 1)...min(self.items.count - 1, self.currentIndex + 2)
        return .array(
            indices.map { index in
                let item = self.items[index]
                let extent: MediaItem.Extent = item.size <= room ? .everything : item.extrasSize <= room ? .withoutMedia : .brief
                room -= extent == .everything ? item.size : extent == .withoutMedia ? item.extrasSize : 0
                return item.json(extent)
            })
    }

    /// `queueData` of a status; `nil` when it would be empty.
    var dataJSON: JSON? {
        guard self.data != nil || self.isShuffled else { return nil }
        var json = self.data ?? .object([])
        json["repeatMode"] = .string(self.repeatMode)
        json["shuffle"] = .bool(self.isShuffled)
        json["startIndex"] = .integer(self.currentIndex)
        return json
    }

    /// Returns the first of these items, as far as the elements of `items` have room for them.
    static func prefix(of items: ArraySlice<MediaItem>, room: Int) -> ArraySlice<MediaItem> {
        var room = room
        return items.prefix { item in
            room -= item.size + 256
            return room >= 0
        }
    }

    func index(of itemID: Int) -> Int? { self.items.firstIndex { $0.itemID == itemID } }

    /// Moves by `count` items. Beyond an end, a queue that repeats continues at the other end; otherwise nothing changes.
    /// - Returns: whether it moved.
    mutating func jump(by count: Int) -> Bool {
        var index = self.currentIndex.addingReportingOverflow(count).partialValue
        if !self.items.indices.contains(index) {
            guard self.repeatMode.hasPrefix("REPEAT_ALL") else { return false }
            index = ((index % self.items.count) + self.items.count) % self.items.count
        }
        self.currentIndex = index
        return true
    }

    mutating func jump(toItem itemID: Int) -> Bool {
        guard let index = self.index(of: itemID) else { return false }
        self.currentIndex = index
        return true
    }

    /// Moves to the next item when the current one ends by itself; returns whether there is one.
    mutating func advance() -> Bool {
        if self.repeatMode == "REPEAT_SINGLE" { return true }
        if self.repeatMode == "REPEAT_ALL_AND_SHUFFLE", self.currentIndex == self.items.count - 1 {
            self.shuffle(true)
            return self.jump(by: 1)
        }
        return self.jump(by: 1)
    }

    mutating func setAutoplay(_ autoplay: Bool) { self.items[self.currentIndex].autoplay = autoplay }
    mutating func setStartTime(_ seconds: Double) { self.items[self.currentIndex].startTime = seconds }
}
