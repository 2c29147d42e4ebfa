import CastModels

extension TopicMapper {
    /// Writes the `media` document: all of the media status, flat, the members of `state.media` first.
    /// - Parameter shared: the range where `state.media` was just written; `nil` when it was not.
    func writeMedia(_ state: DeviceState, _ texts: DocumentTexts, _ shared: Range<Int>?, to writer: inout JSONWriter) {
        if let shared { writer.members(writtenAt: shared) } else { _ = self.writeSharedMedia(state, texts, to: &writer) }
        writer.member("device", state.slug)
        writer.member("player", state.player.rawValue)
        writer.member("idle_reason", state.presentedIdleReason?.word)
        writer.member("item", state.presentedMedia?.currentItemID)
        texts.append(.details, of: state, by: self, to: &writer)
        writer.key("live_range")
        if let range = state.presentedAnchor?.liveRange { Self.write(range, to: &writer) } else { writer.null() }
        texts.append(.controls, of: state, by: self, to: &writer)
    }

    func writeControls(_ status: MediaStatus?, to writer: inout JSONWriter) {
        let media = status?.shownMedia
        writer.beginObject("volume")
        writer.member("level", rounded: status?.streamVolume?.clampedLevel)
        writer.member("muted", status?.streamVolume?.isMuted)
        writer.endObject()
        writer.beginObject("video")
        writer.member("width", status?.videoInfo?.width)
        writer.member("height", status?.videoInfo?.height)
        writer.member("hdr", status?.videoInfo?.hdrType?.word)
        writer.endObject()
        self.writeBreaks(of: media, to: &writer)
        writer.beginObject("supported_commands")
        let commands = status?.supportedMediaCommands
        writer.member("mask", commands.flatMap { Int(exactly: $0.rawValue) })
        writer.beginArray("names")
        if let commands { for named in MediaCommands.named where commands.contains(named.command) { writer.value(named.name) } }
        writer.endArray()
        writer.endObject()
        self.writeCustomData(status?.customData ?? media?.customData, limit: DocumentLimits.customData, to: &writer)
    }

    /// Writes further constant members of the media, before those that change.
    static func detail(_ media: MediaInformation?, to writer: inout JSONWriter) {
        writer.member("content_url", text: media?.contentURL)
        writer.member("entity", text: media?.entity)
        writer.member("stream", media?.streamType?.word)
        writer.member("metadata_type", media?.metadata?.type?.rawValue)
        writer.beginObject("metadata")
        if let metadata = media?.metadata { self.writeFields(of: metadata, to: &writer) }
        writer.endObject()
        writer.objects("images", (media?.metadata?.images ?? []).prefix(DocumentLimits.elements)) { image, writer in
            writer.member("url", text: image.url)
            writer.member("width", image.width)
            writer.member("height", image.height)
        }
    }

    private static func write(_ range: LiveSeekableRange, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("start", rounded: range.start)
        writer.member("end", rounded: range.end)
        writer.member("moving", range.isMovingWindow)
        writer.member("done", range.isLiveDone)
        writer.endObject()
    }

    private func writeBreaks(of media: MediaInformation?, to writer: inout JSONWriter) {
        writer.objects("breaks", (media?.adBreaks ?? []).prefix(DocumentLimits.elements)) { adBreak, writer in
            writer.member("id", text: adBreak.id)
            writer.member("position", rounded: adBreak.position)
            writer.member("duration", rounded: adBreak.duration)
            writer.member("watched", adBreak.isWatched)
            writer.member("embedded", adBreak.isEmbedded)
            writer.beginArray("clips")
            for id in adBreak.clipIDs.prefix(DocumentLimits.elements) where writer.hasRoom { writer.value(id.limited) }
            writer.endArray()
        }
        writer.objects("break_clips", (media?.adBreakClips ?? []).prefix(DocumentLimits.elements)) { clip, writer in
            writer.member("id", text: clip.id)
            writer.member("title", text: clip.title)
            writer.member("url", text: clip.contentURL ?? clip.contentID)
            writer.member("content_type", text: clip.contentType)
            writer.member("duration", rounded: clip.duration)
            writer.member("skippable_after", rounded: clip.whenSkippable.flatMap { $0 < 0 ? nil : $0 })
            writer.member("poster", text: clip.posterURL)
            writer.member("click_url", text: clip.clickThroughURL)
            self.writeCustomData(clip.customData, limit: DocumentLimits.clipCustomData, to: &writer)
        }
    }

    /// - Parameter limit: the largest size in bytes; larger data is left out.
    private func writeCustomData(_ data: JSONValue?, limit: Int, to writer: inout JSONWriter) {
        writer.key("custom_data")
        guard self.options.status.includesCustomData, let data, JSONWriter.bytes(of: data).count <= limit else {
            return writer.null()
        }
        writer.value(data)
    }

    /// Writes metadata under names in the style of documents. Names that the document already contains are left out.
    private static func writeFields(of metadata: MediaMetadata, to writer: inout JSONWriter) {
        // There are few names, so searching them costs less than hashing.
        var names: [String] = []
        names.reserveCapacity(min(metadata.fields.members.count, DocumentLimits.elements))
        for member in metadata.fields.members.prefix(DocumentLimits.elements) where writer.hasRoom {
            switch (member.key, member.value) {
            case ("title", .string), ("artist", .string), ("subtitle", .string), ("season", .integer), ("episode", .integer): continue
            default: break
            }
            let name = MetadataKey.name(of: member.key)
            // An application may send a value in two spellings that give the same name.
            guard !names.contains(name) else { continue }
            names.append(name)
            switch member.value {
            case .string(let text):
                writer.key(name)
                writer.text(text)
            case .array, .object:
                // A truncated structure would be invalid, so it is written as a whole or not at all.
                let bytes = JSONWriter.bytes(of: member.value)
                writer.key(name)
                if bytes.count <= DocumentLimits.text { writer.value(member.value) } else { writer.null() }
            case .null, .bool, .integer, .number: writer.member(name, member.value)
            }
        }
    }
}

/// Converts wire keys of metadata to names in documents.
enum MetadataKey {
    /// Returns the name of a key: `seriesTitle` becomes `series_title`. Keys of applications are converted in the same way.
    static func name(of key: String) -> String {
        let key = key.limited
        if key == "originalAirdate" { return "original_air_date" }
        return key.utf8Span.span.withUnsafeBufferPointer { text in
            let capitals = text.count { self.capitals.contains($0) }
            guard capitals > 0 else { return key }
            // Within the capacity for every key: each byte becomes one, and only a capital gets a `_` before it, once. The result is valid
            // UTF-8, because only ASCII letters are changed.
            return String(unsafeUninitializedCapacity: text.count + capitals) { bytes in
                var count = 0
                var wasLower = false
                for byte in text {
                    let isCapital = self.capitals.contains(byte)
                    if isCapital, wasLower {
                        bytes[count] = UInt8(ascii: "_")
                        count += 1
                    }
                    bytes[count] = isCapital ? byte | 0x20 : byte
                    count += 1
                    wasLower = !isCapital && byte != UInt8(ascii: "_")
                }
                return count
            }
        }
    }

    private static let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
}
