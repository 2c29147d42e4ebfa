@_spi(JSON) import CastModels

extension MediaQueueItem {
    /// Reads an element of `items`.
    package init(wire object: JSONView) {
        self.init(itemID: object.whole(MediaKey.itemID), media: object.object(MediaKey.media).map(MediaInformation.init(wire:)))
        self.autoplay = object.flag(MediaKey.autoplay)
        self.startTime = object.seconds(MediaKey.startTime)
        self.preloadTime = object.seconds(MediaKey.preloadTime)
        self.playbackDuration = object.number(MediaKey.playbackDuration)
        self.activeTrackIDs = object.wholes(MediaKey.activeTrackIDs)
        self.orderID = object.whole(MediaKey.orderID)
        self.customData = object.any(MediaKey.customData)
    }

    /// Writes an item without its id, which the receiver assigns: it refuses an item that has one.
    func writeAsNew(to writer: inout JSONWriter) {
        var item = self
        item.itemID = nil
        item.write(to: &writer)
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.optional(MediaKey.itemID, self.itemID)
        if let media {
            writer.key(MediaKey.media)
            media.write(to: &writer)
        }
        writer.optional(MediaKey.autoplay, self.autoplay)
        writer.optional(MediaKey.startTime, self.startTime)
        writer.optional(MediaKey.preloadTime, self.preloadTime)
        writer.optional(MediaKey.playbackDuration, self.playbackDuration)
        writer.optional(MediaKey.activeTrackIDs, self.activeTrackIDs)
        writer.optional(MediaKey.customData, self.customData)
        writer.endObject()
    }
}
