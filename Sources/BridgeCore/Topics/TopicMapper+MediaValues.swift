import CastModels

/// Plain values for every scalar of `media`, with `split: full`.
extension TopicMapper {
    /// The names below `status/` in addition to `plainNames`.
    static let mediaValueNames = [
        "session", "kind", "subtitle", "series", "season", "episode", "content_type", "live", "position_at", "ends_at", "rate", "image",
        "item", "content_url", "entity",
        "stream", "metadata_type", "stream_volume", "stream_muted", "video_width", "video_height", "video_hdr", "supported_commands",
    ]

    func appendMediaValues(_ state: DeviceState, to batch: inout MessageBatch) {
        let status = state.presentedMedia
        let anchor = state.presentedAnchor
        let media = status?.shownMedia
        let metadata = media?.metadata
        let values = PlainValues(folder: batch.folder(self.tree, state.slug, "/status/"))

        values.append("session", status?.mediaSessionID, to: &batch)
        values.append("kind", status == nil ? nil : metadata?.type?.word ?? "unknown", to: &batch)
        values.append("subtitle", metadata?.subtitle, to: &batch)
        values.append("series", metadata?.seriesTitle, to: &batch)
        values.append("season", metadata?.season, to: &batch)
        values.append("episode", metadata?.episode, to: &batch)
        values.append("content_type", media?.contentType, to: &batch)
        values.append("live", status?.isLiveStream, to: &batch)
        values.append("position_at", anchor?.wallAt.text, to: &batch)
        values.append("ends_at", anchor?.endsAt?.text, to: &batch)
        values.append("rate", milli: status?.effectiveRate, to: &batch)
        values.append("image", media?.imageURL, to: &batch)
        values.append("item", status?.currentItemID, to: &batch)
        values.append("content_url", media?.contentURL, to: &batch)
        values.append("entity", media?.entity, to: &batch)
        values.append("stream", media?.streamType?.word, to: &batch)
        values.append("metadata_type", metadata?.type?.rawValue, to: &batch)
        values.append("stream_volume", milli: status?.streamVolume?.clampedLevel, to: &batch)
        values.append("stream_muted", status?.streamVolume?.isMuted, to: &batch)
        values.append("video_width", status?.videoInfo?.width, to: &batch)
        values.append("video_height", status?.videoInfo?.height, to: &batch)
        values.append("video_hdr", status?.videoInfo?.hdrType?.word, to: &batch)
        values.append("supported_commands", status.flatMap { Int(exactly: $0.supportedMediaCommands.rawValue) }, to: &batch)
    }
}
