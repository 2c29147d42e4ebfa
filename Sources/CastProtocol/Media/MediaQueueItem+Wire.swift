@_spi(JSON) import CastModels

extension MediaQueueItem: WireObject {
    /// Reads an element of `items`.
    package init(wire object: JSONView) {
        self.init(itemID: object.whole(MediaKey.itemID), media: object.object(MediaKey.media).map(MediaInformation.init(wire:)))
        self.autoplay = object.flag(MediaKey.autoplay)
        self.startTime = object.seconds(MediaKey.startTime)
        self.preloadTime = object.seconds(MediaKey.preloadTime)
        self.playbackDuration = object.number(MediaKey.playbackDuration)
        self.activeTrackIDs = object.wholes(MediaKey.activeTrackIDs)
        self.orderID = object.whole("orderId")
        self.customData = object.any(MediaKey.customData)
    }

    /// The item without its id, which the receiver assigns: it refuses a new item that has one.
    var asNew: Self {
        var item = self
        item.itemID = nil
        return item
    }

    func write(to writer: inout JSONWriter) {
        writer.optional(MediaKey.itemID, self.itemID)
        writer.optional(MediaKey.media, self.media)
        writer.optional(MediaKey.autoplay, self.autoplay)
        writer.optional(MediaKey.startTime, self.startTime)
        writer.optional(MediaKey.preloadTime, self.preloadTime)
        writer.optional(MediaKey.playbackDuration, self.playbackDuration)
        writer.optional(MediaKey.activeTrackIDs, self.activeTrackIDs)
        writer.optional(MediaKey.customData, self.customData)
    }
}
