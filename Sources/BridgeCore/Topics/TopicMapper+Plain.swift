import CastModels

extension TopicMapper {
    /// The names below `status/`.
    static let plainNames = [
        "player", "app", "volume", "volume_level", "muted", "title", "artist", "album", "duration", "position", "position_percent",
        "artwork",
        "content_id", "repeat", "shuffle", "idle_reason", "busy", "error_code",
    ]

    /// The name of `player` in a reduced vocabulary, for consumers with a fixed one.
    package static let mediaPlayerName = "media_player"

    /// The plain value that must not be sent twice to clients: Home Assistant takes the arrival of the message as the time of its picture.
    package static let artworkName = "artwork"

    /// The name of the picture itself.
    package static let artworkImageName = "artwork/image"
    static let artworkImageQoS: UInt8 = 1

    /// Returns a message that the broker retains, in the form in which it would be sent; `nil` unless it must not be sent twice to clients.
    /// - Parameter name: the name of the document below the slug.
    package static func artwork(_ payload: [UInt8], at topic: String, name: String) -> OutgoingMessage? {
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
    package func artworkAddress(of state: DeviceState) -> String? {
        Self.picture(state.presentedMedia?.shownMedia, state.receiver?.application?.iconURL)
    }

    private static func picture(_ media: MediaInformation?, _ icon: String?) -> String? {
        if let image = media?.imageURL, image.isWebAddress { return image }
        return icon.flatMap { $0.isWebAddress ? $0 : nil }
    }

    private func fetchable(_ address: String) -> String? { self.options.redaction.finds(in: address) ? nil : address }
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
