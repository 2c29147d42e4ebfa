import CastModels

extension TopicMapper {
    /// Writes the `state` document: the values for a dashboard.
    /// - Returns: the range of the members of `media`, which the `media` document repeats.
    func writeState(_ state: DeviceState, _ texts: DocumentTexts, to writer: inout JSONWriter) -> Range<Int> {
        writer.member("player", state.player.rawValue)
        writer.member("idle_reason", state.presentedIdleReason?.word)
        texts.append(.receiver, of: state, by: self, to: &writer)
        writer.beginObject("media")
        let media = self.writeSharedMedia(state, texts, to: &writer)
        writer.endObject()
        texts.append(.standing, of: state, by: self, to: &writer)
        writer.member("busy", state.isBusy)
        writer.member("available", state.isAvailable)
        return media
    }

    static func writeReceiver(_ state: DeviceState, to writer: inout JSONWriter) {
        let application = state.receiver?.application
        writer.beginObject("app")
        writer.member("id", text: application?.applicationID)
        writer.member("name", text: application?.name)
        writer.member("source", text: application.flatMap { $0.isIdleScreen ? nil : $0.name })
        writer.member("status_text", text: application?.statusText)
        writer.member("idle_screen", application?.isIdleScreen ?? false)
        writer.endObject()

        let volume = state.receiver?.volume
        writer.beginObject("volume")
        writer.member("percent", volume?.percent)
        writer.member("level", rounded: volume?.clampedLevel)
        writer.member("muted", volume?.isMuted)
        writer.member("control", text: volume?.controlType?.wireValue)
        writer.member("step", rounded: volume?.stepInterval)
        writer.endObject()
    }

    static func writeStanding(_ state: DeviceState, to writer: inout JSONWriter) {
        self.writeQueueAndTracks(state, to: &writer)
        self.writeAd(state, to: &writer)

        writer.key("can")
        self.writeAbilities(state, to: &writer)
        writer.member("preset", text: state.presentedPreset)
        writer.member("sleep_at", state.choices.sleepEnd)
        writer.member("standby", state.receiver?.isStandBy)
        writer.member("active_input", state.receiver?.isActiveInput)
        writer.key("group")
        self.writeGroup(state, to: &writer)
    }

    private static func writeAd(_ state: DeviceState, to writer: inout JSONWriter) {
        let ad = state.presentedAd
        let status = ad == nil ? nil : state.presentedMedia
        let (adBreak, clip) = (status?.currentAdBreak, status?.currentAdBreakClip)
        writer.beginObject("ad")
        writer.member("playing", ad != nil)
        writer.member("skippable", ad?.isSkippable ?? false)
        writer.member("skippable_at", ad?.skippableAt?.wall)
        writer.member("break", text: ad?.breakID)
        writer.member("clip", text: ad?.clipID)
        writer.member("index", clip.flatMap { adBreak?.clipIDs.firstIndex(of: $0.id) })
        writer.member("clips", adBreak?.clipIDs.count)
        writer.member("clip_duration", rounded: clip?.duration)
        writer.member("clip_ends_at", ad?.clipEndsAt?.wall)
        writer.member("break_duration", rounded: adBreak.flatMap { status?.media?.duration(of: $0) })
        writer.member("break_ends_at", ad?.breakEndsAt?.wall)
        writer.member("poster", text: clip?.posterURL)
        writer.member("click_url", text: clip?.clickThroughURL)
        writer.endObject()
    }

    /// Writes the members that `state.media` and the `media` document share; they are the first ones of their object.
    /// - Returns: their range.
    func writeSharedMedia(_ state: DeviceState, _ texts: DocumentTexts, to writer: inout JSONWriter) -> Range<Int> {
        let status = state.presentedMedia
        let anchor = state.presentedAnchor
        let start = writer.count
        writer.member("session", status?.mediaSessionID)
        texts.append(.description, of: state, by: self, to: &writer)
        writer.member("live", status?.isLiveStream)
        writer.member("duration", rounded: status?.endingDuration)
        writer.member("position", rounded: anchor?.position)
        writer.member("position_at", anchor?.wallAt)
        writer.member("ends_at", anchor?.endsAt)
        writer.member("rate", rounded: status?.effectiveRate)
        writer.member("image", text: status?.shownMedia?.imageURL)
        return start..<writer.count
    }

