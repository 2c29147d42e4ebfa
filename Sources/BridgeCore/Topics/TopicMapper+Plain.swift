import CastModels

extension TopicMapper {
    /// The names below `status/`.
    static let plainNames = [
        "player", "app", "volume", "volume_level", "muted", "title", "artist", "album", "duration", "position", "position_percent",
        "artwork",
        "content_id", "repeat", "shuffle", "idle_reason", "busy", "error_code",
    ]

    /// The name of `player` in a reduced vocabulary, for consumers with a fixed one.
    public static let mediaPlayerName = "media_player"

    /// The plain value that must not be sent twice to clients: Home Assistant takes the arrival of the message as the time of its picture.
    public static let artworkName = "artwork"

    public static let artworkImageName = "artwork/image"
    static let artworkImageQoS: UInt8 = 1

    /// Returns a message that the broker retains, in the form in which it would be sent; `nil` unless it must not be sent twice to clients.
    /// - Parameter name: the name of the document below the slug.
    public static func artwork(_ payload: [UInt8], at topic: String, name: String) -> OutgoingMessage? {
        switch name {
        case "status/\(Self.artworkName)": OutgoingMessage(topic: topic, payload: payload, qos: 0, retain: true, content: .text)
        case Self.artworkImageName:
            OutgoingMessage(topic: topic, payload: payload, qos: Self.artworkImageQoS, retain: true, content: .binary)
        default: nil
        }
    }

    /// Appends the plain values in `documents`, one topic each. A missing value is an empty message, which clears the topic.
    func appendPlain(_ state: DeviceState, _ documents: DeviceDocuments, to batch: inout MessageBatch) {
        let (ofPlayer, ofMedia) = (documents.contains(.playerValues), documents.contains(.mediaValues))
        let ofReceiver = documents.contains(.receiverValues)
        let status = state.presentedMedia
        let media = status?.shownMedia
        let values = PlainValues(folder: batch.folder(self.tree, state.slug, "/status/"))

        if ofPlayer { values.append("player", state.player.rawValue, to: &batch) }
        if ofReceiver {
            let volume = state.receiver?.volume
            values.append("app", state.receiver?.application?.name, to: &batch)
            values.append("volume", volume?.percent, to: &batch)
            values.append("volume_level", milli: volume?.clampedLevel, to: &batch)
            values.append("muted", volume?.isMuted, to: &batch)
        }
        if ofMedia {
            values.append("title", media?.metadata?.title, to: &batch)
            values.append("artist", media?.metadata?.artist, to: &batch)
            values.append("album", media?.metadata?.albumName, to: &batch)
        }
        if ofPlayer {
            values.append("duration", milli: status?.endingDuration, to: &batch)
            // Ticks were sent between two anchors, so an equal position must be sent again to clients that received them.
            let anchor = state.presentedAnchor
            let moment = anchor?.at.nanoseconds
            values.append("position", milli: anchor?.position, moment: moment, to: &batch)
            let percent = anchor.flatMap { Self.roundedPercent($0.percent(at: $0.at)) }
            values.append("position_percent", milli: percent, moment: moment, to: &batch)
        }
        if ofMedia || ofReceiver { values.append("artwork", self.artwork(media, state.receiver?.application?.iconURL), to: &batch) }
        if ofMedia {
            values.append("content_id", media?.shownContentID, to: &batch)
            values.append("repeat", status?.queueRepeatMode?.word, to: &batch)
            values.append("shuffle", status?.isQueueShuffled, to: &batch)
        }
        if ofPlayer { values.append("idle_reason", state.presentedIdleReason?.word, to: &batch) }
        if ofPlayer || ofReceiver { values.append("busy", state.isBusy, to: &batch) }
        guard ofPlayer else { return }
        values.append("error_code", state.errorCode, to: &batch)
        if self.options.includesMediaPlayer { values.append("media_player", state.player.mediaPlayerState, to: &batch) }
    }

    /// Returns the percentage with one decimal, the step of a seek bar.
    static func roundedPercent(_ value: Double?) -> Double? { value.map { ($0 * 10).rounded() / 10 } }

    /// Returns a complete web address, because readers fetch it: the medium's picture, else the application's icon, else the placeholder.
    /// An address whose secret is removed would not work, so it is not used.
    private func artwork(_ media: MediaInformation?, _ icon: String?) -> String? {
        if let picture = Self.picture(media, icon) { return self.fetchable(picture) }
        return self.options.status.artworkPlaceholder.flatMap(self.fetchable)
    }

    /// Returns the address of the picture of a device's media, with its secrets; `nil` without one.
    public func artworkAddress(of state: DeviceState) -> String? {
        Self.picture(state.presentedMedia?.shownMedia, state.receiver?.application?.iconURL)
    }

    private static func picture(_ media: MediaInformation?, _ icon: String?) -> String? {
        if let image = media?.imageURL, image.isWebAddress { return image }
        return icon.flatMap { $0.isWebAddress ? $0 : nil }
    }

    private func fetchable(_ address: String) -> String? { self.options.redaction.finds(in: address) ? nil : address }

    // MARK: With `split: full`

    /// The names below `status/` in addition to `plainNames`, for every scalar of `media`.
    static let mediaValueNames = [
        "session", "kind", "album_artist", "track", "disc", "subtitle", "series", "season", "episode", "content_type", "live",
        "position_at", "ends_at", "rate", "image",
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
        values.append("album_artist", metadata?.albumArtist, to: &batch)
        values.append("track", metadata?.trackNumber, to: &batch)
        values.append("disc", metadata?.discNumber, to: &batch)
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

/// Appends plain values of one device; an unknown value is an empty message.
struct PlainValues {
    /// The range of the common beginning of their topics in the batch.
    let folder: Range<Int>

    func append(_ name: StaticString, _ text: String?, to batch: inout MessageBatch) {
        self.append(name, to: &batch) { writer in
            guard let text else { return }
            writer.append(raw: text.utf8.count <= DocumentLimits.text ? text : text.limited)
        }
    }

    func append(_ name: StaticString, _ flag: Bool?, to batch: inout MessageBatch) {
        self.append(name, to: &batch) { writer in if let flag { writer.append(raw: flag ? "ON" : "OFF" as StaticString) } }
    }

    func append(_ name: StaticString, _ number: Int?, to batch: inout MessageBatch) {
        self.append(name, to: &batch) { writer in if let number { writer.value(number) } }
    }

    /// Appends a number with at most 3 decimals.
    func append(_ name: StaticString, milli number: Double?, moment: Int64? = nil, to batch: inout MessageBatch) {
        self.append(name, moment: moment, to: &batch) { writer in if let number, number.isFinite { writer.milli(number) } }
    }

    private func append(_ name: StaticString, moment: Int64? = nil, to batch: inout MessageBatch, _ value: (inout JSONWriter) -> Void) {
        batch.append(self.folder, name, qos: 0, content: .text, moment: moment, payload: value)
    }
}

extension DevicePlayerState {
    /// The nearest word of `custom_components/mqtt_media_player` that Home Assistant also knows.
    fileprivate var mediaPlayerState: String {
        switch self {
        case .loading, .buffering, .playing: "playing"
        case .paused: "paused"
        case .idle, .on: "idle"
        case .off, .unknown: "off"
        }
    }
}
