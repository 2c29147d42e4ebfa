@_spi(JSON) import CastModels

extension AdBreak: WireObject {
    init?(wire object: JSONView) {
        guard let id = object.word(MediaKey.id) else { return nil }
        self.init(
            id: id, clipIDs: object.texts(MediaKey.breakClipIDs) ?? [], position: object.number(MediaKey.position),
            duration: object.seconds(MediaKey.duration),
            isEmbedded: object.flag(MediaKey.isEmbedded) ?? false, isWatched: object.flag(MediaKey.isWatched) ?? false)
    }

    func write(to writer: inout JSONWriter) {
        writer.member(MediaKey.id, self.id)
        writer.member(MediaKey.breakClipIDs, self.clipIDs)
        writer.optional(MediaKey.position, self.position)
        writer.optional(MediaKey.duration, self.duration)
        writer.member(MediaKey.isEmbedded, self.isEmbedded)
        writer.member(MediaKey.isWatched, self.isWatched)
    }
}

extension AdBreakClip: WireObject {
    init?(wire object: JSONView) {
        guard let id = object.word(MediaKey.id) else { return nil }
        self.init(id: id)
        self.title = object.word(MediaKey.title)
        self.contentID = object.word(MediaKey.contentID)
        self.contentURL = object.word(MediaKey.contentURL)
        self.contentType = object.word(MediaKey.contentType)
        self.duration = object.seconds(MediaKey.duration)
        self.clickThroughURL = object.word(MediaKey.clickThroughURL)
        self.posterURL = object.word(MediaKey.posterURL)
        self.whenSkippable = object.seconds(MediaKey.whenSkippable)
        self.vastAdsRequest = object.object(MediaKey.vastAdsRequest).map(VASTAdsRequest.init(wire:))
        self.hlsSegmentFormat = object.word(MediaKey.hlsSegmentFormat).map(HLSSegmentFormat.init(wireValue:))
        self.customData = object.any(MediaKey.customData)
    }

    func write(to writer: inout JSONWriter) {
        writer.member(MediaKey.id, self.id)
        writer.optional(MediaKey.title, self.title)
        writer.optional(MediaKey.contentID, self.contentID)
        writer.optional(MediaKey.contentURL, self.contentURL)
        writer.optional(MediaKey.contentType, self.contentType)
        writer.optional(MediaKey.duration, self.duration)
        writer.optional(MediaKey.clickThroughURL, self.clickThroughURL)
        writer.optional(MediaKey.posterURL, self.posterURL)
        writer.optional(MediaKey.whenSkippable, self.whenSkippable)
        writer.optional(MediaKey.vastAdsRequest, self.vastAdsRequest)
        writer.optional(MediaKey.hlsSegmentFormat, self.hlsSegmentFormat?.wireValue)
        writer.optional(MediaKey.customData, self.customData)
    }
}

extension VASTAdsRequest: WireObject {
    init(wire object: JSONView) {
        self.init(adTagURL: object.word(MediaKey.adTagURL), adsResponse: object.word(MediaKey.adsResponse))
    }

    func write(to writer: inout JSONWriter) {
        writer.optional(MediaKey.adTagURL, self.adTagURL)
        writer.optional(MediaKey.adsResponse, self.adsResponse)
    }
}

extension AdBreakStatus {
    init(wire object: JSONView) {
        self.init(
            breakID: object.word("breakId"), breakClipID: object.word("breakClipId"),
            currentBreakTime: object.seconds("currentBreakTime"),
            currentBreakClipTime: object.seconds("currentBreakClipTime"), whenSkippable: object.seconds(MediaKey.whenSkippable))
    }
}
