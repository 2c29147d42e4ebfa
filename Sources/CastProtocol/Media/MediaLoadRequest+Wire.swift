@_spi(JSON) import CastModels

extension MediaLoadRequest {
    /// Reads a LOAD message that `MediaRequest` wrote, without credentials; `nil` for one without media and items.
    package init?(wire object: JSONView) {
        let media = object.object(MediaKey.media).map(MediaInformation.init(wire:))
        let queueData = object.object(MediaKey.queueData).map(MediaQueueData.init(wire:))
        if let media { self.init(media: media) } else if let queueData { self.init(queueData: queueData) } else { return nil }
        self.queueData = queueData
        self.autoplay = object.flag(MediaKey.autoplay)
        self.startTime = object.number(MediaKey.currentTime)
        self.playbackRate = object.number(MediaKey.playbackRate)
        self.activeTrackIDs = object.wholes(MediaKey.activeTrackIDs)
    }
}
