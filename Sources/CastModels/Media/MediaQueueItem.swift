/// One item of a queue, as far as the receiver reported it (SDK: `GCKMediaQueueItem`).
public struct MediaQueueItem: Sendable, Hashable {
    /// The id that the receiver assigned; `nil` for items that are not inserted yet.
    public var itemID: Int?
    public var media: MediaInformation?
    /// Whether the item plays when the queue reaches it; `nil` leaves it to the receiver, which plays.
    public var autoplay: Bool?
    /// Seconds into the item at which it starts.
    public var startTime: Double?
    /// Seconds before the end of the previous item at which this one is loaded.
    public var preloadTime: Double?
    /// Seconds after which the next item plays; a negative value counts from the end.
    public var playbackDuration: Double?
    /// The tracks that are active when the item starts; `nil` leaves it to the receiver.
    public var activeTrackIDs: [Int]?
    public var orderID: Int?
    public var customData: JSONValue?

    public init(itemID: Int? = nil, media: MediaInformation? = nil) { (self.itemID, self.media) = (itemID, media) }

    /// Returns the item with missing fields taken from `other`.
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

    /// Checks for values that no receiver can accept.
    ///
    /// - Throws: `invalidRequest` with `path` and the field as its argument.
    package func validate(_ path: String) throws(CastError) {
        try CastError.checkSeconds(self.startTime, "\(path).startTime")
        try CastError.checkSeconds(self.preloadTime, "\(path).preloadTime")
        try CastError.checkOffset(self.playbackDuration, "\(path).playbackDuration")
        try self.media?.validate("\(path).media", activeTrackIDs: self.activeTrackIDs, named: "\(path).activeTrackIDs")
    }

    /// Checks for values that cannot become a new item of a queue.
    package func validateAsNew(_ path: String) throws(CastError) {
        if self.media == nil { throw .invalidArgument("\(path).media", "a new item needs one") }
        try self.validate(path)
    }
}
