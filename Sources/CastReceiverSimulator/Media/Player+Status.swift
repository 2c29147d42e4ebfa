extension Player {
    /// What a status tells beside the state: everything that did not change since the last one may be left out.
    struct StatusContent: Sendable, Hashable {
        var media: Bool
        var items: Bool

        static let everything = StatusContent(media: true, items: true)
        static let changes = StatusContent(media: false, items: false)
    }

    /// One element of `MEDIA_STATUS.status`.
    ///
    /// - Parameter staleAt: a position to tell instead of the true one.
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
        let showsMedia = content.media && !self.isLoading && !isOver
        return .members([
            "mediaSessionId": .integer(self.mediaSessionID),
            "playbackRate": .number(self.rate),
            "playerState": .string(self.playerState),
            "currentTime": .number(stalePosition ?? self.position(at: now)),
            "supportedMediaCommands": .integer(self.supportedCommands),
            "volume": self.streamVolume.json,
            "activeTrackIds": .array(self.activeTrackIDs.map(JSON.integer)),
            "media": showsMedia ? self.mediaWithStyle(item) : nil,
            "currentItemId": isOver || self.isLoading ? nil : item.map { .integer($0.itemID) },
            "loadingItemId": self.isLoading ? item.map { .integer($0.itemID) } : nil,
            "items": content.items && !isOver ? self.queue.map { .array($0.window.map(\.json)) } : nil,
            "repeatMode": isOver ? nil : self.queue.map { .string($0.repeatMode) },
            "idleReason": idleReason,
            "extendedStatus": extended,
        ])
    }

    private func mediaWithStyle(_ item: MediaItem?) -> JSON? {
        guard var media = item?.media else { return nil }
        if let textTrackStyle { media["textTrackStyle"] = textTrackStyle }
        return media
    }

    /// `supportedMediaCommands`: 1 pause, 2 seek, 4 and 8 stream volume and mute, 4096 tracks, 8192 rate.
    /// As on real devices the bits for next and previous are missing although queues work.
    private var supportedCommands: Int {
        guard let item = self.queue?.current else { return 12_303 }
        if item.isLive { return 4 | 8 | 4_096 }
        return item.isImage ? 4 | 8 : 12_303
    }

    /// Whether the current item can be paused and positioned.
    var isSeekable: Bool { self.queue.map { !$0.current.isLive && !$0.current.isImage } ?? false }
}
