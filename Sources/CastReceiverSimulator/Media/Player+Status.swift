extension Player {
    /// The optional parts of a status: unchanged ones may be left out.
    struct StatusContent: Sendable, Hashable {
        var media: Bool
        var items: Bool

        static let everything = StatusContent(media: true, items: true)
        static let changes = StatusContent(media: false, items: false)
        static let media = StatusContent(media: true, items: false)
        static let queue = StatusContent(media: false, items: true)
    }

    /// Returns one element of `MEDIA_STATUS.status`.
    ///
    /// - Parameter stalePosition: a position to report in place of the true one.
    func status(at now: Duration, content: StatusContent, stalePosition: Double? = nil) -> JSON {
        let item = self.queue?.current
        let isOver = !self.hasSession
        var extended: JSON?
        if self.isLoading {
            extended = .members([
                "playerState": "LOADING", "media": content.media ? item?.media : nil, "mediaSessionId": .integer(self.mediaSessionID),
            ])
        }
        var idleReason: JSON?
        if case .idle(let reason?) = self.state { idleReason = .string(reason.rawValue) }
        let isShown = !self.isLoading && !isOver
        return .members([
            "mediaSessionId": .integer(self.mediaSessionID),
            "playbackRate": .number(self.speed),
            "playerState": .string(self.playerState),
            "currentTime": .number(stalePosition ?? self.position(at: now)),
            "supportedMediaCommands": .integer(self.supportedCommands(at: now)),
            "volume": self.streamVolume.json,
            "activeTrackIds": self.tracks.json,
            "media": content.media && isShown ? self.mediaWithStyle(item) : nil,
            "currentItemId": isShown ? item.map { .integer($0.itemID) } : nil,
            "loadingItemId": self.isLoading ? item.map { .integer($0.itemID) } : nil,
            "preloadedItemId": isOver ? nil : self.preloadedItemID.map(JSON.integer),
            "items": content.items && !isOver ? self.items(beside: content.media ? item : nil) : nil,
            "repeatMode": isOver ? nil : self.queue.map { .string($0.repeatMode) },
            "queueData": content.items && !isOver ? self.queue?.dataJSON : nil,
            "breakStatus": self.adBreak?.json(at: now),
            "liveSeekableRange": isShown ? item?.liveWindow?.json(after: (now - self.loadedAt).inSeconds) : nil,
            "videoInfo": isShown ? item?.videoInformation : nil,
            "idleReason": idleReason,
            "extendedStatus": extended,
        ])
    }

    /// Returns the window of the queue. Large media that the same status already contains are not repeated.
    private func items(beside reported: MediaItem?) -> JSON? {
        guard let queue = self.queue else { return nil }
        guard let reported, reported.size > PlayerQueue.maximumWindowSize / 2 else { return queue.window }
        return .array([queue.current.json(.withoutMedia)])
    }

    private func mediaWithStyle(_ item: MediaItem?) -> JSON? {
        guard var media = item?.media else { return nil }
        if let style = self.tracks.style { media["textTrackStyle"] = style }
        return media
    }

    /// Bits of `supportedMediaCommands`.
    enum Command {
        static let pause = 1
        static let seek = 2
        static let streamVolume = 4 | 8
        static let queue = 64 | 128 | 256 | 1_024 | 2_048
        static let skipAd = 512
        static let editTracks = 4_096
        static let playbackRate = 8_192
        static let transfer = 262_144
        static let basic = pause | seek | streamVolume | editTracks | playbackRate
    }

    func supportedCommands(at now: Duration) -> Int {
        guard let item = self.queue?.current else { return Command.basic | self.traits.commands }
        if let adBreak {
            return Command.pause | Command.streamVolume | (adBreak.isSkippable(at: now) ? Command.skipAd : 0)
        }
        if item.liveWindow != nil {
            return Command.pause | Command.seek | Command.streamVolume | Command.editTracks | self.traits.commands
        }
        if item.isLive { return Command.streamVolume | Command.editTracks | self.traits.commands }
        return (item.isImage ? Command.streamVolume : Command.basic) | self.traits.commands
    }

    /// Whether the current item can be paused and seeked.
    var isSeekable: Bool {
        guard let item = self.queue?.current else { return false }
        return item.liveWindow != nil || !(item.isLive || item.isImage)
    }

    /// Whether the playback rate of the current item can be changed.
    var hasRates: Bool { self.isSeekable && self.queue?.current.liveWindow == nil }

    /// Seconds of the current item that pass in one second of playback.
    var speed: Double { self.hasRates ? self.rate : 1 }
}
