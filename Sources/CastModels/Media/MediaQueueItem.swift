/// One item of a queue, as far as the receiver told it (SDK: `GCKMediaQueueItem`).
public struct MediaQueueItem: Sendable, Hashable {
    /// Given by the receiver; `nil` in items that are yet to be inserted.
    public var itemID: Int?
    public var media: MediaInformation?
    /// Whether to play when the item's turn comes; `nil` leaves it to the receiver, which plays.
    public var autoplay: Bool?
    /// Seconds into the item at which it starts.
    public var startTime: Double?
    /// Seconds before the end of the item before, at which this one is loaded.
    public var preloadTime: Double?
    /// Seconds after which the next item plays; negative ones count from the end.
    public var playbackDuration: Double?
    /// The tracks that are on when the item starts; `nil` leaves it to the receiver.
    public var activeTrackIDs: [Int]?
    public var orderID: Int?
    public var customData: JSONValue?

    public init(itemID: Int? = nil, media: MediaInformation? = nil) {
        self.itemID = itemID
        self.media = media
    }

    /// The item, with what `other` has wherever this one has nothing.
    package func completed(by other: Self) -> Self {
        var item = self
        item.media = self.media ?? other.media
        item.autoplay = self.autoplay ?? other.autoplay
        item.startTime = self.startTime ?? other.startTime
        item.preloadTime = self.preloadTime ?? other.preloadTime
        item.playbackDuration = self.playbackDuration ?? other.playbackDuration
        item.activeTrackIDs = self.activeTrackIDs ?? other.activeTrackIDs
        item.customData = self.customData ?? other.customData
        return item
    }

    /// Refuses what no receiver could take.
    ///
    /// - Throws: `invalidRequest` with `path` and the field as its argument.
    package func validate(_ path: String) throws(CastError) {
        try CastError.checkSeconds(self.startTime, "\(path).startTime")
        try CastError.checkSeconds(self.preloadTime, "\(path).preloadTime")
        try CastError.checkOffset(self.playbackDuration, "\(path).playbackDuration")
        try self.media?.validate("\(path).media", activeTrackIDs: self.activeTrackIDs, named: "\(path).activeTrackIDs")
    }

    /// Refuses what can't become an item of a queue.
    package func validateAsNew(_ path: String) throws(CastError) {
        if self.media == nil { throw .invalidArgument("\(path).media", "a new item needs one") }
        try self.validate(path)
    }
}
