import CastModels

extension MediaQueueItem {
    private enum Key {
        static let itemID = "itemId"
        static let media = "media"
        static let autoplay = "autoplay"
        static let startTime = "startTime"
        static let preloadTime = "preloadTime"
        static let playbackDuration = "playbackDuration"
        static let activeTrackIDs = "activeTrackIds"
        static let orderID = "orderId"
        static let customData = "customData"
    }

    /// Reads an element of `items`.
    package init(wire object: JSONObject) {
        self.init(itemID: object.whole(Key.itemID), media: object.object(Key.media).map(MediaInformation.init(wire:)))
        self.autoplay = object.flag(Key.autoplay)
        self.startTime = object.seconds(Key.startTime)
        self.preloadTime = object.seconds(Key.preloadTime)
        self.playbackDuration = object.number(Key.playbackDuration)
        self.activeTrackIDs = object.wholes(Key.activeTrackIDs) ?? []
        self.orderID = object.whole(Key.orderID)
        self.customData = object.any(Key.customData)
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.optional(Key.itemID, self.itemID)
        if let media {
            writer.key(Key.media)
            media.write(to: &writer)
        }
        writer.optional(Key.autoplay, self.autoplay)
        writer.optional(Key.startTime, self.startTime)
        writer.optional(Key.preloadTime, self.preloadTime)
        writer.optional(Key.playbackDuration, self.playbackDuration)
        if !self.activeTrackIDs.isEmpty { writer.optional(Key.activeTrackIDs, self.activeTrackIDs) }
        writer.optional(Key.customData, self.customData)
        writer.endObject()
    }
}

extension MediaQueueData {
    init(wire object: JSONObject) {
        self.init()
        self.queueID = object.word("id")
        self.name = object.word("name")
        self.queueType = object.word("queueType")
        self.repeatMode = object.word("repeatMode").map(RepeatMode.init(wireValue:))
        self.shuffle = object.flag("shuffle")
        self.startIndex = object.whole("startIndex")
    }
}
