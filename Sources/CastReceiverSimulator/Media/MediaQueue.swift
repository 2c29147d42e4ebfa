/// The items of a media session and the place in them.
struct MediaQueue: Sendable {
    /// Most items of one queue.
    static let maximumItems = 1_000

    private(set) var items: [MediaItem]
    private(set) var currentIndex: Int
    var repeatMode: String
    private var nextItemID: Int

    static let repeatModes = ["REPEAT_OFF", "REPEAT_ALL", "REPEAT_SINGLE", "REPEAT_ALL_AND_SHUFFLE"]

    /// Reads the items of a queue request; `nil` when there are none, too many, or one has no content.
    init?(items json: [JSON], startIndex: Int, repeatMode: String?) {
        guard !json.isEmpty, json.count <= Self.maximumItems, json.indices.contains(startIndex) else { return nil }
        let items = json.enumerated().compactMap { MediaItem($1, itemID: $0 + 1) }
        guard items.count == json.count else { return nil }
        self.items = items
        self.currentIndex = startIndex
        self.repeatMode = repeatMode.flatMap { Self.repeatModes.contains($0) ? $0 : nil } ?? "REPEAT_OFF"
        self.nextItemID = items.count + 1
    }

    init(_ item: MediaItem) {
        self.items = [item]
        self.currentIndex = 0
        self.repeatMode = "REPEAT_OFF"
        self.nextItemID = item.itemID + 1
    }

    var current: MediaItem { self.items[self.currentIndex] }

    /// The current item, one before and two after it: more than that no receiver sends.
    var window: ArraySlice<MediaItem> {
        self.items[max(0, self.currentIndex - 1)...min(self.items.count - 1, self.currentIndex + 2)]
    }

    /// Moves by `count` items; false at the ends, unless the queue repeats.
    mutating func jump(by count: Int) -> Bool {
        var index = self.currentIndex + count
        if !self.items.indices.contains(index) {
            guard self.repeatMode.hasPrefix("REPEAT_ALL") else { return false }
            index = ((index % self.items.count) + self.items.count) % self.items.count
        }
        self.currentIndex = index
        return true
    }

    mutating func jump(toItem itemID: Int) -> Bool {
        guard let index = self.items.firstIndex(where: { $0.itemID == itemID }) else { return false }
        self.currentIndex = index
        return true
    }

    /// What follows when the current item ends by itself: whether there is something, which is then the current item.
    mutating func advance() -> Bool { self.repeatMode == "REPEAT_SINGLE" ? true : self.jump(by: 1) }

    /// Inserts items before the one with id `before`, else at the end; returns their new ids, `nil` when the request is invalid.
    mutating func insert(_ json: [JSON], before: Int?) -> [Int]? {
        // Items that come with an id are refused, as receivers do: ids are theirs to give.
        guard !json.isEmpty, self.items.count + json.count <= Self.maximumItems, json.allSatisfy({ $0["itemId"] == nil }) else {
            return nil
        }
        let added = json.enumerated().compactMap { MediaItem($1, itemID: self.nextItemID + $0) }
        guard added.count == json.count else { return nil }
        var index = self.items.count
        if let before {
            guard let place = self.items.firstIndex(where: { $0.itemID == before }) else { return nil }
            index = place
        }
        self.nextItemID += added.count
        self.items.insert(contentsOf: added, at: index)
        if index <= self.currentIndex { self.currentIndex += added.count }
        return added.map(\.itemID)
    }

    mutating func setStartTime(_ seconds: Double) { self.items[self.currentIndex].startTime = seconds }
}
