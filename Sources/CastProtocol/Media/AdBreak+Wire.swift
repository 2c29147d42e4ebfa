import CastModels

private enum Key {
    static let id = "id"
    static let breakClipIDs = "breakClipIds"
    static let position = "position"
    static let duration = "duration"
    static let isEmbedded = "isEmbedded"
    static let isWatched = "isWatched"
    static let title = "title"
    static let contentID = "contentId"
    static let contentURL = "contentUrl"
    static let contentType = "contentType"
    static let clickThroughURL = "clickThroughUrl"
    static let posterURL = "posterUrl"
    static let whenSkippable = "whenSkippable"
    static let breakID = "breakId"
    static let breakClipID = "breakClipId"
    static let currentBreakTime = "currentBreakTime"
    static let currentBreakClipTime = "currentBreakClipTime"
}

extension AdBreak {
    init?(wire object: JSONObject) {
        guard let id = object.word(Key.id) else { return nil }
        self.init(
            id: id, clipIDs: object.texts(Key.breakClipIDs) ?? [], position: object.number(Key.position),
            duration: object.seconds(Key.duration),
            isEmbedded: object.flag(Key.isEmbedded) ?? false, isWatched: object.flag(Key.isWatched) ?? false)
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member(Key.id, self.id)
        writer.member(Key.breakClipIDs, self.clipIDs)
        writer.optional(Key.position, self.position)
        writer.optional(Key.duration, self.duration)
        writer.member(Key.isEmbedded, self.isEmbedded)
        writer.member(Key.isWatched, self.isWatched)
        writer.endObject()
    }
}

extension AdBreakClip {
    init?(wire object: JSONObject) {
        guard let id = object.word(Key.id) else { return nil }
        self.init(id: id)
        self.title = object.word(Key.title)
        self.contentID = object.word(Key.contentID)
        self.contentURL = object.word(Key.contentURL)
        self.contentType = object.word(Key.contentType)
        self.duration = object.seconds(Key.duration)
        self.clickThroughURL = object.word(Key.clickThroughURL)
        self.posterURL = object.word(Key.posterURL)
        self.whenSkippable = object.seconds(Key.whenSkippable)
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member(Key.id, self.id)
        writer.optional(Key.title, self.title)
        writer.optional(Key.contentID, self.contentID)
        writer.optional(Key.contentURL, self.contentURL)
        writer.optional(Key.contentType, self.contentType)
        writer.optional(Key.duration, self.duration)
        writer.optional(Key.clickThroughURL, self.clickThroughURL)
        writer.optional(Key.posterURL, self.posterURL)
        writer.optional(Key.whenSkippable, self.whenSkippable)
        writer.endObject()
    }
}

extension AdBreakStatus {
    init(wire object: JSONObject) {
        self.init(
            breakID: object.word(Key.breakID), breakClipID: object.word(Key.breakClipID),
            currentBreakTime: object.seconds(Key.currentBreakTime),
            currentBreakClipTime: object.seconds(Key.currentBreakClipTime), whenSkippable: object.seconds(Key.whenSkippable))
    }
}