    static func describe(_ media: MediaInformation?, isPlaying: Bool, to writer: inout JSONWriter) {
        let metadata = media?.metadata
        writer.member("kind", isPlaying ? metadata?.type?.word ?? "unknown" : nil)
        writer.member("title", text: metadata?.title)
        writer.member("artist", text: metadata?.artist)
        writer.member("album", text: metadata?.albumName)
        writer.member("album_artist", text: metadata?.albumArtist)
        writer.member("track", metadata?.trackNumber)
        writer.member("disc", metadata?.discNumber)
        writer.member("subtitle", text: metadata?.subtitle)
        writer.member("series", text: metadata?.seriesTitle)
        writer.member("season", metadata?.season)
        writer.member("episode", metadata?.episode)
        writer.member("content_id", text: media?.shownContentID)
        writer.member("content_type", text: media?.contentType)
    }

    private static func writeQueueAndTracks(_ state: DeviceState, to writer: inout JSONWriter) {
        let status = state.presentedMedia
        let queue = status.map { QueueOverview($0, state.presentedQueue) }
        writer.beginObject("queue")
        writer.member("index", queue?.index)
        writer.member("length", queue?.length)
        writer.member("repeat", queue?.repeatMode?.word)
        writer.member("shuffle", queue?.shuffle)
        writer.member("has_next", queue?.hasNext ?? false)
        writer.member("has_previous", queue?.hasPrevious ?? false)
        writer.endObject()

        writer.beginObject("tracks")
        writer.member("text", text: status?.activeTrackName(.text))
        writer.member("audio", text: status?.activeTrackName(.audio))
        writer.member("video", text: status?.activeTrackName(.video))
        writer.endObject()
    }

    /// Writes the commands that the receiver accepts now, in a fixed order.
    private static func writeAbilities(_ state: DeviceState, to writer: inout JSONWriter) {
        writer.beginArray()
        if let status = state.presentedMedia {
            let commands = status.supportedMediaCommands
            let queue = QueueOverview(status, state.presentedQueue)
            if commands.contains(.pause) { writer.value(plain: "pause") }
            if commands.contains(.seek) { writer.value(plain: "seek") }
            if queue.hasNext { writer.value(plain: "next") }
            if queue.hasPrevious { writer.value(plain: "previous") }
            if commands.contains(.skipAd) || state.presentedAd?.isSkippable == true { writer.value(plain: "skip_ad") }
            if commands.contains(.queueShuffle) { writer.value(plain: "shuffle") }
            if !commands.isDisjoint(with: [.queueRepeatAll, .queueRepeatOne]) { writer.value(plain: "repeat") }
            if commands.contains(.editTracks) { writer.value(plain: "tracks") }
            if commands.contains(.playbackRate) { writer.value(plain: "rate") }
            if commands.contains(.streamTransfer) { writer.value(plain: "transfer") }
        }
        if let volume = state.receiver?.volume, volume.controlType != .fixed {
            writer.value(plain: "volume")
            writer.value(plain: "mute")
        }
        writer.endArray()
    }
}

extension DeviceVolume {
    /// The level within 0 to 1; `nil` when unknown.
    var clampedLevel: Double? { self.level.flatMap { $0.isFinite ? min(max($0, 0), 1) : nil } }

    /// The level as whole percent.
    var percent: Int? { self.clampedLevel.map { Int(($0 * 100).rounded()) } }
}

extension MediaInformation {
    var imageURL: String? { self.metadata?.offeredImages.first?.url }
}

extension MediaStatus {
    /// Returns the name of the active track of this kind; `nil` when none is active.
    func activeTrackName(_ kind: MediaTrack.Kind) -> String? {
        guard !self.activeTrackIDs.isEmpty, let tracks = self.shownMedia?.tracks else { return nil }
        return tracks.first { $0.type == kind && self.activeTrackIDs.contains($0.trackID) }?.displayName
    }
}

extension MediaTrack {
    /// The name in the `tracks` document: the track's name, else its language, else its id.
    public var displayName: String {
        if let name, !name.isEmpty { return name }
        if let language, !language.isEmpty { return language }
        return String(self.trackID)
    }
}
