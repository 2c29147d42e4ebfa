import CastModels

extension TopicMapper {
    /// Writes the `queue` document: the items around the current one, at most `MediaQueueWindow.limit`.
    func writeQueue(_ state: DeviceState, to writer: inout JSONWriter) {
        let status = state.presentedMedia
        let window = state.presentedQueue
        let overview = status.map { QueueOverview($0, window) }
        let items = window?.items ?? status?.items ?? []
        writer.member("name", text: status?.queueData?.name)
        writer.member("type", text: status?.queueData?.queueType?.wireValue.lowercased())
        Self.write(status?.queueData?.containerMetadata, to: &writer)
        writer.member("repeat", overview?.repeatMode?.word)
        writer.member("shuffle", overview?.shuffle)
        writer.member("current_item", status?.currentItemID)
        writer.member("loading_item", status?.loadingItemID)
        writer.member("preloaded_item", status?.preloadedItemID)
        writer.member("index", overview?.index)
        writer.member("length", overview?.length)
        var written = 0
        var list = JSONWriter(capacity: 256 * items.count)
        list.beginArray()
        for item in items.prefix(MediaQueueWindow.limit) where list.hasRoom {
            // The status may describe the current item better than the window.
            Self.write(item, media: item.itemID == status?.currentItemID ? status?.media ?? item.media : item.media, to: &list)
            written += 1
        }
        list.endArray()
        writer.member("complete", written == (overview?.length ?? 0))
        writer.key("items")
        writer.members(of: list)
    }

    private static func write(_ container: MediaQueueContainerMetadata?, to writer: inout JSONWriter) {
        writer.key("container")
        guard let container else { return writer.null() }
        writer.beginObject()
        writer.member("type", text: container.type == .audiobook ? "audiobook" : "generic")
        writer.member("title", text: container.title)
        writer.member("duration", rounded: container.duration)
        writer.member("image", text: container.images.first?.url)
        let names: [(key: StaticString, texts: [String])] = [("authors", container.authors), ("narrators", container.narrators)]
        for (key, texts) in names {
            writer.beginArray(key)
            for text in texts.prefix(DocumentLimits.elements) where writer.hasRoom { writer.value(text.limited) }
            writer.endArray()
        }
        writer.member("publisher", text: container.publisher)
        writer.member("release_date", text: container.releaseDate?.text)
        writer.endObject()
    }

    private static func write(_ item: MediaQueueItem, media: MediaInformation?, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("item", item.itemID)
        writer.member("title", text: media?.metadata?.title)
        writer.member("artist", text: media?.metadata?.artist)
        writer.member("duration", rounded: media?.duration.flatMap { $0 > 0 ? $0 : nil })
        writer.member("content_id", text: media?.shownContentID)
        writer.member("image", text: media?.imageURL)
        writer.member("autoplay", item.autoplay)
        writer.member("start_time", rounded: item.startTime)
        writer.member("preload_time", rounded: item.preloadTime)
        writer.beginArray("active_tracks")
        for id in (item.activeTrackIDs ?? []).prefix(DocumentLimits.elements) { writer.value(Int64(id)) }
        writer.endArray()
        writer.endObject()
    }

    /// Writes the `tracks` document: the available and the active tracks, and the text style.
    func writeTracks(_ state: DeviceState, to writer: inout JSONWriter) {
        let status = state.presentedMedia
        let media = status?.shownMedia
        writer.beginArray("active")
        let active = status?.activeTrackIDs ?? []
        for id in active.prefix(DocumentLimits.elements) { writer.value(Int64(id)) }
        writer.endArray()
        let kinds: [(name: StaticString, kind: MediaTrack.Kind)] = [("text", .text), ("audio", .audio), ("video", .video)]
        for (name, kind) in kinds {
            writer.objects(name, (media?.tracks ?? []).prefix(DocumentLimits.tracks).lazy.filter { $0.type == kind }) { track, writer in
                writer.member("id", track.trackID)
                writer.member("name", text: track.name)
                writer.member("language", text: track.language)
                writer.member("subtype", text: track.subtype?.wireValue.lowercased())
                writer.member("url", text: track.contentID)
                writer.member("content_type", text: track.contentType)
                writer.member("active", active.contains(track.trackID))
            }
        }
        writer.key("text_style")
        Self.write(media?.textTrackStyle ?? TextTrackStyle(), to: &writer)
    }

    private static func write(_ style: TextTrackStyle, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("foreground_color", style.foregroundColor?.hex)
        writer.member("background_color", style.backgroundColor?.hex)
        writer.member("edge_color", style.edgeColor?.hex)
        writer.member("edge_type", text: style.edgeType?.wireValue.lowercased())
        writer.member("window_color", style.windowColor?.hex)
        writer.member("window_type", text: style.windowType?.wireValue.lowercased())
        writer.member("window_rounded_corner_radius", rounded: style.windowRoundedCornerRadius)
        writer.member("font_family", text: style.fontFamily)
        writer.member("font_generic_family", text: style.fontGenericFamily?.wireValue.lowercased())
        writer.member("font_scale", rounded: style.fontScale)
        writer.member("font_style", text: style.fontStyle?.wireValue.lowercased())
        writer.endObject()
    }
}
