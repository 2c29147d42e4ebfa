import CastModels

extension TopicMapper {
    /// The names below `status/`.
    static let plainNames = [
        "player", "app", "volume", "volume_level", "muted", "title", "artist", "album", "duration", "position", "position_percent",
        "artwork",
        "content_id", "repeat", "shuffle", "idle_reason", "busy", "error_code",
    ]

    /// The name of `player` in fewer words, which is published only for who can't take the others.
    public static let mediaPlayerName = "media_player"

    /// The plain mirror, one topic per value. A missing value is an empty message, which tells "nothing" and clears the topic.
    func appendPlain(_ state: DeviceState, to messages: inout [OutgoingMessage]) {
        let status = state.presentedMedia
        let anchor = state.presentedAnchor
        let media = status?.shownMedia
        let queue = status.map { QueueOverview($0) }
        let volume = state.receiver?.volume
        let application = state.receiver?.application
        let topics = self.tree.statuses(state.slug)
        func plain(_ name: String, _ text: String?) {
            messages.append(self.plain(topics.topic(name), text.map { Array($0.limited.utf8) } ?? []))
        }
        func plain(_ name: String, seconds value: Double?) { messages.append(self.plain(topics.topic(name), Self.text(of: value))) }

        plain("player", state.player.rawValue)
        plain("app", application?.name)
        plain("volume", volume?.percent.map { String($0) })
        plain("volume_level", seconds: volume?.clampedLevel)
        plain("muted", volume?.isMuted.map { $0 ? "ON" : "OFF" })
        plain("title", media?.metadata?.title)
        plain("artist", media?.metadata?.artist)
        plain("album", media?.metadata?.albumName)
        plain("duration", seconds: status?.endingDuration)
        // Ticks came between two anchors: the same position again is news to whoever heard them.
        let moment = anchor?.at.nanoseconds
        messages.append(self.plain(topics.topic("position"), Self.text(of: anchor?.position), moment: moment))
        let percent = anchor.flatMap { Self.roundedPercent($0.percent(at: $0.at)) }
        messages.append(self.plain(topics.topic("position_percent"), Self.text(of: percent), moment: moment))
        plain("artwork", self.artwork(media, application))
        plain("content_id", media?.shownContentID)
        plain("repeat", queue?.repeatMode?.word)
        plain("shuffle", queue?.shuffle.map { $0 ? "ON" : "OFF" })
        plain("idle_reason", state.presentedIdleReason?.word)
        plain("busy", state.isBusy ? "ON" : "OFF")
        plain("error_code", state.errorCode)
        if self.options.includesMediaPlayer { plain(Self.mediaPlayerName, state.player.mediaPlayerState) }
    }

    /// A number with at most 3 decimals; empty when unknown.
    static func text(of value: Double?) -> [UInt8] {
        guard let value, value.isFinite else { return [] }
        var writer = JSONWriter(capacity: 16)
        writer.milli(value)
        return writer.bytes
    }

    /// Percent with one decimal, the step of a seek bar.
    static func roundedPercent(_ value: Double?) -> Double? { value.map { ($0 * 10).rounded() / 10 } }

    /// Readers fetch it, so it is a complete web address or nothing: the medium's picture, else the application's icon, else
    /// the placeholder.
    private func artwork(_ media: MediaInformation?, _ application: ReceiverApplication?) -> String? {
        if let image = media?.imageURL, image.isWebAddress { return image }
        if let icon = application?.iconURL, icon.isWebAddress { return icon }
        return self.options.status.artworkPlaceholder
    }

    func plain(_ topic: String, _ payload: [UInt8], moment: Int64? = nil) -> OutgoingMessage {
        OutgoingMessage(
            topic: topic, payload: payload, qos: 0, retain: true, content: payload.isEmpty ? .empty : .text,
            moment: payload.isEmpty ? nil : moment)
    }
}

extension DevicePlayerState {
    /// The nearest of the words of `custom_components/mqtt_media_player` that Home Assistant has as well.
    fileprivate var mediaPlayerState: String {
        switch self {
        case .loading, .buffering, .playing: "playing"
        case .paused: "paused"
        case .idle, .on: "idle"
        case .off, .unknown: "off"
        }
    }
}
