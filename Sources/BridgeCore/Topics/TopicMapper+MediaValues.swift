import CastModels

/// With `split: full` every scalar of `media` is a plain value, too.
extension TopicMapper {
    /// The names below `status/` that come on top of `plainNames`.
    static let mediaValueNames = [
        "session", "kind", "subtitle", "series", "season", "episode", "content_type", "live", "position_at", "ends_at", "rate", "image",
        "item",
        "stream", "metadata_type", "stream_volume", "stream_muted", "video_width", "video_height", "video_hdr", "supported_commands",
    ]

    func appendMediaValues(_ state: DeviceState, to messages: inout [OutgoingMessage]) {
        let status = state.presentedMedia
        let anchor = state.presentedAnchor
        let media = status?.shownMedia
        let metadata = media?.metadata
        let topics = self.tree.statuses(state.slug)
        func plain(_ name: String, _ text: String?) {
            messages.append(self.plain(topics.topic(name), text.map { Array($0.limited.utf8) } ?? []))
        }
        func plain(_ name: String, _ number: Int?) { plain(name, number.map { String($0) }) }
        func plain(_ name: String, _ flag: Bool?) { plain(name, flag.map { $0 ? "ON" : "OFF" }) }
        func plain(_ name: String, milli value: Double?) { messages.append(self.plain(topics.topic(name), Self.text(of: value))) }

        plain("session", status?.mediaSessionID)
        plain("kind", status == nil ? nil : metadata?.type?.word ?? "unknown")
        plain("subtitle", metadata?.subtitle)
        plain("series", metadata?.seriesTitle)
        plain("season", metadata?.season)
        plain("episode", metadata?.episode)
        plain("content_type", media?.contentType)
        plain("live", status?.isLiveStream)
        plain("position_at", anchor?.wallAt.text)
        plain("ends_at", anchor?.endsAt?.text)
        plain("rate", milli: status?.effectiveRate)
        plain("image", media?.imageURL)
        plain("item", status?.currentItemID)
        plain("stream", media?.streamType?.word)
        plain("metadata_type", metadata?.type?.rawValue)
        plain("stream_volume", milli: status?.streamVolume?.clampedLevel)
        plain("stream_muted", status?.streamVolume?.isMuted)
        plain("video_width", status?.videoInfo?.width)
        plain("video_height", status?.videoInfo?.height)
        plain("video_hdr", status?.videoInfo?.hdrType?.word)
        plain("supported_commands", status.flatMap { Int(exactly: $0.supportedMediaCommands.rawValue) })
    }
}
